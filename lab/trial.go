package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// system is A x = b, scaled by powers of two: D_r A D_c z = D_r b, negated if the diagonal is negative.
type system struct {
	opt      SearchOptions
	given    *csr.Matrix
	b        []float64 // as given
	scaled   *csr.Matrix
	scaling  csr.Scaling
	rhs      []float64 // scaled
	sums     []float64 // of the rows of the matrix as given
	facts    csr.Facts
	class    []uint8 // of each entry
	pool     *parallel.Pool
	preconds map[string]precond.Preconditioner // by format; nil: it could not be set up
}

func newSystem(m *csr.Matrix, b []float64, opt SearchOptions, pool *parallel.Pool) (*system, error) {
	s := &system{opt: opt, given: m, b: b, pool: pool, facts: csr.Examine(m, pool), preconds: map[string]precond.Preconditioner{}}
	var err error
	if s.facts.Symmetric {
		s.scaling, err = csr.SymmetricScaling(m, false, pool)
	} else {
		s.scaling = csr.BothScaling(m, pool)
	}
	if err != nil {
		return nil, err
	}
	s.scaled = s.scaling.Apply(m, pool)
	sign := 1.0
	if s.facts.DiagonalPositive == 0 && s.facts.DiagonalNegative > 0 {
		sign = -1
		s.scaled.Negate(pool)
	}
	s.rhs = make([]float64, len(b))
	for i, v := range b {
		s.rhs[i] = sign * dd.Ldexp(v, s.scaling.Row[i])
	}
	s.sums = m.RowSums(pool)
	return s, nil
}

// setUp makes the preconditioner with values in a format; nil: the method has none.
func (s *system) setUp(ctx context.Context, f formats.Format) (precond.Preconditioner, error) {
	if s.opt.Precond == precond.None {
		return nil, nil
	}
	if made, ok := s.preconds[f.Name]; ok {
		return made, nil
	}
	epsilon := f.UnitRoundoff()
	if f.Name == "FP64" {
		epsilon = adaptive.MinEpsilon
	}
	opt := s.opt.PrecondOptions
	opt.Epsilon, opt.Symmetric = epsilon, s.facts.Symmetric
	made, err := precond.New(ctx, s.opt.Precond, s.scaled, opt, s.pool)
	if err != nil {
		return nil, fmt.Errorf("preconditioner %w", err)
	}
	s.preconds[f.Name] = made
	return made, nil
}

// stored returns the scaled matrix with the entries of each class rounded to its format.
func (s *system) stored(format func(class int) formats.Format) *csr.Matrix {
	m := &csr.Matrix{Rows: s.scaled.Rows, Cols: s.scaled.Cols, RowPtr: s.scaled.RowPtr, Col: s.scaled.Col, Val: slices.Clone(s.scaled.Val)}
	for c := range len(classBounds) + 1 {
		n := newNarrow(format(c))
		if n == nil {
			continue
		}
		var at []int
		var values []float64
		for k, class := range s.class {
			if int(class) == c {
				at, values = append(at, k), append(values, m.Val[k])
			}
		}
		n.round(values)
		for i, k := range at {
			m.Val[k] = values[i]
		}
	}
	return m
}

// residual computes r = rhs - A z with A and r in a format; in FP64 it accumulates in double-double.
type residual struct {
	a        linop.CSR
	accurate bool
	stored   *narrow
}

func (s *system) newResidual(f formats.Format) residual {
	if f.Name == "FP64" {
		return residual{a: linop.NewCSR(s.scaled, s.pool), accurate: true}
	}
	m := s.stored(func(int) formats.Format { return f })
	return residual{a: linop.NewCSR(m, s.pool), stored: newNarrow(f)}
}

func (v residual) of(r, b, x vector) {
	if v.accurate {
		linop.Accurate{CSR: v.a}.Residual(r, b, x)
		return
	}
	v.a.Apply(r, x)
	v.stored.round(r)
	for i := range r {
		r[i] = b[i] - r[i]
	}
	v.stored.round(r)
}

// measure returns the row-wise error of x = D_c z, given the residual r of the scaled system.
func (s *system) measure(z, r vector) (worst float64) {
	size := 0.0
	for j, v := range z {
		size = math.Max(size, math.Abs(dd.Ldexp(v, s.scaling.Col[j])))
	}
	for i, v := range r {
		if v-v != 0 {
			return math.Inf(1)
		}
		if v != 0 {
			v = math.Abs(dd.Ldexp(v, -s.scaling.Row[i]))
			worst = math.Max(worst, v/(float64(s.sums[i]*size)+math.Abs(s.b[i])))
		}
	}
	return worst
}

const (
	// spare ends a trial so far below the tolerance that roundings of its residual do not change the verdict.
	spare = 0.5
	// floorFactor times the error of the coarsest part is the error at which a correction ends.
	floorFactor = 4
	// patience is the number of steps that may fail to halve the error.
	patience = 2
	// loosest is the weakest reduction that a correction must reach.
	loosest = 0.1
)

