package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// numbersDD returns n pairs of arbitrary numbers.
func numbersDD(rng *rand.Rand, n int) dd.Vec {
	return dd.Vec{Hi: numbers[float64](rng, n), Lo: numbers[float64](rng, n)}
}

func putDD(a *arena, v dd.Vec) dd.Vec { return dd.Vec{Hi: put(a, v.Hi), Lo: put(a, v.Lo)} }

func both(v dd.Vec) []float64 { return slices.Concat(v.Hi, v.Lo) }

// exactRows is a matrix with its exact elements, to judge products.
type exactRows struct {
	rows int
	add  [][3]int // row, column, index of the value
	val  func(k int) []float64
}

// check compares y with A x in 400 bits: each element is a double-double number within the bound for n elements,
// which is 8 times as large if sums are renormalised at each addition.
func (e exactRows) check(t *testing.T, what string, y, x dd.Vec, normal bool) {
	t.Helper()
	sums, sizes, lengths := make([]big.Float, e.rows), make([]float64, e.rows), make([]int, e.rows)
	for i := range sums {
		sums[i].SetPrec(400)
	}
	number := func(parts ...float64) *big.Float {
		s := new(big.Float).SetPrec(400)
		for _, p := range parts {
			s.Add(s, new(big.Float).SetPrec(400).SetFloat64(p))
		}
		return s
	}
	for _, a := range e.add {
		i, j, v := a[0], a[1], e.val(a[2])
		xj := number(x.Hi[j], x.Lo[j])
		sums[i].Add(&sums[i], xj.Mul(xj, number(v...)))
		sizes[i] += math.Abs(v[0] * x.Hi[j])
		lengths[i]++
	}
	for i := range sums {
		got := y.At(i)
		if s, l := dd.TwoSum(got.Hi, got.Lo); s != got.Hi || l != got.Lo {
			t.Fatalf("%s: row %d is %v, no double-double number", what, i, got)
		}
		n := float64(lengths[i] + 2)
		bound := n * n * 0x1p-106 * sizes[i] * (1 + 0x1p-40)
		if normal {
			bound *= 8
		}
		difference, _ := new(big.Float).Sub(number(got.Hi, got.Lo), &sums[i]).Float64()
		if !(math.Abs(difference) <= bound) {
			t.Fatalf("%s: row %d of %d elements is off by %g, more than %g", what, i, lengths[i], difference, bound)
		}
	}
}

// cancelling changes the last element of each row of a CSR matrix so that it cancels the sum of the others to about a
// relative 2^-60: float64 would have no digit left.
func (c csrCase[T]) cancelling(x dd.Vec) {
	for i := range c.rows() {
		if lo, hi := c.ptr[i], c.ptr[i+1]-1; hi > lo {
			var s float64
			for k := lo; k < hi; k++ {
				s += float64(c.val[k]) * x.Hi[c.col[k]]
			}
			c.val[hi] = T(-s / x.Hi[c.col[hi]])
		}
	}
}

func (c csrCase[T]) exactRows(val func(k int) []float64) exactRows {
	e := exactRows{rows: c.rows(), val: val}
	for i := range c.rows() {
		for k := c.ptr[i]; k < c.ptr[i+1]; k++ {
			e.add = append(e.add, [3]int{i, int(c.col[k]), int(k)})
		}
	}
	return e
}

// Rows of every length up to more than twice the longest loop, with and without cancellation, in every set.
func TestCSRMulVecDD(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(71, 72))
		for length := range 20 {
			for _, rows := range []int{1, 4, 7, 9} {
				lengths := make([]int, rows)
				for i := range lengths {
					if lengths[i] = length; i%3 == 2 {
						lengths[i] = rng.IntN(length + 1)
					}
				}
				c := randomCSR[float64](rng, lengths, 1+rng.IntN(60))
				x := vectorsDD(rng, len(c.x), 1)[0]
				if length%2 == 0 {
					c.cancelling(x)
				}
				low := make([]float64, len(c.val))
				for i, v := range c.val {
					low[i] = v * 0x1p-53 * (rng.Float64() - 0.5)
				}
				for what, v := range map[string]DDValues{"plain": {Val: c.val}, "normal": {Val: c.val, Normal: true}, "low": {Val: c.val, Low: low}} {
					y := dd.NewVec(rows)
					k.CSRMulVecDD(y, 0, rows, c.ptr, c.col, v, x)
					c.exactRows(func(k int) []float64 {
						if v.Low != nil {
							return []float64{c.val[k], low[k]}
						}
						return c.val[k : k+1]
					}).check(t, fmt.Sprintf("%s, %d rows of %d", what, rows, length), y, x, v.Normal)
				}
			}
		}
	})
}

