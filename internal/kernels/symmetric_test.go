package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// symmetricCase is a random panel with the other arguments of MulSymmetric.
type symmetricCase struct {
	panelCase
	SymmetricRange
}

// randomSymmetric makes a panel of at least so many block rows of a matrix with blocks of size b.
func randomSymmetric(rng *rand.Rand, b, rows, maxSlots int) *symmetricCase {
	p := &symmetricCase{}
	p.Block = b
	p.Sums = rng.IntN(20)
	p.Row = p.Sums + rng.IntN(100)
	for p.Rows < rows {
		for range rng.IntN(4) {
			switch kind := rng.IntN(3); kind {
			case 0:
				flags := uint16(Diagonal | rng.IntN(2)*Float)
				p.Groups = append(p.Groups, SlotGroup{0, 1, flags})
				p.slot(rng, 0, flags, true)
			case 1:
				p.below(rng, 1, Float)
			default:
				p.below(rng, rng.IntN(maxSlots+1), 0)
			}
		}
		p.below(rng, rng.IntN(maxSlots+1), Last)
		p.Rows += min(Lanes, rows-p.Rows)
	}
	if rng.IntN(2) == 0 {
		for _, i := range rng.Perm(p.Rows) {
			p.Order = append(p.Order, uint16(i))
		}
	}
	p.join()
	return p
}

// below makes a group whose columns lie between Sums and the first rows.
func (p *symmetricCase) below(rng *rand.Rand, n int, flags uint16) {
	base := p.Sums + rng.IntN(p.Row-p.Sums+1)
	p.Groups = append(p.Groups, SlotGroup{uint32(base), uint16(n), flags})
	wide := rng.IntN(2) == 0
	for k := range n {
		for range Lanes {
			p.Index = append(p.Index, uint16(rng.IntN(p.Row-base+1)))
		}
		p.slot(rng, k, flags, wide)
	}
}

// vectors returns an x and sums of exactly the length that the panel needs.
func (p *symmetricCase) vectors(rng *rand.Rand) (x, sums []float64) {
	end := p.Row + p.Rows
	return normal[float64](rng, p.Block*end), normal[float64](rng, SumStride(p.Block)*(end-p.Sums))
}

// All sets give the same bits.
func TestSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	a := &arena{t: t}
	for n := range 800 {
		p := randomSymmetric(rng, 2+n%(MaxBlock-1), 1+rng.IntN(40), 1+rng.IntN(20))
		x, sums := p.vectors(rng)
		everywhere(a, fmt.Sprintf("blocks of %d", p.Block), nil, func(k *Set) []float64 {
			dst := put(a, sums)
			k.MulSymmetric(dst, p.put(a), put(a, x), p.SymmetricRange)
			return dst
		})
	}
}

func TestAddSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for n := range 100 {
		b, add, blocks := 2+n%(MaxBlock-1), n/MaxBlock%2 == 0, rng.IntN(20)
		dst, sums := normal[float64](rng, b*blocks+3), normal[float64](rng, SumStride(b)*blocks)
		want := slices.Clone(dst)
		for i := range b * blocks {
			if !add {
				want[i] = 0
			}
			want[i] += sums[i/b*SumStride(b)+i%b] / 4
		}
		AddSums(dst, sums, b, 0.25, add)
		if !slices.Equal(dst, want) {
			t.Errorf("blocks of %d, add %t: %v, want %v", b, add, dst, want)
		}
	}
}

// TestSymmetricByHand: the last block row of a matrix of order 4, of 2 x 2 blocks.
func TestSymmetricByHand(t *testing.T) { eachSet(t, testSymmetricByHand) }

