package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// DeviceProducts writes a table of products of a matrix on a device. copies is the bandwidth of copies on the device in bytes
// per second; 0: not measured.
func DeviceProducts(w io.Writer, copies float64, products []lab.Product) {
	t := newTable(w, "product", "bytes/nz", "ms", "median", "GB/s", "% of copy", "x csr", "build ms", "normwise")
	for _, p := range products {
		t.AppendRow(table.Row{
			p.Name, fmt.Sprintf("%.2f", p.BytesPerNonzero()),
			fmt.Sprintf("%.4f", 1e3*p.Min), fmt.Sprintf("%.4f", 1e3*p.Median),
			fmt.Sprintf("%.1f", p.BytesPerSecond()/1e9), percent(p.BytesPerSecond(), copies),
			fmt.Sprintf("%.2f", products[0].Min/p.Min), fmt.Sprintf("%.0f", 1e3*p.Build), fmt.Sprintf("%.1e", p.Errors.Normwise),
		})
	}
	t.Render()
}

// DeviceSolves writes a table of solves on a device.
func DeviceSolves(w io.Writer, solves []lab.Solve) {
	t := newTable(w, "solve", "with", "iterations", "steps", "result", "residual", "seconds", "x csr")
	for _, s := range solves {
		t.AppendRow(table.Row{
			s.Method, s.Name, s.Iterations, s.Steps, s.Reason, fmt.Sprintf("%.1e", s.Residual),
			fmt.Sprintf("%.4f", s.Min), fmt.Sprintf("%.2f", solves[0].Min/s.Min),
		})
	}
	t.Render()
}

// onDevice has the fields that the JSON forms of products and solves on a device share.
type onDevice struct {
	Kind         string  `json:"kind"` // product or solve
	Matrix       string  `json:"matrix"`
	Rows         int     `json:"rows"`
	NNZ          int     `json:"nnz"`
	Layout       string  `json:"layout"`
	Formats      string  `json:"formats"`
	Epsilon      Number  `json:"epsilon"`
	BuildSeconds float64 `json:"build_seconds"`
	SecondsMin   float64 `json:"seconds_min"`
	Backend      string  `json:"backend"`
	Device       string  `json:"device"`
	Architecture string  `json:"architecture"`
}

func measuredOn(d gpu.Info, kind, matrix string, s lab.Stored, t lab.Time) onDevice {
	return onDevice{
		kind, matrix, s.Rows, s.NNZ, s.Layout, s.Formats, Number(s.Epsilon), s.Build, t.Min,
		string(d.Backend), d.Name, d.Architecture,
	}
}

// DeviceProductsJSON writes each product as one JSON object on a line.
func DeviceProductsJSON(w io.Writer, on gpu.Info, matrix string, copies float64, products []lab.Product) error {
	type product struct {
		onDevice
		Bytes         int64   `json:"matrix_bytes"`
		Moved         int64   `json:"bytes_moved"`
		SecondsMedian float64 `json:"seconds_median"`
		GBps          Number  `json:"gbps"`
		Copy          Number  `json:"copy_gbps"` // 0: not measured
		Speedup       Number  `json:"speedup_csr"`
		Normwise      Number  `json:"error_normwise"`
	}
	return jsonLines(w, products, func(p lab.Product) any {
		return product{
			measuredOn(on, "product", matrix, p.Stored, p.Time), p.Bytes, p.Moved(), p.Median,
			Number(p.BytesPerSecond() / 1e9), Number(copies / 1e9), Number(products[0].Min / p.Min), Number(p.Errors.Normwise),
		}
	})
}

// DeviceSolvesJSON writes each solve as one JSON object on a line.
func DeviceSolvesJSON(w io.Writer, on gpu.Info, matrix string, solves []lab.Solve) error {
	type solve struct {
		onDevice
		Method     string `json:"method"`
		Iterations int    `json:"iterations"`
		Steps      int    `json:"refinement_steps"`
		Reason     string `json:"result"`
		Residual   Number `json:"relative_residual"`
	}
	return jsonLines(w, solves, func(s lab.Solve) any {
		return solve{measuredOn(on, "solve", matrix, s.Stored, s.Time), s.Method, s.Iterations, s.Steps, s.Reason, Number(s.Residual)}
	})
}
