package reproduce

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// solvers are the methods of [Molina24].
var solvers = []refiner{
	{"cg", 0, 0.15e-9, func(h linop.Host, _ int) krylovMethod { return krylov.NewCG(h) }},
	{"bicgstab", 0, 0.3e-9, func(h linop.Host, _ int) krylovMethod { return krylov.NewBiCGStab(h) }},
	{"gmres40", 40, 0.3e-9, gmres},
	{"gmres80", 80, 0.5e-9, gmres},
}

type refiner struct {
	name    string
	cycle   int     // iterations of a cycle; 0: the method has no cycles
	seconds float64 // per iteration and nonzero, about
	make    func(h linop.Host, cycle int) krylovMethod
}

type krylovMethod = krylov.Method[vector, scalar]

func gmres(h linop.Host, cycle int) krylovMethod {
	return krylov.NewGMRES(h, krylov.GMRESOptions{Restart: cycle, KeepWorse: true})
}

func solverNames() (names []string) {
	for _, s := range solvers {
		names = append(names, s.name)
	}
	return names
}

// lookupSolver returns the solver of a name that was checked.
func lookupSolver(name string) refiner {
	return solvers[slices.IndexFunc(solvers, func(s refiner) bool { return s.name == name })]
}

const (
	// correctionTol is the reduction of the 2-norm of the residual by CG and BiCGStab in a step of refinement; the
	// thesis gives none. A restart costs these methods their Krylov space, but a correction is no more accurate than
	// the stored matrix.
	correctionTol = 1e-4

	// wholeCycle keeps GMRES from ending a cycle early.
	wholeCycle = 0x1p-60
)

// outcome is the outcome of a solve.
type outcome struct {
	reason               krylov.Reason
	iterations, steps    int
	seconds, spmvSeconds float64
	history              history
}

// refine solves the system from x = 0 by algorithm 8 of [Molina24] as printed,
//
//	r = b - A x,  A~ d = r by a Krylov method,  x += d,
//
// with A in FP64 and the stored matrix as A~. It takes no step back, not even a cycle that makes the residual worse,
// lengthens no restart and raises no precision, so that the effect of the stored matrix shows. A step of GMRES is one
// cycle, which makes it restarted GMRES; a step of CG and BiCGStab ends at correctionTol.
func (s *system) refine(ctx context.Context, solver refiner, stored linop.Operator[vector, scalar], x vector, maxIter int) outcome {
	if s.methods[solver.name] == nil {
		s.methods[solver.name] = solver.make(s.host, solver.cycle)
	}
	method := s.methods[solver.name]
	inner := &backend.Timed[vector, scalar]{Operator: s.scaled(stored)}
	outer := &backend.Timed[vector, scalar]{Operator: linop.NewCSR(s.m, s.pool)}
	r, d := s.host.New(), s.host.New()
	s.host.Copy(r, s.b)
	current := s.backwardError(x, r)
	s.scaleRows(r)
	var o outcome
	o.history.add(0, current)
	start := time.Now()
	for o.reason == krylov.Running {
		before := current
		opt := krylov.Options[vector]{
			Tol: max(correctionTol, solveTol/2/before), MaxIter: maxIter - o.iterations,
			Unconfirmed: true,                // the residual is recomputed here
			Flexible:    solver.name == "cg", // beta as in algorithm 6
		}
		if m := solver.cycle; m > 0 {
			opt.Tol, opt.MaxIter = wholeCycle, min(m, opt.MaxIter)
		}
		got := method.Solve(ctx, inner, d, r, opt)
		o.iterations += got.Iterations
		o.steps++
		if norm := kernels.AbsMax(d); math.IsNaN(norm) || math.IsInf(norm, 0) {
			o.reason = krylov.NotFinite
			break
		}
		s.host.Axpy(1, d, x)
		outer.Residual(r, s.b, x)
		current = s.backwardError(x, r)
		s.scaleRows(r)
		o.history.add(o.iterations, current)
		o.reason = next(got.Reason, before, current)
		if o.reason == krylov.Running && o.iterations >= maxIter {
			o.reason = krylov.IterationLimit
		}
	}
	o.seconds = time.Since(start).Seconds()
	o.spmvSeconds = (inner.Elapsed + outer.Elapsed).Seconds()
	return o
}

// next returns Running to continue after a step that changed the error, otherwise the reason to stop.
func next(inner krylov.Reason, before, current float64) krylov.Reason {
	switch {
	case math.IsNaN(current):
		return krylov.NotFinite
	case current <= solveSpare*solveTol:
		return krylov.Converged
	case inner == krylov.Interrupted || inner == krylov.TimeLimit:
		return inner
	case inner == krylov.IterationLimit || inner.Converged() || current < before:
		return krylov.Running // to the end, whatever the error does
	}
	return inner
}

// backwardError returns ||r|| / (||A|| ||x|| + ||b||) in the infinity norm.
func (s *system) backwardError(x, r vector) float64 {
	return kernels.AbsMax(r) / (s.normA*kernels.AbsMax(x) + s.normB)
}

// history records the backward error, from the residual in FP64, by iterations. Within a step a method only sees the
// residual with the stored matrix.
type history struct{ iteration, residual []float64 }

func (h *history) add(iteration int, residual float64) {
	if last := len(h.iteration) - 1; last >= 0 && h.iteration[last] == float64(iteration) {
		h.residual[last] = residual // a step without an iteration
		return
	}
	h.iteration, h.residual = append(h.iteration, float64(iteration)), append(h.residual, residual)
}

// historyPoints is about the number of points kept.
const historyPoints = 200

// series returns the points; of many, evenly spaced ones and the last.
func (h *history) series() map[string][]float64 {
	var iteration, residual []float64
	last := len(h.iteration) - 1
	stride := last/historyPoints + 1
	for k, v := range h.residual {
		if (k%stride == 0 || k == last) && v-v == 0 {
			iteration, residual = append(iteration, h.iteration[k]), append(residual, v)
		}
	}
	return map[string][]float64{"iteration": iteration, "residual": residual}
}

// scaleRows multiplies a vector by the factors of the rows, if the rows are scaled outside of the matrix.
func (s *system) scaleRows(v vector) {
	for i, f := range s.factors {
		v[i] *= f
	}
}

// scaled returns an operator with the rows scaled outside of it.
func (s *system) scaled(a linop.Operator[vector, scalar]) linop.Operator[vector, scalar] {
	if s.factors == nil {
		return a
	}
	return rowScaled{a, s}
}

// rowScaled is D^-1 A for an operator A; the factors D^-1 belong to the system.
type rowScaled struct {
	linop.Operator[vector, scalar]
	*system
}

func (a rowScaled) Apply(dst, src vector) {
	a.Operator.Apply(dst, src)
	a.scaleRows(dst)
}

func (a rowScaled) ApplyDot(dst, src, w vector) scalar {
	a.Apply(dst, src)
	return a.host.Dot(dst, w)
}

func (a rowScaled) ApplyDots(dst, src, w vector) (dw, dd scalar) {
	a.Apply(dst, src)
	return a.host.Dot(dst, w), a.host.Dot(dst, dst)
}

// Residual computes r = b - D^-1 A x, where b is scaled already.
func (a rowScaled) Residual(r, b, x vector) {
	a.Apply(r, x)
	a.host.Xpay(b, -1, r)
}
