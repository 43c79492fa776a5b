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

// randomSymmetric makes a panel of at least that many block rows of a matrix with
// blocks of size b.
func randomSymmetric(rng *rand.Rand, b, rows, maxSlots int) *symmetricCase {
	p := &symmetricCase{}
	p.Block = b
	p.Sums = rng.IntN(20)
	p.Row = p.Sums + rng.IntN(100)
	for p.Rows < rows {
		for range rng.IntN(4) {
			switch kind := rng.IntN(3); kind {
			case 0:
				p.Groups = append(p.Groups, SlotGroup{0, 1, Diagonal})
				p.slot(rng)
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
	p.Values = append(p.Values, make([]byte, SlotPadding)...)
	return p
}

// below makes a group with an index of the columns from Sums to those of the first
// rows.
func (p *symmetricCase) below(rng *rand.Rand, n int, flags uint16) {
	base := p.Sums + rng.IntN(p.Row-p.Sums+1)
	p.Groups = append(p.Groups, SlotGroup{uint32(base), uint16(n), flags})
	for range n {
		for range Lanes {
			p.Index = append(p.Index, uint16(rng.IntN(p.Row-base+1)))
		}
		if flags&Float == 0 {
			p.slot(rng)
			continue
		}
		p.Widths = append(p.Widths, 32)
		for range p.Block * p.Block * Lanes {
			p.Values = binary.LittleEndian.AppendUint32(p.Values, math.Float32bits(float32(rng.NormFloat64())))
		}
	}
}

// vectors returns an x and sums of just the length that the panel needs.
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

// A product by hand: the last block row of a matrix of order 4, of 2 x 2 blocks.
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
