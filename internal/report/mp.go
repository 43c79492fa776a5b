package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
)

// publishedMP has the milliseconds of table 5 of [Isupov20]: y = alpha A x + beta y with 1000 rows and columns on a GTX 1080.
var publishedMP = struct {
	n    int
	bits []int
	rows []publishedRow
}{1000, []int{106, 212, 424, 848, 1696}, []publishedRow{
	{"MPRES-BLAS", []float64{3.1, 5.6, 8.5, 12.9, 24.6}},
	{"MPRES-BLAS, transposed", []float64{2.9, 4.6, 7.1, 11.2, 19.4}},
	{"basic implementation", []float64{12.1, 22.8, 42.4, 75.5, 150.6}},
	{"CUMP", []float64{20.1, 20.8, 26.8, 56.8, 154.0}},
	{"CAMPARY", []float64{0.7, 6.0, 26.3, 124.4, 2499.9}},
	{"GARPREC", []float64{26.5, 37.4, 70.2, 206.0, 689.1}},
}}

type publishedRow struct {
	name string
	ms   []float64
}

// MP writes a table for each number of threads and operation. It has a row for each implementation and, for each precision,
// the time of a multiply-add and the time of math/big over that time. Published times follow.
func MP(w io.Writer, bits, threads []int, results []lab.MPResult) {
	for _, t := range threads {
		Line(w, "threads", "%d", t)
		for _, operation := range lab.MPOperations {
			mpTable(w, bits, t, operation, results)
		}
	}
	for _, r := range results {
		if r.Operation == lab.MPGEMV && r.N == publishedMP.n {
			mpPublished(w, bits)
			return
		}
	}
}

func mpTable(w io.Writer, bits []int, threads int, operation string, results []lab.MPResult) {
	header := []any{operation + ": ns a term (math/big / it)"}
	for _, b := range bits {
		header = append(header, fmt.Sprintf("%d bits", b))
	}
	var rows []table.Row
	for _, name := range lab.MPImplementations {
		row := table.Row{name}
		found := false
		for _, b := range bits {
			cell := "–"
			for _, r := range results {
				if r.Implementation != name || r.Operation != operation || r.Bits != b || r.Threads != threads {
					continue
				}
				found = true
				cell = shortly(1e9 * r.PerTerm())
				if over := r.OverBig(); !math.IsNaN(over) {
					cell += " (" + shortly(over) + ")"
				}
			}
			row = append(row, cell)
		}
		if found {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return
	}
	t := newTable(w, header...)
	t.AppendRows(rows)
	t.Render()
}

// shortly returns a positive number with three digits.
func shortly(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// mpPublished writes published times. Since a product has 10^6 terms, the milliseconds of a product are the nanoseconds of a
// term.
func mpPublished(w io.Writer, bits []int) {
	header := []any{"published: ns a term, GTX 1080"}
	for _, b := range bits {
		header = append(header, fmt.Sprintf("%d bits", b))
	}
	t := newTable(w, header...)
	for _, p := range publishedMP.rows {
		row := table.Row{p.name}
		for _, b := range bits {
			if k := slices.Index(publishedMP.bits, b); k >= 0 {
				row = append(row, p.ms[k])
			} else {
				row = append(row, "–")
			}
		}
		t.AppendRow(row)
	}
	t.Render()
}

// MPJSON writes each result as one JSON object on a line.
func MPJSON(w io.Writer, on host.Environment, results []lab.MPResult) error {
	type result struct {
		Operation      string  `json:"operation"`
		Implementation string  `json:"implementation"`
		Bits           int     `json:"bits"`
		N              int     `json:"n"`
		Threads        int     `json:"threads"`
		Terms          int     `json:"multiply_adds"`
		Rounds         int     `json:"rounds"`
		SecondsMin     float64 `json:"seconds_min"`
		SecondsMedian  float64 `json:"seconds_median"`
		SecondsWhole   float64 `json:"seconds_whole"` // estimate for all rows of the matrix
		PerTerm        float64 `json:"ns_per_multiply_add"`
		OverBig        Number  `json:"times_math_big"`
		Error          Number  `json:"error"` // relative to the sum of magnitudes
		host.Environment
	}
	return jsonLines(w, results, func(r lab.MPResult) any {
		return result{
			r.Operation, r.Implementation, r.Bits, r.N, r.Threads, r.Terms, len(r.Rounds), r.Min, r.Median, r.Whole(), 1e9 * r.PerTerm(),
			Number(r.OverBig()), Number(r.Error), on,
		}
	})
}

// MPProducts writes a table of sparse products in multiple precision. Each precision begins with the product in FP64 that
// was timed with it.
func MPProducts(w io.Writer, nnz int, list []lab.MPProduct) {
	t := newTable(w, "product", "bits", "bytes/nz", "ms", "median", "ns/nz", "x CSR's time", "build s", "error of rows")
	double := 1.0
	for _, p := range list {
		name, build := p.Implementation, fmt.Sprintf("%.2f", p.Build)
		if name == lab.TunedCSR {
			name, build, double = "tuned CSR, FP64", "", p.Min
		}
		t.AppendRow(table.Row{
			name, p.Bits, fmt.Sprintf("%.1f", float64(p.Bytes)/float64(max(nnz, 1))), fmt.Sprintf("%.3f", 1e3*p.Min),
			fmt.Sprintf("%.3f", 1e3*p.Median), shortly(1e9 * p.Min / float64(max(nnz, 1))), shortly(p.Min / double), build,
			fmt.Sprintf("%.1e", p.Error),
		})
	}
	t.Render()
}

// MPProductsJSON writes each sparse product in multiple precision as one JSON object on a line.
func MPProductsJSON(w io.Writer, on host.Environment, matrix string, threads, nnz int, list []lab.MPProduct) error {
	type product struct {
		Matrix          string  `json:"matrix"`
		NNZ             int     `json:"nnz"`
		Implementation  string  `json:"implementation"`
		Bits            int     `json:"bits"`
		Threads         int     `json:"threads"`
		BytesPerNonzero float64 `json:"bytes_per_nnz"`
		SecondsBuild    float64 `json:"seconds_build"`
		SecondsMin      float64 `json:"seconds_min"`
		SecondsMedian   float64 `json:"seconds_median"`
		Error           Number  `json:"error"` // of elements of y, relative to the sum of magnitudes
		host.Environment
	}
	return jsonLines(w, list, func(p lab.MPProduct) any {
		return product{
			matrix, nnz, p.Implementation, p.Bits, threads, float64(p.Bytes) / float64(max(nnz, 1)), p.Build, p.Min, p.Median, Number(p.Error), on,
		}
	})
}
