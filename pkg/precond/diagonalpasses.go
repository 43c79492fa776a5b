package precond

import (
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// diagonalPasses are the passes over vectors of conjugate gradients with an inverse diagonal (krylov.FusedPreconditioner): z = D^-1 r is
// computed where it is needed, in the first-level cache, and never stored. r·r and r·z are one sum. The bits are the same as with
// separate passes.
type diagonalPasses struct {
	kernels *kernels.Set
	pool    *parallel.Pool
	reducer linop.Reducer
	blocks  []diagonalBlock
	partial []float64 // r·r and r·z of blocks
	sums    [2]float64

	r       vector // the input
	stepped bool   // sums are those of the input
	job     diagonalJob
}

// diagonalBlock is at most jacobiBlock elements of an inverse diagonal, for elements lo to hi-1 of vectors.
type diagonalBlock struct {
	lo, hi int
	words  kernels.Words
	values []byte // formats.Padding bytes longer
}

// jacobiBlock is the number of rows that one thread multiplies at a time.
const jacobiBlock = 4096

// serialDiagonal is the number of rows up to which waking threads costs more than it gains.
const serialDiagonal = 8 * 1024

// diagonalOp names what is done on a block.
type diagonalOp int

const (
	diagonalApply     diagonalOp = iota // dst = D^-1 src
	diagonalDot                         // src·D^-1 src
	diagonalStep                        // x += a along, src -= a q, src·src, src·D^-1 src
	diagonalDirection                   // dst = D^-1 src + a dst
)

// diagonalJob is an operation on all blocks as a parallel job.
type diagonalJob struct {
	*diagonalPasses
	op          diagonalOp
	a           float64
	dst, src    vector
	along, x, q vector
}

// cover makes room for the inner products of the blocks, which reducer adds.
func (p *diagonalPasses) cover(reducer linop.Reducer) {
	p.reducer, p.partial = reducer, make([]float64, 2*len(p.blocks))
}

// Input implements krylov.FusedPreconditioner.
func (p *diagonalPasses) Input(r vector, _ scalar) { p.r, p.stepped = r, false }

// StepInput implements krylov.FusedPreconditioner.
func (p *diagonalPasses) StepInput(a scalar, along, x, q, r vector) scalar {
	p.run(diagonalJob{op: diagonalStep, a: float64(a), along: along, x: x, q: q, src: r})
	p.reducer.Sum(p.sums[:], p.partial)
	p.r, p.stepped = r, true
	return scalar(p.sums[0])
}

// ApplyInput implements krylov.FusedPreconditioner.
func (p *diagonalPasses) ApplyInput() scalar {
	if !p.stepped {
		p.run(diagonalJob{op: diagonalDot, src: p.r})
		p.reducer.Sum(p.sums[1:], p.partial[:len(p.blocks)])
	}
	return scalar(p.sums[1])
}

// Direction implements krylov.FusedPreconditioner.
func (p *diagonalPasses) Direction(b scalar, along vector) {
	p.run(diagonalJob{op: diagonalDirection, a: float64(b), dst: along, src: p.r})
}

// Apply computes dst = D^-1 src.
func (p *diagonalPasses) Apply(dst, src vector) { p.run(diagonalJob{dst: dst, src: src}) }

// run does an operation on all blocks.
func (p *diagonalPasses) run(j diagonalJob) {
	pool := p.pool
	if len(p.blocks)*jacobiBlock <= serialDiagonal {
		pool = nil
	}
	j.diagonalPasses = p
	p.job = j
	pool.Run(len(p.blocks), &p.job)
	p.job = diagonalJob{}
}

// weights are elements of D^-1 that are decoded at a time.
var weights = sync.Pool{New: func() any { return new([jacobiBlock]float64) }}

// Do does the operation on one block: an application decodes D^-1 into dst and multiplies it there.
func (j *diagonalJob) Do(block int) {
	b, k := &j.blocks[block], j.kernels
	src := j.src[b.lo:b.hi]
	if j.op == diagonalApply {
		dst := j.dst[b.lo:b.hi]
		k.Decode(b.words, dst, b.values)
		k.Mul(1, dst, src, dst)
		return
	}
	if j.op == diagonalStep {
		j.partial[2*block] = k.Step(j.a, j.along[b.lo:b.hi], j.x[b.lo:b.hi], j.q[b.lo:b.hi], src)
	}
	room := weights.Get().(*[jacobiBlock]float64)
	z := room[:b.hi-b.lo]
	k.Decode(b.words, z, b.values)
	k.Mul(1, z, src, z)
	switch j.op {
	case diagonalDot:
		j.partial[block] = k.Dot(src, z)
	case diagonalStep:
		j.partial[2*block+1] = k.Dot(src, z)
	case diagonalDirection:
		k.Xpay(z, j.a, j.dst[b.lo:b.hi])
	}
	weights.Put(room)
}
