package exhibit

import (
	"maps"
	"slices"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/records"
)

// alike returns the records to choose from, the best choice first: made under the
// same conditions, and the latest of those with the same labels.
func alike(list []*records.Record) []*records.Record {
	rank := func(r *records.Record) (n int) {
		if r.Matrix != nil && r.Matrix.StandIn {
			n += 2
		}
		if r.Quick {
			n++
		}
		return n
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *records.Record) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return b.Time.Compare(a.Time)
	})
	var kept []*records.Record
	for _, r := range list {
		first := list[0]
		same := func(o *records.Record) bool { return maps.Equal(o.Labels, r.Labels) }
		if rank(r) == rank(first) && r.Environment.Processor == first.Environment.Processor && !slices.ContainsFunc(kept, same) {
			kept = append(kept, r)
		}
	}
	return kept
}

// best reduces records as View.Best says; failed if none had Among.
func best(list []*records.Record, b *experiments.Best) (r *records.Record, failed bool) {
	least := func(value string, among func(*records.Record) bool) (r *records.Record) {
		for _, o := range list {
			x, ok := o.Values[value]
			if ok && among(o) && (r == nil || x < r.Values[value]) {
				r = o
			}
		}
		return r
	}
	any := func(*records.Record) bool { return true }
	ok := func(o *records.Record) bool { return b.Among == "" || o.Values[b.Among] != 0 }
	if r = least(b.Least, ok); r != nil {
		return r, false
	}
	if r = least(b.Otherwise, any); r == nil {
		r = list[0]
	}
	return r, true
}
