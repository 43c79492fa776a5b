package precond

import (
	"iter"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// Data is what an application of a preconditioner computes with: a Diagonal, a
// BlockDiagonal or a Polynomial.
type Data interface{ data() }

// Diagonal is the diagonal of M^-1, n elements.
type Diagonal []float64

// BlockDiagonal is a block diagonal M^-1: block b, of the rows First[b] to First[b+1]-1
// and of 32 at most, is a matrix of numbers of Bytes[b] bytes times 2^Exponent[b]. The
// numbers are integers, but for those of 8 bytes, which are FP64.
type BlockDiagonal struct {
	First    []int32
	Bytes    []uint8
	Exponent []int16
	Numbers  iter.Seq2[int, []float64] // the numbers of each block, row after row, in memory that is reused
}

// Polynomial is M^-1 = (I - q(diag(W) A)) A^-1, q(t) = product over k of (1 - Omega_k t);
// see NewPolynomial.
type Polynomial struct{ W, Omega []float64 }

func (Diagonal) data()      {}
func (BlockDiagonal) data() {}
func (Polynomial) data()    {}

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

// Data returns a Polynomial if the preconditioner is one of S A S: S M_s^-1 S is that of A
// with the weights S w S.
func (p *rescaled) Data() Data {
	q, ok := p.Preconditioner.Data().(Polynomial)
	if !ok {
		return nil
	}
	for i, s := range p.s {
		q.W[i] *= s * s
	}
	return q
}
