package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/lab"
)

// ProductsDD writes a table of products with double-double vectors beside those with float64 ones.
func ProductsDD(w io.Writer, products []lab.ProductDD) {
	t := newTable(w, "layout", "bytes/nz", "double ms", "median", "dd ms", "median", "dd/double", "GB/s", "error of double", "error of dd")
	for _, p := range products {
		t.AppendRow(table.Row{
			p.Layout, fmt.Sprintf("%.2f", p.BytesPerNonzero()),
			fmt.Sprintf("%.3f", 1e3*p.Double.Min), fmt.Sprintf("%.3f", 1e3*p.Double.Median),
			fmt.Sprintf("%.3f", 1e3*p.DD.Min), fmt.Sprintf("%.3f", 1e3*p.DD.Median),
			fmt.Sprintf("%.2f", p.Ratio()), fmt.Sprintf("%.1f", p.BytesPerSecond()/1e9),
			fmt.Sprintf("%.1e", p.ErrorDouble), fmt.Sprintf("%.1e", p.ErrorDD),
		})
	}
	t.Render()
}
