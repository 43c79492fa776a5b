package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

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
				out.keep(json.NewEncoder(out).Encode(map[string][]deviceRow{"devices": rows}))
			} else {
				writeDevices(out, rows)
			}
			return out.err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
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
	var rows []deviceRow
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
