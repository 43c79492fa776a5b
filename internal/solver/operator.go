package solver

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// A Product computes y = A x for a map A that only its products describe. x and y are the caller's for the time of the call alone. An
// error ends the solve.
type Product func(y, x []float64) error

// An Operator is a square matrix A of which only products are known. Products are called one at a time, on the goroutine of the solve.
type Operator struct {
	N                 int
	Apply, ApplyT     Product                                            // y = A x, y = A^T x; ApplyT may be nil
	Precond, PrecondT Product                                            // y = M^-1 x, y = M^-T x, of a preconditioner; both may be nil
	Show              func(iteration int, residual float64, x []float64) // called after each iteration with ||b - A x|| / ||b|| as expected, and with x, or nil within a cycle of GMRES; may be nil
}

// ProductsAlone is the caution of SolveOperator.
const ProductsAlone = "A is known by its products alone: x is judged by ||b - A x||/||b||; its backward errors and digits are not known"

// givenPrecond is the kind of a preconditioner of the caller.
const givenPrecond = "given"

const (
	besidesMethod  = 8                         // vectors besides those of the method: b, x, r, d, the best x, and x + d; with LSQR also r and A^T r
	longestRestart = 4 * krylov.DefaultRestart // to which cycles of GMRES grow by themselves
)

// SolveOperator solves A x = b from the guess x0 unless it is nil, with opt.Method (GMRES for solve.Auto), opt.Tol, Restart, IDR and Limits.
// It has converged if ||b - A x||_2 <= Tol ||b||_2, where A x is a product made for that purpose, with LSQR also if ||A^T r||_2 <= Tol ||A||_2 ||r||_2:
// x is then a least-squares solution. Backward errors of the Result are NaN, since they need the entries of A. The error is that of a Product, or of an input that cannot be solved with.
func SolveOperator(ctx context.Context, a Operator, b, x0 []float64, opt solve.Options) (result solve.Result, err error) {
	if opt = rules.WithDefaults(opt, a.N); opt.Method == solve.Auto {
		opt.Method = solve.GMRES
	}
	kind, ok := krylov.KindOf(string(opt.Method))
	switch {
	case !ok:
		return result, rules.Invalid("unknown method %q", opt.Method)
	case kind.Transpose && (a.ApplyT == nil || a.Precond != nil && a.PrecondT == nil):
		return result, rules.Invalid("method %s needs products with the transposes of A and of the preconditioner", kind.Name)
	}
	if err := rules.CheckVector("right-hand side", b, a.N); err != nil {
		return result, err
	}
	if err := rules.CheckGuess(x0, a.N); err != nil {
		return result, err
	}
	use := krylov.Use{Preconditioned: a.Precond != nil}
	use.GMRES.Restart, use.IDR.S = opt.Restart, opt.IDR
	if opt.Restart == 0 {
		use.GMRES.MaxRestart = longestRestart
	}
	if need := 8 * float64(a.N) * float64(kind.Vectors(a.N, use)+besidesMethod); opt.MaxMemory > 0 && need > float64(opt.MaxMemory-opt.Held) {
		return result, fmt.Errorf("%w: the vectors of %s take %.0f MB", solve.ErrMemory, kind.Name, need/1e6)
	}
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	s := &operatorSolve{space: linop.NewHost(a.N, pool), a: a, opt: opt, x: make([]float64, a.N), least: kind.Name == string(solve.LSQR), tighten: 0.5}
	defer func() {
		if fault := recover(); fault != nil {
			failed, ok := fault.(productError)
			if !ok {
				panic(fault)
			}
			result, err = solve.Result{}, failed.error
		}
	}()
	if s.method, err = krylov.New[[]float64, linop.Float64](kind.Name, s.space, use.MethodOptions); err != nil {
		return result, err
	}
	return s.solve(ctx, kind, b, x0), nil
}

// A productError carries the error of a Product out of the method that has asked for the product.
type productError struct{ error }

// operatorSolve is a solve of SolveOperator, the linop.Operator of its A, and its krylov.Corrector.
type operatorSolve struct {
	space  linop.Host
	a      Operator
	opt    solve.Options
	method krylov.Method[[]float64, linop.Float64]

	x, d, sum []float64 // x of refinement, its correction in progress, and x + d for Show
	outer     int       // the refinement step of the last Event

	least    bool      // the method is LSQR, which finds least-squares solutions
	norm     float64   // of A at least, by its products, if least
	g        []float64 // A^T r
	residual float64   // ||r|| / ||b|| at the last measure
	normal   float64   // ||A^T r|| / (norm ||r||) there
	tighten  float64   // factor of the tolerance of LSQR, which knows the norm of A only roughly
	work     solve.Work
	precond  solve.PrecondResult
}