// outcome is the outcome of a solve.
type outcome struct {
	iterations, steps int
	error             float64 // row-wise, by pkg/verify
	digits            float64 // of x, against the reference
	why               string  // why it failed; empty: the tolerance is met
	precond           precond.Preconditioner
}

// solve solves with the parts in the given formats, in at most limit iterations.
func (s *system) solve(ctx context.Context, parts []Part, of []formats.Format, limit int) (outcome, error) {
	classes := make([]formats.Format, len(classBounds)+1)
	var vectors, residuals, inPrecond formats.Format
	floor := 0.0
	for i := range classes {
		classes[i] = s.opt.Formats[0]
	}
	for k, p := range parts {
		switch p.Kind {
		case MatrixClass:
			classes[p.class] = of[k]
			floor = math.Max(floor, of[k].UnitRoundoff()*largestOf(p.class))
		case Preconditioner:
			inPrecond = of[k]
		case Vectors:
			vectors = of[k]
			floor = math.Max(floor, of[k].UnitRoundoff())
		case Residual:
			residuals = of[k]
		}
	}
	var o outcome
	var err error
	if o.precond, err = s.setUp(ctx, inPrecond); err != nil {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		o.why = err.Error()
		return o, nil
	}
	at := space{linop.NewHost(s.scaled.Rows, s.pool), newNarrow(vectors)}
	a := searchOperator{linop.NewCSR(s.stored(func(c int) formats.Format { return classes[c] }), s.pool), at}
	method, err := krylov.New[vector, scalar](s.opt.Method, at, s.opt.MethodOptions)
	if err != nil {
		return o, err
	}
	by := krylov.Options[vector]{Unconfirmed: true}
	if o.precond != nil {
		by.Precond, by.Flexible = preconditioner{o.precond, at}, precond.Varies(o.precond)
	}
	z := s.refine(ctx, method, a, s.newResidual(residuals), by, floor, limit, &o)
	if err := ctx.Err(); err != nil {
		return o, err
	}
	return o, s.judge(z, &o)
}

// refine is iterative refinement from zero.
func (s *system) refine(ctx context.Context, method krylov.Method[vector, scalar], a searchOperator, res residual,
	by krylov.Options[vector], floor float64, limit int, o *outcome,
) vector {
	z, r, d := make(vector, len(s.rhs)), slices.Clone(s.rhs), make(vector, len(s.rhs))
	rhs := make(vector, len(s.rhs))
	current, slow, last := s.measure(z, r), 0, 0
	for current > spare*s.opt.Tol {
		if o.iterations >= limit {
			o.why = fmt.Sprintf("%d iterations do not suffice", limit)
			return z
		}
		e := -dd.Exponent(maxAbs(r)) // corrections have magnitude 1: every format has the range
		for i, v := range r {
			rhs[i] = dd.Ldexp(v, e)
		}
		a.space.stored.round(rhs)
		by.Tol = math.Min(loosest, math.Max(spare*spare*s.opt.Tol/current, floorFactor*floor))
		by.MaxIter = limit - o.iterations
		if o.steps > 0 { // conjugate gradients continue with their direction
			by.Replaces = math.Ldexp(1, e-last)
		}
		last = e
		got := method.Solve(ctx, a, d, rhs, by)
		o.iterations += max(1, got.Iterations)
		o.steps++
		if ctx.Err() != nil {
			return z
		}
		for i, v := range d {
			z[i] += dd.Ldexp(v, -e)
		}
		res.of(r, s.rhs, z)
		before := current
		current = s.measure(z, r)
		if !(current <= math.MaxFloat64) {
			o.why = "numbers leave their range"
			return z
		}
		if current > before/2 {
			if slow++; slow == patience {
				o.why = fmt.Sprintf("refinement stagnates (%s)", got.Reason)
				return z
			}
		}
	}
	return z
}

func maxAbs(x vector) (largest float64) {
	for _, v := range x {
		largest = math.Max(largest, math.Abs(v))
	}
	return largest
}

// judge measures x = D_c z with the matrix as given.
func (s *system) judge(z vector, o *outcome) error {
	x := make(vector, len(z))
	for j, v := range z {
		x[j] = dd.Ldexp(v, s.scaling.Col[j])
	}
	errs, err := verify.Compute(s.given, x, s.b, s.pool)
	if err != nil {
		return errors.Join(errors.New("format search: no verdict"), err)
	}
	o.error, o.digits = errs.Row, math.NaN()
	if o.why == "" && !(errs.Row <= s.opt.Tol) {
		o.why = fmt.Sprintf("row-wise error %.1e", errs.Row)
	}
	if s.opt.Reference != nil {
		worst := 0.0
		for j, v := range s.opt.Reference {
			worst = math.Max(worst, math.Abs(x[j]-v))
		}
		o.digits = math.Max(0, math.Min(mostDigits, -math.Log10(worst/maxAbs(s.opt.Reference))))
		if o.why == "" && o.digits < s.opt.Digits {
			o.why = fmt.Sprintf("%.1f digits", o.digits)
		}
	}
	return nil
}

// mostDigits is the number of digits counted for a difference of zero.
const mostDigits = 16
