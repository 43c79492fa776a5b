package lab

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// memoryBudgets solves with Options.MaxMemory from nothing to more than is needed, in steps such that each
// reservation is denied once.
func memoryBudgets(r *rand.Rand, out *Outcome) {
	s := pick(r, victims)(r)
	opt := drawOptions(r, s)
	out.system = s
	top := 16 * s.A.Bytes()
	for budget := int64(1); budget < 8*top; budget += max(1, budget/5) {
		opt.MaxMemory = budget
		out.Text = fmt.Sprintf("%v: %s --max-memory %d", s, flags(opt), budget)
		res, err := out.attempt(s, opt, nil)
		switch {
		case err == nil:
			out.count(res.Reason.String())
			if res.Reason.Converged() {
				for _, f := range claims(s, opt, res).faults {
					out.fault(f.Fault, "%s; %s", f.Why, out.Text)
				}
			}
		case errors.Is(err, solve.ErrMemory), errors.Is(err, precond.ErrMemory):
			out.count("memory")
		default:
			out.count("refused")
			var input *solve.InputError
			if asked := opt.Precond.Kind; !errors.As(err, &input) && (asked == "" || asked == solve.PrecondAuto) {
				out.fault(Odd, "%v; %s", err, out.Text)
			}
			return // an error of the input, the same for every budget
		}
	}
}
