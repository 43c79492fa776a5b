package linop

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Host is the space of float64 vectors in main memory. Its methods share
// scratch memory: use one Host from one goroutine at a time.
type Host interface {
	Packer[[]float64, Float64]

	// Reducer returns the Reducer of inner products, norms and maxima, Local for a new space; SetReducer replaces it.
	Reducer() Reducer
	SetReducer(r Reducer)

	Mul(a Float64, w, x, y []float64)          // y = a w∘x, elementwise; y may be w or x
	AbsMax(x []float64) float64                // max |x_i|, NaN if any element is, and 0 if n = 0
	Norm2(x []float64) (norm float64, exp int) // the 2-norm of x as norm 2^exp, which may be beyond float64

	// Ranges calls do for ranges of elements, lo <= i < hi, on all threads. Together they are all indices of this process.
	Ranges(do func(lo, hi int))
	Max(do func(lo, hi int) float64) float64                // the largest result for the ranges of Ranges; NaN if any is, -Inf if n = 0
	Max2(do func(lo, hi int) (a, b float64)) (a, b float64) // Max of two numbers at once
	Sum(do func(lo, hi int) float64) float64                // the sum of the results for the ranges of Ranges

	// Operations on blocks of vectors, for block Krylov methods. Coefficients are row by row: the one of u_i and v_j is element
	// i*len(v)+j.
	Gram(g []float64, u, v [][]float64)               // g_ij = u_i·v_j
	GramSymmetric(g []float64, u, v [][]float64)      // Gram where u_i·v_j is u_j·v_i but for rounding: computes those with i <= j
	Combine(a []float64, u, w [][]float64, plus bool) // w_j = sum_i a_ij u_i, added to w_j if plus; no w_j is a u_i

	// Passes of CG with one sum, for a Reducer that joins sums.
	Joins() bool
	DirectionStep(b, a Float64, z, w, p, q, x, r []float64) // p = z + b p, q = w + b q, x += a p, r -= a q, and holds r·r; z may be r
	HoldDot(x, y []float64)                                 // holds x·y
	Held(sums []Float64)                                    // all inner products that are held, in their order

	// Passes of CG with a preconditioner that scales by w and keeps vectors in float32.
	Input32(w []float32, r []float64, f []float32)                            // f = w∘r
	StepInput32(a Float64, p, x, q, r []float64, w, f []float32) (rr Float64) // x += a p, r -= a q, f = w∘r, rr = r·r
	Dot32(f, z []float32) Float64                                             // f·z, summed in float64
	Direction32(w, z []float32, b Float64, p []float64)                       // p = w∘z + b p
}

// host implements Host.
type host struct {
	blocked
	job        vectorJob
	blockSpans []span // see blockParts
}

var _ Host = (*host)(nil)

// NewHost returns the space of dimension n on the threads of pool.
func NewHost(n int, pool *parallel.Pool) Host { return NewHostOf(n, n, []Range{{Hi: n}}, pool) }

// NewHostOf returns a space of vectors of dimension n of which this process has the elements in parts, ascending. A vector has
// length elements on this process. Elements outside of the parts belong to nobody: operations leave them alone or change them, and
// nothing depends on them. No partial result covers two parts. The caller sets a Reducer for all processes.
func NewHostOf(n, length int, parts []Range, pool *parallel.Pool) Host {
	h := &host{blocked: newBlocked(n, length, parts, pool)}
	h.job.h = h
	return h
}

// New returns a zero vector. It has an address of its own, even where it has no elements.
func (h *host) New() []float64 { return make([]float64, h.len, max(h.len, 1)) }

// Scalar returns a.
func (h *host) Scalar(a float64) Float64 { return Float64(a) }

// Roundoff returns 2^-53.
func (h *host) Roundoff() float64 { return roundoff }

// Zero sets x = 0.
func (h *host) Zero(x []float64) { clear(x) }

// Copy sets dst = src.
func (h *host) Copy(dst, src []float64) { h.run(vectorJob{op: opCopy, x: src, y: dst}) }

// Scale computes x *= a.
func (h *host) Scale(a Float64, x []float64) { h.run(vectorJob{op: opScale, a: a.Float(), x: x}) }

// Axpy computes y += a x.
func (h *host) Axpy(a Float64, x, y []float64) {
	h.run(vectorJob{op: opAxpy, a: a.Float(), x: x, y: y})
}

// Xpay computes y = x + a y.
func (h *host) Xpay(x []float64, a Float64, y []float64) {
	h.run(vectorJob{op: opXpay, a: a.Float(), x: x, y: y})
}

