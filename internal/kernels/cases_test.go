package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// kernelCases make one random call of each kind of kernel and compare all sets by everywhere. Together they call
// every kernel, which TestEveryKernel checks.
var kernelCases = []struct {
	name string
	run  func(a *arena, rng *rand.Rand)
}{
	{"vectors", func(a *arena, rng *rand.Rand) {
		for range 4 { // since there are many
			c := vectorCalls[rng.IntN(len(vectorCalls))]
			n := rng.IntN(6 * group)
			factors, source := numbers[float64](rng, 5), make([][]float64, 5)
			for i := range source {
				source[i] = numbers[float64](rng, n)
			}
			everywhere(a, fmt.Sprintf("%s of %d elements", c.name, n), nil, func(k *Set) []float64 {
				var v [5][]float64
				for i := range v {
					v[i] = put(a, source[i])
				}
				sums := c.call(k, slices.Clone(factors), v[:])
				return append(slices.Concat(v[:]...), sums...)
			})
		}
	}},
	{"double-double vectors", func(a *arena, rng *rand.Rand) {
		for range 3 {
			n, source := rng.IntN(4*group), make([]dd.Vec, 4)
			for k := range source {
				source[k] = dd.Vec{Hi: numbers[float64](rng, n), Lo: numbers[float64](rng, n)}
			}
			sameDD(a, rng.IntN(len(vectorDDCalls)), dd.DD{Hi: number[float64](rng), Lo: number[float64](rng)}, source)
		}
	}},
	{"mixed vectors", func(a *arena, rng *rand.Rand) {
		n, factor := rng.IntN(6*group), number[float64](rng)
		v := [4][]float64{numbers[float64](rng, n), numbers[float64](rng, n), numbers[float64](rng, n), numbers[float64](rng, n)}
		w, f := numbers[float32](rng, n), numbers[float32](rng, n)
		everywhere(a, "StepInto", nil, func(k *Set) []float64 {
			x, r, out := put(a, v[0]), put(a, v[1]), put(a, f)
			rr := k.StepInto(factor, put(a, v[2]), x, put(a, v[3]), r, put(a, w), out)
			return slices.Concat(x, r, wide(out), []float64{rr})
		})
		everywhere(a, "XpayMixed", nil, func(k *Set) []float64 {
			y := put(a, v[0])
			k.XpayMixed(put(a, w), put(a, f), factor, y)
			return y
		})
	}},
	{"packed vectors", func(a *arena, rng *rand.Rand) {
		n, factor := rng.IntN(6*group), number[float64](rng)
		w, v, short := numbers[float64](rng, n), numbers[float32](rng, n), make([]int16, n)
		for i := range short {
			short[i] = int16(rng.Uint32())
		}
		packedCase(a, v, factor, w)
		packedCase(a, short, factor, w)
	}},
	{"CSR", func(a *arena, rng *rand.Rand) {
		lengths, cols := rowLengths(rng), 1+rng.IntN(300)
		randomCSR[float64](rng, lengths, cols).check(a, rng, "float64")
		randomCSR[float32](rng, lengths, cols).check(a, rng, "float32")
	}},
	{"residuals", func(a *arena, rng *rand.Rand) {
		c := randomCSR[float64](rng, rowLengths(rng), 1+rng.IntN(30))
		b := numbers[float64](rng, c.rows())
		c.val, c.x = numbers[float64](rng, len(c.val)), numbers[float64](rng, len(c.x))
		lo := rng.IntN(c.rows() + 1)
		hi := lo + rng.IntN(c.rows()-lo+1)
		everywhere(a, fmt.Sprintf("residual of rows %d to %d of %d", lo, hi, c.rows()), nil, func(k *Set) []float64 {
			r := put(a, make([]float64, c.rows()))
			CSRResidualDD(k, r, put(a, b), lo, hi, put(a, c.ptr), put(a, c.col), put(a, c.val), put(a, c.x))
			return r
		})
	}},
	{"slots", func(a *arena, rng *rand.Rand) {
		p := randomPanel(rng, 1+rng.IntN(40), 1+rng.IntN(20), 1+columns(rng))
		x, y := numbers[float64](rng, p.cols), numbers[float64](rng, p.rows)
		everywhere(a, "MulSlots", nil, func(k *Set) []float64 {
			units, dst := p.units, put(a, y)
			units.Exp = put(a, units.Exp)
			k.MulSlots(dst, p.put(a), put(a, x), p.row0, units, p.add)
			return dst
		})
	}},
	{"symmetric slots", func(a *arena, rng *rand.Rand) {
		p := randomSymmetric(rng, 2+rng.IntN(MaxBlock-1), 1+rng.IntN(40), 1+rng.IntN(20))
		x, sums := p.vectors(rng)
		everywhere(a, fmt.Sprintf("blocks of %d", p.Block), nil, func(k *Set) []float64 {
			dst := put(a, sums)
			k.MulSymmetric(dst, p.put(a), put(a, x), p.SymmetricRange)
			return dst
		})
	}},
	{"several vectors", func(a *arena, rng *rand.Rand) {
		multiSlots(a, rng)
		multiSymmetric(a, rng)
		multiCSR[float64](a, rng)
		multiCSR[float32](a, rng)
		multiFilled(a, rng)
		multiChunks(a, rng)
	}},
	{"words", func(a *arena, rng *rand.Rand) {
		all := allWords()
		w, n := all[rng.IntN(len(all))], rng.IntN(80)
		src := randomBytes(rng, n*w.Bytes+WordPadding)
		everywhere(a, fmt.Sprintf("%d of %+v", n, w), nil, func(k *Set) []float64 {
			dst := put(a, make([]float64, n))
			k.Decode(w, dst, put(a, src))
			return dst
		})
	}},
	{"rows of words", func(a *arena, rng *rand.Rand) {
		randomRows(rng, 1+rng.IntN(100)).check(a, rng, "AddRows", (*Set).AddRows, 0x1p-53)
	}},
	{"chunks", func(a *arena, rng *rand.Rand) {
		e := ChunkEpilogue(rng.IntN(int(ChunkRelax) + 1))
		c := randomChunks(rng, 1+rng.IntN(5), rng.IntN(10), ChunkWindow+columns(rng), rng.IntN(2) == 0, rng.IntN(2) == 0)
		c.x, c.b, c.v = numbers[float32](rng, len(c.x)), numbers[float32](rng, len(c.b)), numbers[float32](rng, len(c.v))
		everywhere(a, fmt.Sprintf("%d chunks, epilogue %d", len(c.Heads), e), nil, func(k *Set) []float64 {
			p := c.product(a, e, 0.7)
			k.MulChunks(c.put(a), p)
			return wide(p.Dst)
		})
	}},
	{"integers", func(a *arena, rng *rand.Rand) {
		v := make([]float64, rng.IntN(80))
		for i := range v {
			v[i] = math.Ldexp(float64(rng.IntN(1<<20)-1<<19), rng.IntN(43)-44) // with ties among them
		}
		everywhere(a, fmt.Sprintf("Quantize of %v", v), nil, func(k *Set) []float64 {
			m, width := put(a, make([]int64, len(v))), put(a, make([]uint8, len(v)))
			zeros := k.Quantize(m, width, put(a, v), 2)
			return slices.Concat(wide(m), wide(width), []float64{float64(zeros)})
		})
	}},
	{"slots that are stored", func(a *arena, rng *rand.Rand) {
		testArrangeSlots(a, rng, rng.IntN(200))
		testPackSlots(a, rng)
		testSameDiagonals(a, rng, 1+rng.IntN(70), 1+rng.IntN(32))
		testPackBlocks(a, rng, 1+rng.IntN(MaxSlotWidth), 2+rng.IntN(MaxBlock-1))
		testRows(a, rng)
	}},
	{"terms", randomTerms},
	{"dense matrices", func(a *arena, rng *rand.Rand) {
		testMulSub[float64](a.t, rng, a, 1+rng.IntN(20), 1+rng.IntN(70), 1+rng.IntN(20), rng.IntN(4))
		testMulSub[float32](a.t, rng, a, 1+rng.IntN(20), 1+rng.IntN(130), 1+rng.IntN(20), rng.IntN(4))
		testMulVec[float64](a.t, rng, a, 1+rng.IntN(4), rng.IntN(70), rng.IntN(4))
		testMulVec[float32](a.t, rng, a, 1+rng.IntN(4), rng.IntN(70), rng.IntN(4))
	}},
	{"float32 sums", func(a *arena, rng *rand.Rand) {
		n := rng.IntN(200)
		x, y := numbers[float32](rng, n), numbers[float32](rng, n)
		everywhere(a, fmt.Sprintf("inner products of %d", n), nil, func(k *Set) []float64 {
			x, y := put(a, x), put(a, y)
			return []float64{float64(k.Dot32(x, y)), k.DotMixed(x, y)}
		})
	}},
	{"ELL", func(a *arena, rng *rand.Rand) {
		rows, width := 1+rng.IntN(64), rng.IntN(6)
		testELL[float64, float64](a, rng, rows, width)
		testELL[float32, float64](a, rng, rows, width)
		testELL[float32, float32](a, rng, rows, width)
	}},
	{"COO", func(a *arena, rng *rand.Rand) { testCOO(a, rng, rowLengths(rng), 1+rng.IntN(300)) }},
	{"rows times double-double vectors", rowsDDCase},
	{"multiply-adds", func(a *arena, rng *rand.Rand) {
		n, times := rng.IntN(600), 1+rng.IntN(4)
		x, y := normal[float64](rng, n), normal[float32](rng, n)
		everywhere(a, fmt.Sprintf("%d multiply-adds with %d elements", times, n), nil, func(k *Set) []float64 {
			s, m, f := put(a, make([]float64, MulAddLanes)), put(a, make([]float64, MulAddLanes)), put(a, make([]float32, MulAddLanes32))
			MulAdds(k, (*[MulAddLanes]float64)(s), put(a, x), times, 0.75, 0.3)
			MulAdds(k, (*[MulAddLanes]float64)(m), put(a, y), times, 0.75, 0.3)
			k.MulAdds32((*[MulAddLanes32]float32)(f), put(a, y), times, 0.75, 0.3)
			return slices.Concat(s, m, wide(f))
		})
	}},
	{"limbs", limbProducts},
	{"rows of limbs", limbRows},
	{"numbers of limbs", limbNumbers},
	{"sums of numbers", numberSums},
	{"residues", residueProducts},
	{"folding", func(a *arena, rng *rand.Rand) {
		x, streams := numbers[float64](rng, rng.IntN(300)), 1+rng.IntN(4)
		everywhere(a, fmt.Sprintf("%d streams of %d", streams, len(x)), nil, func(k *Set) []float64 {
			f := k.Fold(put(a, x), streams)
			return []float64{float64(f >> 32), float64(f & math.MaxUint32)}
		})
	}},
	{"checksums", streamsOfCRC},
	{"offsets and columns that rise", risingCase},
}

