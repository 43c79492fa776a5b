package csr

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
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

// sampledPanels is the number of panels in that sample.
const sampledPanels = 8

// A mirror is the sum of hashes of the entries above the diagonal, less those of the entries below
// it, each with the place that it has above: zero for a symmetric matrix, and for another one
// by a chance of 2^-64. Sums of integers do not depend on their order.
type mirror uint64

// rowMirror returns the mirror of row i.
func rowMirror(m *Matrix, i int) (sum mirror) {
	cols, vals := m.Row(i)
	for k, j := range cols {
		switch v := math.Float64bits(vals[k]); {
		case v<<1 == 0 || int(j) == i: // a zero need not be stored
		case int(j) > i:
			sum += mirror(kernels.HashEntry(uint64(i), uint64(j), v))
		default:
			sum -= mirror(kernels.HashEntry(uint64(j), uint64(i), v))
		}
	}
	return sum
}

// asymmetry returns the asymmetry of m. If m has many rows and a sample of
// them is plainly not symmetric, it is the asymmetry of the sample.
func asymmetry(m *Matrix, pool *parallel.Pool) float64 {
	root := m.Diagonal(pool)
	for i, d := range root {
		root[i] = math.Sqrt(math.Abs(d))
	}
	bounds := Panels(m)
	if panels := len(bounds) - 1; panels > 2*sampledPanels {
		var sample [sampledPanels]float64
		pool.Each(sampledPanels, func(k int) {
			at := k * panels / sampledPanels
			for i := bounds[at]; i < bounds[at+1]; i++ {
				sample[k] = max(sample[k], rowAsymmetry(m, root, i))
			}
		})
		if worst := slices.Max(sample[:]); worst > kernels.PlainAsymmetry {
			return worst
		}
	}
	return pairAsymmetry(m, root, bounds, pool)
}

// rowAsymmetry is the asymmetry of the entries of row i and their partners.
func rowAsymmetry(m *Matrix, root []float64, i int) (worst float64) {
	cols, vals := m.Row(i)
	for k, j := range cols {
		if partner, _ := m.find(int(j), i); vals[k] != partner {
			worst = max(worst, kernels.Asymmetry(vals[k], partner, root[i]*root[j]))
		}
	}
	return worst
}

// pairAsymmetry looks up the partner of every entry above the diagonal. If these are all the
// entries below, all pairs have been compared; if not, the partners of those below are looked
// up too.
func pairAsymmetry(m *Matrix, root []float64, bounds []int, pool *parallel.Pool) float64 {
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
					w = max(w, kernels.Asymmetry(vals[k], partner, root[i]*root[j]))
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
						worst[panel] = max(worst[panel], kernels.Asymmetry(vals[k], 0, root[i]*root[j]))
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
