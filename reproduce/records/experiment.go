package records

import "slices"

// Experiment is a table or a figure of a paper: what to measure, how to show it,
// and what was published.
type Experiment struct {
	ID     string `yaml:"-"`      // file name without .yaml
	Paper  string `yaml:"paper"`  // key in reproduce/records/BIBLIOGRAPHY.md
	Source string `yaml:"source"` // such as Figure 3.3
	Title  string `yaml:"title"`
	Shows  string `yaml:"shows"` // one sentence
	Note   string `yaml:"note"`  // deviations from the paper

	// Every value that a view shows is in one of these lists.
	Comparable []string `yaml:"comparable"` // across machines
	Ratios     []string `yaml:"ratios"`     // only as ratios, within a machine

	Measure   []Grid      `yaml:"measure"`
	Views     []View      `yaml:"views"`
	Published []Published `yaml:"published"`
}

// Grid is a set of measurements: all combinations of labels, for each matrix.
type Grid struct {
	Kind     string `yaml:"kind"`     // such as product or solve
	Matrices Words  `yaml:"matrices"` // names; @name stands for a group of groups.yaml
	Nonzeros Sizes  `yaml:"nonzeros"` // of matrices that stand in for absent ones
	Full     bool   `yaml:"full"`     // left out of quick runs

	// Labels lists the values of each label, such as epsilon: [2^-53, 2^-24]; labels left out have the default of the
	// kind.
	Labels map[string]Words `yaml:"labels"`
}

// Sizes are numbers of nonzeros in a quick and in a full run.
type Sizes struct {
	Quick float64 `yaml:"quick"`
	Full  float64 `yaml:"full"` // with Share: at least so many

	// Share is the share of FP64 CSR, 12 bytes a nonzero, that a stored form takes for its time to count: the matrix
	// gets as many nonzeros as make the form as large as Caches last-level caches, but at most MostNonzeros. 0: Full
	// on any machine.
	Share float64 `yaml:"share"`
}

const (
	// Caches is the least size of a stored form, in last-level caches of its machine, from which on its time depends
	// on memory.
	Caches = 4

	MostNonzeros = 1e8 // of a matrix whose size depends on the machine
)

// Of returns the number of nonzeros of a run on a machine with a last-level cache of llc bytes, 0 if unknown.
func (s Sizes) Of(quick bool, llc int64) float64 {
	switch {
	case quick:
		return s.Quick
	case s.Share == 0:
		return s.Full
	}
	return max(s.Full, min(Caches*float64(llc)/(12*s.Share), MostNonzeros))
}

// Published holds values from the paper, a row for each measurement to compare with: first the values of Labels, then
// those of Values; NA if the paper has none.
type Published struct {
	Labels []string   `yaml:"labels"`
	Values []string   `yaml:"values"`
	About  bool       `yaml:"about"` // read from text or from a figure
	Rows   [][]string `yaml:"rows"`
}

// NotAvailable stands in Published for a value that the paper does not have.
const NotAvailable = "NA"

// View is a table and, with Figure, a drawing of it.
type View struct {
	Name  string `yaml:"name"` // letters and digits, unique in the experiment
	Title string `yaml:"title"`

	Where   map[string]Words `yaml:"where"`   // labels and the values shown; other labels: all values
	Rows    []string         `yaml:"rows"`    // labels
	Columns []string         `yaml:"columns"` // labels
	Values  []string         `yaml:"values"`  // in each cell
	Best    *Best            `yaml:"best"`
	Figure  *Figure          `yaml:"figure"`
}

// Best selects, of the measurements that differ in one label only, the one with the least of a value, such as
// seconds, among those in which another value, such as converged, is not 0. If that is 0 in all of them, it selects
// the one with the least Otherwise.
type Best struct {
	Over      string `yaml:"over"`
	Least     string `yaml:"least"`
	Among     string `yaml:"among"`
	Otherwise string `yaml:"otherwise"`
}

// Figure describes how a view is drawn.
type Figure struct {
	// Kind is the way in which the values of the view are drawn: as bars, points or lines with the rows along x and
	// the columns as series, Lines at the numbers that the rows' labels are; stacked, with a bar for each row
	// (Stack); or the series X and Y of the records as lines (History).
	Kind ChartKind `yaml:"kind"`

	Panels string `yaml:"panels"` // label, one of Rows or Columns, that has a panel for each of its values

	Where map[string]Words `yaml:"where"` // values of Rows or Columns that are drawn; other labels: all values

	// Relative selects the cell, by its values of some of Rows and Columns, that values which compare only as ratios are
	// relative to: the cell with all other labels in common.
	Relative map[string]string `yaml:"relative"`

	Front int `yaml:"front"` // number on the first page of the report; 0: not there

	X Axis `yaml:"x"`
	Y Axis `yaml:"y"`
}

// Shows reports whether a row or a column of the view is drawn.
func (f Figure) Shows(labels, words []string) bool {
	for k, label := range labels {
		if shown := f.Where[label]; shown != nil && !slices.Contains(shown, words[k]) {
			return false
		}
	}
	return true
}

// Axis is an axis of a figure. Text and unit of a value have defaults.
type Axis struct {
	Text   string `yaml:"text"`
	Series string `yaml:"series"` // of a history
	Log    bool   `yaml:"log"`
}

// HasLabel reports whether the measurements of a completed experiment have a label of that name.
func (e Experiment) HasLabel(name string) bool {
	return slices.ContainsFunc(e.Measure, func(g Grid) bool {
		return g.Labels[name] != nil || name == "matrix" && len(g.Matrices) > 0
	})
}

// Kind describes a kind of measurement, which Grid.Kind names.
type Kind struct {
	Name   string
	Text   string // what it measures
	Matrix bool   // it measures with matrices
	Labels []Label
	Values []string // of its measurements; share.* stands for all shares of formats
}

// Label is a label that Grid.Labels may have.
type Label struct {
	Name    string
	Default string
	Words   string // its possible values, as text
}
