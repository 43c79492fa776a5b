package precond

import (
	"iter"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Data describes M^-1 of a preconditioner by its matrices and vectors: a Diagonal, a
// BlockDiagonal, a Polynomial, a Sequence or a Hierarchy.
type Data interface{ data() }

// Diagonal is the diagonal of M^-1, n elements.
type Diagonal []float64

// BlockDiagonal is a block diagonal M^-1: block b, of the rows First[b] to First[b+1]-1
// and of 32 at most, is a matrix of numbers of Bytes[b] bytes times 2^Exponent[b]. The
// numbers are integers, except that numbers of 8 bytes are FP64.
type BlockDiagonal struct {
	First    []int32
	Bytes    []uint8
	Exponent []int16
	Numbers  iter.Seq2[int, []float64] // the numbers of each block, row after row, in memory that is reused
}

// Polynomial is M^-1 = (I - q(diag(W) A)) A^-1, q(t) = product over k of (1 - Omega_k t);
// see NewPolynomial. Over domains W has the layout of vectors, and the value at ghosts means nothing.
type Polynomial struct{ W, Omega []float64 }

// Factor is a matrix and the accuracy to store it with.
type Factor struct {
	*csr.Matrix
	Epsilon   float64            // 0: FP64
	Criterion adaptive.Criterion // what Epsilon is relative to
}

// Sequence is a product of matrices, M^-1 = S F_k ... F_1 S, S = diag(Scale), the identity if Scale is nil;
// see NewSequence.
type Sequence struct {
	Factors []Factor // F_1 first
	Scale   []float64
}

// Hierarchy is M^-1 of multigrid by V-cycles; see NewCycle.
type Hierarchy struct {
	Levels     []Level // but the coarsest, the finest first
	Coarsest   int     // rows of the coarsest matrix
	Inverse    []float64
	Root, Left []float64 // S and S_1 of the finest level, which may be the same
}

// Level is one level of a Hierarchy: S_1 A S, S^-1 P S_c and S_1c R S_1^-1 as described at cycle.
type Level struct {
	A, P, R Factor
	Steps   []float64 // of the smoother; the first is 1
	Twice   bool      // the level is visited twice in a cycle
}

func (Diagonal) data()      {}
func (BlockDiagonal) data() {}
func (Polynomial) data()    {}
func (Sequence) data()      {}
func (Hierarchy) data()     {}

// hostOnly is embedded in preconditioners that do not run on devices.
type hostOnly struct{}

func (hostOnly) Data() Data { return nil }

// Data returns a Diagonal.
func (p *jacobi) Data() Data {
	w := make(Diagonal, p.n)
	kernels.Default().Decode(p.words, w, p.values)
	return w
}

// Data returns a BlockDiagonal, which shares memory with p.
func (p *blockJacobi) Data() Data { return BlockDiagonal{p.first, p.bytes, p.exp, p.numbers} }

// numbers yields the numbers of all blocks.
func (p *blockJacobi) numbers(yield func(int, []float64) bool) {
	var decoded [blockWords]float64
	for k, values := range p.values {
		for b := p.panel[k]; b < p.panel[k+1]; b++ {
			n := int(p.first[b+1] - p.first[b])
			kernels.Default().Decode(blockNumbers(p.bytes[b]), decoded[:n*n], values)
			if !yield(b, decoded[:n*n]) {
				return
			}
			values = values[n*n*int(p.bytes[b]):]
		}
	}
}

// Data returns a Polynomial.
func (p *chebyshev) Data() Data {
	omega := make([]float64, len(p.omega))
	for k, v := range p.omega {
		omega[k] = float64(v)
	}
	return Polynomial{slices.Clone(p.w), omega}
}

// Data returns a Polynomial of A, with the weights S w S, if the preconditioner of S A S is a
// Polynomial with the weights w, and a Sequence with the scale S if it is a Sequence.
func (p *rescaled) Data() Data {
	switch q := p.Preconditioner.Data().(type) {
	case Polynomial:
		for i, s := range p.s {
			q.W[i] *= s * s
		}
		return q
	case Sequence:
		q.Scale = slices.Clone(p.s)
		return q
	}
	return nil
}

// Data returns a Sequence, if Options.Portable is set.
func (p *twoProducts) Data() Data {
	if p.data == nil {
		return nil
	}
	return Sequence{Factors: p.data}
}

// Data returns a Hierarchy of V-cycles, which shares memory with g, if Options.Portable is set.
func (g *multigrid) Data() Data {
	c, ok := g.cycles.(*cycle[float64])
	if !ok || g.varies {
		return nil
	}
	h := Hierarchy{Coarsest: c.coarse.n, Inverse: c.coarse.inverse, Root: c.root, Left: c.left}
	for _, l := range c.levels {
		a, p, r := factorOf(l.a), factorOf(l.p), factorOf(l.r)
		if a.Matrix == nil || p.Matrix == nil || r.Matrix == nil {
			return nil
		}
		h.Levels = append(h.Levels, Level{a, p, r, l.steps, l.twice})
	}
	return h
}

// factorOf is the matrix of products, if they have kept it.
func factorOf(a products[float64]) Factor {
	p, _ := a.(fp64Products)
	return p.factor
}

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
