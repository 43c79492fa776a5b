package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
)

// HostDD is the space of double-double vectors in main memory; Host is the space of float64 vectors. Its methods share
// scratch memory: use one HostDD from one goroutine at a time. Norms and maxima are computed from vectors rounded to float64.
//
// With u = 2^-53, an element of y + a x has an error of at most 3 u^2 |y_i| + 14 u^2 |a x_i|. An inner product is
// the sum, in their order, of the inner products of blocks of 4096 elements, each with an error of at most (n/16 + 26)^2 u^2 sum
// |x_i y_i| for n elements. So it has the same bits for any number of threads.
type HostDD interface {
	Space[dd.Vec, dd.DD]
	AbsMax(x dd.Vec) float64                // max |x_i|, rounded to float64, NaN if any element is, and 0 if n = 0
	Norm2(x dd.Vec) (norm float64, exp int) // the 2-norm of x, rounded to float64, as norm 2^exp, which may be beyond float64
	Ranges(do func(lo, hi int))             // see Host
}

// hostDD implements HostDD.
type hostDD struct {
	blocked
	partial []dd.DD // for each block one, two for DoubleStep, len(vs) for MultiDot
	pair    [2]dd.DD
	job     vectorJobDD
}

var _ HostDD = (*hostDD)(nil)

// NewHostDD returns the space of double-double vectors with the dimension, the parts, the threads and the Reducer of a space of float64.
func NewHostDD(like Host) HostDD {
	of := like.(*host)
	h := &hostDD{blocked: newBlocked(of.n, of.len, of.parts, of.pool)}
	h.reducer = of.reducer
	h.partial = make([]dd.DD, 2*h.blocks())
	h.job.h = h
	return h
}

// New returns a zero vector.
func (h *hostDD) New() dd.Vec { return dd.NewVec(h.len) }

// Scalar returns a.
func (h *hostDD) Scalar(a float64) dd.DD { return dd.From(a) }

// Roundoff returns 2^-104.
func (h *hostDD) Roundoff() float64 { return 0x1p-104 }

// Zero sets x = 0.
func (h *hostDD) Zero(x dd.Vec) { x.Clear() }

// Fill sets x_i = element(i), in the order of i.
func (h *hostDD) Fill(x dd.Vec, element func(i int) float64) {
	h.blocked.Fill(x.Hi, element)
	clear(x.Lo)
}

// AbsMax returns max |x_i|, rounded to float64, NaN if any element is, and 0 if n = 0.
func (h *hostDD) AbsMax(x dd.Vec) float64 { return h.blocked.AbsMax(x.Hi) }

// Norm2 returns the 2-norm of x, rounded to float64, as norm 2^exp, which may be beyond float64.
func (h *hostDD) Norm2(x dd.Vec) (norm float64, exp int) { return h.blocked.Norm2(x.Hi) }

// Copy sets dst = src.
func (h *hostDD) Copy(dst, src dd.Vec) { h.run(vectorJobDD{op: opCopy, x: src, y: dst}) }

// Scale computes x *= a.
func (h *hostDD) Scale(a dd.DD, x dd.Vec) { h.run(vectorJobDD{op: opScale, a: a, x: x}) }

// Axpy computes y += a x.
func (h *hostDD) Axpy(a dd.DD, x, y dd.Vec) { h.run(vectorJobDD{op: opAxpy, a: a, x: x, y: y}) }

// Xpay computes y = x + a y.
func (h *hostDD) Xpay(x dd.Vec, a dd.DD, y dd.Vec) { h.run(vectorJobDD{op: opXpay, a: a, x: x, y: y}) }

// Dot returns x·y.
func (h *hostDD) Dot(x, y dd.Vec) dd.DD { return h.runSum(vectorJobDD{op: opDot, x: x, y: y}) }

// AxpyDot computes y += a x and returns y·z.
func (h *hostDD) AxpyDot(a dd.DD, x, y, z dd.Vec) dd.DD {
	return h.runSum(vectorJobDD{op: opAxpyDot, a: a, x: x, y: y, z: z})
}

