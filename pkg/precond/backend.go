package precond

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A Backend keeps the vectors and matrices of NewCycle and NewSequence, for example on a device.
type Backend[V any, S linop.Scalar[S]] interface {
	Space(n int) MulSpace[V, S]                                 // of vectors with n elements
	Store(m Factor) (linop.Relaxer[V, S], error)                // multiplies with m
	Dense(n int, a []float64) (krylov.Preconditioner[V], error) // multiplies with the n x n matrix a, row after row
}

// backendCycle applies a Hierarchy on any backend, which computes all sums and products.
type backendCycle[V any, S linop.Scalar[S]] struct {
	cycleOf[V, S]
	space      MulSpace[V, S]
	one        S
	root, left V
}

// NewCycle returns the preconditioner of a hierarchy on a backend. It stores there all matrices, two vectors of the
// finest level, or one if h.Left is h.Root, and for each level four vectors, or six if it is visited twice.
func NewCycle[V any, S linop.Scalar[S]](at Backend[V, S], h Hierarchy) (krylov.Preconditioner[V], error) {
	c := &backendCycle[V, S]{space: at.Space(len(h.Root))}
	c.one = c.space.Scalar(1)
	c.levels = make([]level[V, S], len(h.Levels))
	for k, from := range h.Levels {
		if err := newLevel(at, &c.levels[k], from); err != nil {
			return nil, fmt.Errorf("level %d: %w", k+1, err)
		}
	}
	bottom := at.Space(h.Coarsest)
	c.f, c.x = bottom.New(), bottom.New()
	inverse, err := at.Dense(h.Coarsest, h.Inverse)
	if err != nil {
		return nil, fmt.Errorf("coarsest level: %w", err)
	}
	c.solve = func() { inverse.Apply(c.x, c.f) }
	c.root = vectorIn(c.space, h.Root)
	if c.left = c.root; len(h.Root) > 0 && &h.Left[0] != &h.Root[0] {
		c.left = vectorIn(c.space, h.Left)
	}
	return c, nil
}

// newLevel sets l.
func newLevel[V any, S linop.Scalar[S]](at Backend[V, S], l *level[V, S], from Level) (err error) {
	space := at.Space(from.A.Rows)
	ones := space.New()
	space.Fill(ones, func(int) float64 { return 1 })
	for _, m := range []struct {
		to   *multiplier[V, S]
		from Factor
	}{{&l.a, from.A}, {&l.p, from.P}, {&l.r, from.R}} {
		a, err := at.Store(m.from)
		if err != nil {
			return err
		}
		*m.to = unweighted[V, S]{a, ones}
	}
	for _, omega := range from.Steps {
		l.steps = append(l.steps, space.Scalar(omega))
	}
	l.f, l.x, l.t = space.New(), space.New(), space.New()
	if l.twice = from.Twice; l.twice {
		one := space.Scalar(1)
		l.r1, l.c = space.New(), space.New()
		l.add = func(dst, x V) { space.Axpy(one, x, dst) }
	}
	return nil
}

// unweighted are the products of a Relaxer, whose w are ones.
type unweighted[V any, S linop.Scalar[S]] struct {
	linop.Relaxer[V, S]
	ones V
}

func (a unweighted[V, S]) Plus(dst, b, x V)           { a.ApplyPlus(dst, b, x) }
func (a unweighted[V, S]) Relax(dst, x, b V, omega S) { a.Relaxer.Relax(dst, x, b, a.ones, omega) }

// Apply computes dst = M^-1 src.
func (c *backendCycle[V, S]) Apply(dst, src V) {
	c.space.Mul(c.one, c.left, src, c.rhs(0))
	c.run(0)
	c.space.Mul(c.one, c.root, c.solution(0), dst)
}

// vectorIn returns x in a space.
func vectorIn[V any, S linop.Scalar[S]](space linop.Space[V, S], x []float64) V {
	v := space.New()
	space.Fill(v, func(i int) float64 { return x[i] })
	return v
}

// backendSequence applies a Sequence on any backend.
type backendSequence[V any, S linop.Scalar[S]] struct {
	space   MulSpace[V, S]
	factors []linop.Relaxer[V, S]
	between []V // results of the factors but the last one
	one     S
	scale   V
	scaled  bool
	work    V // of scaling
}

// NewSequence returns the preconditioner of a sequence on a backend. It stores there all factors, a vector for each of
// them but the last, and two more if the sequence is scaled.
func NewSequence[V any, S linop.Scalar[S]](at Backend[V, S], q Sequence) (krylov.Preconditioner[V], error) {
	n := q.Factors[0].Cols
	p := &backendSequence[V, S]{space: at.Space(n), scaled: q.Scale != nil}
	for k, m := range q.Factors {
		a, err := at.Store(m)
		if err != nil {
			return nil, fmt.Errorf("factor %d: %w", k+1, err)
		}
		p.factors = append(p.factors, a)
		if k < len(q.Factors)-1 {
			p.between = append(p.between, p.space.New())
		}
	}
	if p.scaled {
		p.one, p.scale, p.work = p.space.Scalar(1), vectorIn(p.space, q.Scale), p.space.New()
	}
	return p, nil
}

// Apply computes dst = M^-1 src.
func (p *backendSequence[V, S]) Apply(dst, src V) {
	last := len(p.factors) - 1
	to := dst
	if p.scaled {
		p.space.Mul(p.one, p.scale, src, p.work)
		src, to = p.work, p.work
	}
	for k, a := range p.factors[:last] {
		a.Apply(p.between[k], src)
		src = p.between[k]
	}
	p.factors[last].Apply(to, src)
	if p.scaled {
		p.space.Mul(p.one, p.scale, p.work, dst)
	}
}
