package lab

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSum compares sums with rational arithmetic, over the whole range of float64.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var s stressSum
		want := new(big.Rat)
		for range between(r, 1, 6) {
			a, b := math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
			if a-a != 0 || b-b != 0 {
				continue
			}
			if r.IntN(5) == 0 {
				a = math.SmallestNonzeroFloat64 * float64(between(r, 1, 9))
			}
			s.add(a, b)
			want.Add(want, new(big.Rat).Mul(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)))
		}
		exact := new(big.Float).SetPrec(128).SetRat(want)
		if d := new(big.Float).Sub(exact, s.float()); exact.Sign() == 0 && !s.zero() ||
			d.Sign() != 0 && d.MantExp(nil) > exact.MantExp(nil)-126 {
			t.Fatalf("sum %v, want %v", s.float(), exact)
		}
	}
}

// TestEliminations compares both eliminations with each other and with A x = b.
func TestEliminations(t *testing.T) {
	seen := map[Nature]int{}
	for _, f := range systems {
		for k := range 20 {
			s := f.draw(source(3, f.Name, k))
			if s.A.Rows > 14 {
				continue
			}
			nature, x := eliminate(s.A, s.B)
			seen[nature]++
			wideX := solveWide(s.A, s.B)
			if (nature == Regular) != (wideX != nil) {
				t.Fatalf("%s %d is %v, by 512 bits regular: %v", f.Name, k, nature, wideX != nil)
			}
			for i := range x {
				d := new(big.Float).Sub(x[i], wideX[i])
				if d.Sign() != 0 && d.MantExp(nil) > x[i].MantExp(nil)-150 {
					t.Fatalf("%s %d: x_%d = %v and %v", f.Name, k, i+1, x[i], wideX[i])
				}
			}
			for i := range x {
				cols, vals := s.A.Row(i)
				r := new(big.Float).SetPrec(300).SetFloat64(-s.B[i])
				size := math.Abs(s.B[i])
				for p, j := range cols {
					e := new(big.Float).SetPrec(300).SetFloat64(vals[p])
					e.Mul(e, x[j])
					v, _ := e.Float64()
					size = max(size, math.Abs(v))
					r.Add(r, e)
				}
				if v, _ := r.Float64(); math.Abs(v) > 1e-40*size {
					t.Fatalf("%s %d: residual %v in row %d of magnitude %v", f.Name, k, v, i+1, size)
				}
			}
		}
	}
	for _, nature := range []Nature{Regular, Consistent, Inconsistent} {
		if seen[nature] < 10 {
			t.Errorf("%d systems are %v, want more", seen[nature], nature)
		}
	}
}

// byChance lists the classes whose systems may have no solution though the class knows no contradiction.
var byChance = []string{"zero-rows", "nearly-singular", "indefinite", "random", "near-gains", "patchwork"}

// TestNatures checks what the classes promise about their systems.
func TestNatures(t *testing.T) {
	for _, f := range systems {
		contradicted, singular := 0, 0
		for k := range 10 {
			s := f.draw(source(5, f.Name, k))
			nature := Unknown
			if s.A.Rows <= 14 {
				nature, _ = eliminate(s.A, s.B)
			}
			switch y := s.Contradiction; {
			case y != nil && (!contradicts(s.A, s.B, y) || nature != Unknown && nature != Inconsistent):
				t.Errorf("%s %d: a false contradiction (%v)", f.Name, k, nature)
			case y == nil && nature == Inconsistent && !slices.Contains(byChance, f.Name):
				t.Errorf("%s %d is inconsistent and has no contradiction", f.Name, k)
			case y != nil:
				contradicted++
			}
			if s.X != nil && s.Contradiction == nil {
				singular++
				if !solves(s.A, s.X, s.B) {
					t.Errorf("%s %d: x does not solve the system", f.Name, k)
				}
			}
		}
		if (f.Name[:4] == "no-x" || f.Name[:4] == "tiny") && contradicted != 10 || f.Name[:4] == "sing" && singular != 10 {
			t.Errorf("%s: %d contradictions, %d known x of 10", f.Name, contradicted, singular)
		}
	}
}
