package records

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// labels are the values that some labels must have; other labels may have any.
type labels map[string]string

// of returns the records of a kind with these labels that have the value.
func of(list []Record, kind string, want labels, value string) []Record {
	return slices.DeleteFunc(slices.Clone(list), func(r Record) bool {
		if _, ok := r.Values[value]; !ok || r.Kind != kind {
			return true
		}
		for name, w := range want {
			if r.Label(name) != w {
				return true
			}
		}
		return false
	})
}

// pair is a pair of measurements that differ only in the labels given to pairs.
type pair struct{ a, b Record }

// ratio returns the value of b over the value of a.
func (p pair) ratio(value string) float64 { return p.b.Values[value] / p.a.Values[value] }

// pairs returns, for each record of kind with the labels a, the pair with the record that has the labels b instead
// and agrees in all others.
func pairs(list []Record, kind string, a, b labels, value string) (found []pair) {
	key := func(r Record) string {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
			_, inA := a[name]
			_, inB := b[name]
			if !inA && !inB {
				words = append(words, name, r.Labels[name])
			}
		}
		if r.Matrix != nil {
			words = append(words, r.Matrix.Name, r.Matrix.Source)
		}
		return strings.Join(words, "\t")
	}
	second := map[string]Record{}
	for _, r := range of(list, kind, b, value) {
		second[key(r)] = r
	}
	for _, r := range of(list, kind, a, value) {
		if s, ok := second[key(r)]; ok {
			found = append(found, pair{r, s})
		}
	}
	return found
}

// spread is the spread of n numbers: the extremes and the quartiles.
type spread struct {
	n                                 int
	least, first, median, third, most float64
}

func spreadOf(x []float64) spread {
	if len(x) == 0 {
		nan := math.NaN()
		return spread{0, nan, nan, nan, nan, nan}
	}
	s := spread{n: len(x), least: slices.Min(x), most: slices.Max(x)}
	s.first, s.median, s.third = Quartiles(x)
	return s
}

// beside returns the median as an addition to a sentence about others.
func (s spread) beside(name string) string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s: median %.2f (%d)", name, s.median, s.n)
}

// quartiles formats the first and the third quartile.
func (s spread) quartiles(format string) string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf(format+" to "+format, s.first, s.third)
}

// ratios returns the ratios of a value in pairs.
func ratios(p []pair, value string) (x []float64) {
	for _, q := range p {
		x = append(x, q.ratio(value))
	}
	return x
}

// where names the matrix and the target of the pair with the least ratio.
func where(p []pair, value string) string {
	if len(p) == 0 {
		return ""
	}
	best := slices.MinFunc(p, func(a, b pair) int {
		switch x, y := a.ratio(value), b.ratio(value); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return starred(best.b) + " at " + best.b.Label("epsilon")
}