// Step computes x += a p and r -= a q and returns r·r.
func (h *hostDD) Step(a dd.DD, p, x, q, r dd.Vec) dd.DD {
	return h.runSum(vectorJobDD{op: opStep, a: a, x: p, y: x, z: q, w: r})
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w; t may be r.
func (h *hostDD) DoubleStep(a dd.DD, p dd.Vec, o dd.DD, t, x, q, r, w dd.Vec) (rr, rw dd.DD) {
	h.run(vectorJobDD{op: opDoubleStep, a: a, x: p, o: o, t: t, y: x, z: q, r: r, w: w})
	h.sumDD(h.pair[:], h.partial[:2*h.blocks()])
	return h.pair[0], h.pair[1]
}

// Direction computes p = r + b (p - o q).
func (h *hostDD) Direction(r dd.Vec, b, o dd.DD, q, p dd.Vec) {
	h.run(vectorJobDD{op: opDirection, x: r, a: b, o: o, z: q, y: p})
}

// MultiDot computes h_k = v_k·w for every k in one pass over w.
func (h *hostDD) MultiDot(out []dd.DD, vs []dd.Vec, w dd.Vec) {
	m := len(vs)
	if m == 0 {
		return
	}
	if need := m * h.blocks(); len(h.partial) < need {
		h.partial = make([]dd.DD, need)
	}
	h.run(vectorJobDD{op: opMultiDot, vs: vs, y: w})
	h.sumDD(out[:m], h.partial[:m*h.blocks()])
}

// MultiAxpy computes w += sum a_k v_k in one pass over w.
func (h *hostDD) MultiAxpy(a []dd.DD, vs []dd.Vec, w dd.Vec) {
	h.run(vectorJobDD{op: opMultiAxpy, as: a, vs: vs, y: w})
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (h *hostDD) MultiAxpyDot(a []dd.DD, vs []dd.Vec, w dd.Vec) dd.DD {
	return h.runSum(vectorJobDD{op: opMultiAxpyDot, as: a, vs: vs, y: w})
}

// sumDD sets sums as Reducer.Sum does, in double-double: the Reducer of vectors that processes share has a method for that.
func (h *hostDD) sumDD(sums, partial []dd.DD) {
	if shared, ok := h.reducer.(interface{ SumDD(sums, partial []dd.DD) }); ok {
		shared.SumDD(sums, partial)
		return
	}
	for k := range sums {
		var s dd.DD
		for at := k; at < len(partial); at += len(sums) {
			s = s.Add(partial[at])
		}
		sums[k] = s
	}
}

// run does one operation.
func (h *hostDD) run(j vectorJobDD) {
	j.h = h
	h.job = j
	h.onBlocks(&h.job)
	h.job = vectorJobDD{h: h}
}

// runSum does one operation and adds up the partial results of the blocks.
func (h *hostDD) runSum(j vectorJobDD) dd.DD {
	h.run(j)
	h.sumDD(h.pair[:1], h.partial[:h.blocks()])
	return h.pair[0]
}

// vectorJobDD is one operation as a parallel.Job; see vectorJob.
type vectorJobDD struct {
	h                *hostDD
	op               vectorOp
	a, o             dd.DD
	x, y, z, w, r, t dd.Vec
	as               []dd.DD
	vs               []dd.Vec
}

// Do runs the operation on one block.
func (j *vectorJobDD) Do(b int) {
	lo, hi := j.h.block[b].lo, j.h.block[b].hi
	part, k := j.h.partial, j.h.kernels
	switch j.op {
	case opCopy:
		copy(j.y.Hi[lo:hi], j.x.Hi[lo:hi])
		copy(j.y.Lo[lo:hi], j.x.Lo[lo:hi])
	case opScale:
		k.ScaleDD(j.a, j.x.Slice(lo, hi))
	case opAxpy:
		k.AxpyDD(j.a, j.x.Slice(lo, hi), j.y.Slice(lo, hi))
	case opXpay:
		k.XpayDD(j.x.Slice(lo, hi), j.a, j.y.Slice(lo, hi))
	case opDot:
		part[b] = k.DotDD(j.x.Slice(lo, hi), j.y.Slice(lo, hi))
	case opAxpyDot:
		part[b] = k.AxpyDotDD(j.a, j.x.Slice(lo, hi), j.y.Slice(lo, hi), j.z.Slice(lo, hi))
	case opStep:
		part[b] = k.StepDD(j.a, j.x.Slice(lo, hi), j.y.Slice(lo, hi), j.z.Slice(lo, hi), j.w.Slice(lo, hi))
	case opDoubleStep: // a block stays in the second-level cache
		x, r := j.y.Slice(lo, hi), j.r.Slice(lo, hi)
		k.AxpyDD(j.a, j.x.Slice(lo, hi), x)
		k.AxpyDD(j.o, j.t.Slice(lo, hi), x)
		part[2*b] = k.AxpyDotDD(j.o.Neg(), j.z.Slice(lo, hi), r, r)
		part[2*b+1] = k.DotDD(r, j.w.Slice(lo, hi))
	case opDirection:
		p := j.y.Slice(lo, hi)
		k.AxpyDD(j.o.Neg(), j.z.Slice(lo, hi), p)
		k.XpayDD(j.x.Slice(lo, hi), j.a, p)
	case opMultiDot:
		m := len(j.vs)
		k.MultiDotDD(part[b*m:(b+1)*m], j.vs, lo, hi, j.y)
	case opMultiAxpy, opMultiAxpyDot:
		k.MultiAxpyDD(j.as, j.vs, lo, hi, j.y)
		if j.op == opMultiAxpyDot {
			w := j.y.Slice(lo, hi)
			part[b] = k.DotDD(w, w)
		}
	}
}
