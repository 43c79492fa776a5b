package report

import (
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// Models writes the times of each kind of work in a known model of a processor and in a measured one.
func Models(w io.Writer, known, measured *adaptive.Model) {
	t := newTable(w, "work of a product", known.Name, measured.Name)
	was := known.Constants()
	digits := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for k, c := range measured.Constants() {
		t.AppendRow(table.Row{c.Name + ", " + c.Unit, digits(was[k].Value), digits(c.Value)})
	}
	t.Render()
}
