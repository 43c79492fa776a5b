package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// victims draws the systems that faults are injected into: some that converge, some that do not, and some without a
// solution.
var victims = []func(r *rand.Rand) *System{
	randomSparse, indefinite, stressConvection, saddlePoint, denseRow, differentSizes, generated, grcar,
	nearlySingular, inconsistent(midNeumann), inconsistent(rankDeficient), consistent(midNeumann),
}

// damage changes one number: to NaN, an infinity or zero, or in one random bit.
type damage struct {
	kind int
	bit  uint
}

func drawDamage(r *rand.Rand) damage { return damage{r.IntN(6), uint(r.IntN(64))} }

func (d damage) of(v float64) float64 {
	switch d.kind {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	case 2:
		return 0
	default:
		return math.Float64frombits(math.Float64bits(v) ^ 1<<d.bit)
	}
}

func (d damage) String() string {
	return [...]string{"NaN", "Inf", "zero"}[min(d.kind, 2)] + fmt.Sprintf(" (kind %d, bit %d)", d.kind, d.bit)
}

// attempts is the number of injections of one case.
const attempts = 5

// kernelFaults changes an element that a kernel has written: once, or repeatedly in every call that a random stride
// hits.
func kernelFaults(r *rand.Rand, out *Outcome) {
	s := pick(r, victims)(r)
	opt := drawOptions(r, s)
	out.system = s
	var calls atomic.Int64
	restore := kernels.Observe(func([]float64) { calls.Add(1) })
	_, err := out.attempt(s, opt, nil)
	restore()
	if err != nil {
		out.Verdict, out.Text = "refused", err.Error()
		return
	}
	total := max(1, calls.Load())
	for range attempts {
		d, at := drawDamage(r), 1+r.Int64N(total)
		stride, where := int64(0), r.Uint64()
		if r.IntN(3) == 0 {
			stride = 1 + r.Int64N(20)
		}
		out.Text = fmt.Sprintf("%v: %s; %v in call %d, then every %d of kernels", s, flags(opt), d, at, stride)
		calls.Store(0)
		restore := kernels.Observe(func(v []float64) {
			k := calls.Add(1)
			if len(v) > 0 && (k == at || stride > 0 && k > at && (k-at)%stride == 0) {
				i := where % uint64(len(v))
				v[i] = d.of(v[i])
			}
		})
		out.injected(s, opt, nil)
		restore()
	}
}

// injected solves with a fault and judges the result: a claim of convergence must be true, but x may be worse than
// zero and digits may be misjudged.
func (o *Outcome) injected(s *System, opt solve.Options, change func(*solver.Solver)) {
	res, err := o.attempt(s, opt, change)
	if err != nil {
		o.count("error")
		return
	}
	o.count(res.Reason.String())
	if res.Reason.Converged() {
		for _, f := range claims(s, opt, res).faults {
			o.fault(f.Fault, "%s; %s", f.Why, o.Text)
		}
	}
}

// count counts the verdict of one attempt.
func (o *Outcome) count(verdict string) {
	if o.Verdicts == nil {
		o.Verdicts = map[string]int{}
	}
	o.Verdicts[verdict]++
}

// preconditionerFaults changes an element of what a preconditioner returns: once or repeatedly. It affects the
// preconditioners that were set up at the start.
func preconditionerFaults(r *rand.Rand, out *Outcome) {
	s := pick(r, victims)(r)
	opt := drawOptions(r, s)
	if opt.Method != solve.MINRES && r.IntN(2) == 0 {
		opt.Precond = solve.Precond{}
	}
	out.system = s
	for range attempts {
		d, at, stride, where := drawDamage(r), 1+r.IntN(8), r.IntN(4), r.Uint64()
		out.Text = fmt.Sprintf("%v: %s; %v in application %d, then every %d", s, flags(opt), d, at, stride)
		calls := 0
		out.injected(s, opt, func(solver *solver.Solver) {
			reach(solver, s).wrap(func(v []float64) {
				calls++
				if calls == at || stride > 0 && calls > at && (calls-at)%stride == 0 {
					i := where % uint64(len(v))
					v[i] = d.of(v[i])
				}
			})
		})
	}
}

// storedWords flips bits of values in memory: of the stored matrix, of preconditioners, and of all other numbers that
// the solver keeps, except A itself.
func storedWords(r *rand.Rand, out *Outcome) {
	s := pick(r, victims)(r)
	opt := drawOptions(r, s)
	out.system = s
	for range attempts {
		flips, seed := between(r, 1, 4), r.Uint64()
		out.Text = fmt.Sprintf("%v: %s; %d bits of stored words flipped", s, flags(opt), flips)
		out.injected(s, opt, func(solver *solver.Solver) {
			words := reach(solver, s).words
			where := rand.New(rand.NewPCG(seed, 0))
			for range flips {
				if len(words) > 0 {
					w := pick(where, words)
					w[where.IntN(len(w))] ^= 1 << where.IntN(8)
				}
			}
		})
	}
}
