// Package records keeps measurements: a JSON object a line, in a file that only
// grows, so that an interrupted run goes on where it stopped and everything
// measured can be shown together.
package records

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
)

// Record is one measurement: what was measured, in words (Labels), and what came
// of it, in numbers.
type Record struct {
	Kind   string               `json:"kind"`
	Quick  bool                 `json:"quick,omitempty"` // of a quick run
	Labels map[string]string    `json:"labels"`          // formats, epsilon, criterion, solver, ...
	Matrix *Matrix              `json:"matrix,omitempty"`
	Values map[string]float64   `json:"values"`           // finite; absent where there is none
	Series map[string][]float64 `json:"series,omitempty"` // of equal length
	Notes  map[string]string    `json:"notes,omitempty"`  // layout, reason, ...

	Environment host.Environment `json:"environment"`
	Time        time.Time        `json:"time"`
}

// Matrix is the one that was measured with.
type Matrix struct {
	Name      string `json:"name"`     // as the papers call it
	Surrogate bool   `json:"stand_in"` // generated, not the real one
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

// Key identifies what was measured, in a quick run or a full one, where, and with
// which version: records of one key are measurements of the same thing.
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