// randomTerms calls Terms and AddTerms.
func randomTerms(a *arena, rng *rand.Rand) {
	const shift, columns = 4, 50
	var parts []csrCase[float64]
	for range 3 {
		lengths := make([]int, 1<<shift)
		for i := range lengths {
			lengths[i] = rng.IntN(20)
		}
		parts = append(parts, randomCSR[float64](rng, lengths, columns))
	}
	n := rng.IntN(12)
	j, f := make([]int32, n), numbers[float64](rng, n)
	for i := range j {
		j[i] = rng.Int32N(3 << shift)
	}
	room := rng.IntN(300)
	everywhere(a, fmt.Sprintf("Terms of %d rows, room for %d", n, room), nil, func(k *Set) []float64 {
		var part []Rows
		for _, p := range parts {
			part = append(part, Rows{put(a, p.ptr), put(a, p.col), put(a, p.val)})
		}
		col, val := put(a, make([]int32, room)), put(a, make([]float64, room))
		rows, terms := k.Terms(col, val, put(a, j), put(a, f), put(a, part), shift)
		sumCol, sumVal := put(a, make([]int32, terms+1)), put(a, make([]float64, terms+1))
		sums := k.AddTerms(put(a, make([]int32, columns)), sumCol, sumVal, put(a, col[:terms]), put(a, val[:terms]))
		return slices.Concat([]float64{float64(rows), float64(terms), float64(sums)}, wide(col[:terms]), val[:terms], wide(sumCol[:sums]), sumVal[:sums])
	})
}

