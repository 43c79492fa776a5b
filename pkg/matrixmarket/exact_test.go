package matrixmarket

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// rational returns the exact value of a decimal number in any form that is read.
func rational(t testing.TB, s string) *big.Rat {
	t.Helper()
	decimal, ok := normalise(s)
	v, ok2 := new(big.Rat).SetString(decimal)
	if !ok || !ok2 {
		t.Fatalf("%q is no decimal number", s)
	}
	return v
}

// sumOf returns the exact sum.
func sumOf(parts ...float64) *big.Rat {
	sum := new(big.Rat)
	for _, v := range parts {
		sum.Add(sum, new(big.Rat).SetFloat64(v))
	}
	return sum
}

// checkSplit checks that the parts of a value hold it: to 53 bits each, or to the least float64, each part nearest to what is left.
func checkSplit(t testing.TB, s string, parts []float64) {
	t.Helper()
	left := rational(t, s)
	size := new(big.Rat).Abs(left)
	for k, v := range parts {
		if near, _ := left.Float64(); near != v {
			t.Fatalf("%q: part %d is %g, but %g is nearest to what is left", s, k, v, near)
		}
		left.Sub(left, new(big.Rat).SetFloat64(v))
	}
	bound := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(53*len(parts))))
	bound.Mul(bound, size)
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1075))
	if left.Abs(left); left.Cmp(bound) > 0 && left.Cmp(tiny) > 0 {
		t.Fatalf("%q: %d parts leave %s", s, len(parts), left.FloatString(400))
	}
}

// split reads a number in so many parts.
func split(t testing.TB, s string, parts int) []float64 {
	t.Helper()
	v, _, ok := parseValue(s)
	if !ok {
		t.Fatalf("%q was not read", s)
	}
	all := make([]float64, parts)
	all[0] = v
	splitRest(all[1:], s, v)
	return all
}

func TestSplit(t *testing.T) {
	for _, s := range []string{
		"0.1", "-0.1", "+.1", "1.", "3", "0", "-0", "1e22", "1e23", "123456789012345e22", "1e-22", "1e-23", "9007199254740993", "9007199254740991e-22",
		"3.14159265358979323846264338327950288419716939937510582097494459230781640628620899", "2.718281828459045235360287471352662497757D0",
		"1.5+100", "1Q-300", "1e300", "1.7976931348623157081e308", "1e-307", "2.2250738585072014e-308", "4.9e-324", "2.5e-324", "1e-400", "123.456e-320",
		"100000000000000000000000000000000000000000000000000000000000001", "0." + strings.Repeat("3", 300), strings.Repeat("7", 250) + "e-120",
		"1" + strings.Repeat("0", 400) + "e-400", "40000000000000.000000001", "1." + strings.Repeat("0", 250) + "1", "1" + strings.Repeat("0", 70) + "1", "0." + strings.Repeat("0", 400) + "1e400",
	} {
		for _, parts := range []int{2, 3, 8, MaxParts} {
			checkSplit(t, s, split(t, s, parts))
		}
	}
	for _, s := range []string{"1e400", "-1e999999999999999999999", "nan", "inf", "1e-99999999999999999999999"} {
		if got := split(t, s, 3); got[1] != 0 || got[2] != 0 {
			t.Errorf("%s: parts %v", s, got)
		}
	}
}

func TestSplitRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 3000 {
		var b strings.Builder
		digits := 1 + rng.IntN(60)
		point := rng.IntN(digits + 1)
		for k := range digits {
			if k == point {
				b.WriteByte('.')
			}
			b.WriteByte(byte('0' + rng.IntN(10)))
		}
		if rng.IntN(2) > 0 {
			fmt.Fprintf(&b, "e%d", rng.IntN(620)-330)
		}
		s := b.String()
		if all := split(t, s, 2+rng.IntN(4)); !math.IsInf(all[0], 0) {
			checkSplit(t, s, all)
		}
	}
}

