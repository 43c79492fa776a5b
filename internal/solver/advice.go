package solver

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// smallestNormal is the smallest float64 with 53 bits.
const smallestNormal = 0x1p-1022

// advice returns one line on what to do about a solve that did not converge, with an option worth trying. It is empty after
// a solve that converged.
func (a *solution) advice(used refine.Usage) string {
	s := a.s
	switch r := a.Reason; r {
	case krylov.IterationLimit:
		return fmt.Sprintf("allow more iterations (Options.MaxIter = %d), or %s", 2*s.Opt.MaxIter, a.another(used))
	case krylov.Breakdown, krylov.Divergence, krylov.NotFinite, krylov.IndefinitePreconditioner, krylov.Stagnation, krylov.Slow:
		return a.another(used)
	case krylov.Indefinite:
		if s.Facts.Symmetric {
			return "conjugate gradients need a positive definite matrix; try Options.Method = minres or Options.Method = gmres"
		}
		return "conjugate gradients need a symmetric positive definite matrix; try Options.Method = gmres"
	case krylov.Drift:
		if s.Opt.NoRefine {
			return "rounding separated the recurrence of the method from the true residual; try Options.NoRefine = false"
		}
		return fmt.Sprintf("the solve ended a little above the tolerance; try Options.Tol = %.1g", a.s.Opt.Tol/2)
	case krylov.Singular:
		return special.SingularAdvice
	case krylov.Inconsistent:
		return special.InconsistentAdvice
	case krylov.PrecisionExhausted:
		if a.Vectors.AbsMax(a.X) < smallestNormal {
			return "x is below 2.2e-308, where float64 has few digits; multiply b by a power of two, and divide x by it"
		}
		return fmt.Sprintf("x in float64 cannot meet the tolerance but by luck; try Options.Tol = %s", roundedUp(max(a.reachable(), rules.ErrorOf(s.Opt.Stop, a.Errors))))
	case krylov.TooFewDigits:
		return a.fewerDigits()
	default:
		return r.Advice()
	}
}

// another names an option to try instead of the method and preconditioner used.
func (a *solution) another(used refine.Usage) string {
	s := a.s
	kind := used.Precond.Kind
	switch {
	case s.Opt.Device != nil:
		return "try Options.Device = nil: the host has more preconditioners"
	case s.Opt.Precond.Kind != solve.PrecondAuto:
		return "try Options.Precond.Kind = auto"
	case s.Opt.Method != solve.Auto:
		return "try Options.Method = auto"
	case s.Opt.NoRefine:
		return "try Options.NoRefine = false"
	case s.Opt.Restart > 0 && used.Method == string(solve.GMRES):
		return fmt.Sprintf("try a longer restart (Options.Restart = %d)", 2*s.Opt.Restart)
	case s.Opt.Scale != solve.ScaleAuto:
		return "try Options.Scale = auto"
	case kind != precond.ILUT:
		return "try Options.Precond = {Kind: ilut, DropTol: 1e-8, Fill: 100}"
	}
	return "try Options.Precond = {Kind: ilut, DropTol: 1e-12, Fill: 1000}, which is nearly a complete factorisation"
}

// fewerDigits says why x has fewer digits than asked for.
func (a *solution) fewerDigits() string {
	if a.Precise != nil {
		return digits.PreciseAdvice(a.Precise)
	}
	if a.NoFactors != "" {
		return a.NoFactors
	}
	switch g := a.Digits; g.State {
	case solve.DigitsBelieved, solve.DigitsEstimated:
		return fmt.Sprintf("about %d digits can be believed; try Options.Digits = %d", g.Believed, g.Believed)
	case solve.DigitsNone:
		return "no digit can be believed; the matrix is too ill-conditioned for float64, check its scales and constraints, or leave digits out (Options.Digits = NoDigits)"
	}
	return "digits could not be confirmed; try Options.Precond.Kind = ilut, or leave them out (Options.Digits = NoDigits)"
}

// roundedUp returns v with two digits, rounded up.
func roundedUp(v float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return fmt.Sprintf("%.1e", math.Ceil(v/unit*(1-1e-12))*unit)
}

// farAbove is the error from which a caution is due though the error that Options.Stop names is within the tolerance.
const farAbove = 1e-3

// cautions returns the lines of Result.Cautions.
func (a *solution) cautions() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if a.dropped > 0 {
		say(special.ZeroReturned, a.dropped)
	} else if !a.Reason.Converged() && a.RelativeResidual > 1 {
		say("x is worse than 0 in the 2-norm, ||r||/||b|| = %.1e, but better by rows", a.RelativeResidual)
	}
	switch {
	case digits.Singular(a.Digits):
		say("no digit of x can be believed: A looks singular, since roundings of it may change x as a whole")
	case a.Digits.State == solve.DigitsNone:
		say("no digit of x can be believed")
	}
	if a.Reason != krylov.Converged {
		return lines
	}
	if a.least != nil {
		lines = append(lines, a.least.Cautions...)
	}
	if a.undecided {
		say("x is far larger than b asks for: A is nearly singular, or equations contradict each other, which was not decided")
	} else if a.cut {
		say("no digit of x has been confirmed, and there was no time to find out whether equations contradict each other")
	}
	stop := a.s.Opt.Stop
	if e := a.Componentwise; stop != solve.StopCW && e > farAbove {
		say("the componentwise error is %.1e: some equations are not met beside their own terms", e)
	}
	if e := a.RelativeResidual; stop != solve.StopRel && e > farAbove {
		say("||r||/||b|| is %.1e: x is so large that b hardly matters", e)
	}
	return lines
}
