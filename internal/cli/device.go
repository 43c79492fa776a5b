package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
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
	c.Flags().StringVar(&f.text, "device", onCPU, "device to solve on: cpu, auto (a GPU where the solve is expected to be faster there; the report has the estimates), cuda, hip or opencl, "+
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
func (f *deviceFlag) suits(opt solve.Options, domains int) error {
	if !f.explicit() {
		return nil
	}
	err := rules.OnDevice(opt)
	if err == nil && domains > 1 {
		opt.Device = new(gpu.Device) // which is not open yet
		err = rules.OverDomains(opt)
	}
	if err != nil {
		return usage("--device %s: %s", f.text, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// spread gives each rank of a node a device of its own, as far as there are enough devices. If the flag has an index, all
// ranks use that device.
func (f *deviceFlag) spread(j *job) {
	if !f.explicit() || f.given {
		return
	}
	f.index = j.onNode() % len(gpu.Devices(f.kind)) // a backend without devices has one entry
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

const devicesLong = `List the GPUs that solve can use. For each back end without a GPU, say why.

The libraries of CUDA, HIP and OpenCL are loaded at run time; the environment variables MPSOLVE_LIBCUDA, MPSOLVE_LIBHIP
and MPSOLVE_LIBOPENCL name other files for them. The bandwidth is measured by copies within the memory of the device,
and counts bytes read and bytes written.`

func newDevices(s streams) *cobra.Command {
	var asJSON, bandwidth bool
	c := &cobra.Command{
		Use: "devices", Short: "List the available GPUs", Long: devicesLong, Args: exactly(0, "no argument"),
		Example: "  mpsolve devices\n  mpsolve devices --bandwidth=false --json",
		RunE: func(c *cobra.Command, _ []string) error {
			rows := findDevices(c.Context(), bandwidth)
			out := &firstError{w: s.out}
			if asJSON {
				out.keep(report.WriteJSON(out, map[string][]deviceRow{"devices": rows}))
			} else {
				writeDevices(out, rows)
			}
			return out.err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object (docs/devices.schema.json)")
	c.Flags().BoolVar(&bandwidth, "bandwidth", true, "measure the bandwidth of copies")
	return c
}

// deviceRow is a device, or a back end without one. Reason says why it cannot be used.
type deviceRow struct {
	gpu.Info
	Bandwidth float64 `json:"copy_bytes_per_second,omitempty"`
	Reason    string  `json:"reason,omitempty"`
}

func findDevices(ctx context.Context, bandwidth bool) []deviceRow {
	rows := []deviceRow{}
	for _, f := range gpu.Devices() {
		r := deviceRow{Info: f.Info}
		err := f.Err
		if err == nil && bandwidth && ctx.Err() == nil {
			r.Bandwidth, err = copyBandwidth(f.Info)
		}
		if err != nil {
			r.Reason = reason(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// reason returns why a device cannot be used, without the words that its row has already.
func reason(err error) string {
	var e *gpu.Error
	if errors.As(err, &e) {
		return e.Reason()
	}
	return oneLine(err)
}

func copyBandwidth(i gpu.Info) (float64, error) {
	d, err := gpu.Open(i.Backend, i.Index)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return d.CopyBandwidth(copyBytes(i))
}

// copyBytes returns the number of bytes to copy to measure the bandwidth: more than any cache of a GPU, and at most an
// eighth of the memory.
func copyBytes(i gpu.Info) int64 {
	bytes := int64(1 << 30)
	if i.Backend == gpu.Emulate || i.Host || i.Integrated {
		bytes = 64 << 20
	}
	if i.Memory > 0 {
		bytes = min(bytes, i.Memory/8)
	}
	return bytes
}

func writeDevices(w io.Writer, rows []deviceRow) {
	for _, r := range rows {
		if r.Name == "" {
			report.Line(w, string(r.Backend), "%s", r.Reason)
			continue
		}
		text := fmt.Sprintf("%s, %s, %d units, %s of memory", r.Name, report.Known(r.Architecture), r.Units, report.Size(r.Memory))
		if r.Free > 0 {
			text += ", " + report.Size(r.Free) + " free"
		}
		if r.Bandwidth > 0 {
			text += fmt.Sprintf(", copies %.4g GB/s", r.Bandwidth/1e9)
		}
		switch {
		case r.Host:
			text += ", the host itself"
		case r.Integrated:
			text += ", shares the memory of the host"
		}
		if r.Reason != "" {
			text += "; not usable: " + r.Reason
		}
		report.Line(w, fmt.Sprintf("%s:%d", r.Backend, r.Index), "%s", text)
	}
}
