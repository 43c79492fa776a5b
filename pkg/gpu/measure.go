package gpu

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// Functions that return a number wait for the device and copy one number a block from it.

// Ints is int32 numbers on a device, exponents of at most 2^24 in magnitude. The zero
// Ints is all zero.
type Ints struct {
	d   *Device
	mem buffer
}

// PutInts implements Space.
func (s *deviceSpace) PutInts(v []int32) Ints { return Ints{s.d, put(s.d, v)} }

// Close releases the numbers and makes them zero.
func (e *Ints) Close() {
	if e.d != nil {
		e.d.release(&e.mem)
	}
}

// some is 1 unless all are zero.
func (e Ints) some() uint32 {
	if e.mem.bytes > 0 {
		return 1
	}
	return 0
}

// part returns the memory that blocks leave their parts in.
func (s *deviceSpace) part() buffer {
	if s.host == nil {
		s.host = make([]float64, s.blocks)
	}
	if s.parts.bytes == 0 {
		s.parts = s.d.alloc(8 * int64(s.blocks))
	}
	return s.parts
}

// fetchParts copies the parts to the host.
func (s *deviceSpace) fetchParts() []float64 {
	download(s.d, s.host, s.parts)
	if s.d.err != nil {
		s.host[0] = math.NaN()
	}
	return s.host
}

// largestPart returns the largest part, NaN if one is.
func (s *deviceSpace) largestPart() float64 {
	largest := math.Inf(-1)
	for _, v := range s.fetchParts() {
		largest = max(largest, v)
	}
	return largest
}

// AbsMax implements Space.
func (s *deviceSpace) AbsMax(x *Vector) float64 {
	launch(s.d, s.blocks, measureAbsMax{n: uint32(s.n), x: x.mem, parts: s.part()})
	return s.largestPart()
}

// RowError implements Space.
func (s *deviceSpace) RowError(r, t *Vector, normX float64, b *Vector) float64 {
	launch(s.d, s.blocks, measureRowError{n: uint32(s.n), r: r.mem, rows: t.mem, norm: normX, b: b.mem, parts: s.part()})
	return s.largestPart()
}

// Norm2 implements Space.
func (s *deviceSpace) Norm2(x *Vector) (norm float64, exp int) {
	largest := s.AbsMax(x)
	if largest == 0 || largest-largest != 0 {
		return largest, 0
	}
	exp = dd.Exponent(largest)
	launch(s.d, s.blocks, measureSquares{n: uint32(s.n), x: x.mem, e: int32(exp), parts: s.part()})
	for _, v := range s.fetchParts() {
		norm += v
	}
	return math.Sqrt(norm), exp
}

// Ldexp implements Space.
func (s *deviceSpace) Ldexp(dst, src *Vector, sign float64, e Ints, shift int) {
	launch(s.d, s.blocks, measureLdexp{n: uint32(s.n), a: sign, x: src.mem, some: e.some(), e: e.mem, shift: power(shift), y: dst.mem})
}

// AddLdexp implements Space.
func (s *deviceSpace) AddLdexp(dst, x, z *Vector, e Ints, shift int) {
	launch(s.d, s.blocks, measureAddLdexp{n: uint32(s.n), x: x.mem, z: z.mem, some: e.some(), e: e.mem, shift: power(shift), y: dst.mem})
}

// power is an exponent as a kernel takes it: what is beyond makes zeros and infinities
// as well.
func power(shift int) int32 { return int32(max(-1<<25, min(shift, 1<<25))) }

// MaxExponent implements Space.
func (s *deviceSpace) MaxExponent(x *Vector, e Ints) int {
	launch(s.d, s.blocks, measureExponent{n: uint32(s.n), x: x.mem, some: e.some(), e: e.mem, parts: s.part()})
	top := s.largestPart()
	if math.IsNaN(top) {
		return math.MinInt32
	}
	return int(top)
}

// Picks are indices of elements of vectors of a space that are read together.
type Picks struct {
	s       *deviceSpace
	n       int
	at, out buffer
}

// Pick implements Space.
func (s *deviceSpace) Pick(at []uint32) Picks {
	p := Picks{s: s, n: len(at)}
	if p.n > 0 {
		p.at, p.out = put(s.d, at), s.d.alloc(8*int64(p.n))
	}
	return p
}

// Len returns the number of indices.
func (p *Picks) Len() int { return p.n }

// Close releases the memory of the indices.
func (p *Picks) Close() { p.s.d.release(&p.at, &p.out) }

// Get copies the elements of x at the indices to host, and waits for them.
func (p *Picks) Get(host []float64, x *Vector) {
	if p.n > 0 {
		launch(p.s.d, blocksFor(p.n, vectorBlocks), vectorGather{n: uint32(p.n), at: p.at, x: x.mem, out: p.out})
		download(p.s.d, host[:p.n], p.out)
	}
}

// SetRange implements Space.
func (s *deviceSpace) SetRange(x *Vector, at int, values []float64) { upload(s.d, x.mem, at, values) }
