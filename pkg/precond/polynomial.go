package precond

import (
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A MulSpace is a space with the elementwise product.
type MulSpace[V any, S linop.Scalar[S]] interface {
	linop.Space[V, S]
	Mul(a S, w, x, y V) // y = a w∘x
}

// relaxation applies a Polynomial on any space by a step
//
//	x_(k+1) = x_k + omega_k w∘(r - A x_k)
//
// for each omega_k from x_0 = 0. The first needs no product with A, each other one is a
// product that reads 3 vectors besides and writes one.
type relaxation[V any, S linop.Scalar[S]] struct {
	space   MulSpace[V, S]
	a       linop.Relaxer[V, S]
	w, work V
	omega   []S
}

// NewPolynomial returns the preconditioner of a Polynomial of the operator a, whose W is w in
// the space; there is at least one omega. It allocates a work vector.
func NewPolynomial[V any, S linop.Scalar[S]](space MulSpace[V, S], a linop.Relaxer[V, S], w V, omega []float64) krylov.Preconditioner[V] {
	return newRelaxation(space, a, w, omega)
}

func newRelaxation[V any, S linop.Scalar[S]](space MulSpace[V, S], a linop.Relaxer[V, S], w V, omega []float64) *relaxation[V, S] {
	p := &relaxation[V, S]{space: space, a: a, w: w, work: space.New()}
	for _, o := range omega {
		p.omega = append(p.omega, space.Scalar(o))
	}
	return p
}

// Apply computes dst = M^-1 src.
func (p *relaxation[V, S]) Apply(dst, src V) {
	x, work := dst, p.work
	if len(p.omega)%2 == 0 { // an odd number of exchanges follows
		x, work = work, x
	}
	p.space.Mul(p.omega[0], p.w, src, x)
	relax(p.a, x, work, src, p.w, p.omega[1:])
}

// relax does the steps x += omega_k w∘(b - A x), each from one of x and work to the other.
// It returns the one that holds the result, and the other.
func relax[V, S any](a linop.Relaxer[V, S], x, work, b, w V, omega []S) (result, rest V) {
	for _, o := range omega {
		a.Relax(work, x, b, w, o)
		x, work = work, x
	}
	return x, work
}
