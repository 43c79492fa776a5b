package linop

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/packed"
)

// BasisFormat is how a Basis stores vectors of norm 1.
type BasisFormat string

// The formats. BasisAdaptive stores each block of each vector in the narrowest format of package
// packed that keeps the error that the vector may have.
const (
	BasisFP64     BasisFormat = "fp64"
	BasisFP32     BasisFormat = "fp32"
	BasisINT16    BasisFormat = "int16"
	BasisAdaptive BasisFormat = "adaptive"
)

// BasisFormats lists all formats.
var BasisFormats = []BasisFormat{BasisFP64, BasisFP32, BasisINT16, BasisAdaptive}

// A Packer is a Space that can store vectors in fewer bits.
type Packer[V any, S Scalar[S]] interface {
	Space[V, S]
	NewBasis(BasisFormat) Basis[V, S]
}

// A Basis is a sequence of vectors v_0, v_1, ... that are stored in fewer bits than the vectors of their Space. Each operation
// reads them from memory once.
type Basis[V any, S Scalar[S]] interface {
	// Set stores a w as v_k, which replaces the vectors from k on, and sets w to what is stored. The
	// norm of the error is at most delta if the format is adaptive.
	Set(k int, a S, w V, delta float64)

	MultiDot(h []S, w V)       // h_k = v_k·w
	MultiAxpy(a []S, w V)      // w += sum a_k v_k
	MultiAxpyDot(a []S, w V) S // w += sum a_k v_k, returns w·w
	Counts() BasisCounts
}

// BasisCounts counts what a Basis has done.
type BasisCounts struct {
	Elements, Bytes int64 // of all vectors that have been set
	Read            int64 // bytes of vectors that operations have read and written
}

func (a BasisCounts) plus(b BasisCounts) BasisCounts {
	return BasisCounts{a.Elements + b.Elements, a.Bytes + b.Bytes, a.Read + b.Read}
}

// hostBasis is a Basis of Host.
type hostBasis struct {
	h      *host
	format BasisFormat
	v      [][]*packed.Vector // for each vector its parts
	counts BasisCounts
}

// NewBasis returns an empty basis. It panics if there is no such format.
func (h *host) NewBasis(f BasisFormat) Basis[[]float64, Float64] {
	switch f {
	case BasisFP64, BasisFP32, BasisINT16, BasisAdaptive:
		return &hostBasis{h: h, format: f}
	}
	panic(fmt.Sprintf("linop: no format %q of a basis", f))
}

// rule returns how to store a vector whose error may have the norm delta.
func (b *hostBasis) rule(delta float64) packed.Rule {
	switch b.format {
	case BasisFP32:
		return packed.Uniform(packed.FP32)
	case BasisINT16:
		return packed.Uniform(packed.Int16)
	case BasisAdaptive:
		return packed.Rule{Theta: delta / math.Sqrt(float64(b.h.n))}
	}
	return packed.Uniform(packed.FP64)
}

// Set implements Basis.
func (b *hostBasis) Set(k int, a Float64, w []float64, delta float64) {
	for len(b.v) <= k {
		var parts []*packed.Vector
		for _, p := range b.h.parts {
			parts = append(parts, packed.New(p.Hi-p.Lo, b.h.pool, b.h.kernels))
		}
		b.v = append(b.v, parts)
	}
	for at, p := range b.h.parts {
		v := b.v[k][at]
		v.Pack(a.Float(), w[p.Lo:p.Hi], b.rule(delta))
		b.counts = b.counts.plus(BasisCounts{Elements: int64(p.Hi - p.Lo), Bytes: v.Bytes()})
	}
}

// Counts implements Basis.
func (b *hostBasis) Counts() BasisCounts { return b.counts }

// read counts the first n vectors of the basis, and `others` vectors of the space, as read or written.
func (b *hostBasis) read(n, others int) {
	for at, p := range b.h.parts {
		b.counts.Read += int64(8 * (p.Hi - p.Lo) * others)
		for _, v := range b.v[:n] {
			b.counts.Read += v[at].Bytes()
		}
	}
}

// packedBlocks is a block of Host: blocks lo to hi-1 of the packed vectors of a part, and the elements of w of that part.
type packedBlocks struct {
	number, of, lo, hi int
	part               []float64
}

// each calls do for every block of w.
func (b *hostBasis) each(w []float64, do func(packedBlocks)) {
	h := b.h
	h.threads().Each(h.blocks(), func(k int) {
		r := h.block[k]
		p := h.parts[r.part]
		lo := (r.lo - p.Lo) / packed.Block
		hi := (r.hi - p.Lo + packed.Block - 1) / packed.Block
		do(packedBlocks{k, r.part, lo, hi, w[p.Lo:p.Hi]})
	})
}

// MultiDot implements Basis.
func (b *hostBasis) MultiDot(out []Float64, w []float64) {
	m, h := len(out), b.h
	h.room(m)
	b.read(m, 1)
	b.each(w, func(p packedBlocks) {
		for k := range m {
			h.partial[p.number*m+k] = b.v[k][p.of].DotBlocks(p.lo, p.hi, p.part)
		}
	})
	h.reducer.Sum(h.sums[:m], h.partial[:m*h.blocks()])
	for k, s := range h.sums[:m] {
		out[k] = Float64(s)
	}
}

// MultiAxpy implements Basis.
func (b *hostBasis) MultiAxpy(a []Float64, w []float64) {
	b.read(len(a), 2)
	b.each(w, func(p packedBlocks) { b.add(a, p) })
}

// MultiAxpyDot implements Basis.
func (b *hostBasis) MultiAxpyDot(a []Float64, w []float64) Float64 {
	h := b.h
	b.read(len(a), 2)
	b.each(w, func(p packedBlocks) {
		b.add(a, p)
		r := h.block[p.number]
		h.partial[p.number] = h.kernels.Dot(w[r.lo:r.hi], w[r.lo:r.hi])
	})
	return h.sum()
}

// add computes w += sum a_k v_k for these blocks.
func (b *hostBasis) add(a []Float64, p packedBlocks) {
	for k, f := range a {
		b.v[k][p.of].AxpyBlocks(f.Float(), p.lo, p.hi, p.part)
	}
}