// Mul computes y = a w∘x, elementwise; y may be w or x.
func (h *host) Mul(a Float64, w, x, y []float64) {
	h.run(vectorJob{op: opMul, a: a.Float(), x: x, y: y, w: w})
}

// Dot returns x·y.
func (h *host) Dot(x, y []float64) Float64 {
	h.run(vectorJob{op: opDot, x: x, y: y})
	return h.sum()
}

// AxpyDot computes y += a x and returns y·z.
func (h *host) AxpyDot(a Float64, x, y, z []float64) Float64 {
	h.run(vectorJob{op: opAxpyDot, a: a.Float(), x: x, y: y, z: z})
	return h.sum()
}

// Step computes x += a p and r -= a q and returns r·r.
func (h *host) Step(a Float64, p, x, q, r []float64) Float64 {
	h.run(vectorJob{op: opStep, a: a.Float(), x: p, y: x, z: q, w: r})
	return h.sum()
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w; t may be r.
func (h *host) DoubleStep(a Float64, p []float64, o Float64, t, x, q, r, w []float64) (rr, rw Float64) {
	h.run(vectorJob{op: opDoubleStep, a: a.Float(), x: p, o: o.Float(), t: t, y: x, z: q, r: r, w: w})
	h.reducer.Sum(h.sums[:2], h.partial[:2*h.blocks()])
	return Float64(h.sums[0]), Float64(h.sums[1])
}

// Direction computes p = r + b (p - o q).
func (h *host) Direction(r []float64, b, o Float64, q, p []float64) {
	h.run(vectorJob{op: opDirection, x: r, a: b.Float(), o: o.Float(), z: q, y: p})
}

// Input32 computes f = w∘r: the input, in float32, of a preconditioner that scales by w.
func (h *host) Input32(w []float32, r []float64, f []float32) {
	h.run(vectorJob{op: opInput32, w32: w, z: r, f32: f})
}

// StepInput32 computes x += a p, r -= a q and f = w∘r, and returns r·r.
func (h *host) StepInput32(a Float64, p, x, q, r []float64, w, f []float32) Float64 {
	h.run(vectorJob{op: opStepInput32, a: a.Float(), x: p, y: x, z: q, w: r, w32: w, f32: f})
	return h.sum()
}

// Dot32 returns f·z, summed in float64.
func (h *host) Dot32(f, z []float32) Float64 {
	h.run(vectorJob{op: opDot32, f32: f, w32: z})
	return h.sum()
}

// Direction32 computes p = w∘z + b p.
func (h *host) Direction32(w, z []float32, b Float64, p []float64) {
	h.run(vectorJob{op: opDirection32, a: b.Float(), w32: w, f32: z, y: p})
}

// MultiDot computes h_k = v_k·w for every k in one pass over w.
func (h *host) MultiDot(out []Float64, vs [][]float64, w []float64) {
	m := len(vs)
	if m == 0 {
		return
	}
	h.room(m)
	h.run(vectorJob{op: opMultiDot, vs: vs, y: w})
	h.reducer.Sum(h.sums[:m], h.partial[:m*h.blocks()])
	for k, s := range h.sums[:m] {
		out[k] = Float64(s)
	}
}

// MultiAxpy computes w += sum a_k v_k in one pass over w.
func (h *host) MultiAxpy(a []Float64, vs [][]float64, w []float64) {
	h.run(vectorJob{op: opMultiAxpy, as: a, vs: vs, y: w})
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (h *host) MultiAxpyDot(a []Float64, vs [][]float64, w []float64) Float64 {
	h.run(vectorJob{op: opMultiAxpyDot, as: a, vs: vs, y: w})
	return h.sum()
}

// DirectionStep computes p = z + b p, q = w + b q, x += a p and r -= a q, and holds r·r; z may be r.
func (h *host) DirectionStep(b, a Float64, z, w, p, q, x, r []float64) {
	h.run(vectorJob{op: opDirectionStep, o: b.Float(), a: a.Float(), t: z, w: w, y: p, z: q, x: x, r: r})
	h.hold()
}

// HoldDot holds x·y.
func (h *host) HoldDot(x, y []float64) {
	h.run(vectorJob{op: opDot, x: x, y: y})
	h.hold()
}

// A holder is a Reducer that can hold a sum back until another one is due, for one message of both.
type holder interface {
	// Hold keeps the sum of partial results, which goes with the next Sum of a Reducer of the same vectors.
	Hold(partial []float64)
	// Held sets sums to those that have been held, all of them, in their order.
	Held(sums []float64)
}

// Joins reports whether inner products can be held.
func (h *host) Joins() bool {
	_, ok := h.reducer.(holder)
	return ok
}

func (h *host) hold() { h.reducer.(holder).Hold(h.partial[:h.blocks()]) }

// Held sets sums to the inner products that are held.
func (h *host) Held(sums []Float64) {
	h.room(len(sums))
	h.reducer.(holder).Held(h.sums[:len(sums)])
	for k := range sums {
		sums[k] = Float64(h.sums[k])
	}
}

// sum adds up the partial results of the blocks.
func (h *host) sum() Float64 {
	h.reducer.Sum(h.sums[:1], h.partial[:h.blocks()])
	return Float64(h.sums[0])
}

// run does one operation.
func (h *host) run(j vectorJob) {
	j.h = h
	h.job = j
	h.onBlocks(&h.job)
	h.job = vectorJob{h: h}
}

// vectorOp names an operation of Host.
type vectorOp int

const (
	opCopy vectorOp = iota
	opScale
	opAxpy
	opXpay
	opMul
	opDot
	opAxpyDot
	opStep
	opDoubleStep
	opDirection
	opDirectionStep
	opInput32
	opStepInput32
	opDot32
	opDirection32
	opMultiDot
	opMultiAxpy
	opMultiAxpyDot
)

// vectorJob is one operation as a parallel.Job: a field of Host and no
// closure, so that running it allocates nothing.
type vectorJob struct {
	h          *host
	op         vectorOp
	a, o       float64
	x, y, z, w []float64
	r, t       []float64
	w32, f32   []float32
	as         []Float64
	vs         [][]float64
}

// Do runs the operation on one block.
func (j *vectorJob) Do(b int) {
	lo, hi := j.h.block[b].lo, j.h.block[b].hi
	part, k := j.h.partial, j.h.kernels
	switch j.op {
	case opCopy:
		copy(j.y[lo:hi], j.x[lo:hi])
	case opScale:
		k.Scale(j.a, j.x[lo:hi])
	case opAxpy:
		k.Axpy(j.a, j.x[lo:hi], j.y[lo:hi])
	case opXpay:
		k.Xpay(j.x[lo:hi], j.a, j.y[lo:hi])
	case opMul:
		k.Mul(j.a, j.w[lo:hi], j.x[lo:hi], j.y[lo:hi])
	case opDot:
		part[b] = k.Dot(j.x[lo:hi], j.y[lo:hi])
	case opAxpyDot:
		part[b] = k.AxpyDot(j.a, j.x[lo:hi], j.y[lo:hi], j.z[lo:hi])
	case opStep:
		part[b] = k.Step(j.a, j.x[lo:hi], j.y[lo:hi], j.z[lo:hi], j.w[lo:hi])
	case opDoubleStep: // a block stays in the first-level cache
		k.Axpy(j.a, j.x[lo:hi], j.y[lo:hi])
		k.Axpy(j.o, j.t[lo:hi], j.y[lo:hi])
		r := j.r[lo:hi]
		part[2*b] = k.AxpyDot(-j.o, j.z[lo:hi], r, r)
		part[2*b+1] = k.Dot(r, j.w[lo:hi])
	case opDirection:
		k.Axpy(-j.o, j.z[lo:hi], j.y[lo:hi])
		k.Xpay(j.x[lo:hi], j.a, j.y[lo:hi])
	case opDirectionStep:
		k.Xpay(j.t[lo:hi], j.o, j.y[lo:hi])
		k.Xpay(j.w[lo:hi], j.o, j.z[lo:hi])
		part[b] = k.Step(j.a, j.y[lo:hi], j.x[lo:hi], j.z[lo:hi], j.r[lo:hi])
	case opInput32:
		kernels.MulMixed(j.w32[lo:hi], j.z[lo:hi], j.f32[lo:hi])
	case opStepInput32:
		part[b] = k.StepInto(j.a, j.x[lo:hi], j.y[lo:hi], j.z[lo:hi], j.w[lo:hi], j.w32[lo:hi], j.f32[lo:hi])
	case opDot32:
		part[b] = k.DotMixed(j.f32[lo:hi], j.w32[lo:hi])
	case opDirection32:
		k.XpayMixed(j.w32[lo:hi], j.f32[lo:hi], j.a, j.y[lo:hi])
	case opMultiDot:
		m := len(j.vs)
		k.MultiDot(part[b*m:(b+1)*m], j.vs, lo, hi, j.y)
	case opMultiAxpy:
		kernels.MultiAxpy(k, j.as, j.vs, lo, hi, j.y)
	case opMultiAxpyDot:
		kernels.MultiAxpy(k, j.as, j.vs, lo, hi, j.y)
		part[b] = k.Dot(j.y[lo:hi], j.y[lo:hi])
	}
}