// rowLengths returns the row lengths of a matrix of at most 40 rows: alike, or not.
func rowLengths(rng *rand.Rand) []int {
	lengths, most, alike := make([]int, 1+rng.IntN(40)), 1+rng.IntN(40), rng.IntN(2) == 0
	for i := range lengths {
		if lengths[i] = most; !alike {
			lengths[i] = rng.IntN(most + 1)
		}
	}
	return lengths
}

// columns returns a number of columns: mostly small, sometimes beyond 16 bits.
func columns(rng *rand.Rand) int { return rng.IntN(1 << (1 + rng.IntN(17))) }

// number returns any number, mostly of usual size.
func number[T Value](rng *rand.Rand) T {
	switch rng.IntN(16) {
	case 0:
		special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, 0x1p-149, math.MaxFloat64, math.MaxFloat32}
		return T(special[rng.IntN(len(special))])
	case 1:
		return T(math.Float64frombits(rng.Uint64()))
	case 2:
		return T(math.Ldexp(rng.NormFloat64(), rng.IntN(200)-100))
	}
	return T(rng.NormFloat64())
}

func numbers[T Value](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = number[T](rng)
	}
	return x
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// FuzzKernels compares all sets in calls that the fuzzer makes up: data replaces random numbers as far as it reaches.
func FuzzKernels(f *testing.F) {
	pages := newPages(f)
	for k := range kernelCases {
		f.Add(uint8(k), []byte{})
		f.Add(uint8(k), randomBytes(rand.New(rand.NewPCG(1, uint64(k))), 400))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		c := kernelCases[int(which)%len(kernelCases)]
		c.run(&arena{t: t, pages: pages}, rand.New(newByteSource(data)))
	})
}

// byteSource is a rand.Source of given bytes, followed by random numbers.
type byteSource struct {
	data []byte
	rest rand.PCG
}

func newByteSource(data []byte) *byteSource {
	s := &byteSource{data: data}
	s.rest.Seed(uint64(len(data)), 1)
	return s
}

// Uint64 consumes four bytes at a time, which become the leading bytes of a number.
func (s *byteSource) Uint64() uint64 {
	if len(s.data) < 4 {
		return s.rest.Uint64()
	}
	b := s.data[:4]
	s.data = s.data[4:]
	return uint64(b[0])<<56 | uint64(b[1])<<48 | uint64(b[2])<<40 | uint64(b[3])<<32 | s.rest.Uint64()>>32
}
