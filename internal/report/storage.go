package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// Prediction is the size of a matrix in one set of formats, for each criterion and accuracy.
type Prediction struct {
	Set   string
	Stats []adaptive.Stats // in the order of the columns
}

// Predictions writes a table of bytes per nonzero, indices included, and the share of nonzeros that would be dropped.
func Predictions(w io.Writer, columns []string, rows []Prediction) {
	Line(w, "sets", "bytes per nonzero where matrices are stored row by row as in the papers, indices included, and how many percent are dropped; errors relative to the norm of the matrix (nw) or of the row (cw)")
	header := []any{"set"}
	for _, c := range columns {
		header = append(header, c)
	}
	t := newTable(w, header...)
	for _, r := range rows {
		row := table.Row{r.Set}
		for _, s := range r.Stats {
			row = append(row, fmt.Sprintf("%.2f %4.0f%%", s.PerNonzero(), 100*float64(s.Dropped)/float64(max(s.NNZ, 1))))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// Formats writes how many nonzeros and bytes of a stored matrix each format has, and the size of FP64 CSR.
func Formats(w io.Writer, s adaptive.Stats, fp64 int64) {
	t := newTable(w, "format", "nonzeros", "%", "bytes")
	share := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(max(s.NNZ, 1))) }
	for _, f := range s.Formats {
		t.AppendRow(table.Row{f.Format.Name, f.Count, share(f.Count), f.Bytes})
	}
	t.AppendRow(table.Row{"dropped", s.Dropped, share(s.Dropped), 0})
	t.AppendRow(table.Row{"in slots", s.InSlots, share(s.InSlots), ""})
	t.AppendRow(table.Row{"row units", "", "", s.Scales})
	t.AppendRow(table.Row{"all", s.NNZ, "", s.Bytes})
	t.AppendRow(table.Row{"FP64 CSR", s.NNZ, "", fp64})
	t.Render()
}

// SetStructure fills in the structural rank of the matrix.
func (r *Report) SetStructure(rank int) { r.Matrix.StructuralRank = &rank }

// CautionStructure adds a caution if every matrix with this pattern is singular. It must be called after Add.
func (r *Report) CautionStructure() {
	n := min(r.Matrix.Rows, r.Matrix.Cols)
	if rank := r.Matrix.StructuralRank; rank != nil && *rank < n {
		r.Cautions = append(r.Cautions, fmt.Sprintf("the matrix is structurally singular: its nonzeros allow a rank of %d of %d, so that x is one of many solutions, if there is any", *rank, n))
	}
}

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
