package refine

import (
	"cmp"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Beyond reports, and says, whether the tolerance is below the mean error that rounding x to float64 leaves, whatever b is. Rounding the
// largest element x_j changes it by u/4 ||x||_inf or more in the mean, which adds |a_ij| times as much to r_i; the roundings of other
// elements do not make r_i less in the mean. Row-wise and componentwise errors divide it by at most 2 T_i ||x||_inf, the normwise error by
// 2 max T_i ||x||_inf, and ||b||_2 is at most sqrt(n) max T_i ||x||_inf. As j is not known, the column counts where the best row is worst.
func (s *Problem) Beyond() bool {
	if s.Opt.Tol >= rules.Roundoff || !rules.Float64Vectors(s.Opt.Vectors) || rules.Precise(s.Opt) {
		return false
	}
	_, most := s.ExtremeSums()
	norm := map[solve.Stop]float64{solve.StopNW: most, solve.StopRel: most * math.Sqrt(float64(s.Rows()))}[s.Opt.Stop] // 0: by rows
	weight := make([]float64, s.M.Cols)                                                                                // of columns
	for i, t := range s.AbsSums() {
		cols, vals := s.M.Row(i)
		for k, j := range cols {
			weight[j] = max(weight[j], math.Abs(vals[k])/cmp.Or(norm, t))
		}
	}
	least, _ := s.Source().Extremes(weight)
	if least *= rules.Roundoff / 8; s.Opt.Tol >= least {
		return false
	}
	s.Say("tolerance %g is out of reach: rounding x to float64 leaves an error of %.1e or more in the mean; the solve aims at %.1e and ends there",
		s.Opt.Tol, least, rules.Roundoff)
	return true
}

// exhausted reports whether no fallback can improve x: the tolerance is Beyond, and x is near to what its rounding allows.
func (c *Correction[V, S]) exhausted() bool {
	reach := NearReachable * rules.Roundoff
	if c.Beyond && c.Measure.Stop == solve.StopRel {
		c.At.AbsApply(c.R, c.x)
		reach *= c.Measure.Of(c.x, c.R)
	}
	return c.Beyond && min(c.Reached, c.From) <= reach
}

// NearReachable is the multiple of the error that rounding x may cause up to which precision counts as exhausted.
const NearReachable = 16
