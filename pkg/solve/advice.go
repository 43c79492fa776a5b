package solve

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

const (
	singularAdvice = "A is singular to rounding, and x is large where it is nearly a null vector (--output); " +
		"a constraint or boundary condition may be missing, or the null space has to be given (--nullspace)"
	inconsistentAdvice = "A is singular to rounding and b is not in its range, so there is no solution; " +
		"check b (--rhs), or the equations that contradict each other"
)

// smallestNormal is the smallest float64 with 53 bits.
const smallestNormal = 0x1p-1022

// advice returns one line on what to do about a solve that did not converge, with a flag
// worth trying for one as this was; empty if it converged.
func (a *answer) advice(used usage) string {
	s := a.s
	switch r := a.reason; r {
	case krylov.IterationLimit:
		return fmt.Sprintf("allow more iterations (--max-iter %d), or %s", 2*s.opt.MaxIter, a.another(used))
	case krylov.Breakdown, krylov.Divergence, krylov.NotFinite, krylov.IndefinitePreconditioner, krylov.Stagnation, krylov.Slow:
		return a.another(used)
	case krylov.Indefinite:
		if s.Facts.Symmetric {
			return "conjugate gradients need a positive definite matrix; try --method minres or --method gmres"
		}
		return "conjugate gradients need a symmetric positive definite matrix; try --method gmres"
	case krylov.Drift:
		if s.opt.NoRefine {
			return "rounding separated the recurrence of the method from the true residual; try --refine"
		}
		return fmt.Sprintf("the solve ended a little above the tolerance; try --tol %.1g", a.s.opt.Tol/2)
	case krylov.Singular:
		return singularAdvice
	case krylov.Inconsistent:
		return inconsistentAdvice
	case krylov.PrecisionExhausted:
		if a.vectors.AbsMax(a.x) < smallestNormal {
			return "x is below 2.2e-308, where float64 has few digits; multiply b by a power of two, and divide x by it"
		}
		return fmt.Sprintf("x in float64 cannot meet the tolerance but by luck; try --tol %s", roundedUp(max(a.reachable(), s.opt.Stop.pick(a.Errors))))
	case krylov.TooFewDigits:
		return a.fewerDigits()
	default:
		return r.Advice()
	}
}

// another names what could be tried instead of the method and preconditioner used.
func (a *answer) another(used usage) string {
	s := a.s
	kind := used.precond.Kind
	switch {
	case s.opt.Device != nil:
		return "try --device cpu, which has more preconditioners"
	case s.opt.Precond.Kind != PrecondAuto:
		return "try --precond auto"
	case s.opt.Method != Auto:
		return "try --method auto"
	case s.opt.NoRefine:
		return "try --refine"
	case s.opt.Restart > 0 && used.method == string(GMRES):
		return fmt.Sprintf("try a longer restart (--restart %d)", 2*s.opt.Restart)
	case s.opt.Scale != ScaleAuto:
		return "try --scale auto"
	case kind != precond.ILUT:
		return "try --precond ilut --drop-tol 1e-8 --fill 100"
	}
	return "try --precond ilut --drop-tol 1e-12 --fill 1000, which is nearly a complete factorisation"
}

// fewerDigits says what is in the way of the digits asked for.
func (a *answer) fewerDigits() string {
	if a.precise != nil {
		return a.precise.advice()
	}
	switch g := a.digits; g.State {
	case DigitsBelieved, DigitsEstimated:
		return fmt.Sprintf("about %d digits can be believed; try --digits %d", g.Believed, g.Believed)
	case DigitsNone:
		return "no digit can be believed; the matrix is too ill-conditioned for float64, check its scales and constraints, or leave digits out (--digits none)"
	}
	return "digits could not be confirmed; try --precond ilut, or leave them out (--digits none)"
}

// roundedUp is v with two digits, rounded up.
func roundedUp(v float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return fmt.Sprintf("%.1e", math.Ceil(v/unit*(1-1e-12))*unit)
}

// zeroReturned is the caution about an x that was given up for zero.
const zeroReturned = "x = 0 is returned: the best x found is worse, ||r||/||b|| = %.1e"

// farAbove is the error that is worth a caution though another one is within the tolerance.
const farAbove = 1e-3

// cautions returns what the reason does not say.
func (a *answer) cautions() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if a.dropped > 0 {
		say(zeroReturned, a.dropped)
	} else if !a.reason.Converged() && a.RelativeResidual > 1 {
		say("x is worse than 0 in the 2-norm, ||r||/||b|| = %.1e, but better by rows", a.RelativeResidual)
	}
	if a.digits.State == DigitsNone {
		say("no digit of x can be believed")
	}
	if a.reason != krylov.Converged {
		return lines
	}
	stop := a.s.opt.Stop
	if e := a.Componentwise; stop != StopCW && e > farAbove {
		say("the componentwise error is %.1e: some equations are not met beside their own terms", e)
	}
	if e := a.RelativeResidual; stop != StopRel && e > farAbove {
		say("||r||/||b|| is %.1e: x is so large that b hardly matters", e)
	}
	return lines
}
