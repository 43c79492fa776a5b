package precond

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// complement returns an approximation of the Schur complement S = C + B A^-1 G of fields, and its formula, D being the diagonal of A:
//
//	C + diag(B D^-1 G)  or  C + B D^-1 G,
//
// whichever is more like S: whether x^T S x is the same multiple of its x^T S~ x for a rough and for a smooth x. Of viscous flow S is like a
// mass matrix of the pressure ([Elman14]), and so is the first. Where A is like a mass matrix, as in mixed forms of diffusion and in short
// steps of time, S is like a Laplacian, and so is the second ([Patankar72]).
func (s *setup) complement(f *fields, inverseA func(dst, src vector), held int64) (formula string, m *csr.Matrix, err error) {
	s.Stage("S: choosing an approximation")
	if err := s.checkMemory(held + 8*int64(2*f.first+5*f.g.Cols)); err != nil {
		return "", nil, err
	}
	v := newSchurProducts(s, f)
	rough := v.rough()
	smooth := v.smoothed(rough)
	exact, smoothExact := v.quotient(rough, v.by(inverseA)), v.quotient(smooth, v.by(inverseA))
	unlike := func(product func(dst, x vector)) float64 {
		return math.Abs(math.Log(math.Abs(v.quotient(rough, product) / exact * smoothExact / v.quotient(smooth, product))))
	}
	if !(unlike(v.by(v.overD)) < unlike(v.local)) {
		return "C + diag(B D^-1 G)", f.withDiagonal(), s.interrupted()
	}
	m, err = s.wholeProduct(f, held)
	return "C + B D^-1 G", m, err
}

// schurProducts are products with the Schur complement of fields and its approximations.
type schurProducts struct {
	*fields
	g, lower linop.CSR
	space    linop.Host // of the second field
	u, w     vector     // of the first field, and of both
	y        vector     // of the second
}

func newSchurProducts(s *setup, f *fields) *schurProducts {
	n := len(f.order)
	return &schurProducts{
		fields: f, g: linop.NewCSR(f.g, s.pool), lower: linop.NewCSR(f.lower, s.pool), space: s.space(n - f.first),
		u: make(vector, f.first), w: make(vector, n), y: make(vector, n-f.first),
	}
}

// by returns the product dst = (C + B A~^-1 G) x for a map A~^-1.
func (v *schurProducts) by(inverse func(dst, src vector)) func(dst, x vector) {
	return func(dst, x vector) {
		v.g.Apply(v.u, x)
		inverse(v.w[:v.first], v.u)
		v.lowerProduct(dst, x)
	}
}

// overD computes dst = D^-1 src.
func (v *schurProducts) overD(dst, src vector) {
	for i, d := range v.d {
		dst[i] = src[i] / d
	}
}

// local computes dst = (C + diag(B D^-1 G)) x.
func (v *schurProducts) local(dst, x vector) {
	clear(v.w[:v.first])
	v.lowerProduct(dst, x)
	for i, e := range v.e {
		dst[i] += float64(e * x[i])
	}
}

// lowerProduct computes dst = B w + C x for the first part of w.
func (v *schurProducts) lowerProduct(dst, x vector) {
	for i, xi := range x {
		v.w[v.first+i] = -xi
	}
	v.lower.Apply(dst, v.w)
}

// quotient returns x^T y for the product y with x.
func (v *schurProducts) quotient(x vector, product func(dst, x vector)) float64 {
	product(v.y, x)
	return v.space.Dot(x, v.y).Float()
}

// rough returns a vector of random elements.
func (v *schurProducts) rough() vector {
	x, rng := v.space.New(), rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = rng.Float64() - 0.5
	}
	return x
}

const (
	smoothings  = 20  // which leave waves of about that many unknowns
	overLargest = 1.2 // of a step, over the estimate of the largest eigenvalue
)

// smoothed returns x after steps of Richardson's iteration for diag(B D^-1 G)^-1 (C + B D^-1 G), whose largest eigenvalue is estimated
// by as many products.
func (v *schurProducts) smoothed(x vector) vector {
	product := func(dst, x vector) {
		v.by(v.overD)(dst, x)
		for i, e := range v.e {
			if dst[i] /= e; e == 0 {
				dst[i] = 0
			}
		}
	}
	z, largest := slices.Clone(x), 0.0
	for range smoothings {
		product(v.y, z)
		largest = math.Sqrt((v.space.Dot(v.y, v.y) / v.space.Dot(z, z)).Float())
		v.space.Copy(z, v.y)
		v.space.Scale(linop.Float64(1/largest), z)
	}
	z = slices.Clone(x)
	for range smoothings {
		product(v.y, z)
		v.space.Axpy(linop.Float64(-1/(overLargest*largest)), v.y, z)
	}
	return z
}

// withDiagonal returns C + diag(B D^-1 G).
func (f *fields) withDiagonal() *csr.Matrix {
	c := newMatrix(len(f.e), len(f.e), int64(len(f.e)))
	for i, e := range f.e {
		cols, vals := f.lower.Row(i)
		n := f.left(cols)
		there := false
		for k, j := range cols[n:] {
			j -= int32(f.first)
			v := -vals[n+k]
			if !there && int(j) >= i {
				if there = true; int(j) == i {
					v += e
				} else {
					c.Col, c.Val = append(c.Col, int32(i)), append(c.Val, e)
				}
			}
			c.Col, c.Val = append(c.Col, j), append(c.Val, v)
		}
		if !there {
			c.Col, c.Val = append(c.Col, int32(i)), append(c.Val, e)
		}
		c.RowPtr[i+1] = int64(len(c.Col))
	}
	return c
}

// wholeProduct returns C + B D^-1 G as the product
//
//	(B D^-1/2  -C) (D^-1/2 G)
//	               (   -I   ),
//
// which is exactly symmetric if B is the transpose of G and C is symmetric. It overwrites the blocks.
func (s *setup) wholeProduct(f *fields, held int64) (*csr.Matrix, error) {
	left, right := f.lower, newMatrix(len(f.order), f.g.Cols, int64(f.g.NNZ()+f.g.Cols))
	root := make(vector, len(f.order))
	for i := range root {
		if root[i] = 1; i < f.first {
			root[i] = 1 / math.Sqrt(f.d[i])
		}
	}
	for k, j := range left.Col {
		left.Val[k] *= root[j]
	}
	right.Col, right.Val = append(right.Col, f.g.Col...), append(right.Val, f.g.Val...)
	copy(right.RowPtr, f.g.RowPtr)
	for i := range f.first {
		_, vals := right.Row(i)
		for k := range vals {
			vals[k] *= root[i]
		}
	}
	for j := range f.g.Cols {
		right.Col, right.Val = append(right.Col, int32(j)), append(right.Val, -1)
		right.RowPtr[f.first+j+1] = int64(len(right.Col))
	}
	if err := s.checkWork(multiplicationsOf(left, right, s.pool)); err != nil {
		return nil, err
	}
	blocks := equalBlocks(right.Cols, 1)
	nonzeros, err := nonzerosOfProduct(left, right, blocks, s.pool)
	if err != nil {
		return nil, err
	}
	if err := s.checkMemory(held + right.Bytes() + 2*csr.Bytes(int64(left.Rows), nonzeros)); err != nil {
		return nil, err
	}
	return productOf(left, right, blocks, s.pool)
}
