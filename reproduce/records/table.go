package records

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// table is a view of an experiment with its measurements.
type table struct {
	Experiment Experiment
	View       View

	Rows, Columns [][]string      // values of the view's labels
	Values        []Value         // in each cell
	Cells         [][]cell        // a row for each of Rows
	Surrogate     map[string]bool // matrices that a surrogate stands for
	Notes         []string        // printed below the table
}

// cell holds the measured and the published values for a row and a column.
type cell struct {
	Values    []float64            // in the order of table.Values; NaN: none
	Published []float64            // likewise
	About     bool                 // read from a figure or from text
	Winner    string               // the value of View.Best.Over
	Failed    bool                 // no measurement had View.Best.Among
	Series    map[string][]float64 // of the record
	Quick     bool
	Surrogate bool
}

func (c *cell) empty() bool { return !c.measured() && !c.published() }

func (c *cell) measured() bool {
	return c.Series != nil || slices.ContainsFunc(c.Values, notNaN)
}

func (c *cell) published() bool { return slices.ContainsFunc(c.Published, notNaN) }

func notNaN(v float64) bool { return !math.IsNaN(v) }

// measured reports whether anything was measured.
func (t *table) measured() bool {
	return t.has(func(c *cell) bool { return c.measured() })
}

func (t *table) has(is func(*cell) bool) bool {
	return slices.ContainsFunc(t.Cells, func(row []cell) bool {
		return slices.ContainsFunc(row, func(c cell) bool { return is(&c) })
	})
}

// belongs reports whether a record is one of a grid's measurements: it has the grid's kind, one of its matrices, with
// a surrogate of about the grid's size, and values of its labels. Labels that the grid does not name may have any
// value.
func belongs(g Grid, r *Record) bool {
	if r.Kind != g.Kind || (r.Matrix != nil) != (len(g.Matrices) > 0) {
		return false
	}
	if m := r.Matrix; m != nil {
		size := g.Nonzeros.Of(r.Quick, r.Environment.LLCBytes)
		if !slices.Contains(g.Matrices, m.Name) || m.Surrogate && size > 0 && !near(float64(m.NNZ), size) {
			return false
		}
	}
	for name, words := range g.Labels {
		if !slices.Contains(words, r.Labels[name]) {
			return false
		}
	}
	return true
}

// near reports whether a surrogate has about the size of a grid.
func near(a, b float64) bool { return a < 2*b && b < 2*a }

// newTable arranges the records that belong to the experiment. Rows and columns have the order in which the grids
// list their labels; those with nothing measured and nothing published are left out. If several records would fill a
// cell, records of real matrices precede those of surrogates, records of full runs precede those of quick ones, and
// newer ones precede older ones.
//
// A row of Published belongs to a cell if every label that it names has the cell's value, or a value that the view
// shows if the label is no row or column. It must name all rows and columns of which the view shows more than one
// value.
func newTable(e Experiment, v View, list []Record) table {
	t := table{Experiment: e, View: v, Values: describe(v), Surrogate: map[string]bool{}}
	p := pivot{table: &t, orders: map[string][]string{}, cells: map[string][]*Record{}}
	p.collect(list)
	t.Rows, t.Columns = p.keys(v.Rows), p.keys(v.Columns)
	ambiguous := map[string]bool{}
	for _, row := range t.Rows {
		cells := make([]cell, len(t.Columns))
		for k, column := range t.Columns {
			cells[k] = p.cell(row, column, ambiguous)
		}
		t.Cells = append(t.Cells, cells)
	}
	t.dropEmpty()
	t.annotate(slices.Sorted(maps.Keys(ambiguous)))
	return t
}

// describe returns the values in the cells of a view; for a history without values, the last values of its y.
func describe(v View) []Value {
	var list []Value
	for _, name := range v.Values {
		list = append(list, describeValue(name))
	}
	if len(list) == 0 && v.Figure != nil {
		y := describeValue(v.Figure.Y.Series)
		y.Name, y.Text = last+y.Name, last+y.Text
		list = append(list, y)
	}
	return list
}

// last precedes the name of a series for its last number.
const last = "last "

func describeValue(name string) Value {
	d, ok := LookupValue(name)
	if !ok {
		return Value{Name: name, Text: name}
	}
	return d
}

// pivot is a table under construction.
type pivot struct {
	table  *table
	orders map[string][]string  // values of each label that are shown, in order
	cells  map[string][]*Record // by key of row and column
}