func FuzzExact(f *testing.F) {
	for _, s := range []string{"0.1", "1e-310", "123456789012345678901234567890", "1.5+100", "-7D-22", "9007199254740991e22"} {
		f.Add(s, uint8(2))
	}
	f.Fuzz(func(t *testing.T, s string, parts uint8) {
		v, _, ok := parseValue(s)
		decimal, isDecimal := normalise(s)
		if _, e, found := strings.Cut(decimal, "e"); !ok || !isDecimal || math.IsInf(v, 0) || found && len(e) > 5 {
			return // no number, none that is finite, or too much for rational numbers
		}
		checkSplit(t, s, split(t, s, 2+int(parts%(MaxParts-1))))
	})
}

// at returns the exact entry (i, j), from 0, of a content.
func at(c *Content, i, j int) *big.Rat {
	sum := new(big.Rat)
	for _, part := range append([]*Content{c}, c.Lower...) {
		if part.Matrix == nil {
			sum.Add(sum, sumOf(part.Dense[j*c.Rows+i]))
			continue
		}
		cols, vals := part.Matrix.Row(i)
		for k, col := range cols {
			if int(col) == j {
				sum.Add(sum, sumOf(vals[k]))
			}
		}
	}
	return sum
}

// Decimals that float64 hold in parts are the sums of them, in every kind of file.
func TestExactContent(t *testing.T) {
	const pi = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"
	type value struct {
		i, j int
		text string // terms of a sum
	}
	for name, c := range map[string]struct {
		text  string
		want  []value
		parts int // of all, at most
	}{
		"general":   {coordReal + "2 2 3\n1 1 0.1\n2 1 0.5\n2 2 " + pi + "\n", []value{{0, 0, "0.1"}, {1, 0, "0.5"}, {0, 1, "0"}, {1, 1, pi}}, 5},
		"unsorted":  {coordReal + "2 2 3\n2 2 0.1\n1 2 0.3\n1 1 " + pi + "\n", []value{{1, 1, "0.1"}, {0, 1, "0.3"}, {0, 0, pi}}, 5},
		"symmetric": {coordSym + "2 2 2\n1 1 0.1\n2 1 0.7\n", []value{{0, 0, "0.1"}, {1, 0, "0.7"}, {0, 1, "0.7"}}, 5},
		"upper":     {coordSym + "2 2 2\n1 1 0.1\n1 2 0.7\n", []value{{0, 0, "0.1"}, {1, 0, "0.7"}, {0, 1, "0.7"}}, 5},
		"skew":      {strings.Replace(coordSym, "symmetric", "skew-symmetric", 1) + "2 2 1\n2 1 0.7\n", []value{{1, 0, "0.7"}, {0, 1, "-0.7"}}, 5},
		"array":     {"%%MatrixMarket matrix array real general\n2 1\n0.1\n" + pi + "\n", []value{{0, 0, "0.1"}, {1, 0, pi}}, 5},
		"triangle":  {"%%MatrixMarket matrix array real symmetric\n2 2\n0.1\n" + pi + "\n0.5\n", []value{{0, 0, "0.1"}, {1, 0, pi}, {0, 1, pi}, {1, 1, "0.5"}}, 5},
		"vector":    {"%%MatrixMarket vector coordinate real general\n3 2\n3 0.1\n1 " + pi + "\n", []value{{2, 0, "0.1"}, {0, 0, pi}, {1, 0, "0"}}, 5},
		"integer":   {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 123456789012345678901234567890\n", []value{{0, 0, "123456789012345678901234567890"}}, 2},
		"pattern":   {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", []value{{0, 0, "1"}}, 1},
		"exact":     {coordReal + "2 2 2\n1 1 0.5\n2 2 -3\n", []value{{0, 0, "0.5"}, {1, 1, "-3"}}, 1},
		"duplicates": {
			coordReal + "2 2 5\n1 1 1\n1 1 1e-30\n2 2 1\n1 1 1e30\n1 1 -1e30\n",
			[]value{{0, 0, "1 1e-30 1e30 -1e30"}, {1, 1, "1"}},
			9,
		},
		"mirrored":          {coordSym + "2 2 2\n2 1 1\n2 1 1e-20\n", []value{{1, 0, "1 1e-20"}, {0, 1, "1 1e-20"}}, 9},
		"skew, twice":       {strings.Replace(coordSym, "symmetric", "skew-symmetric", 1) + "2 2 2\n1 2 1\n1 2 1e-20\n", []value{{1, 0, "-1 -1e-20"}, {0, 1, "1 1e-20"}}, 9},
		"vector, twice":     {"%%MatrixMarket vector coordinate real general\n3 3\n3 1e17\n3 0.5\n1 1\n", []value{{2, 0, "1e17 0.5"}, {0, 0, "1"}}, 9},
		"cancelled":         {coordReal + "1 1 2\n1 1 0.1\n1 1 -0.1\n", []value{{0, 0, "0"}}, 1},
		"subnormal, tiny":   {coordReal + "1 1 1\n1 1 1.5e-320\n", []value{{0, 0, "1.5e-320"}}, 1},
		"large, many parts": {coordReal + "1 1 1\n1 1 1.1e300\n", []value{{0, 0, "1.1e300"}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			for _, piece := range []int{0, 1} {
				got := mustRead(t, c.text, Options{Parts: 5, Threads: 2, pieceSize: piece})
				plain := mustRead(t, c.text, Options{})
				first := *got
				first.Lower = nil
				if plain.Warnings = first.Warnings; difference(&first, plain) != "" {
					t.Errorf("the first part is not what is read without: %s", difference(&first, plain))
				}
				if n := 1 + len(got.Lower); n > c.parts {
					t.Errorf("%d parts, want %d at most", n, c.parts)
				}
				for _, w := range c.want {
					want := new(big.Rat)
					for _, term := range strings.Fields(w.text) {
						want.Add(want, rational(t, term))
					}
					bound := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 5*53-100)) // of terms up to 1e30
					if w.text == "1.5e-320" {
						bound.SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1075))
					} else if w.text == "1.1e300" {
						bound.Mul(bound, want)
					}
					if diff := want.Sub(want, at(got, w.i, w.j)); diff.Abs(diff).Cmp(bound) > 0 {
						t.Errorf("entry (%d, %d) is off by %s", w.i, w.j, diff.FloatString(90))
					}
				}
			}
		})
	}
}