// decoded returns the elements of a panel as MulSlots multiplies them, with units.
func (p *panelCase) decoded() exactRows {
	e := exactRows{rows: p.rows}
	var values []float64
	row, widths, index, at := 0, p.Widths, p.Index, [2][]byte{p.Values, p.Values[p.Odd:]}
	for _, g := range p.Groups {
		for k := range int(g.Slots) {
			var m [Lanes]float64
			slotValues(&m, at[k&1], int(widths[k]), g.Flags)
			at[k&1] = at[k&1][widths[k]:]
			var cols [Lanes]int
			base := int(g.Base)
			if g.Flags&Diagonal != 0 {
				base = p.row0 + row + int(p.Offsets[base+k])
				cols = [Lanes]int{0, 1, 2, 3, 4, 5, 6, 7}
			} else {
				index = p.columns(&cols, index)
			}
			for l, c := range cols {
				i := row + l
				if g.Flags&OneRow != 0 {
					i = row
				}
				if i >= p.rows {
					continue
				}
				if p.Order != nil {
					i = int(p.Order[i])
				}
				e.add = append(e.add, [3]int{i, base + c, len(values)})
				values = append(values, m[l]*p.units.at(i))
			}
		}
		widths = widths[g.Slots:]
		if g.Flags&Last != 0 {
			if row += Lanes; g.Flags&OneRow != 0 {
				row += 1 - Lanes
			}
		}
	}
	e.val = func(k int) []float64 { return values[k : k+1] }
	return e
}

func TestMulSlotsDD(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(73, 74))
		for range 60 {
			p := randomPanel(rng, 1+rng.IntN(30), 1+rng.IntN(12), 1+rng.IntN(3000))
			if p.Block > 1 {
				continue
			}
			for i := range p.units.Exp {
				p.units.Exp[i] %= 100
			}
			x, y := vectorsDD(rng, p.cols, 1)[0], dd.NewVec(p.rows)
			k.MulSlotsDD(y, &p.SlotPanel, x, p.row0, p.units, false)
			p.decoded().check(t, "slots", y, x, false)
			twice := dd.Vec{Hi: slices.Clone(y.Hi), Lo: slices.Clone(y.Lo)}
			k.MulSlotsDD(twice, &p.SlotPanel, x, p.row0, p.units, true)
			for i := range p.rows {
				want := y.At(i).Add(y.At(i))
				if d := twice.At(i).Sub(want).Float(); math.Abs(d) > 0x1p-102*math.Abs(want.Hi) {
					t.Fatalf("row %d added to itself: %v, want %v", i, twice.At(i), want)
				}
			}
		}
	})
}

// randomChunked returns a CSR matrix as SELL-8 and as BCRS.
func randomChunked(rng *rand.Rand) (c csrCase[float64], s SELL8, b BCRS) {
	lengths, cols := make([]int, 1+rng.IntN(30)), 1+rng.IntN(50)
	for i := range lengths {
		lengths[i] = rng.IntN(min(cols, 12) + 1)
	}
	c = randomCSR[float64](rng, lengths, cols)
	for i := range c.rows() { // columns ascending, each once
		row := rng.Perm(cols)[:lengths[i]]
		slices.Sort(row)
		for k, j := range row {
			c.col[int(c.ptr[i])+k] = int32(j)
		}
	}
	return c, NewSELL8(c.ptr, c.col, c.val), NewBCRS(c.ptr, c.col, c.val)
}

func TestChunkedDD(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(75, 76))
		for range 60 {
			c, s, b := randomChunked(rng)
			x, y := vectorsDD(rng, len(c.x), 1)[0], dd.NewVec(c.rows())
			exact := c.exactRows(func(k int) []float64 { return c.val[k : k+1] })
			for _, normal := range []bool{false, true} {
				k.SELL8MulVecDD(y, s, x, normal)
				exact.check(t, "SELL-8", y, x, normal)
			}
			k.BCRSMulVecDD(y, b, x)
			exact.check(t, "BCRS4x1", y, x, false)
			want, bound := c.exact()
			for what, multiply := range map[string]func(dst []float64){
				"SELL-8":  func(dst []float64) { k.SELL8MulVec(dst, s, c.x) },
				"BCRS4x1": func(dst []float64) { k.BCRSMulVec(dst, b, c.x) },
			} {
				dst := make([]float64, c.rows())
				multiply(dst)
				for i := range dst {
					if !(math.Abs(dst[i]-want[i]) <= bound[i]) {
						t.Fatalf("%s: row %d is %v, want %v", what, i, dst[i], want[i])
					}
				}
			}
			testTransposed(t, k, rng, c, b)
		}
	})
}

