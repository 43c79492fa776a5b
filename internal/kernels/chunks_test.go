package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// chunksCase is chunks of random slots, with the entries that they stand for.
type chunksCase struct {
	Chunks
	x, b, v []float32
	entries [][]chunkEntry // of each row
}

type chunkEntry struct {
	col   int
	value float32
}

// randomChunks makes chunks of at most so many slots of each kind; cols is at least ChunkWindow.
func randomChunks(rng *rand.Rand, count, slots, cols int, floats, units bool) *chunksCase {
	c := &chunksCase{x: normal[float32](rng, cols), b: normal[float32](rng, count*ChunkRows), v: normal[float32](rng, count*ChunkRows)}
	c.Unit = 0x1p-15
	if units {
		c.Units = normal[float32](rng, count*ChunkRows)
	}
	c.entries = make([][]chunkEntry, count*ChunkRows)
	c.Ints = []int16{}
	if floats {
		c.Ints, c.Floats = nil, []float32{}
	}
	for k := range count {
		slot := func(column func() int) {
			for l := range ChunkRows {
				v := int16(rng.Uint32())
				f := float32(v)
				if floats {
					f = float32(rng.NormFloat64())
					c.Floats = append(c.Floats, f)
				} else {
					c.Ints = append(c.Ints, v)
				}
				i := k*ChunkRows + l
				c.entries[i] = append(c.entries[i], chunkEntry{column(), f})
			}
		}
		based := func(reach int) int {
			base := rng.IntN(cols - reach + 1)
			c.Base = append(c.Base, int32(base))
			return base
		}
		h := Chunk{uint16(rng.IntN(slots + 1)), uint16(rng.IntN(slots + 1)), uint16(rng.IntN(slots + 1)), uint16(rng.IntN(slots + 1))}
		c.Heads = append(c.Heads, h)
		for range h.Runs {
			next := based(ChunkRows) - 1
			slot(func() int { next++; return next })
		}
		for range h.Windows {
			base := based(ChunkWindow)
			slot(func() int {
				at := rng.IntN(ChunkWindow)
				c.Index = append(c.Index, byte(at))
				return base + at
			})
		}
		for range h.Near {
			base := based(1)
			slot(func() int {
				at := rng.IntN(min(cols-base, 1<<16))
				c.Index = binary.LittleEndian.AppendUint16(c.Index, uint16(at))
				return base + at
			})
		}
		for range h.Far {
			slot(func() int {
				at := rng.IntN(cols)
				c.Index = binary.LittleEndian.AppendUint32(c.Index, uint32(at))
				return at
			})
		}
	}
	return c
}

// put copies the chunks into an arena.
func (c *chunksCase) put(a *arena) *Chunks {
	moved := c.Chunks
	moved.Heads, moved.Base, moved.Index, moved.Units = put(a, c.Heads), put(a, c.Base), put(a, c.Index), put(a, c.Units)
	if c.Floats != nil {
		moved.Floats = put(a, c.Floats)
	} else {
		moved.Ints = put(a, c.Ints)
	}
	return &moved
}

// product returns the other arguments, in an arena.
func (c *chunksCase) product(a *arena, e ChunkEpilogue, omega float32) ChunkProduct {
	return ChunkProduct{Epilogue: e, Dst: put(a, make([]float32, len(c.b))), X: put(a, c.x), B: put(a, c.b), V: put(a, c.v), Omega: omega}
}

// want returns the exact product of a row with its epilogue, and the size of its terms.
func (c *chunksCase) want(i int, e ChunkEpilogue, omega float32) (want, size float64) {
	number := func(x float32) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(float64(x)) }
	y, unit := number(0), c.Unit
	if c.Units != nil {
		unit = c.Units[i]
	}
	for _, a := range c.entries[i] {
		p := number(a.value)
		p.Mul(p, number(c.x[a.col])).Mul(p, number(unit))
		y.Add(y, p)
		f, _ := p.Float64()
		size += math.Abs(f)
	}
	b, v := number(c.b[i]), number(c.v[i])
	switch e {
	case ChunkResidual:
		y.Sub(b, y)
	case ChunkPlus:
		y.Add(b, y)
	case ChunkRelax:
		y.Sub(b, y)
		y.Mul(y, number(omega)).Add(y, v)
	}
	want, _ = y.Float64()
	return want, size + math.Abs(float64(c.b[i])) + math.Abs(float64(c.v[i]))
}

// All sets give the same bits, which are the product up to roundoff.
func TestMulChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	a := &arena{t: t}
	for _, count := range []int{1, 2, 5} {
		for _, slots := range []int{0, 1, 3, 9} {
			for _, cols := range []int{ChunkWindow, 200, 70000} {
				floats, units := rng.IntN(2) == 0, rng.IntN(2) == 0
				c := randomChunks(rng, count, slots, cols, floats, units)
				for e := ChunkPlain; e <= ChunkRelax; e++ {
					const omega = 0.7
					name := fmt.Sprintf("%d chunks of %d slots, %d columns, floats %v, units %v, epilogue %d", count, slots, cols, floats, units, e)
					everywhere(a, name, nil, func(k *Set) []float64 {
						p := c.product(a, e, omega)
						k.MulChunks(c.put(a), p)
						for i, got := range p.Dst {
							want, size := c.want(i, e, omega)
							if n := float64(len(c.entries[i]) + 6); !(math.Abs(float64(got)-want) <= n*0x1p-24*size) {
								t.Fatalf("%s on %s: row %d is %g, want %g", name, k, i, got, want)
							}
						}
						return wide(p.Dst)
					})
				}
			}
		}
	}
}

// The result may overwrite an argument.
func TestMulChunksInPlace(t *testing.T) { eachSet(t, testMulChunksInPlace) }

func testMulChunksInPlace(t *testing.T, k *Set) {
	c := randomChunks(rand.New(rand.NewPCG(43, 44)), 3, 2, 100, false, true)
	apart := ChunkProduct{Epilogue: ChunkRelax, Dst: make([]float32, len(c.b)), X: c.x, B: c.b, V: c.v, Omega: 1}
	k.MulChunks(&c.Chunks, apart)
	for _, at := range [][]float32{c.b, c.v} {
		p := apart
		p.B, p.V = append([]float32{}, c.b...), append([]float32{}, c.v...)
		p.Dst = p.B
		if &at[0] == &c.v[0] {
			p.Dst = p.V
		}
		k.MulChunks(&c.Chunks, p)
		for i, v := range p.Dst {
			if v != apart.Dst[i] {
				t.Fatalf("row %d is %g, want %g", i, v, apart.Dst[i])
			}
		}
	}
}
