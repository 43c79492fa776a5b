package mp

import (
	"bytes"
	"encoding/gob"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var precisions = []int{53, 64, 106, 128, 212, 300, 424, 848, 1000, 1696}

// random returns a number with up to n bits, sometimes with long runs of zeros or ones, and an exponent up to
// ±spread.
func random(rng *rand.Rand, n, spread int) *big.Float {
	if rng.IntN(20) == 0 {
		return new(big.Float)
	}
	m := new(big.Int)
	for m.BitLen() < n {
		run, bit := uint(1+rng.IntN(1+rng.IntN(80))), rng.IntN(2)
		m.Lsh(m, run)
		switch {
		case bit == 1:
			m.Add(m, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), run), big.NewInt(1)))
		case m.Sign() == 0:
			m.SetInt64(1)
		}
	}
	a := new(big.Float).SetPrec(uint(m.BitLen())).SetInt(m)
	a.SetMantExp(a, rng.IntN(2*spread+1)-spread-m.BitLen())
	if rng.IntN(2) == 0 {
		a.Neg(a)
	}
	return a
}

func randomVec(rng *rand.Rand, n, bits, spread int) *Vec {
	v := New(n, bits)
	for i := range n {
		v.Set(i, random(rng, bits, spread))
	}
	return v
}

// rounded returns a with so many bits.
func rounded(a *big.Float, bits int) *big.Float { return new(big.Float).SetPrec(uint(bits)).Set(a) }

// At returns what Set has set, rounded as math/big does.
func TestSetAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, bits := range precisions {
		v := New(3, bits)
		for range 200 {
			a := random(rng, 1+rng.IntN(2*bits), 2000)
			v.Set(1, a)
			if got := v.At(1); got.Cmp(rounded(a, bits)) != 0 || int(got.Prec()) != bits {
				t.Fatalf("%d bits: %v became %v", bits, a.Text('p', 0), got.Text('p', 0))
			}
			if v.At(0).Sign() != 0 || v.At(2).Sign() != 0 {
				t.Fatal("other elements have changed")
			}
		}
	}
}

// Ties are rounded to even.
func TestTies(t *testing.T) {
	one := big.NewInt(1)
	for _, bits := range precisions {
		for odd := range int64(4) {
			m := new(big.Int).Lsh(one, uint(bits+1))
			m.Add(m, big.NewInt(odd))
			a := new(big.Float).SetInt(m)
			v := New(1, bits)
			v.Set(0, a)
			if v.At(0).Cmp(rounded(a, bits)) != 0 {
				t.Errorf("%d bits, 2^%d + %d: %v", bits, bits+1, odd, v.At(0).Text('p', 0))
			}
		}
	}
}

func TestFloat64s(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := []float64{0, 1, -1.5, math.MaxFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 0x1.8p-1060, 1e300, 1e-300}
	for range 1000 {
		if a := math.Float64frombits(rng.Uint64()); !math.IsNaN(a) && !math.IsInf(a, 0) {
			x = append(x, a)
		}
	}
	for _, bits := range precisions {
		v, y := New(len(x), bits), make([]float64, len(x))
		v.SetFloat64s(x)
		v.Float64s(y)
		for i := range x {
			if x[i] != y[i] {
				t.Fatalf("%d bits: %v became %v", bits, x[i], y[i])
			}
		}
		// Rounding, including to subnormal numbers, to zero and to infinity.
		for _, spread := range []int{20, 1000, 1080} {
			v = randomVec(rng, 300, bits, spread)
			y = make([]float64, v.Len())
			v.Float64s(y)
			for i := range y {
				if want, _ := v.At(i).Float64(); y[i] != want {
					t.Fatalf("%d bits: %v became %v, want %v", bits, v.At(i).Text('p', 0), y[i], want)
				}
			}
		}
	}
}

func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, from := range precisions {
		x := randomVec(rng, 20, from, 100)
		for _, to := range precisions {
			y := New(x.Len(), to)
			y.Copy(x)
			for i := range x.Len() {
				if y.At(i).Cmp(rounded(x.At(i), to)) != 0 {
					t.Fatalf("%d to %d bits: %v became %v", from, to, x.At(i), y.At(i))
				}
			}
		}
	}
}

func TestCheckBits(t *testing.T) {
	for bits, want := range map[int]bool{52: false, 53: true, 1696: true, 1697: false, -1: false} {
		if got := CheckBits(bits) == nil; got != want {
			t.Errorf("%d bits: %v", bits, got)
		}
	}
	if MaxBits != 1696 {
		t.Errorf("MaxBits is %d", MaxBits)
	}
}

func TestPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"bits":     func() { New(1, 20) },
		"infinity": func() { New(1, 64).Set(0, new(big.Float).SetInf(true)) },
		"NaN":      func() { New(1, 64).SetFloat64s([]float64{math.NaN()}) },
		"lengths":  func() { Dot(nil, New(1, 64), New(2, 64)) },
		"row":      func() { NewDense(nil, 2, 2, 64).SetRow(0, New(3, 64)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// FuzzSetAt reads decimal text: enough decimal digits of the result give the same number again.
func FuzzSetAt(f *testing.F) {
	f.Add("0.1", uint16(212))
	f.Add("-1e-300", uint16(53))
	f.Add("123456789012345678901234567890.5", uint16(1696))
	f.Fuzz(func(t *testing.T, text string, precision uint16) {
		n := int(precision)
		a, _, err := big.ParseFloat(text, 10, 2000, big.ToNearestEven)
		if len(text) > 200 || CheckBits(n) != nil || err != nil || a.IsInf() || a.MantExp(nil) > 1e6 || a.MantExp(nil) < -1e6 {
			return
		}
		v, w := New(1, n), New(1, n)
		v.Set(0, a)
		if v.At(0).Cmp(rounded(a, n)) != 0 {
			t.Fatalf("%s with %d bits is %v", text, n, v.At(0).Text('p', 0))
		}
		digits := v.At(0).Text('e', n*302/1000+2)
		back, _, err := big.ParseFloat(digits, 10, uint(n), big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		if w.Set(0, back); w.At(0).Cmp(v.At(0)) != 0 {
			t.Fatalf("%s with %d bits is written as %s", text, n, digits)
		}
	})
}

// Number has the digits of At.
func TestNumber(t *testing.T) {
	v := New(3, 170)
	for i, a := range []float64{0, -3.5, 0x1p-700} {
		v.Set(i, new(big.Float).SetPrec(200).Add(big.NewFloat(a), new(big.Float).SetMantExp(big.NewFloat(a), -160)))
		neg, m, e := v.Number(i)
		sum := new(big.Float).SetPrec(300)
		for k, w := range m {
			sum.Add(sum, new(big.Float).SetMantExp(new(big.Float).SetUint64(w), e-64*(len(m)-k)))
		}
		if neg {
			sum.Neg(sum)
		}
		if sum.Cmp(v.At(i)) != 0 || a != 0 && m[len(m)-1]>>63 == 0 {
			t.Errorf("%v is %v", v.At(i), sum)
		}
	}
}

// encoding/gob stores vectors, also in pointers that may be nil; damaged ones are refused.
func TestGob(t *testing.T) {
	type holder struct{ X, None *Vec }
	x := New(3, 212)
	x.Set(0, big.NewFloat(0.1))
	x.Set(2, big.NewFloat(-7e300))
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(holder{X: x}); err != nil {
		t.Fatal(err)
	}
	var back holder
	if err := gob.NewDecoder(&b).Decode(&back); err != nil || back.None != nil || back.X.Len() != 3 || back.X.bits != 212 {
		t.Fatalf("%+v, %v", back, err)
	}
	for i := range 3 {
		if back.X.At(i).Cmp(x.At(i)) != 0 {
			t.Errorf("element %d is %v, want %v", i, back.X.At(i), x.At(i))
		}
	}
	for name, damage := range map[string]func(v *Vec){
		"no such precision": func(v *Vec) { v.bits = 1 << 30 },
		"lengths":           func(v *Vec) { v.neg = v.neg[1:] },
		"words":             func(v *Vec) { v.mant = v.mant[1:] },
		"not normalised":    func(v *Vec) { v.mant[v.words-1] >>= 1 },
	} {
		v := New(3, 212)
		v.Set(0, big.NewFloat(0.1))
		damage(v)
		text, err := v.GobEncode()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Vec).GobDecode(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := new(Vec).GobDecode([]byte("rubbish")); err == nil {
		t.Error("rubbish: no error")
	}
}

// The memory reported is that of the arrays, up to a few words.
func TestBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, bits := range precisions {
		v := New(100, bits)
		if got, want := Bytes(100, bits), int64(8*len(v.mant)+4*len(v.exp)+len(v.neg)); got != want {
			t.Errorf("a vector of %d bits: %d bytes, not %d", bits, got, want)
		}
		d := NewDense(nil, 19, 7, bits)
		if got, want := DenseBytes(19, 7, bits), int64(8*(len(d.limb)+len(d.exp)+len(d.rowSums)+len(d.colSums))+len(d.empty)); got != want {
			t.Errorf("a dense matrix of %d bits: %d bytes, not %d", bits, got, want)
		}
	}
	m := randomCSR(rng, 50, 2000, 1)
	a := NewMatrix(nil, m)
	want := int64(8*(len(a.ptr)+len(a.piece)+len(a.entries)) + 4*(len(a.col)+len(a.exp)))
	if got := MatrixBytes(50, int64(m.NNZ())); got < want || got > want+1000 {
		t.Errorf("a sparse matrix: %d bytes, not %d", got, want)
	}
}

// Dot carries its sums before they overflow: lanes of the largest limbs, more of them than words hold.
func TestDotOfManyLargeNumbers(t *testing.T) {
	const n, bits = 4*lanes*4096 + 4*lanes*150, 106 // four ranges of a thread
	x, most := New(n, bits), new(big.Float).SetPrec(bits).SetMantExp(big.NewFloat(1), bits)
	most.Sub(most, big.NewFloat(1))
	for i := range n {
		x.Set(i, most)
	}
	exact := new(big.Float).SetPrec(4 * bits).SetInt64(n)
	exact.Mul(exact.Mul(exact, most), most)
	if got, want := Dot(nil, x, x), rounded(exact, bits); got.Cmp(want) != 0 {
		t.Errorf("Dot is %v instead of %v", got, want)
	}
}
