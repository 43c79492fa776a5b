package csr

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// SymmetryTol is the tolerance of numerical symmetry: a square matrix is
// symmetric when its asymmetry,
//
//	max_ij |a_ij - a_ji| / max(|a_ij|, |a_ji|, sqrt|a_ii a_jj|),
//
// is at most this. No entry of a definite matrix exceeds sqrt(a_ii a_jj), so rounding
// errors of its entries are relative to that, however small an entry became by
// cancellation. D A D has the same asymmetry as A; relative to the magnitudes of
// whole rows it would not, and bad scaling would hide any difference.
const SymmetryTol = 1e-12

// asymmetry returns the asymmetry of m; root[i] is sqrt|a_ii|. The partner of every
// entry above the diagonal is looked up. If these are all the entries below, all
// pairs have been compared; if not, the partners of those below are looked up too.
func asymmetry(m *Matrix, root []float64, pool *parallel.Pool) float64 {
	bounds := Panels(m)
	worst, alone := make([]float64, len(bounds)-1), make([]int, len(bounds)-1)
	pool.RunRanges(bounds, func(panel, lo, hi int) {
		w, n := 0.0, 0 // n: entries below, less those found
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			for k, j := range cols {
				if int(j) <= i {
					if int(j) < i {
						n++
					}
					continue
				}
				partner, found := m.find(int(j), i)
				if found {
					n--
				}
				if vals[k] != partner {
					w = max(w, difference(vals[k], partner, root[i]*root[j]))
				}
			}
		}
		worst[panel], alone[panel] = w, n
	})
	unpaired := 0
	for _, n := range alone {
		unpaired += n
	}
	if unpaired > 0 {
		pool.RunRanges(bounds, func(panel, lo, hi int) {
			for i := lo; i < hi; i++ {
				cols, vals := m.Row(i)
				for k, j := range cols {
					if int(j) >= i {
						break
					}
					if _, found := m.find(int(j), i); !found && vals[k] != 0 {
						worst[panel] = max(worst[panel], difference(vals[k], 0, root[i]*root[j]))
					}
				}
			}
		})
	}
	all := 0.0
	for _, w := range worst {
		all = max(all, w)
	}
	return all
}

// difference returns |a - b| relative to the largest of |a|, |b| and scale, NaN if a
// or b is NaN. They are not both 0.
func difference(a, b, scale float64) float64 {
	return math.Abs(a-b) / max(math.Abs(a), math.Abs(b), scale)
}
