package lab

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/precond"
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
// zero, digits may be misjudged, and a caution may say that x is too large for b to matter: faulty products make such an x,
// whose normwise error is small, and keep complete factors from a better one.
func (o *Outcome) injected(s *System, opt solve.Options, change func(*solver.Solver)) {
	res, err := o.attempt(s, opt, change)
	if err != nil {
		o.count("error")
		return
	}
	o.count(res.Reason.String())
	if res.Reason.Converged() {
		for _, f := range claims(s, opt, res).faults {
			if f.Fault == Insane && len(res.Cautions) > 0 {
				o.count("cautious")
				continue
			}
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

// insides are the parts of a solver that faults are injected into. They are found by following its pointers, so that
// the solver itself needs no hook.
type insides struct {
	words           [][]byte // values of matrices and preconditioners, as bytes
	preconditioners []reflect.Value
	seen            map[visit]bool
	spared          [2]uintptr // memory of the values of A as given, which must stay
}

type visit struct {
	at unsafe.Pointer
	as reflect.Type
}

var stressPreconditioner = reflect.TypeFor[precond.Preconditioner]()

// reach finds the insides of a solver of s.
func reach(solver *solver.Solver, s *System) *insides {
	in := &insides{seen: map[visit]bool{}}
	if v := s.A.Val; len(v) > 0 {
		first := uintptr(unsafe.Pointer(&v[0]))
		in.spared = [2]uintptr{first, first + uintptr(8*len(v))}
	}
	in.follow(reflect.ValueOf(solver), "")
	return in
}

// follow visits what v, a field of that name, leads to.
func (in *insides) follow(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		key := visit{v.UnsafePointer(), v.Type()}
		if v.IsNil() || in.seen[key] || strings.HasPrefix(v.Type().Elem().PkgPath(), "runtime") {
			return
		}
		in.seen[key] = true
		in.follow(v.Elem(), name)
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Type() == stressPreconditioner && v.CanAddr() {
			in.preconditioners = append(in.preconditioners, v)
		}
		in.follow(v.Elem(), name)
	case reflect.Struct:
		for k := range v.NumField() {
			in.follow(v.Field(k), v.Type().Field(k).Name)
		}
	case reflect.Slice, reflect.Array:
		in.elements(v, name)
	}
}

// elements records the memory of a slice of values and follows the elements of other slices. Indices and widths are
// not values: nothing is promised when an address flips.
func (in *insides) elements(v reflect.Value, name string) {
	kind := v.Type().Elem().Kind()
	values := kind == reflect.Float64 || kind == reflect.Float32 ||
		kind == reflect.Uint8 && strings.EqualFold(name, "values")
	switch {
	case values && v.Kind() == reflect.Slice && v.Len() > 0:
		size := v.Len() * int(v.Type().Elem().Size())
		first := uintptr(v.UnsafePointer())
		key := visit{v.UnsafePointer(), v.Type()}
		if !in.seen[key] && (first+uintptr(size) <= in.spared[0] || first >= in.spared[1]) {
			in.seen[key] = true
			in.words = append(in.words, unsafe.Slice((*byte)(v.UnsafePointer()), size))
		}
	case kind == reflect.Pointer || kind == reflect.Interface || kind == reflect.Struct || kind == reflect.Slice:
		for k := range v.Len() {
			in.follow(v.Index(k), name)
		}
	}
}

// wrap puts change around every preconditioner that is set up.
func (in *insides) wrap(change func(dst []float64)) {
	for _, v := range in.preconditioners {
		settable := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
		made := settable.Interface().(precond.Preconditioner)
		if _, done := made.(faulty); !done {
			settable.Set(reflect.ValueOf(faulty{made, change}))
		}
	}
}

// faulty is a preconditioner whose results are changed.
type faulty struct {
	precond.Preconditioner
	change func(dst []float64)
}

func (p faulty) Apply(dst, src []float64) {
	p.Preconditioner.Apply(dst, src)
	p.change(dst)
}

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