func (s *operatorSolve) solve(ctx context.Context, kind krylov.Kind, b, x0 []float64) solve.Result {
	start := time.Now()
	guess := slices.ContainsFunc(x0, func(v float64) bool { return v != 0 })
	if guess {
		copy(s.x, x0)
		r := s.space.New()
		s.Residual(r, b, s.x)
		guess = refine.Helps(s.space, s.x, r, b, s.opt.Log)
	}
	done := krylov.NewRefinement[[]float64, linop.Float64](s.space).Solve(ctx, s, s, s.x, b, krylov.Options[[]float64]{
		Tol: s.opt.Tol, MaxIter: s.opt.MaxIter, Guess: guess, Monitor: s.show,
		Measure: func(_, r []float64) float64 { return s.measure(r, b) },
	})
	s.residual = done.Measure
	if s.least {
		done.Reason = s.judge(done.Reason, b)
	}
	if failed := !done.Reason.Converged() && !ranks.Limited(done.Reason); failed && kind.Symmetric && !s.symmetric() {
		done.Reason = krylov.NotSymmetric
	}
	r := solve.Result{
		X: s.x, Reason: done.Reason, Advice: done.Reason.Advice(), Cautions: []string{ProductsAlone}, Precond: s.precond, Work: s.work,
		Stored: solve.Stored{Storage: solve.Storage{Epsilon: math.NaN(), Criterion: "none"}, Formats: []string{}},
	}
	r.Errors.Row, r.Errors.Normwise, r.Errors.Componentwise, r.Errors.RelativeResidual = math.NaN(), math.NaN(), math.NaN(), s.residual
	if s.least {
		r.LeastSquares = &verify.LeastSquares{Columns: math.NaN(), Normal: s.normal}
	}
	if r.Precond.Kind, r.Precond.Text = "none", "none"; s.a.Precond != nil {
		r.Precond.Kind, r.Precond.Text = givenPrecond, givenPrecond
	}
	r.Method, r.Outer, r.Iterations, r.Time.Orthogonalization = kind.Name, done.Outer, done.Iterations, done.Orthogonalization
	r.Time.Total = time.Since(start)
	r.Attempts = []solve.Attempt{{
		Method: kind.Name, Vectors: solve.VectorsDouble, Precond: r.Precond.Text, Reason: done.Reason.String(), Iterations: done.Iterations, Work: math.NaN(), Solve: r.Time.Total,
	}}
	return r
}

// Correct implements krylov.Corrector.
func (s *operatorSolve) Correct(ctx context.Context, d, r, _ []float64, goal krylov.Goal) krylov.Result {
	s.d = d
	opt := krylov.Options[[]float64]{Tol: goal.To / goal.From, MaxIter: goal.MaxIter, Monitor: goal.Monitor, Agree: goal.Agree, Unconfirmed: true}
	if s.least {
		opt.LeastSquares = s.tighten * goal.To
		opt.Tol = min(0.5, opt.LeastSquares/min(1, goal.From))
	}
	if s.a.Precond != nil {
		opt.Precond = operatorPrecond{s}
	}
	return s.method.Solve(ctx, s, d, r, opt)
}

// Escalate implements krylov.Corrector: LSQR can go on for longer.
func (s *operatorSolve) Escalate(reason krylov.Reason) bool {
	if !s.least || reason != krylov.Slow {
		return false
	}
	s.tighten /= 16
	return s.tighten > 1e-6
}

// Patience implements krylov.Corrector.
func (*operatorSolve) Patience(reduction float64) int { return krylov.DefaultPatience(reduction) }

// measure returns ||r|| / ||b||, or with LSQR the lesser of it and ||A^T r|| / (||A|| ||r||).
func (s *operatorSolve) measure(r, b []float64) float64 {
	if s.residual = s.quotient(r, b); !s.least || s.residual == 0 {
		return s.residual
	}
	if s.g == nil {
		s.g = s.space.New()
	}
	s.ApplyT(s.g, r)
	if s.normal = s.quotient(s.g, r); s.normal > 0 {
		s.normal /= s.norm
	}
	return min(s.residual, s.normal)
}

// quotient returns ||v|| / ||w||, which is 0 if v is 0.
func (s *operatorSolve) quotient(v, w []float64) float64 {
	size, exp := s.space.Norm2(v)
	by, to := s.space.Norm2(w)
	if size == 0 {
		return 0
	}
	return math.Ldexp(size/by, exp-to)
}

