package precond

import (
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// severalProducts does products with a, in one pass over it if it can.
func severalProducts(a linop.Relaxer[vector, scalar], products []linop.Product) {
	if s, ok := a.(linop.SeveralOperator); ok {
		s.Several(products)
		return
	}
	for _, p := range products {
		if p.Epilogue == linop.Relax {
			a.Relax(p.Dst, p.Src, p.B, p.W, scalar(p.Omega))
		} else {
			a.Apply(p.Dst, p.Src)
		}
	}
}

// workVectors makes work vectors of n elements until there are count.
func workVectors(work []vector, count, n int) []vector {
	for len(work) < count {
		work = append(work, make(vector, n))
	}
	return work
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *twoProducts) ApplyMany(dst, src [][]float64) {
	p.many = workVectors(p.many, len(dst), len(p.work))
	products := make([]linop.Product, len(dst))
	for k := range products {
		products[k] = linop.Product{Dst: p.many[k], Src: src[k]}
	}
	severalProducts(p.a, products)
	for k := range products {
		products[k] = linop.Product{Dst: dst[k], Src: p.many[k]}
	}
	severalProducts(p.b, products)
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *chebyshev) ApplyMany(dst, src [][]float64) {
	p.many = workVectors(p.many, len(dst), len(p.w))
	x, work := dst, p.many[:len(dst)]
	if len(p.omega)%2 == 0 { // an odd number of exchanges follows
		x, work = work, x
	}
	for k := range dst {
		p.space.Mul(p.omega[0], p.w, src[k], x[k])
	}
	products := make([]linop.Product, len(dst))
	for _, omega := range p.omega[1:] {
		for k := range products {
			products[k] = linop.Product{
				Epilogue: linop.Relax, Dst: work[k], Src: x[k], B: src[k], W: p.w, Omega: omega.Float(), Old: x[k],
			}
		}
		severalProducts(p.a, products)
		x, work = work, x
	}
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *rescaled) ApplyMany(dst, src [][]float64) {
	by, ok := p.Preconditioner.(krylov.SeveralPreconditioner)
	if !ok {
		for k := range dst {
			p.Apply(dst[k], src[k])
		}
		return
	}
	p.many = workVectors(p.many, len(dst), len(p.s))
	for k := range dst {
		p.space.Mul(1, p.s, src[k], p.many[k])
	}
	by.ApplyMany(dst, p.many[:len(dst)])
	for k := range dst {
		p.space.Mul(1, p.s, dst[k], dst[k])
	}
}