// testTransposed checks A^T x in parts that are cut at any column.
func testTransposed(t *testing.T, k *Set, rng *rand.Rand, c csrCase[float64], b BCRS) {
	t.Helper()
	cols := len(c.x)
	x, y, plain := vectorsDD(rng, c.rows(), 1)[0], dd.NewVec(cols), make([]float64, cols)
	cut := rng.IntN(cols + 1)
	for _, p := range b.Parts([]int{0, cut, cols}) {
		k.BCRSMulVecTDD(y, b, p, x)
		k.BCRSMulVecT(plain, b, p, x.Hi)
	}
	e := c.exactRows(func(k int) []float64 { return c.val[k : k+1] })
	e.rows = cols
	sizes, lengths := make([]float64, cols), make([]float64, cols)
	for n := range e.add {
		e.add[n][0], e.add[n][1] = e.add[n][1], e.add[n][0]
		sizes[e.add[n][0]] += math.Abs(c.val[e.add[n][2]] * x.Hi[e.add[n][1]])
		lengths[e.add[n][0]]++
	}
	e.check(t, fmt.Sprintf("transpose of BCRS4x1 in parts from %d on", cut), y, x, false)
	for j := range plain {
		// The low parts of x add less than the roundings may.
		if bound := (lengths[j] + 3) * 0x1p-53 * sizes[j]; !(math.Abs(plain[j]-y.Hi[j]) <= bound) {
			t.Fatalf("transpose: element %d is %v, want %v", j, plain[j], y.Hi[j])
		}
	}
}

// Products of arbitrary numbers, including infinities and NaN, have the same bits in all sets.
func rowsDDCase(a *arena, rng *rand.Rand) {
	c := randomCSR[float64](rng, rowLengths(rng), 1+rng.IntN(300))
	c.val = numbers[float64](rng, len(c.val))
	x, low := numbersDD(rng, len(c.x)), numbers[float64](rng, len(c.val))
	lo := rng.IntN(c.rows() + 1)
	hi := lo + rng.IntN(c.rows()-lo+1)
	for _, v := range []DDValues{{}, {Normal: true}, {Low: low}} {
		everywhere(a, fmt.Sprintf("CSRMulVecDD, rows %d to %d of %d, %d low parts", lo, hi, c.rows(), len(v.Low)), nil, func(k *Set) []float64 {
			y, v := putDD(a, dd.NewVec(c.rows())), DDValues{Val: put(a, c.val), Low: put(a, v.Low), Normal: v.Normal}
			k.CSRMulVecDD(y, lo, hi, put(a, c.ptr), put(a, c.col), v, putDD(a, x))
			return both(y)
		})
	}
	if p := randomPanel(rng, 1+rng.IntN(40), 1+rng.IntN(20), 1+columns(rng)); p.Block < 2 {
		x, y := numbersDD(rng, p.cols), numbersDD(rng, p.rows)
		everywhere(a, "MulSlotsDD", nil, func(k *Set) []float64 {
			units, dst := p.units, putDD(a, y)
			units.Exp = put(a, units.Exp)
			k.MulSlotsDD(dst, p.put(a), putDD(a, x), p.row0, units, p.add)
			return both(dst)
		})
	}
	chunkedCase(a, rng)
}

func chunkedCase(a *arena, rng *rand.Rand) {
	c, s, b := randomChunked(rng)
	x, xt := numbersDD(rng, len(c.x)), numbersDD(rng, c.rows())
	everywhere(a, "SELL-8", nil, func(k *Set) []float64 {
		m := SELL8{put(a, s.Start), put(a, s.Col), put(a, s.Val)}
		x, y, z, w := putDD(a, x), put(a, make([]float64, c.rows())), putDD(a, dd.NewVec(c.rows())), putDD(a, dd.NewVec(c.rows()))
		k.SELL8MulVec(y, m, x.Hi)
		k.SELL8MulVecDD(z, m, x, false)
		k.SELL8MulVecDD(w, m, x, true)
		return slices.Concat(y, both(z), both(w))
	})
	cut := rng.IntN(len(c.x) + 1)
	everywhere(a, fmt.Sprintf("BCRS4x1, %d x %d", c.rows(), len(c.x)), nil, func(k *Set) []float64 {
		m := BCRS{put(a, b.Start), put(a, b.Col), put(a, b.Val)}
		x, xt := putDD(a, x), putDD(a, xt)
		y, z := put(a, make([]float64, c.rows())), putDD(a, dd.NewVec(c.rows()))
		k.BCRSMulVec(y, m, x.Hi)
		k.BCRSMulVecDD(z, m, x)
		yt, zt := put(a, make([]float64, len(c.x))), putDD(a, dd.NewVec(len(c.x)))
		for _, p := range m.Parts([]int{0, cut, len(c.x)}) {
			p.First, p.End = put(a, p.First), put(a, p.End)
			k.BCRSMulVecT(yt, m, p, xt.Hi)
			k.BCRSMulVecTDD(zt, m, p, xt)
		}
		return slices.Concat(y, both(z), yt, both(zt))
	})
}
