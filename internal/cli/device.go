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

	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// deviceFlag is where to solve: cpu, auto, or a back end of pkg/gpu and, after a colon,
// the index of a device.
type deviceFlag struct {
	text  string
	kind  gpu.Backend // the part before the colon
	index int
	took  time.Duration // to open it
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
	c.Flags().StringVar(&f.text, "device", onCPU, "where to solve: cpu, auto (a GPU where that pays), cuda, hip or opencl, "+
		"also with the number of a device, as cuda:1; emulate runs a GPU's kernels on the cpu, slowly, for tests")
	completeWords(c, "device", deviceKinds)
}

// check splits the flag into its parts, the kind being one of those allowed.
func (f *deviceFlag) check(allowed []gpu.Backend) error {
	kind, index, numbered := strings.Cut(f.text, ":")
	if kind == "gpu" { // next to cpu, which is not meant
		return usage("--device %s: say which one, cuda, hip or opencl", f.text)
	}
	if err := oneOf("device", kind, allowed); err != nil {
		return err
	}
	f.kind = gpu.Backend(kind)
	if !numbered {
		return nil
	}
	if !f.asked() {
		return usage("--device %s: %s has no number", f.text, kind)
	}
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return usage("--device %s: want a number after the colon, from 0", f.text)
	}
	f.index = n
	return nil
}

// asked tells whether a device was asked for.
func (f *deviceFlag) asked() bool { return f.kind != onCPU && f.kind != autoDevice }

// suits finds what of opt no device has, if one was asked for.
func (f *deviceFlag) suits(opt solve.Options) error {
	if !f.asked() {
		return nil
	}
	if err := opt.OnDevice(); err != nil {
		return usage("--device %s: %s", f.text, oneLine(err))
	}
	return nil
}

// open opens the device that was asked for; nil: none was. A terminal shows that this may
// take a while, where the driver translates the kernels.
func (f *deviceFlag) open(s streams) (*gpu.Device, error) {
	if !f.asked() {
		return nil, nil
	}
	d, err := f.start(s, f.kind, f.index)
	if errors.Is(err, gpu.ErrUnavailable) {
		err = fmt.Errorf("%w; mpsolve devices lists those that there are", err)
	}
	return d, err
}

func (f *deviceFlag) start(s streams, b gpu.Backend, index int) (*gpu.Device, error) {
	start := time.Now()
	status := newStatusLine(s.err)
	status.show(func() string { return "starting " + f.text })
	d, err := gpu.Open(b, index)
	status.done()
	f.took = time.Since(start)
	return d, err
}

// pick opens the device that auto takes for a matrix of so many nonzeros, or says why it
// takes none.
func (f *deviceFlag) pick(ctx context.Context, s streams, opt solve.Options, nonzeros int) (d *gpu.Device, why string) {
	if err := opt.OnDevice(); err != nil {
		return nil, oneLine(err)
	}
	if nonzeros < solve.DeviceNonzeros {
		return nil, fmt.Sprintf("%d nonzeros are too few for a GPU to pay, from about %d on it does", nonzeros, solve.DeviceNonzeros)
	}
	if ctx.Err() != nil {
		return nil, "stopped"
	}
	info, err := gpu.Best()
	if err == nil {
		d, err = f.start(s, info.Backend, info.Index)
	}
	if err != nil {
		return nil, oneLine(err)
	}
	return d, ""
}
