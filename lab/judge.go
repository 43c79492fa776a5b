package lab

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Fault is a failure that no case may show.
type Fault string

// The kinds of faults.
const (
	FalseConverged Fault = "false"  // converged, but the exact error is above the tolerance
	Contradicted   Fault = "no-x"   // converged, but the system has no solution
	Denied         Fault = "denied" // inconsistent, but the system has a solution
	Insane         Fault = "insane" // converged, but x leaves more than a tenth of b unexplained
	Silent         Fault = "silent" // converged without a correct digit, and without a warning
	Overstated     Fault = "over"   // more than one digit claimed beyond the correct ones
	Worse          Fault = "worse"  // not converged, and the x returned is worse than zero
	Panicked       Fault = "panic"
	Late           Fault = "late"    // half a second after the time limit
	Partial        Fault = "partial" // an incomplete file
	Odd            Fault = "odd"     // an undocumented error or a wrong exit code
)

// Faults lists all faults.
var Faults = []Fault{FalseConverged, Contradicted, Denied, Insane, Silent, Overstated, Worse, Panicked, Late, Partial, Odd}

const (
	insane  = 0.1  // largest share of b that a converged x may leave unexplained in any part of the system
	noDigit = 0.5  // relative error of x from which on no digit is correct
	slack   = 1e-9 // relative difference between exact error measures and those in double-double
)

// found is a fault and its evidence.
type found struct {
	Fault Fault
	Why   string
}

// judgement is the judgement on a result by exact arithmetic.
type judgement struct {
	errors measures
	faults []found
	digits float64 // correct digits of x; NaN: not known
}

func (j *judgement) fault(f Fault, format string, args ...any) {
	j.faults = append(j.faults, found{f, fmt.Sprintf(format, args...)})
}

// judge checks the result of a solve.
func judge(s *System, opt solve.Options, res solve.Result) *judgement {
	j := claims(s, opt, res)
	if res.Reason.Converged() && !math.IsInf(j.errors.row, 0) {
		j.compare(s, opt, res)
	}
	return j
}

// claims checks what is promised even when memory and arithmetic fail: a converged x has the error claimed, the
// system has a solution, and x explains b.
func claims(s *System, opt solve.Options, res solve.Result) *judgement {
	j := &judgement{digits: math.NaN()}
	for i, v := range res.X {
		if v-v != 0 {
			j.fault(Worse, "element %d of x is %v", i+1, v)
			j.errors.row = math.Inf(1)
			return j
		}
	}
	rows := equations(s.A, res.X, s.B)
	j.errors = measure(rows, stressMaxAbs(res.X))
	if res.Reason == krylov.Inconsistent && s.X != nil && solves(s.A, s.X, s.B) {
		j.fault(Denied, "inconsistent, but an exact solution is known")
	}
	if !res.Reason.Converged() {
		worst, _ := leastExplained(s.A, rows)
		if q := j.errors.relative; q > 1+slack && worst > 1+slack {
			j.fault(Worse, "%v with ‖r‖/‖b‖ = %.2g, and %.2g of b unexplained", res.Reason, q, worst)
		}
		return j
	}
	j.measure(opt)
	j.contradiction(s, opt, res)
	j.sanity(s, opt, rows)
	return j
}

// measure checks the error that the tolerance bounds.
func (j *judgement) measure(opt solve.Options) {
	e := map[solve.Stop]float64{
		"": j.errors.row, solve.StopRow: j.errors.row, solve.StopNW: j.errors.normwise,
		solve.StopCW: j.errors.componentwise, solve.StopRel: j.errors.relative,
	}[opt.Stop]
	if !(e <= opt.Tol*(1+slack)) {
		j.fault(FalseConverged, "error %.3g > %.3g", e, opt.Tol)
	}
}

// contradiction checks that the system has a solution, or that there is a caution where the contradiction is slight.
func (j *judgement) contradiction(s *System, opt solve.Options, res solve.Result) {
	y := s.Contradiction
	switch {
	case y == nil || !contradicts(s.A, s.B, y):
	case s.Ratio > 0 && !cautious(res) && len(res.Cautions) == 0:
		j.fault(Contradicted, "yᵀA = 0, |yᵀb| is %.2g of its terms, and there is no caution; ‖r‖/‖b‖ = %.2g, ‖x‖ = %.2g", s.Ratio, j.errors.relative, stressMaxAbs(res.X))
	case s.Ratio == 0 && visible(s, y, opt.Tol, opt.Stop == solve.StopNW):
		j.fault(Contradicted, "yᵀA = 0, yᵀb ≠ 0; ‖r‖/‖b‖ = %.2g", j.errors.relative)
	}
}

