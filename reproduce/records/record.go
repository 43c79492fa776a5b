// Measurements are kept as JSON objects, one a line, in a file that only grows. An interrupted run continues where it
// stopped, and all measurements can be shown together.
package records

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
)

// Record is one measurement: in words what was measured (Labels), and in numbers the results.
type Record struct {
	Kind   string               `json:"kind"`
	Quick  bool                 `json:"quick,omitempty"` // of a quick run
	Labels map[string]string    `json:"labels"`          // formats, epsilon, criterion, solver, ...
	Matrix *Matrix              `json:"matrix,omitempty"`
	Values map[string]float64   `json:"values"`           // finite; absent if there is none
	Series map[string][]float64 `json:"series,omitempty"` // of equal length
	Notes  map[string]string    `json:"notes,omitempty"`  // layout, reason, ...

	Environment host.Environment `json:"environment"`
	Time        time.Time        `json:"time"`
}

// Matrix is the matrix of a measurement.
type Matrix struct {
	Name      string `json:"name"`     // as in the papers
	Surrogate bool   `json:"stand_in"` // generated, not the real matrix
	Source    string `json:"source"`   // name of the file, or generator and parameters
	Rows      int    `json:"rows"`
	NNZ       int    `json:"nnz"`
}

// Label returns a label; "matrix" is the name of the matrix.
func (r *Record) Label(name string) string {
	if name == "matrix" && r.Matrix != nil {
		return r.Matrix.Name
	}
	return r.Labels[name]
}

// Key identifies what was measured, in a quick or a full run, on which machine, and with which version: records with
// the same key are measurements of the same thing.
func (r *Record) Key() string {
	var b strings.Builder
	add := func(words ...string) {
		for _, w := range words {
			b.WriteString(w)
			b.WriteByte('\t')
		}
	}
	add(r.Kind, strconv.FormatBool(r.Quick))
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		add(name, r.Labels[name])
	}
	if m := r.Matrix; m != nil {
		add(m.Name, m.Source)
	}
	e := r.Environment
	add(e.Processor, e.Kernels, strconv.Itoa(e.Cores), e.Version, e.Commit)
	return b.String()
}