func TestExactParts(t *testing.T) {
	text := coordReal + "2 2 2\n1 1 0.1\n2 2 0.5\n"
	c, err := readString(string(zipped(t, text)), Options{Parts: 2})
	if err != nil || len(c.Lower) != 1 {
		t.Fatalf("compressed: %v, %d lower parts", err, len(c.Lower))
	}
	m, low := c.Matrix, c.Lower[0].Matrix
	if m.NNZ() != 2 || low.NNZ() != 1 || sumOf(m.Val[0], low.Val[0]).Cmp(rational(t, "0.1")) == 0 {
		t.Errorf("parts %v and %v", m, low) // 0.1 has no end
	}
	columns, err := mustRead(t, "%%MatrixMarket matrix array real general\n1 2\n0.1\n1\n", Options{Parts: 3}).ColumnParts()
	if err != nil || len(columns) != 2 || len(columns[0]) != 3 || columns[0][0][0] != 0.1 || columns[1][0][0] != 1 || columns[1][1][0] != 0 {
		t.Errorf("columns %v, %v", columns, err)
	}
	for name, c := range map[string]struct {
		text, want string
		opt        Options
	}{
		"column":   {coordReal + "2 2 1\n1 1 0.1x\n", "x.mtx:3:5: value \"0.1x\" is not a number", Options{Parts: 2}},
		"extra":    {coordReal + "2 2 1\n1 1 0.1 2\n", "x.mtx:3:9: unexpected", Options{Parts: 2}},
		"row":      {coordReal + "2 2 1\n3 1 0.1\n", "x.mtx:3:1: row index 3", Options{Parts: 2}},
		"complex":  {coordHerm + "2 2 1\n1 1 1 0\n", "complex values have one part", Options{Parts: 2}},
		"too many": {text, "1 to 32", Options{Parts: 33}},
		"negative": {text, "1 to 32", Options{Parts: -1}},
	} {
		if _, err := readString(c.text, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readString(text, Options{Parts: 8, MaxMemory: 400}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a limit that one part keeps and eight do not: %v", err)
	}
	if _, err := readString(text, Options{MaxMemory: 400}); err != nil {
		t.Error(err)
	}
}