// sanity checks that x explains b: by rows in each connected part of the system, or by norms where --stop asks for
// them. It accepts what even the exact solution rounded to float64 does not satisfy, when the solution is so large
// that b hardly matters.
func (j *judgement) sanity(s *System, opt solve.Options, rows []equation) {
	if !byRows(opt) && j.errors.relative <= insane {
		return
	}
	if worst, size := leastExplained(s.A, rows); worst > insane && !s.beyondRounding() {
		j.fault(Insane, "%.2g of b is unexplained in %d of %d rows", worst, size, len(rows))
	}
}

// beyondRounding reports whether the unique solution, rounded to float64, leaves more than insane of b unexplained in
// some part.
func (s *System) beyondRounding() bool {
	exact := s.solution()
	if exact == nil {
		return false
	}
	rounded := make([]float64, len(exact))
	for i, v := range exact {
		rounded[i], _ = v.Float64()
	}
	worst, _ := leastExplained(s.A, equations(s.A, rounded, s.B))
	return worst > insane
}

// byRows reports whether small rows count as much as large ones.
func byRows(opt solve.Options) bool { return opt.Stop != solve.StopNW && opt.Stop != solve.StopRel }

// leastExplained returns the largest share of b that is unexplained in a part, and the number of rows of that part.
func leastExplained(m *csr.Matrix, rows []equation) (worst float64, size int) {
	for _, part := range parted(m) {
		if q := unexplained(rows, part.rows); q > worst {
			worst, size = q, len(part.rows)
		}
	}
	return worst, size
}

// compare counts the correct digits of x, if the exact solution is known, and compares them with the digits that the
// result claims.
func (j *judgement) compare(s *System, opt solve.Options, res solve.Result) {
	exact := s.solution()
	if exact == nil {
		return
	}
	j.digits = math.Inf(1)
	whole := relativeError(res.X, exact, count(len(exact)))
	if whole > 0 {
		j.digits = math.Max(0, -math.Log10(whole))
	}
	worst := whole
	if byRows(opt) {
		for _, part := range parted(s.A) {
			if e := relativeError(res.X, exact, part.cols); !math.IsInf(e, 1) { // x is zero in the part: it counts with the largest element
				worst = max(worst, e)
			}
		}
	}
	said, known := believed(res)
	switch {
	case cautious(res), opt.NoRefine: // the result has no estimate of the digits
	case worst > noDigit:
		j.fault(Silent, "relative error of x %.2g", worst)
	}
	if known && said > j.digits+1 {
		j.fault(Overstated, "about %.1f digits said, %.1f true", said, j.digits)
	}
}

// count returns 0, ..., n-1.
func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// relativeError returns max |x_i - exact_i| over max |exact_i| of the elements listed.
func relativeError(x []float64, exact []*big.Float, list []int) float64 {
	worst, size := new(big.Float), new(big.Float)
	for _, i := range list {
		d := new(big.Float).SetPrec(200).Sub(exact[i], wide(x[i]))
		worst, size = larger(worst, d.Abs(d)), larger(size, new(big.Float).Abs(exact[i]))
	}
	return quotient(worst, size)
}

// solution returns the unique solution; nil if there are several or it is not known.
func (s *System) solution() []*big.Float {
	if s.Unique && s.X != nil {
		x := make([]*big.Float, len(s.X))
		for i, v := range s.X {
			x[i] = wide(v)
		}
		return x
	}
	if s.A.Rows <= 14 {
		nature, x := eliminate(s.A, s.B)
		if nature != Regular {
			return nil
		}
		return x
	}
	return solveWide(s.A, s.B)
}

// believed returns the number of digits of x that a result claims, if it claims any. For a matrix taken for singular
// they are digits of one of many x.
func believed(res solve.Result) (digits float64, known bool) {
	return float64(res.Digits.Believed), res.Digits.State == solve.DigitsBelieved && res.NullSpace.Dim == 0
}

// cautious reports whether a result says that no digit may be correct, that the digits are unknown, that A may be
// nearly singular, or that x is one of many.
func cautious(res solve.Result) bool {
	switch res.Digits.State {
	case solve.DigitsNone, solve.DigitsNotConfirmed, solve.DigitsEstimated:
		return true
	}
	return res.NullSpace.Dim > 0
}
