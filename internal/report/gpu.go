package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/gpubench"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// measuredOn is the device that something was measured on.
type measuredOn struct {
	Backend      string `json:"backend"`
	Name         string `json:"device"`
	Architecture string `json:"architecture"`
}

func deviceOf(i gpu.Info) measuredOn {
	return measuredOn{string(i.Backend), i.Name, i.Architecture}
}

// DeviceProducts writes a table of products of a matrix on a device.
func DeviceProducts(w io.Writer, rows []gpubench.Row) {
	t := newTable(w, "product", "bytes/nz", "ms", "median", "GB/s", "% of copy", "x csr", "build ms", "normwise")
	for _, r := range rows {
		limit := ""
		if r.Copy > 0 {
			limit = fmt.Sprintf("%.0f", 100*r.BytesPerSecond()/r.Copy)
		}
		t.AppendRow(table.Row{
			r.Way, fmt.Sprintf("%.2f", float64(r.Bytes)/float64(max(r.NNZ, 1))),
			fmt.Sprintf("%.4f", 1e3*r.Min), fmt.Sprintf("%.4f", 1e3*r.Median), fmt.Sprintf("%.1f", r.BytesPerSecond()/1e9), limit,
			fmt.Sprintf("%.2f", r.Speedup()), fmt.Sprintf("%.0f", 1e3*r.Build), fmt.Sprintf("%.1e", r.Errors.Normwise),
		})
	}
	t.Render()
}

// DeviceSolves writes a table of solves on a device.
func DeviceSolves(w io.Writer, solves []gpubench.Solve) {
	t := newTable(w, "solve", "with", "iterations", "steps", "result", "residual", "seconds", "x csr")
	for _, s := range solves {
		t.AppendRow(table.Row{
			s.Method, s.Way, s.Iterations, s.Steps, s.Reason, fmt.Sprintf("%.1e", s.Residual),
			fmt.Sprintf("%.4f", s.Seconds), fmt.Sprintf("%.2f", solves[0].Seconds/s.Seconds),
		})
	}
	t.Render()
}

// stored is the JSON form of a way to store a matrix.
type stored struct {
	Matrix  string  `json:"matrix"`
	Rows    int     `json:"rows"`
	NNZ     int     `json:"nnz"`
	Layout  string  `json:"layout"`
	Formats string  `json:"formats"`
	Epsilon float64 `json:"epsilon"`
	Build   float64 `json:"build_seconds"`
}

// DeviceProductsJSON writes each product as one JSON object on a line.
func DeviceProductsJSON(w io.Writer, on gpu.Info, matrix string, rows []gpubench.Row) error {
	e := json.NewEncoder(w)
	for _, r := range rows {
		if err := e.Encode(struct {
			Kind string `json:"kind"` // product
			stored
			Bytes         int64   `json:"matrix_bytes"`
			Moved         int64   `json:"bytes_moved"`
			SecondsMin    float64 `json:"seconds_min"`
			SecondsMedian float64 `json:"seconds_median"`
			GBps          Number  `json:"gbps"`
			Copy          Number  `json:"copy_gbps"` // 0: not measured
			Speedup       Number  `json:"speedup_csr"`
			Normwise      Number  `json:"error_normwise"`
			measuredOn
		}{
			"product",
			stored{matrix, r.Rows, r.NNZ, r.Layout, r.Formats, r.Epsilon, r.Build},
			r.Bytes, r.Moved(), r.Min, r.Median, Number(r.BytesPerSecond() / 1e9), Number(r.Copy / 1e9),
			Number(r.Speedup()), Number(r.Errors.Normwise), deviceOf(on),
		}); err != nil {
			return err
		}
	}
	return nil
}

// DeviceSolvesJSON writes each solve as one JSON object on a line.
func DeviceSolvesJSON(w io.Writer, on gpu.Info, matrix string, solves []gpubench.Solve) error {
	e := json.NewEncoder(w)
	for _, s := range solves {
		if err := e.Encode(struct {
			Kind string `json:"kind"` // solve
			stored
			Method     string  `json:"method"`
			Iterations int     `json:"iterations"`
			Steps      int     `json:"refinement_steps"`
			Reason     string  `json:"result"`
			Residual   Number  `json:"relative_residual"`
			SecondsMin float64 `json:"seconds_min"`
			measuredOn
		}{
			"solve",
			stored{matrix, s.Rows, s.NNZ, s.Layout, s.Formats, s.Epsilon, s.Build},
			s.Method, s.Iterations, s.Steps, s.Reason, Number(s.Residual), s.Seconds, deviceOf(on),
		}); err != nil {
			return err
		}
	}
	return nil
}
