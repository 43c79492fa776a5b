package precond

import (
	"iter"
	"slices"
)

// Diagonal returns the diagonal w of a Jacobi preconditioner M^-1 = diag(w); ok is false
// if p is another one.
func Diagonal(p Preconditioner) (w []float64, ok bool) {
	j, ok := p.(*jacobi)
	if !ok {
		return nil, false
	}
	w = make([]float64, j.n)
	j.words.Decode(w, j.values)
	return w, true
}

// BlockInverses are the blocks of a block Jacobi preconditioner: block b, the rows
// First[b] to First[b+1]-1, is a matrix of numbers of Bytes[b] bytes times 2^Exponent[b].
// The numbers are integers, but for those of 8 bytes, FP64. There are at most 32 rows.
type BlockInverses struct {
	First    []int32
	Bytes    []uint8
	Exponent []int16
	p        *blockJacobi
}

// Blocks returns the blocks of a block Jacobi preconditioner; ok is false if p is another
// one. They share memory with it.
func Blocks(p Preconditioner) (blocks BlockInverses, ok bool) {
	j, ok := p.(*blockJacobi)
	if !ok {
		return BlockInverses{}, false
	}
	return BlockInverses{j.first, j.bytes, j.exp, j}, true
}

// All yields the blocks one after the other: their numbers, row after row, in memory that
// is used again.
func (v BlockInverses) All() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		var decoded [blockWords]float64
		for k, values := range v.p.values {
			for b := v.p.panel[k]; b < v.p.panel[k+1]; b++ {
				n := int(v.First[b+1] - v.First[b])
				blockNumbers(v.Bytes[b]).Decode(decoded[:n*n], values)
				if !yield(b, decoded[:n*n]) {
					return
				}
				values = values[n*n*int(v.Bytes[b]):]
			}
		}
	}
}

// Polynomial returns what a Chebyshev preconditioner of A does besides products with A:
// from x = omega_0 w∘r on, x += omega_k w∘(r - A x) for every further k. ok is false if p
// is another one.
func Polynomial(p Preconditioner) (w, omega []float64, ok bool) {
	// S M_s^-1 S with powers of two S, M_s a polynomial of S A S, is that one of A with
	// the weights S w S.
	outer, scaled := p.(*rescaled)
	if scaled {
		p = outer.Preconditioner
	}
	c, ok := p.(*chebyshev)
	if !ok {
		return nil, nil, false
	}
	w = slices.Clone(c.w)
	if scaled {
		for i, s := range outer.s {
			w[i] *= s * s
		}
	}
	for _, v := range c.omega {
		omega = append(omega, float64(v))
	}
	return w, omega, true
}