func testSymmetricByHand(t *testing.T, k *Set) {
	const stream = 2*8 + 2*8 + 2*32
	p := &SlotPanel{
		Block:  2,
		Groups: []SlotGroup{{0, 1, Diagonal}, {0, 1, 0}, {0, 1, Float | Last}},
		Widths: []byte{8, 8, 32},
		Index:  make([]uint16, 2*Lanes),
		Values: make([]byte, 2*stream+SlotPadding),
	}
	for r, row := range [2][4]byte{{3, 1, 5, 0xff}, {1, 4, 0, 7}} { // a_22, a_23, a_20, a_21 = -1; a_32, ...
		for k := range row {
			for l := range Lanes {
				p.Values[r*stream+8*k+l] = 0x80 // zero, its sign flipped
			}
			p.Values[r*stream+8*k] ^= row[k]
		}
	}
	binary.LittleEndian.PutUint32(p.Values[32:], math.Float32bits(0.5)) // added to a_20, not to a_02
	x := []float64{10, 100, 1000, 10000}
	got := make([]float64, 4)
	k.MulSymmetric(got, p, x, SymmetricRange{Row: 1, Rows: 1})
	want := []float64{5 * 1000, -1000 + 7*10000, 3*1000 + 10000 + 5.5*10 - 100, 1000 + 4*10000 + 7*100}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Products with 2, 4 and 8 vectors have the same bits in all sets as products with each vector; FuzzKernels calls
// them too.
func TestMulti(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	a := &arena{t: t}
	rounds := 400
	if testing.Short() {
		rounds = 30 // TestEveryKernel calls these kernels too
	}
	for range rounds {
		multiSlots(a, rng)
		multiSymmetric(a, rng)
		multiCSR[float64](a, rng)
		multiCSR[float32](a, rng)
		multiFilled(a, rng)
		multiChunks(a, rng)
	}
}

// severally returns 2, 4 or 8 random vectors of n elements.
func severally(rng *rand.Rand, n int) (vectors [][]float64) {
	for range 2 << rng.IntN(3) {
		vectors = append(vectors, normal[float64](rng, n))
	}
	return vectors
}

// interleaved interleaves vectors element by element.
func interleaved(vectors [][]float64) []float64 {
	k := len(vectors)
	all := make([]float64, k*len(vectors[0]))
	for v, x := range vectors {
		for i, xi := range x {
			all[k*i+v] = xi
		}
	}
	return all
}

// like returns so many vectors of n elements.
func like(xs [][]float64, n int) (vectors [][]float64) {
	for range xs {
		vectors = append(vectors, make([]float64, n))
	}
	return vectors
}

// same demands equal numbers; both may be NaN.
func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func multiSlots(a *arena, rng *rand.Rand) {
	p := randomPanel(rng, 1+rng.IntN(20), 1+rng.IntN(9), 1+rng.IntN(500))
	if rng.IntN(4) == 0 {
		p = randomPanel(rng, 1+rng.IntN(10), 1+rng.IntN(200), 1+rng.IntN(5000))
	}
	xs := severally(rng, p.cols)
	k, y := len(xs), normal[float64](rng, p.rows)
	what := fmt.Sprintf("%d vectors, blocks of %d", k, p.Block)
	everywhere(a, what, nil, func(s *Set) []float64 {
		units, ys := p.units, like(xs, p.rows)
		units.Exp = put(a, units.Exp)
		for v := range ys {
			copy(ys[v], y)
		}
		dst := put(a, interleaved(ys))
		s.MulSlotsMulti(dst, k, p.put(a), put(a, interleaved(xs)), p.row0, units, p.add)
		for v := range ys {
			s.MulSlots(ys[v], &p.SlotPanel, xs[v], p.row0, p.units, p.add)
		}
		same(a.t, what, dst, interleaved(ys))
		return dst
	})
}

func multiSymmetric(a *arena, rng *rand.Rand) {
	b := 2 + rng.IntN(MaxBlock-1)
	p := randomSymmetric(rng, b, 1+rng.IntN(40), 1+rng.IntN(20))
	blocks := p.Row + p.Rows - p.Sums
	xs := severally(rng, b*(p.Row+p.Rows))
	k := len(xs)
	what := fmt.Sprintf("%d vectors, symmetric, blocks of %d", k, b)
	everywhere(a, what, nil, func(s *Set) []float64 {
		dst := put(a, make([]float64, k*b*blocks))
		s.MulSymmetricMulti(dst, k, p.put(a), put(a, interleaved(xs)), p.SymmetricRange)
		want := like(xs, b*blocks)
		for v, y := range want {
			sums := make([]float64, SumStride(b)*blocks)
			s.MulSymmetric(sums, &p.SlotPanel, xs[v], p.SymmetricRange)
			for i := range y {
				y[i] = sums[i/b*SumStride(b)+i%b]
			}
		}
		same(a.t, what, dst, interleaved(want))
		return dst
	})
}

func multiCSR[T Value](a *arena, rng *rand.Rand) {
	c := randomCSR[T](rng, rowLengths(rng), 1+rng.IntN(300))
	lo := rng.IntN(c.rows())
	hi := lo + 1 + rng.IntN(c.rows()-lo)
	xs := severally(rng, len(c.x))
	k, y := len(xs), normal[float64](rng, c.rows())
	what := fmt.Sprintf("%d vectors, CSR", k)
	everywhere(a, what, nil, func(s *Set) []float64 {
		ys := like(xs, c.rows())
		for v := range ys {
			copy(ys[v], y)
		}
		dst := put(a, interleaved(ys))
		CSRMulMulti(s, dst, k, lo, hi, put(a, c.ptr), put(a, c.col), put(a, c.val), put(a, interleaved(xs)))
		for v := range ys {
			CSRMulVec(s, ys[v], lo, hi, c.ptr, c.col, c.val, xs[v])
		}
		same(a.t, what, dst, interleaved(ys))
		return dst
	})
}

func multiFilled(a *arena, rng *rand.Rand) {
	c := randomCSR[float64](rng, rowLengths(rng), 1+rng.IntN(300))
	xs := severally(rng, len(c.x))
	k, y := len(xs), like(xs, c.rows())
	sell8, bcrs := NewSELL8(c.ptr, c.col, c.val), NewBCRS(c.ptr, c.col, c.val)
	everywhere(a, fmt.Sprintf("%d vectors, SELL8", k), nil, func(s *Set) []float64 {
		dst := put(a, make([]float64, k*c.rows()))
		s.SELL8MulMulti(dst, k, SELL8{put(a, sell8.Start), put(a, sell8.Col), put(a, sell8.Val)}, put(a, interleaved(xs)))
		for v := range y {
			s.SELL8MulVec(y[v], sell8, xs[v])
		}
		same(a.t, "SELL8", dst, interleaved(y))
		return dst
	})
	everywhere(a, fmt.Sprintf("%d vectors, BCRS4x1", k), nil, func(s *Set) []float64 {
		dst := put(a, make([]float64, k*c.rows()))
		s.BCRSMulMulti(dst, k, BCRS{put(a, bcrs.Start), put(a, bcrs.Col), put(a, bcrs.Val)}, put(a, interleaved(xs)))
		for v := range y {
			s.BCRSMulVec(y[v], bcrs, xs[v])
		}
		same(a.t, "BCRS4x1", dst, interleaved(y))
		return dst
	})
}

// multiChunks compares with products with each vector.
func multiChunks(a *arena, rng *rand.Rand) {
	c := randomChunks(rng, 1+rng.IntN(4), rng.IntN(6), ChunkWindow+rng.IntN(300), rng.IntN(2) == 0, rng.IntN(2) == 0)
	e, omega := ChunkEpilogue(rng.IntN(4)), float32(rng.NormFloat64())
	var parts [ChunkVectors]chunksCase
	for v := range parts {
		parts[v] = chunksCase{x: normal[float32](rng, len(c.x)), b: normal[float32](rng, len(c.b)), v: normal[float32](rng, len(c.v))}
	}
	all := func(of func(p *chunksCase) []float32) []float32 {
		together := make([]float32, ChunkVectors*len(of(&parts[0])))
		for v := range parts {
			for i, x := range of(&parts[v]) {
				together[ChunkVectors*i+v] = x
			}
		}
		return put(a, together)
	}
	everywhere(a, "chunks, 8 vectors", nil, func(s *Set) []float64 {
		p := ChunkProduct{
			Epilogue: e, Omega: omega, Dst: put(a, make([]float32, ChunkVectors*len(c.b))), X: all(func(p *chunksCase) []float32 { return p.x }),
			B: all(func(p *chunksCase) []float32 { return p.b }), V: all(func(p *chunksCase) []float32 { return p.v }),
		}
		s.MulChunksMulti(c.put(a), p)
		for v := range parts {
			q := parts[v].product(a, e, omega)
			s.MulChunks(c.put(a), q)
			for i, want := range q.Dst {
				if got := p.Dst[ChunkVectors*i+v]; got != want && (got == got || want == want) {
					a.t.Fatalf("chunks: row %d of vector %d is %v, alone %v", i, v, got, want)
				}
			}
		}
		return wide(p.Dst)
	})
}
