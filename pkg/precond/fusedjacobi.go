package precond

import (
	"sync"
)

// A jacobi does the passes of conjugate gradients (krylov.FusedPreconditioner): it computes z = D^-1 r
// where it is needed, in the first-level cache, and never stores it. The bits are the same as with
// separate passes.

// jacobiOp names what a jacobi does on a block.
type jacobiOp int

const (
	jacobiApply     jacobiOp = iota // dst = D^-1 src
	jacobiDot                       // src·D^-1 src
	jacobiDirection                 // dst = D^-1 src + b dst
)

// weights are elements of D^-1 that are decoded at a time.
var weights = sync.Pool{New: func() any { return new([jacobiBlock]float64) }}

// Fork returns a copy for a solve that takes turns with others.
func (p *jacobi) Fork() Preconditioner {
	q := *p
	q.partial = make([]float64, len(p.partial))
	return &q
}

// Input implements krylov.FusedPreconditioner.
func (p *jacobi) Input(r vector, _ scalar) { p.r = r }

// StepInput implements krylov.FusedPreconditioner.
func (p *jacobi) StepInput(a scalar, along, x, q, r vector) scalar {
	p.r = r
	return p.space.Step(a, along, x, q, r)
}

// ApplyInput implements krylov.FusedPreconditioner.
func (p *jacobi) ApplyInput() scalar {
	p.run(jacobiDot, nil, p.r)
	p.space.Reducer().Sum(p.rz[:], p.partial)
	return scalar(p.rz[0])
}

// Direction implements krylov.FusedPreconditioner.
func (p *jacobi) Direction(b scalar, along vector) {
	p.b = float64(b)
	p.run(jacobiDirection, along, p.r)
}

// fused does a block of an operation with a product D^-1 src that is not stored.
func (p *jacobi) fused(block, lo, hi int) {
	z := weights.Get().(*[jacobiBlock]float64)
	w, src := z[:hi-lo], p.src[lo:hi]
	p.kernels.Decode(p.words, w, p.values[lo*p.words.Bytes:])
	p.kernels.Mul(1, w, src, w)
	if p.op == jacobiDot {
		p.partial[block] = p.kernels.Dot(src, w)
	} else {
		p.kernels.Xpay(w, p.b, p.dst[lo:hi])
	}
	weights.Put(z)
}
