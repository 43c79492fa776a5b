package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/spmvbench"
)

// OnMachine writes what products are measured on.
func OnMachine(w io.Writer, m Machine) {
	Line(w, "processor", "%s, %s kernels, last-level cache %s", Known(m.Processor), m.Kernels, Size(m.LLCBytes))
}

// Size is a number of bytes for people, "unknown" for 0. Like caches, it is in
// powers of two.
func Size(n int64) string {
	if n == 0 {
		return Known("")
	}
	return humanize.IBytes(uint64(n))
}

// Known is the text, or "unknown" for "".
func Known(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// Threads writes the number of threads of a product and their bandwidth.
func Threads(w io.Writer, r spmvbench.Row) {
	if r.Read == 0 {
		Line(w, "threads", "%d", r.Threads)
		return
	}
	Line(w, "threads", "%d, memory: read %.1f GB/s (by streams: %s), triad %.1f GB/s",
		r.Threads, r.Read/1e9, strings.Trim(fmt.Sprintf("%.1f", gigabytes(r.Streams[:])), "[]"), r.Triad/1e9)
}

// gigabytes returns bytes in units of 10^9.
func gigabytes(bytes []float64) (g []float64) {
	for _, b := range bytes {
		g = append(g, b/1e9)
	}
	return g
}

// Products writes a table of products that were measured on the same threads.
func Products(w io.Writer, rows []spmvbench.Row) {
	t := newTable(w, "product", "bytes/nz", "ms", "median", "GB/s", "% of limit",
		"x ordinary", "x tuned", "build", "normwise", "componentwise", "row-wise")
	for _, r := range rows {
		limit := ""
		if r.Read > 0 {
			limit = fmt.Sprintf("%.0f", 100*r.BytesPerSecond()/r.Read)
		}
		build := ""
		if r.Build > 0 {
			build = fmt.Sprintf("%.0f", r.BuildSpMVs())
		}
		t.AppendRow(table.Row{
			r.Name, fmt.Sprintf("%.2f", r.BytesPerNonzero()),
			fmt.Sprintf("%.3f", 1e3*r.Min), fmt.Sprintf("%.3f", 1e3*r.Median),
			fmt.Sprintf("%.1f", r.BytesPerSecond()/1e9), limit,
			fmt.Sprintf("%.2f", r.SpeedupOrdinary()), fmt.Sprintf("%.2f", r.SpeedupTuned()), build,
			fmt.Sprintf("%.1e", r.Errors.Normwise), fmt.Sprintf("%.1e", r.Errors.Componentwise),
			fmt.Sprintf("%.1e", r.Errors.Row),
		})
	}
	t.Render()
}

// Machine is what products were measured on.
type Machine struct {
	Processor string `json:"processor"` // "": not known
	Kernels   string `json:"kernels"`
	LLCBytes  int64  `json:"llc_bytes"` // of the last-level cache, 0: not known
}

// product is the JSON form of one measured product.
type product struct {
	Matrix          string        `json:"matrix"`
	Rows            int           `json:"rows"`
	Cols            int           `json:"cols"`
	NNZ             int           `json:"nnz"`
	Layout          string        `json:"layout"`
	Formats         string        `json:"formats"`
	Epsilon         float64       `json:"epsilon"`
	Criterion       string        `json:"criterion"`
	Threads         int           `json:"threads"`
	BytesPerNonzero float64       `json:"bytes_per_nnz"`
	SecondsMin      float64       `json:"seconds_min"`
	SecondsMedian   float64       `json:"seconds_median"`
	GBps            Number        `json:"gbps"`
	ReadLimit       Number        `json:"read_limit_gbps"`   // 0: not measured, as triad_gbps
	ReadStreams     []float64     `json:"read_streams_gbps"` // with 1, 2, ... streams on each thread
	Triad           Number        `json:"triad_gbps"`
	SpeedupOrdinary Number        `json:"speedup_ordinary"`
	SpeedupTuned    Number        `json:"speedup_tuned"`
	BuildSpMVs      Number        `json:"build_spmvs"`
	BackwardError   BackwardError `json:"backward_error"`
	Machine
}

// ProductsJSON writes each product as one JSON object on a line.
func ProductsJSON(w io.Writer, on Machine, rows []spmvbench.Row) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range rows {
		if err := e.Encode(product{
			Matrix: r.Matrix, Rows: r.Rows, Cols: r.Cols, NNZ: r.NNZ,
			Layout: r.Layout, Formats: r.Formats, Epsilon: r.Epsilon, Criterion: r.Criterion, Threads: r.Threads,
			BytesPerNonzero: r.BytesPerNonzero(), SecondsMin: r.Min, SecondsMedian: r.Median,
			GBps: Number(r.BytesPerSecond() / 1e9), ReadLimit: Number(r.Read / 1e9), ReadStreams: gigabytes(r.Streams[:]), Triad: Number(r.Triad / 1e9),
			SpeedupOrdinary: Number(r.SpeedupOrdinary()), SpeedupTuned: Number(r.SpeedupTuned()),
			BuildSpMVs: Number(r.BuildSpMVs()),
			BackwardError: BackwardError{
				Row: Number(r.Errors.Row), Normwise: Number(r.Errors.Normwise), Componentwise: Number(r.Errors.Componentwise),
			},
			Machine: on,
		}); err != nil {
			return err
		}
	}
	return nil
}
