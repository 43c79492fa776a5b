package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// bounded takes a proved bound of the error of x in place of an estimate, where the rows or the columns of A are strictly dominant and the bound gives
// enough digits: it takes no more than a residual. It is for x with a size of its own, and solves without complete factors, with which an estimate
// and a step take little.
func (a Estimation) bounded() (done bool, err error) {
	if a.S.Job != nil || a.complete() || a.Parts != nil || a.S.Nonzeros() <= rules.SmallProduct {
		return false, nil
	}
	rows, column := a.dominantRows(nil), 0.0
	if rows == nil {
		if column = a.dominantColumns(); column == 0 {
			return false, nil
		}
	}
	r := a.Vectors.New()
	if err := a.S.Refiner.Residual(r, a.X, a.B); err != nil {
		return false, err
	}
	sums, size := a.S.AbsSums(), a.Vectors.AbsMax(a.X)
	largest := func(of func(i int) float64) float64 { // the bound of ||A^-1 of||_inf
		if rows == nil {
			return a.Vectors.Sum(func(lo, hi int) (sum float64) {
				for i := lo; i < hi; i++ {
					sum += of(i)
				}
				return sum
			}) / column
		}
		return a.Vectors.Max(func(lo, hi int) (most float64) {
			for i := lo; i < hi; i++ {
				most = max(most, of(i)/rows[i])
			}
			return most
		})
	}
	g := a.Digits
	g.Condition = largest(func(i int) float64 { return sums[i] + math.Abs(a.B[i])/size })
	g.Probe, g.Error = g.Condition*rules.Roundoff, max(rules.Roundoff, largest(func(i int) float64 { return math.Abs(r[i]) / size }))
	if g.Believed = digitsOf(g.Error); g.Believed < max(rules.EnoughDigits, rules.FloatDigits(a.S.Opt)) {
		return false, nil
	}
	g.State = solve.DigitsBelieved
	a.Digits = g
	return true, nil
}

// Regular reports whether A is nonsingular for certain, and with it every matrix whose elements differ by their roundings, since its rows or its columns
// are strictly dominant.
func (a Estimation) Regular() bool {
	return a.S.Job == nil && (a.dominantRows(nil) != nil || a.dominantColumns() > 0)
}

// dominating describes a scaling of columns with which the diagonal of A dominates: a vector v > 0 with
//
//	f_i = |a_ii| v_i - sum_(j != i) |a_ij| v_j > 0
//
// for all rows. Then A is nonsingular, and |x - x*|_i <= v_i max_j |r_j| / f_j ([Varah75], with columns scaled by v).
type dominating struct {
	rows   []float64 // f, rounded down, in the order given; nil: no scaling was found
	factor float64   // log10 max v_i
}

// dominantRows returns f, rounded down, in the order chosen; nil if an element of f or v is not positive. A nil v is a vector of ones.
func (a Estimation) dominantRows(v []float64) []float64 {
	f := a.Vectors.New()
	if j := a.S.Job; j != nil && v != nil {
		j.Halo.Exchange(v)
	}
	worst := -a.Vectors.Max(func(lo, hi int) float64 {
		least := math.Inf(1)
		for i := lo; i < hi; i++ {
			cols, vals := a.S.M.Row(i)
			var diagonal, others float64
			for k, j := range cols {
				p := math.Abs(vals[k])
				if v != nil {
					p *= v[j]
				}
				if int(j) == i {
					diagonal = p
				} else {
					others += p
				}
			}
			if f[i] = excess(diagonal, others, len(cols)); !(f[i] > 0) || v != nil && !(v[i] > 0) {
				return math.Inf(1)
			}
			least = min(least, f[i])
		}
		return -least
	})
	if !(worst > 0) {
		return nil
	}
	return f
}

// excess returns the diagonal less the sum of so many other magnitudes, less what their roundings may be; 0 if that is not a positive number.
func excess(diagonal, others float64, count int) float64 {
	f := diagonal - others - float64(2*count+4)*rules.Roundoff*(diagonal+others)
	if !(f >= leastNormal/rules.Roundoff) || !(f < math.MaxFloat64) {
		return 0
	}
	return f
}

// dominantColumns returns the least g_j = |a_jj| - sum_(i != j) |a_ij|, rounded down; 0 unless all are positive. Then A is nonsingular, and
// ||x - x*||_1 <= ||r||_1 / min g_j, which is Varah's bound for the transpose. It is 0 for a symmetric A as well, whose rows tell.
func (a Estimation) dominantColumns() float64 {
	if a.S.Facts.Symmetric {
		return 0
	}
	m := a.S.M
	diagonal, others, count := make([]float64, m.Cols), make([]float64, m.Cols), make([]int32, m.Cols)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if count[j]++; int(j) == i {
				diagonal[j] = math.Abs(vals[k])
			} else {
				others[j] += math.Abs(vals[k])
			}
		}
	}
	least := math.Inf(1)
	for j, d := range diagonal {
		least = min(least, excess(d, others[j], int(count[j])))
	}
	return least
}

// opposite reports whether no off-diagonal entry has the sign of the diagonal entry of its row.
func (a Estimation) opposite() bool {
	return a.Vectors.Max(func(lo, hi int) float64 {
		for i := lo; i < hi; i++ {
			cols, vals := a.S.M.Row(i)
			negative, diagonal := math.Signbit(a.S.M.At(i, i)), false
			for k, j := range cols {
				if int(j) == i {
					diagonal = vals[k] != 0
				} else if vals[k] != 0 && math.Signbit(vals[k]) == negative {
					return 1
				}
			}
			if !diagonal {
				return 1
			}
		}
		return 0
	}) == 0
}