// collect distributes the records over the cells.
func (p *pivot) collect(list []Record) {
	v, grids := &p.table.View, p.grids(list)
	for _, g := range grids {
		p.order("matrix", g.Matrices)
		for _, label := range slices.Sorted(maps.Keys(g.Labels)) {
			p.order(label, g.Labels[label])
		}
	}
	for i := range list {
		r := &list[i]
		if !slices.ContainsFunc(grids, func(g Grid) bool { return belongs(g, r) }) || !shown(v, r) {
			continue
		}
		var row, column []string
		for _, label := range v.Rows {
			row = append(row, r.Label(label))
			p.order(label, row[len(row)-1:])
		}
		for _, label := range v.Columns {
			column = append(column, r.Label(label))
			p.order(label, column[len(column)-1:])
		}
		at := key(row, column)
		p.cells[at] = append(p.cells[at], r)
	}
}

// grids returns the grids that the view shows records of, or all grids if there are none.
func (p *pivot) grids(list []Record) (grids []Grid) {
	e, v := &p.table.Experiment, &p.table.View
	for _, g := range e.Measure {
		if slices.ContainsFunc(list, func(r Record) bool { return shown(v, &r) && belongs(g, &r) }) {
			grids = append(grids, g)
		}
	}
	if len(grids) == 0 {
		return e.Measure
	}
	return grids
}

// order adds those values of a label that are shown and not yet listed.
func (p *pivot) order(label string, words []string) {
	where := p.table.View.Where[label]
	for _, w := range words {
		if (where == nil || slices.Contains(where, w)) && !slices.Contains(p.orders[label], w) {
			p.orders[label] = append(p.orders[label], w)
		}
	}
}

func shown(v *View, r *Record) bool {
	for label, words := range v.Where {
		if !slices.Contains(words, r.Label(label)) {
			return false
		}
	}
	return true
}

// keys returns all combinations of the values of labels, the last label fastest.
func (p *pivot) keys(labels []string) [][]string {
	keys := [][]string{nil}
	for _, label := range labels {
		var longer [][]string
		for _, k := range keys {
			for _, w := range p.orders[label] {
				longer = append(longer, append(slices.Clip(k), w))
			}
		}
		keys = longer
	}
	return keys
}

func key(row, column []string) string {
	return strings.Join(row, "\t") + "\n" + strings.Join(column, "\t")
}

func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// dropEmpty removes rows and columns that hold nothing.
func (t *table) dropEmpty() {
	kept := func(keys [][]string, empty func(i int) bool) (list []int) {
		for i := range keys {
			if !empty(i) {
				list = append(list, i)
			}
		}
		return list
	}
	rows := kept(t.Rows, func(i int) bool {
		return !slices.ContainsFunc(t.Cells[i], func(c cell) bool { return !c.empty() })
	})
	columns := kept(t.Columns, func(k int) bool {
		return !slices.ContainsFunc(t.Cells, func(row []cell) bool { return !row[k].empty() })
	})
	var cells [][]cell
	for _, i := range rows {
		cells = append(cells, pick(t.Cells[i], columns))
	}
	t.Rows, t.Columns, t.Cells = pick(t.Rows, rows), pick(t.Columns, columns), cells
}

// pick returns the elements with these indices.
func pick[T any](list []T, indices []int) (picked []T) {
	for _, i := range indices {
		picked = append(picked, list[i])
	}
	return picked
}

const publishedNote = "[ ] published"

// surrogateNote explains surrogates, "" if there are none.
func (t *table) surrogateNote() string {
	switch {
	case len(t.Surrogate) == 0:
		return ""
	case slices.Contains(t.View.Rows, "matrix") || slices.Contains(t.View.Columns, "matrix"):
		return "* a generated matrix of the same class in place of the real one"
	}
	return "a generated matrix of the same class in place of " + strings.Join(slices.Sorted(maps.Keys(t.Surrogate)), ", ")
}

// annotate explains the marks, and warns of limitations of the measurements.
func (t *table) annotate(ambiguous []string) {
	note := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	if text := t.surrogateNote(); text != "" {
		note("%s", text)
	}
	if t.has(func(c *cell) bool { return c.published() }) {
		note("%s", publishedNote)
	}
	if t.has(func(c *cell) bool { return c.About && c.published() }) {
		note("~ read from a figure or from text")
	}
	if t.has(func(c *cell) bool { return c.Failed }) {
		note("( ) not %s", t.View.Best.Among)
	}
	if t.has(func(c *cell) bool { return c.Quick }) {
		note("measured in a quick run")
	}
	if len(ambiguous) > 0 {
		note("measurements also differ in %s; the newest is shown", strings.Join(ambiguous, ", "))
	}
}
