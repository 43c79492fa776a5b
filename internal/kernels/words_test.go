package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// allWords returns each way to decode words, of every length, with usual, extreme and senseless scales.
func allWords() (list []Words) {
	for bytes := 1; bytes <= 8; bytes++ {
		list = append(list, Words{Bytes: bytes})
		if bytes <= 4 {
			list = append(list, Words{Kind: Float32, Bytes: bytes})
		}
		for _, exponent := range []uint64{0, 1, 1000, 2046, 5000} {
			offset := exponent << 52
			list = append(list, Words{Bytes: bytes, Down: 9, Offset: offset},
				Words{Bytes: bytes, Down: 9, Offset: offset | 1<<63},
				Words{Bytes: bytes, Up: 1, Down: 9, Offset: offset, Sign: 1 << 63})
		}
		for _, quantum := range []float64{0x1p1008, 0x1p1016, 1, 0x1p-900} {
			list = append(list, Words{Kind: Scaled, Bytes: bytes, Up: 1, Down: 7, Sign: 1 << 63, Quantum: quantum},
				Words{Kind: Scaled, Bytes: bytes, Up: 1, Down: 8, Sign: 1 << 63, Quantum: quantum})
		}
		for _, quantum := range []float64{1, 0, 0x1p-1074, 0x1p-1022, 0x1p-20, 0x1p967, math.Inf(1)} {
			list = append(list, Words{Kind: Fixed, Bytes: bytes, Down: uint(64 - 8*bytes), Quantum: quantum})
		}
	}
	return list
}

// codes returns every code of one and two bytes, and of longer ones the ends of the range, all exponents (a fifth of them in short
// tests, which also run in emulation) with the ends of their significands, and random codes.
func codes(rng *rand.Rand, bytes int) (list []byte) {
	var b [8]byte
	add := func(code uint64) {
		binary.LittleEndian.PutUint64(b[:], code)
		list = append(list, b[:bytes]...)
	}
	if bytes <= 2 {
		for code := range uint64(1) << (8 * bytes) {
			add(code)
		}
		return list
	}
	step := uint64(1)
	if testing.Short() {
		step = 5
	}
	for high := uint64(0); high < 1<<13; high += step {
		top := high << (8*bytes - 13)
		for _, code := range []uint64{top, top + 1, top - 1, top + rng.Uint64()>>(77-8*bytes)} {
			add(code)
		}
	}
	return list
}

// All sets give the same bits for every code and for runs of any length.
func TestDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := &arena{t: t}
	for _, w := range allWords() {
		src := codes(rng, w.Bytes)
		n := len(src) / w.Bytes
		src = append(src, make([]byte, WordPadding)...)
		var runs []int
		for at := 0; at < n; {
			runs = append(runs, min(rng.IntN(70), n-at))
			at += runs[len(runs)-1]
		}
		everywhere(a, fmt.Sprintf("%+v", w), nil, func(k *Set) []float64 {
			dst, from, at := put(a, make([]float64, n)), put(a, src), 0
			for _, run := range runs {
				k.Decode(w, dst[at:at+run], from[at*w.Bytes:])
				at += run
			}
			return dst
		})
	}
}

// Numbers after dst are left unchanged.
func TestDecodeLength(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		src := make([]byte, 20*8+WordPadding)
		for _, w := range allWords() {
			for n := range 20 {
				dst := slices.Repeat([]float64{99}, 32)
				k.Decode(w, dst[:n], src)
				for i, v := range dst {
					if (v == 99) != (i >= n) {
						t.Fatalf("%+v, %d numbers: number %d is %g", w, n, i, v)
					}
				}
			}
		}
	})
}

// All sets give the same integers for every length.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a := &arena{t: t}
	for n := range 70 {
		v := make([]float64, n)
		for k := range v {
			switch rng.IntN(4) {
			case 0:
				v[k] = float64(rng.IntN(9)-4) / 2 // ties
			case 1:
				v[k] = 0x1p-1030 * rng.NormFloat64()
			default:
				v[k] = math.Ldexp(2*rng.Float64()-1, rng.IntN(56))
			}
		}
		everywhere(a, fmt.Sprintf("Quantize of %v", v), nil, func(k *Set) []float64 {
			m, width := put(a, make([]int64, n)), put(a, make([]uint8, n))
			zeros := k.Quantize(m, width, put(a, v), 0.5)
			for k, i := range m {
				if want := int64(math.RoundToEven(v[k] / 2)); i != want || width[k] != BitsOf(want) {
					t.Fatalf("%g became %d of %d bits, want %d", v[k], i, width[k], want)
				}
			}
			return []float64{float64(zeros)}
		})
	}
}
