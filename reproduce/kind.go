// Package reproduce measures what the experiments of the papers ask for: it lists their measurements, leaves out
// those on record, and makes the others.
package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// kind is a kind of measurement.
type kind struct {
	name      string
	text      string // what it measures
	labels    []label
	values    []string     // values of its measurements; share.* stands for all shares
	matrix    bool         // it measures with a matrix
	available func() error // returns an error if nothing can be measured here; nil: it always can

	exists func(p point) bool                 // nil: all combinations of labels do
	cost   func(p point, nnz float64) float64 // about how many seconds a measurement takes

	// together returns a key: points of the same key are measured in one call. nil: each point is measured alone.
	together func(p point) string

	detector bool // it measures with the simulated detector of input.agata
	unitNorm bool // the matrix is first scaled to a norm between 1 and 2

	// measure makes the measurements at the points, which are complete, and gives each result to in.emit as soon as
	// it is there. It returns early with the error of ctx.
	measure func(ctx context.Context, in input, points []point) error
}

// run measures at all points until the time is used up.
func (k kind) run(ctx context.Context, in input, points []point) error {
	if k.unitNorm {
		unitNorm(in.matrix, in.pool)
	}
	key := k.together
	if key == nil {
		key = but("")
	}
	for _, group := range groups(points, key) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if in.late() {
			return nil
		}
		in.progress(group[0].text())
		if err := k.measure(ctx, in, group); err != nil {
			return err
		}
	}
	return nil
}

// label is a label of the points of a kind.
type label struct {
	name  string
	value string // default, where an experiment leaves the label out
	domain
}

// domain is the set of values of a label: as text, and as a check.
type domain struct {
	text  string
	check func(string) error
}

// point is a measurement to make: it has a value for each label of its kind.
type point map[string]string

// text describes a point.
func (p point) text() string {
	var words []string
	for _, name := range []string{"solver", operationLabel, implementationLabel, bitsLabel, algorithmLabel, tableLabel, precisionLabel, kernelLabel, distributionLabel, sizeLabel, formatsLabel, epsilonLabel, criterionLabel} {
		if p[name] != "" {
			words = append(words, p[name])
		}
	}
	return strings.Join(words, " ")
}

// groups groups points by a key, in the order of the first point of each key.
func groups(points []point, key func(p point) string) (list [][]point) {
	index := map[string]int{}
	for _, p := range points {
		k := key(p)
		if _, ok := index[k]; !ok {
			index[k] = len(list)
			list = append(list, nil)
		}
		list[index[k]] = append(list[index[k]], p)
	}
	return list
}

// but returns a key that is the same for points that differ in one label only.
func but(label string) func(p point) string {
	return func(p point) string {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(p)) {
			if name != label {
				words = append(words, p[name])
			}
		}
		return strings.Join(words, "\t")
	}
}

// input is common to the measurements of a group.
type input struct {
	matrix    *csr.Matrix    // nil if the kind needs none
	name      string         // of the matrix
	pool      *parallel.Pool // of all threads
	quick     bool
	maxMemory int64 // bytes; 0: no limit
	agata     *agataSignals

	late     func() bool // the time is used up: start nothing more
	progress func(text string)
	emit     func(p point, r result) error
}

// emitReason records why points cannot be measured.
func (in input) emitReason(reason string, points ...point) error {
	for _, p := range points {
		if err := in.emit(p, result{notes: map[string]string{"reason": reason}}); err != nil {
			return err
		}
	}
	return nil
}

// result is the result of a measurement, see records.Record.
type result struct {
	values map[string]float64
	series map[string][]float64
	notes  map[string]string
}

// kinds lists all kinds of measurement.
func kinds() []kind {
	return []kind{
		product(), scaling(), energyOfProducts(), solves(), matrices(), numberFormat(), accessorKernels(), ellProduct(), rooflines(),
		inexactGMRES(), adaptiveDot(), iterations(), stochasticSolves(), formatSearches(), streams(), plainLayouts(),
		ddBiCG(), ddVectors(), ddProducts(), ddBand(),
		multiplePrecision(), stepsOfMPRES(), sparseMultiplePrecision(),
		agataSearches(), agataTimes(), agataDistances(), agataEnergies(), agataDigits(),
	}
}

func findKind(name string) (kind, error) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, fmt.Errorf("unknown kind of measurement %q", name)
	}
	return all[i], nil
}

// Kinds describes all kinds of measurement.
func Kinds() (list []records.Kind) {
	for _, k := range kinds() {
		d := records.Kind{Name: k.name, Text: k.text, Matrix: k.matrix, Values: k.values}
		for _, l := range k.labels {
			d.Labels = append(d.Labels, records.Label{Name: l.name, Default: l.value, Words: l.text})
		}
		list = append(list, d)
	}
	return list
}

// has reports whether measurements of a kind can have a value of that name.
func (k kind) has(value string) bool {
	return slices.Contains(k.values, value) || strings.HasPrefix(value, records.Share) && slices.Contains(k.values, records.Share+"*")
}

// storageValues lists the values that storageOf fills in.
var storageValues = []string{"bytes", "bytes_per_nnz", "storage", "storage_fp32"}

// oneOf returns the domain of a label with a fixed set of values.
func oneOf(words ...string) domain {
	return domain{strings.Join(words, ", "), func(w string) error {
		if !slices.Contains(words, w) {
			return fmt.Errorf("%q is not one of %v", w, words)
		}
		return nil
	}}
}

// storageOf fills in the bytes stored, absolute and relative to CSR.
func storageOf(values map[string]float64, m *csr.Matrix, bytes int64) {
	rows, nnz := int64(m.Rows), int64(m.NNZ())
	const index = 4
	values["bytes"] = float64(bytes)
	values["bytes_per_nnz"] = float64(bytes) / float64(max(nnz, 1))
	values["storage"] = float64(bytes) / float64(index*(rows+1)+(index+8)*nnz)
	values["storage_fp32"] = float64(bytes) / float64(index*(rows+1)+(index+4)*nnz)
}

// finite returns the values without those that JSON cannot represent.
func (r result) finite() map[string]float64 {
	if r.values == nil {
		return map[string]float64{}
	}
	maps.DeleteFunc(r.values, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	return r.values
}
