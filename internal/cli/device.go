package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// deviceFlag is the device to solve on: cpu, auto, or a back end of pkg/gpu, which a colon and the index of a device may
// follow.
type deviceFlag struct {
	text  string
	kind  gpu.Backend // the part before the colon
	index int
	given bool          // the flag has an index
	took  time.Duration // time that opening the device took
}

const (
	onCPU      = "cpu"
	autoDevice = "auto"
)

var (
	onlyDevices = append(slices.Clone(gpu.Backends), gpu.Emulate)
	deviceKinds = append([]gpu.Backend{onCPU, autoDevice}, onlyDevices...)
)

func (f *deviceFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.text, "device", onCPU, "device to solve on: cpu, auto (a GPU where that is expected to be faster; the report says by what figures), cuda, hip or opencl, "+
		"optionally with a device number, as in cuda:1; emulate runs the GPU kernels on the CPU, slowly, for tests")
	completeWords(c, "device", deviceKinds)
}

// check splits the flag into its parts. The part before the colon must be one of the kinds allowed.
func (f *deviceFlag) check(allowed []gpu.Backend) error {
	kind, index, numbered := strings.Cut(f.text, ":")
	if kind == "gpu" { // oneOf would suggest cpu, the nearest word
		return usage("--device %s: use cuda, hip or opencl", f.text)
	}
	if err := oneOf("device", &kind, allowed); err != nil {
		return err
	}
	f.kind = gpu.Backend(kind)
	if !numbered {
		return nil
	}
	if !f.explicit() {
		return usage("--device %s: %s takes no number", f.text, kind)
	}
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return usage("--device %s: want a device number, 0 or more, after the colon", f.text)
	}
	f.index, f.given = n, true
	return nil
}

// explicit reports whether the flag names a back end.
func (f *deviceFlag) explicit() bool { return f.kind != onCPU && f.kind != autoDevice }

// suits returns an error for options that no device supports, if the flag names a back end.
func (f *deviceFlag) suits(opt solve.Options) error {
	if !f.explicit() {
		return nil
	}
	if err := options.OnDevice(opt); err != nil {
		return usage("--device %s: %s", f.text, oneLine(err))
	}
	return nil
}

// spread gives each rank of a node a device of its own, as far as there are enough devices. If the flag has an index, all
// ranks use that device.
func (f *deviceFlag) spread(j *job) {
	if !f.explicit() || f.given {
		return
	}
	if n, err := gpu.Count(f.kind); err == nil && n > 0 {
		f.index = j.onNode() % n
	}
}

// open opens the device that the flag names; it returns nil for cpu and auto. It shows a status line, since the driver may
// take a while to compile the kernels.
func (f *deviceFlag) open(s streams) (*gpu.Device, error) {
	if !f.explicit() {
		return nil, nil
	}
	d, err := f.start(s, f.kind, f.index)
	if errors.Is(err, gpu.ErrUnavailable) {
		err = fmt.Errorf("%w; mpsolve devices lists the available ones", err)
	}
	return d, err
}

func (f *deviceFlag) start(s streams, b gpu.Backend, index int) (*gpu.Device, error) {
	start := time.Now()
	status := newStatusLine(s.err)
	status.show(func(int) string { return "starting " + f.text })
	d, err := gpu.Open(b, index)
	status.done()
	f.took = time.Since(start)
	return d, err
}

// candidate returns how auto finds and opens a device, which it passes to opened; nil for other values of the flag.
func (f *deviceFlag) candidate(ctx context.Context, s streams, opened func(*gpu.Device)) *solve.Candidate {
	if f.kind != autoDevice {
		return nil
	}
	return &solve.Candidate{
		Find: func() (gpu.Info, error) {
			if err := ctx.Err(); err != nil {
				return gpu.Info{}, err
			}
			return gpu.Best()
		},
		Open: func(i gpu.Info) (*gpu.Device, error) {
			d, err := f.start(s, i.Backend, i.Index)
			opened(d)
			return d, err
		},
	}
}
