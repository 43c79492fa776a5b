package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// symmetricCase is a random panel with what MulSymmetric takes besides.
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
		done, flags := min(Lanes, rows-p.Rows), uint16(0)
		if rng.IntN(4) == 0 && b == 1 {
			done, flags = 1, OneRow
		}
		for range rng.IntN(4) {
			switch kind := rng.IntN(3); kind {
			case 0:
				p.Groups = append(p.Groups, SlotGroup{0, 1, flags | Diagonal})
				p.slot(rng)
			case 1:
				p.below(rng, 1, flags|Float)
			default:
				p.below(rng, rng.IntN(maxSlots+1), flags)
			}
		}
		p.below(rng, rng.IntN(maxSlots+1), flags|Last)
		p.Rows += done
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
	return normal(rng, make([]float64, p.Block*end)), normal(rng, make([]float64, SumStride(p.Block)*(end-p.Sums)))
}

// The assembly gives the bits of the portable loop.
func TestSymmetricSIMD(t *testing.T) {
	if symmetricSIMD == nil {
		t.Skip("no SIMD kernel for symmetric matrices on this processor or in this build")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for n := range 2000 {
		p := randomSymmetric(rng, 1+n%MaxBlock, 1+rng.IntN(40), 1+rng.IntN(20))
		x, want := p.vectors(rng)
		got := slices.Clone(want)
		mulSymmetric(want, &p.SlotPanel, x, p.SymmetricRange)
		symmetricSIMD(got, &p.SlotPanel, x, p.SymmetricRange)
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("blocks of %d: sum %d is %v, portable %v", p.Block, i, got[i], want[i])
			}
		}
	}
}

func TestAddSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for n := range 100 {
		b, add, blocks := 1+n%MaxBlock, n/MaxBlock%2 == 0, rng.IntN(20)
		dst, sums := normal(rng, make([]float64, b*blocks+3)), normal(rng, make([]float64, SumStride(b)*blocks))
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

// A product by hand: rows 1 and 2 of a matrix of order 3.
func TestSymmetricByHand(t *testing.T) {
	p := &SlotPanel{
		Groups: []SlotGroup{{0, 1, Diagonal}, {0, 2, 0}, {0, 1, Float | Last}},
		Widths: []byte{8, 8, 8, 32},
		Index:  make([]uint16, 3*Lanes),
		Values: make([]byte, 3*8+32+SlotPadding),
	}
	copy(p.Values, []byte{3, 4})         // a_11, a_22
	copy(p.Values[8:], []byte{5, 0xff})  // a_10, a_20 = -1
	copy(p.Values[16:], []byte{0, 7, 0}) // a_21
	p.Index[Lanes+1] = 1
	binary.LittleEndian.PutUint32(p.Values[24:], math.Float32bits(0.5)) // added to a_10, not to a_01
	x := []float64{10, 100, 1000}
	for name, mul := range map[string]func([]float64, *SlotPanel, []float64, SymmetricRange){"chosen": MulSymmetric, "portable": mulSymmetric} {
		got := make([]float64, 3)
		mul(got, p, x, SymmetricRange{Row: 1, Rows: 2})
		if want := []float64{5*100 - 1000, 5.5*10 + 3*100 + 7*1000, -10 + 7*100 + 4*1000}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func BenchmarkMulSymmetric(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, block := range []int{1, 3, 6} {
		p := randomSymmetric(rng, block, 1000, 20)
		x, sums := p.vectors(rng)
		kernels := map[string]func([]float64, *SlotPanel, []float64, SymmetricRange){"portable": mulSymmetric}
		if symmetricSIMD != nil {
			kernels["simd"] = symmetricSIMD
		}
		for name, mul := range kernels {
			b.Run(fmt.Sprintf("%d/%s", block, name), func(b *testing.B) {
				for b.Loop() {
					mul(sums, &p.SlotPanel, x, p.SymmetricRange)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p.Widths)), "ns/slot")
			})
		}
	}
}
