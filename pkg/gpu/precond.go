package gpu

import (
	"encoding/binary"
	"iter"
	"math"
)

// A Preconditioner is a linear map of vectors of a space, which Close releases.
type Preconditioner interface {
	Apply(dst, src *Vector)
	Close()
}

// jacobi is the preconditioner z = w∘r.
type jacobi struct {
	s      *deviceSpace
	w      buffer
	single bool // FP32
}

// NewJacobi returns the preconditioner z = w∘r. It copies w, of n elements, to the device of the space: in FP32 if
// that holds the elements exactly, 4 bytes a row, otherwise in FP64.
func NewJacobi(at Space, w []float64) (Preconditioner, error) {
	s := at.onDevice()
	single := make([]float32, len(w))
	for i, v := range w {
		if single[i] = float32(v); float64(single[i]) != v {
			return ready[Preconditioner](s.d, &jacobi{s: s, w: put(s.d, w)})
		}
	}
	return ready[Preconditioner](s.d, &jacobi{s: s, w: put(s.d, single), single: true})
}

// Close implements Preconditioner.
func (p *jacobi) Close() { p.s.d.release(&p.w) }

// Apply implements Preconditioner.
func (p *jacobi) Apply(dst, src *Vector) {
	if p.single {
		launch(p.s.d, p.s.blocks, jacobi32{n: uint32(p.s.n), w: p.w, x: src.mem, y: dst.mem})
	} else {
		p.s.Mul(known(1), &Vector{p.w}, src, dst)
	}
}

// inverseBlocks is the preconditioner z = B r, B the inverses of the blocks on a diagonal.
type inverseBlocks struct {
	s                    *deviceSpace
	word, start, inverse buffer // see source/precond.c
}

// BlockInverses are square blocks on a diagonal: block b, the rows First[b] to
// First[b+1]-1, 32 at most, is a matrix of integers of Bytes[b] bytes, 2 to 7, times
// 2^Exponent[b]; of 8 bytes are numbers in FP64. Numbers yields all blocks in turn without
// the power of two, row after row.
type BlockInverses struct {
	First    []int32
	Bytes    []uint8
	Exponent []int16
	Numbers  iter.Seq2[int, []float64]
}

// NewBlockJacobi returns the preconditioner z = B r, B the inverses of the blocks on a diagonal. It copies inverses, of n rows in
// all, to the device of the space. The rows of a group of 32 have numbers of the same width and room for as many as the longest. An
// application is a launch that reads the inverses, 4 bytes a row besides and one vector and writes one.
func NewBlockJacobi(at Space, inverses BlockInverses) (Preconditioner, error) {
	s := at.onDevice()
	word, width, start := inverses.layout(s.n)
	values := make([]byte, warp*int(start[len(start)-1]))
	for b, numbers := range inverses.Numbers {
		lo, hi := int(inverses.First[b]), int(inverses.First[b+1])
		for i := lo; i < hi; i++ {
			group := i / warp
			k := int(width[group])
			column := values[warp*int(start[group]):]
			for _, v := range numbers[(i-lo)*(hi-lo) : (i-lo+1)*(hi-lo)] {
				putNumber(column[:warp*k], k, i%warp, v)
				column = column[warp*k:]
			}
		}
	}
	return ready[Preconditioner](s.d, &inverseBlocks{s: s, word: put(s.d, word), start: put(s.d, start), inverse: put(s.d, values)})
}

// layout returns the word of each row, and of each group of rows the width of a number in
// bytes and, in units of 32 bytes, where it starts; last, where all end.
func (v BlockInverses) layout(n int) (word []uint32, width []uint8, start []uint32) {
	groups := (n + warp - 1) / warp
	word, width, start = make([]uint32, n), make([]uint8, groups), make([]uint32, groups+1)
	longest := make([]uint32, groups)
	for b, k := range v.Bytes {
		if k == 7 { // numbers of 56 bits are rounded to FP64 anyway
			k = 8
		}
		first, rows := v.First[b], uint32(v.First[b+1]-v.First[b])
		for i := first; i < v.First[b+1]; i++ {
			word[i] = uint32(i-first) | (rows-1)<<5 | uint32(1023+int(v.Exponent[b]))<<14
			g := i / warp
			width[g], longest[g] = max(width[g], k), max(longest[g], rows)
		}
	}
	for i := range word {
		word[i] |= uint32(width[i/warp]) << 10
	}
	for g, k := range width {
		start[g+1] = start[g] + longest[g]*uint32(k)
	}
	return word, width, start
}

// putNumber writes the number in one lane of a column of numbers of k bytes.
func putNumber(column []byte, k, lane int, v float64) {
	u := math.Float64bits(v)
	if k < 8 {
		u = uint64(int64(v) + 1<<(8*k-1))
	}
	for at := 0; at < k; {
		part := 1 // bytes
		for 2*part <= k-at {
			part *= 2
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], u>>(8*at))
		copy(column[warp*at+part*lane:], b[:part])
		at += part
	}
}

// Close implements Preconditioner.
func (p *inverseBlocks) Close() { p.s.d.release(&p.word, &p.start, &p.inverse) }

// Apply implements Preconditioner.
func (p *inverseBlocks) Apply(dst, src *Vector) {
	launch(p.s.d, blocksFor(p.s.n, math.MaxInt32), blockJacobi{
		n: uint32(p.s.n), word: p.word, start: p.start, inverse: p.inverse, x: src.mem, y: dst.mem,
	})
}
