package gpu

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// basis is a linop.Basis on a device, see source/basis.c. Chunks are as long as blocks of package packed. Vectors take the bytes that
// their format needs; vectors of BasisAdaptive take the memory of float64, of which operations read less.
type basis struct {
	s      *deviceSpace
	chunks int
	room   int // bytes an element
	rule   func(delta float64) packed.Rule
	groups []basisGroup
	tally  buffer // bytes set, by block
	counts linop.BasisCounts
	read   int64 // elements that operations have read
	others int64 // bytes of the vectors that they have read and written
}

// basisGroup is the memory of as many vectors as one kernel takes.
type basisGroup struct{ v, heads buffer }

// NewBasis returns an empty basis, which Close releases. It panics if there is no such format.
func (s *deviceSpace) NewBasis(f linop.BasisFormat) linop.Basis[*Vector, Scalar] {
	b := &basis{s: s, chunks: (s.n + packed.Block - 1) / packed.Block}
	uniform := func(f packed.Format) {
		b.room, b.rule = f.Bytes(), func(float64) packed.Rule { return packed.Uniform(f) }
	}
	switch f {
	case linop.BasisFP64:
		uniform(packed.FP64)
	case linop.BasisFP32:
		uniform(packed.FP32)
	case linop.BasisINT16:
		uniform(packed.Int16)
	case linop.BasisAdaptive:
		b.room = packed.FP64.Bytes()
		b.rule = func(delta float64) packed.Rule { return packed.Rule{Theta: delta / math.Sqrt(float64(max(s.n, 1)))} }
	default:
		panic(fmt.Sprintf("gpu: no format %q of a basis", f))
	}
	b.tally = s.d.alloc(8 * vectorBlocks)
	b.s.zero(b.tally)
	s.bases = append(s.bases, b)
	return b
}

func (b *basis) close() {
	for k := range b.groups {
		b.s.d.release(&b.groups[k].v, &b.groups[k].heads)
	}
	b.s.d.release(&b.tally)
}

// blocks is the number of blocks of kernels.
func (b *basis) blocks() uint32 { return uint32(max(1, min(b.chunks, int(b.s.blocks)))) }

// Set implements linop.Basis.
func (b *basis) Set(k int, a Scalar, w *Vector, delta float64) {
	for len(b.groups) <= k/together {
		elements := int64(together * b.chunks * packed.Block)
		b.groups = append(b.groups, basisGroup{b.s.d.alloc(elements * int64(b.room)), b.s.d.alloc(8 * int64(together*b.chunks))})
	}
	g, rule := b.groups[k/together], b.rule(delta)
	launch(b.s.d, b.blocks(), basisStore{
		n: uint32(b.s.n), chunks: uint32(b.chunks), k: uint32(k % together), room: uint32(b.room),
		narrowest: uint32(rule.Narrowest), theta: rule.Theta, a: a.coefficient(), v: g.v, heads: g.heads,
		w: w.mem, tally: b.tally, reductions: b.s.d.sums.mem,
	})
	a.settle()
	b.counts.Elements += int64(b.s.n)
}

// Counts implements linop.Basis: it waits for the device.
func (b *basis) Counts() linop.BasisCounts {
	c, bytes := b.counts, make([]float64, vectorBlocks)
	download(b.s.d, bytes, b.tally)
	for _, n := range bytes {
		c.Bytes += int64(n)
	}
	c.Bytes += 8 * int64(b.chunks) * (c.Elements / int64(max(b.s.n, 1))) // heads
	c.Read = b.others + int64(float64(b.read)*(float64(c.Bytes)/float64(max(c.Elements, 1))))
	return c
}

// reads counts an operation that reads m vectors of the basis, and so many others.
func (b *basis) reads(m, others int) {
	b.read += int64(m) * int64(b.s.n)
	b.others += 8 * int64(others) * int64(b.s.n)
}

// MultiDot implements linop.Basis.
func (b *basis) MultiDot(h []Scalar, w *Vector) {
	b.reads(len(h), 1)
	b.s.d.sums.multiDot(h, b.blocks(), func(at, m int, area uint32) {
		g := b.groups[at/together]
		launch(b.s.d, b.blocks(), basisDot{
			n: uint32(b.s.n), m: uint32(m), chunks: uint32(b.chunks), room: uint32(b.room), v: g.v, heads: g.heads,
			w: w.mem, area: area, reductions: b.s.d.sums.mem,
		})
	})
}

// MultiAxpy implements linop.Basis.
func (b *basis) MultiAxpy(a []Scalar, w *Vector) { b.multiAxpy(a, w, false) }

// MultiAxpyDot implements linop.Basis.
func (b *basis) MultiAxpyDot(a []Scalar, w *Vector) Scalar {
	if len(a) == 0 {
		return b.s.Dot(w, w)
	}
	return b.multiAxpy(a, w, true)
}

func (b *basis) multiAxpy(a []Scalar, w *Vector, dot bool) (ww Scalar) {
	b.reads(len(a), 2)
	return b.s.multiAxpy(a, b.blocks(), dot, func(at, m int, cell uint32, sign float64, area uint32) {
		g := b.groups[at/together]
		launch(b.s.d, b.blocks(), basisAxpy{
			n: uint32(b.s.n), m: uint32(m), cell: cell, sign: sign, chunks: uint32(b.chunks), room: uint32(b.room),
			v: g.v, heads: g.heads, w: w.mem, area: area, reductions: b.s.d.sums.mem,
		})
	})
}
