package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/lab"
)

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