// judge measures x of LSQR, and returns the reason that follows.
func (s *operatorSolve) judge(reason krylov.Reason, b []float64) krylov.Reason {
	r := s.space.New()
	s.Residual(r, b, s.x)
	s.normal = 0
	measured := s.measure(r, b)
	switch {
	case reason == krylov.ZeroRHS:
		return reason
	case s.residual <= s.opt.Tol:
		return krylov.Converged
	case measured <= s.opt.Tol:
		return krylov.LeastSquares
	case reason.Converged():
		return krylov.Drift
	}
	return reason
}

// show passes an iteration to Show. GMRES corrects x at the end of a cycle, before the first iteration of the next.
func (s *operatorSolve) show(e krylov.Event) {
	if s.a.Show == nil {
		return
	}
	within := s.method.Name() == "gmres" && !e.Restart && (e.Outer == s.outer || e.Outer == 1) // a cycle
	if s.outer = e.Outer; within {
		s.a.Show(e.Iteration, e.Estimate, nil)
		return
	}
	if s.sum == nil {
		s.sum = s.space.New()
	}
	s.space.Copy(s.sum, s.x)
	s.space.Axpy(1, s.d, s.sum)
	s.a.Show(e.Iteration, e.Estimate, s.sum)
}

// asymmetry is the least |u·Av - v·Au| / (||Av|| + ||Au||), for u and v of random signs, that shows that A is not symmetric. The mean of
// the numerator is about ||A - A^T||_F, that of the denominator 2 ||A||_F, and products may have been rounded to float32.
const asymmetry = 1e-4

// symmetric reports whether two products leave it possible that A is symmetric.
func (s *operatorSolve) symmetric() bool {
	random := rand.New(rand.NewPCG(1, 2))
	u, v, au, av := s.space.New(), s.space.New(), s.space.New(), s.space.New()
	for i := range u {
		u[i], v[i] = float64(1-2*random.IntN(2)), float64(1-2*random.IntN(2))
	}
	uv, vv := s.ApplyDots(av, v, u)
	vu, uu := s.ApplyDots(au, u, v)
	return !(math.Abs(float64(uv-vu)) > asymmetry*(math.Sqrt(float64(vv))+math.Sqrt(float64(uu))))
}

// timed computes a product, and returns the time that it has taken.
func timed(p Product, dst, src []float64) time.Duration {
	start := time.Now()
	if err := p(dst, src); err != nil {
		panic(productError{err})
	}
	return time.Since(start)
}

func (s *operatorSolve) product(p Product, dst, src []float64) {
	s.work.SpMVs++
	s.work.Time.SpMV += timed(p, dst, src)
	if s.least {
		s.norm = max(s.norm, s.quotient(dst, src))
	}
}

// Dims implements linop.Operator.
func (s *operatorSolve) Dims() (rows, cols int) { return s.a.N, s.a.N }

// Apply implements linop.Operator.
func (s *operatorSolve) Apply(dst, src []float64) { s.product(s.a.Apply, dst, src) }

// ApplyT implements linop.Transposer.
func (s *operatorSolve) ApplyT(dst, src []float64) { s.product(s.a.ApplyT, dst, src) }

// ApplyDot implements linop.Operator.
func (s *operatorSolve) ApplyDot(dst, src, w []float64) linop.Float64 {
	s.Apply(dst, src)
	return s.space.Dot(dst, w)
}

// ApplyDots implements linop.Operator.
func (s *operatorSolve) ApplyDots(dst, src, w []float64) (dw, dd linop.Float64) {
	s.Apply(dst, src)
	return s.space.Dot(dst, w), s.space.Dot(dst, dst)
}

// Residual implements linop.Operator.
func (s *operatorSolve) Residual(r, b, x []float64) {
	s.Apply(r, x)
	s.space.Xpay(b, -1, r)
}

// operatorPrecond is the preconditioner of an Operator.
type operatorPrecond struct{ s *operatorSolve }

func (p operatorPrecond) product(m Product, dst, src []float64) {
	p.s.precond.Applications++
	took := timed(m, dst, src)
	p.s.precond.Elapsed += took
	p.s.work.Time.Precond += took
}

// Apply implements krylov.Preconditioner.
func (p operatorPrecond) Apply(dst, src []float64) { p.product(p.s.a.Precond, dst, src) }

// ApplyT implements krylov.TransposedPreconditioner.
func (p operatorPrecond) ApplyT(dst, src []float64) { p.product(p.s.a.PrecondT, dst, src) }
