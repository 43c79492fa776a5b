package report

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// Roofline writes a table of the points for one number of threads, in GFLOP/s: a row for each configuration, a column for
// each intensity. from says where the array is: in memory or in the cache.
func Roofline(w io.Writer, threads int, from string, roof lab.Roof, intensities []int, points []lab.RooflinePoint) {
	ceilings := fmt.Sprintf("%s %.1f GB/s", from, roof.GBps)
	for _, arithmetic := range slices.Sorted(maps.Keys(roof.GFLOPS)) {
		ceilings += fmt.Sprintf(", %s %.1f GFLOP/s", arithmetic, roof.GFLOPS[arithmetic])
	}
	Line(w, "threads", "%d, ceilings: %s", threads, ceilings)
	header := []any{"GFLOP/s by FLOP per value", "bytes"}
	for _, i := range intensities {
		header = append(header, i)
	}
	t := newTable(w, append(header, "GB/s", "% of "+from)...)
	for _, name := range lab.ConfigsOf(points) {
		row := table.Row{name}
		for _, p := range points {
			if p.Config != name || p.Threads != threads {
				continue
			}
			if len(row) == 1 {
				row = append(row, p.Bytes)
			}
			row = append(row, fmt.Sprintf("%.2f", p.GFLOPS))
		}
		gbps, _ := lab.BestOf(points, name, threads)
		t.AppendRow(append(row, fmt.Sprintf("%.1f", gbps), percent(gbps, roof.GBps)))
	}
	t.Render()
}

// RooflineJSON writes each point as one JSON object on a line, with the roof for its number of threads.
func RooflineJSON(w io.Writer, on host.Environment, roofs map[int]lab.Roof, points []lab.RooflinePoint) error {
	type point struct {
		Config        string  `json:"config"`
		BytesPerValue int     `json:"bytes_per_value"`
		FLOPPerValue  int     `json:"flop_per_value"`
		Threads       int     `json:"threads"`
		GFLOPS        Number  `json:"gflops"`
		GBps          Number  `json:"gbps"`
		Seconds       float64 `json:"seconds"`
		ReadLimit     Number  `json:"read_limit_gbps"` // ceiling of the memory or the cache
		host.Environment
	}
	return jsonLines(w, points, func(p lab.RooflinePoint) any {
		return point{
			p.Config, p.Bytes, p.Intensity, p.Threads, Number(p.GFLOPS), Number(p.GBps), p.Seconds,
			Number(roofs[p.Threads].GBps), on,
		}
	})
}

// Stream writes a table of the kernels of BabelStream. It has a row for each size and number of threads, and for each kernel
// the bandwidth of the fastest and of the median round.
func Stream(w io.Writer, results []lab.StreamResult) {
	header := []any{"GB/s, best/median", "threads", "array MiB"}
	for _, k := range lab.StreamKernels() {
		header = append(header, k.Name)
	}
	t := newTable(w, header...)
	var row table.Row
	for k, r := range results {
		if k == 0 || r.N != results[k-1].N || r.Threads != results[k-1].Threads {
			threads := "–"
			if r.Threads > 0 {
				threads = fmt.Sprint(r.Threads)
			}
			row = table.Row{fmt.Sprintf("%d elements", r.N), threads, fmt.Sprintf("%.4g", 8*float64(r.N)/(1<<20))}
		}
		row = append(row, fmt.Sprintf("%.1f/%.1f", r.Best(), r.Typical()))
		if k+1 == len(results) || results[k+1].N != r.N || results[k+1].Threads != r.Threads {
			t.AppendRow(row)
		}
	}
	t.Render()
}

// streamed has the fields that the JSON forms of results on the host and on a device share.
type streamed struct {
	Kernel        string  `json:"kernel"`
	Elements      int     `json:"elements"` // of an array of doubles
	Bytes         int64   `json:"bytes_moved"`
	Rounds        int     `json:"rounds"`
	SecondsMin    float64 `json:"seconds_min"`
	SecondsMedian float64 `json:"seconds_median"`
	GBps          Number  `json:"gbps"`
	GBpsMedian    Number  `json:"gbps_median"`
}

func streamedBy(r lab.StreamResult) streamed {
	return streamed{r.Kernel, r.N, r.Bytes, len(r.Rounds), r.Min, r.Median, Number(r.Best()), Number(r.Typical())}
}

// StreamJSON writes each result as one JSON object on a line.
func StreamJSON(w io.Writer, on host.Environment, results []lab.StreamResult) error {
	type result struct {
		streamed
		Threads int `json:"threads"`
		host.Environment
	}
	return jsonLines(w, results, func(r lab.StreamResult) any { return result{streamedBy(r), r.Threads, on} })
}

// DeviceStreamJSON is StreamJSON for results on a device.
func DeviceStreamJSON(w io.Writer, on gpu.Info, results []lab.StreamResult) error {
	type result struct {
		streamed
		Backend      string `json:"backend"`
		Device       string `json:"device"`
		Architecture string `json:"architecture"`
	}
	return jsonLines(w, results, func(r lab.StreamResult) any {
		return result{streamedBy(r), string(on.Backend), on.Name, on.Architecture}
	})
}

// System writes the properties of the matrix of a file: in one line or, verbose, in several.
func System(w io.Writer, file string, f csr.Facts, verbose bool) {
	if verbose {
		Facts(w, f)
		return
	}
	if file == "-" {
		file = "standard input"
	}
	Line(w, "matrix", "%s: %d x %d, %d %s%s", filepath.Base(file), f.Rows, f.Cols, f.NNZ, english.PluralWord(f.NNZ, "nonzero", "nonzeros"), traits(f))
}

// traits names the properties that a method can use.
func traits(f csr.Facts) string {
	switch {
	case f.Rows != f.Cols:
		return ", not square"
	case !f.Symmetric:
		return ", not symmetric"
	}
	sign := map[int]string{1: "positive", -1: "negative", 0: "of both signs"}[f.DiagonalSign()]
	if f.DiagonalZero > 0 {
		sign = "with zeros"
	}
	return fmt.Sprintf(", symmetric, diagonal %s", sign)
}
