package digits

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// likeUnits is the gain up to which the units of unknowns do not matter: less than a digit.
const likeUnits = 8

// units are the units of the unknowns, the powers of two of D_c.
type units struct {
	by          []int // exponents
	least, most int
}

// units returns the units of the unknowns, those with which the method scales columns; of ranks that share a matrix they are not known.
func (a Estimation) units() (u units) {
	switch s := a.S; {
	case s.Job != nil:
	case s.Scaled != nil:
		u.by = s.Scaled.Col
	default: // nothing is multiplied
		u.by = csr.BothScaling(s.M, s.Pool).Col
	}
	for k, e := range u.by {
		if k == 0 {
			u.least, u.most = e, e
		}
		u.least, u.most = min(u.least, e), max(u.most, e)
	}
	return u
}

// alike reports whether the units differ by less than likeUnits, or by so much that scaled unknowns are beyond float64.
func (u units) alike() bool {
	spread := float64(u.most - u.least)
	return spread <= math.Log2(likeUnits) || spread > 1000
}

// inUnits returns 2^-e T_i ||z||_inf of each row, with the unknowns z = D_c^-1 x of the scaled system A D_c z = b and the sums T_i of its rows. It returns nil
// where that is not less than T_i ||x||_inf by more than likeUnits in any row.
func (a Estimation) inUnits(size float64, e int) []float64 {
	u := a.units()
	if u.alike() {
		return nil
	}
	exponent := int(a.largest(func(j int, v float64) float64 { return float64(dd.Exponent(v) - u.by[j]) }))
	norm := a.largest(func(j int, v float64) float64 { return dd.Ldexp(math.Abs(v), -u.by[j]-exponent) }) // ||z|| 2^-exponent
	if ex := dd.Exponent(size); dd.Ldexp(size, -ex) <= likeUnits*dd.Ldexp(norm, u.least+exponent-ex) {
		return nil
	}
	sums, t := a.unitSums(u), make([]float64, a.S.M.Rows)
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t[i] = dd.Ldexp(sums[i]*norm, u.most+exponent-e)
		}
	})
	return t
}

// largest returns the largest of a function of the elements of x that are not zero.
func (a Estimation) largest(of func(j int, v float64) float64) float64 {
	return a.Vectors.Max(func(lo, hi int) float64 {
		most := math.Inf(-1)
		for j := lo; j < hi; j++ {
			if v := a.X[j]; v != 0 {
				most = max(most, of(j, v))
			}
		}
		return most
	})
}

// unitSums returns sum_j |a_ij| 2^(by_j - most) of each row. The caller must not change the slice, which serves until the units change.
func (a Estimation) unitSums(u units) []float64 {
	if a.UnitSums != nil && slices.Equal(a.UnitsOfSums, u.by) {
		return a.UnitSums
	}
	unit := make([]float64, len(u.by))
	for j, e := range u.by {
		unit[j] = dd.Ldexp(1, e-u.most)
	}
	sums := make([]float64, a.S.M.Rows)
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := a.S.M.Row(i)
			sum := 0.0
			for k, j := range cols {
				sum += float64(math.Abs(vals[k]) * unit[j])
			}
			sums[i] = sum
		}
	})
	a.UnitSums, a.UnitsOfSums = sums, u.by
	return sums
}
