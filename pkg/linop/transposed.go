package linop

// Transposed is an operator with its transpose, which is another operator: a second matrix in memory, or
// the same if A is symmetric.
type Transposed[V, S any] struct {
	Operator[V, S]
	Transpose Operator[V, S]
}

// ApplyT computes dst = A^T src.
func (a Transposed[V, S]) ApplyT(dst, src V) { a.Transpose.Apply(dst, src) }
