package mp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// cancellingResidues returns factors whose exact inner product is 2^-condition of the sum of magnitudes: pairs of terms
// cancel except for the last bits of one.
func cancellingResidues(rng *rand.Rand, n, bits, condition int) (a, x []big.Float) {
	a, x = make([]big.Float, n), make([]big.Float, n)
	for j := 0; j+1 < n; j += 2 {
		f, g := randomFloat(rng, bits, 3), randomFloat(rng, bits, 3)
		a[j].Set(f)
		x[j].Set(g)
		a[j+1].Neg(f)
		x[j+1].Set(g)
	}
	if n%2 == 1 {
		a[n-1].SetMantExp(big.NewFloat(1), bits-condition/2)
		x[n-1].SetMantExp(big.NewFloat(1), bits-condition/2)
	}
	for i := n - 1; i > 0; i-- {
		k := rng.IntN(i + 1)
		a[i], a[k] = a[k], a[i]
		x[i], x[k] = x[k], x[i]
	}
	return a, x
}

// residueDot returns the exact inner product and the sum of the magnitudes of its terms.
func residueDot(a, x []big.Float) (sum, size *big.Float) {
	sum, size = new(big.Float).SetPrec(16000), new(big.Float).SetPrec(200)
	for j := range a {
		t := new(big.Float).SetPrec(8000).Mul(&a[j], &x[j])
		sum.Add(sum, t)
		size.Add(size, t.Abs(t))
	}
	return sum, size
}

// Both forms satisfy the published bound with random numbers and with sums of condition number 2^200; transposing and
// the number of threads make no difference.
func TestGEMVOnThreads(t *testing.T) {
	const rows, cols = 5, 23
	for _, bits := range []int{106, 212, 424} {
		b, err := ResidueBaseFor(bits)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(2, uint64(bits)))
		_, fx := cancellingResidues(rng, cols, bits, 200)
		fy := make([]big.Float, rows)
		a, transposed := b.NewMatrix(rows, cols), b.NewMatrix(cols, rows)
		matrix := make([][]big.Float, rows)
		for i := range matrix {
			matrix[i], _ = cancellingResidues(rand.New(rand.NewPCG(2, uint64(bits))), cols, bits, 200)
			for j := range matrix[i] {
				if i%2 == 1 {
					matrix[i][j].Set(randomFloat(rng, bits, 30))
				}
				a.Set(i, j, &matrix[i][j])
				transposed.Set(j, i, &matrix[i][j])
			}
			fy[i].Set(randomFloat(rng, bits, 3))
		}
		fy[0].SetInt64(0)
		falpha, fbeta := randomFloat(rng, bits, 2), randomFloat(rng, bits, 2)
		alpha, beta := b.NewNumber().Set(falpha), b.NewNumber().Set(fbeta)
		x := b.NewArray(cols)
		for j := range fx {
			x.Set(j, &fx[j])
		}
		var first []*big.Float
		for _, threads := range []int{1, 3} {
			pool := parallel.New(threads)
			for k, multiply := range []func(y *ResidueArray) ResidueSteps{
				func(y *ResidueArray) ResidueSteps { return a.GEMV(Rearranged, alpha, x, beta, y, pool) },
				func(y *ResidueArray) ResidueSteps { return a.GEMV(ByNumber, alpha, x, beta, y, pool) },
				func(y *ResidueArray) ResidueSteps {
					return transposed.GEMVTransposed(Rearranged, alpha, x, beta, y, pool)
				},
				func(y *ResidueArray) ResidueSteps {
					return transposed.GEMVTransposed(ByNumber, alpha, x, beta, y, pool)
				},
			} {
				y := b.NewArray(rows)
				for i := range fy {
					y.Set(i, &fy[i])
				}
				if s := multiply(y); s.Total() <= 0 {
					t.Errorf("steps took %v", s)
				}
				for i := range fy {
					got := y.At(i)
					if len(first) < rows {
						first = append(first, got)
					}
					if got.Cmp(first[i]) != 0 {
						t.Errorf("%d bits, %d threads, form %d: row %d is %v, and %v before", bits, threads, k, i, got, first[i])
					}
					sum, size := residueDot(matrix[i], fx)
					sum.Mul(sum, falpha)
					size.Mul(size, new(big.Float).Abs(falpha))
					by := new(big.Float).SetPrec(8000).Mul(fbeta, &fy[i])
					sum.Add(sum, by)
					size.Add(size, by.Abs(by))
					d := new(big.Float).Sub(sum, got)
					if bound := b.GEMVBound(cols, size); d.Abs(d).Cmp(bound) > 0 {
						t.Errorf("%d bits: row %d is wrong by %.3g, bound %.3g", bits, i, d, bound)
					}
				}
			}
			pool.Close()
		}
	}
}

// Sums of residues equal sums of integers: they are exact where fixed point represents the factors exactly, even if
// the terms are 2^200 times the sum, and within the bound otherwise.
func TestDenseOnThreads(t *testing.T) {
	for _, bits := range []int{106, 424, 848} {
		for _, cols := range []int{1, 16, 101} {
			rng := rand.New(rand.NewPCG(uint64(bits), uint64(cols)))
			a0, x := cancellingResidues(rng, cols, bits-8, 200)
			rows := [][]big.Float{a0, make([]big.Float, cols), make([]big.Float, cols)}
			for j := range cols {
				rows[1][j].Set(randomFloat(rng, bits, bits))
			}
			for _, threads := range []int{1, 3} {
				pool := parallel.New(threads)
				a, err := NewResidueDense(len(rows), cols, bits, func(i int) []big.Float { return rows[i] }, pool)
				if err != nil {
					t.Fatal(err)
				}
				y := make([]big.Float, len(rows))
				a.MulVec(y, x, pool)
				pool.Close()
				for i, row := range rows {
					want, _ := residueDot(row, x)
					bound := FixedBound(bits, cols, largest(row), largest(x))
					if i == 0 && bits > 120 { // fixed point holds 2^-100 of the largest: the sum is exact before it is rounded
						bound.SetMantExp(new(big.Float).Abs(want), -(bits + guard))
					}
					d := new(big.Float).Sub(want, &y[i])
					if d.Abs(d).Cmp(bound) > 0 {
						t.Errorf("%d bits, %d columns: row %d is %.20g, want %.20g, bound %.3g", bits, cols, i, &y[i], want, bound)
					}
				}
			}
		}
	}
	if _, err := NewResidueDense(1, 1, 4000, nil, nil); err == nil {
		t.Error("4000 bits were taken")
	}
}

func largest(v []big.Float) *big.Float {
	m := new(big.Float)
	for i := range v {
		if a := new(big.Float).Abs(&v[i]); a.Cmp(m) > 0 {
			m = a
		}
	}
	return m
}

// Products of both kinds satisfy their bounds, with rows of zero, one and many nonzeros, whose sums are 2^-200 of
// their terms.
func TestSparseOnThreads(t *testing.T) {
	const cols = 700
	rng := rand.New(rand.NewPCG(3, 4))
	m := &csr.Matrix{Cols: cols, RowPtr: make([]int64, 1)}
	for i := range 70 {
		length := []int{0, 1, 9, 600}[min(i%5, 3)]
		if length == 600 && i > 20 {
			length = 3
		}
		start := len(m.Val)
		for j := range length {
			m.Col = append(m.Col, int32(j))
			m.Val = append(m.Val, math.Ldexp(rng.Float64()-0.5, rng.IntN(20)))
			if j%2 == 1 {
				m.Val[start+j] = m.Val[start+j-1]
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
		m.Rows++
	}
	for _, bits := range []int{106, 424} {
		x := make([]big.Float, cols)
		for j := range x {
			x[j].Set(randomFloat(rng, bits, 3))
			if j%2 == 1 {
				x[j].Neg(&x[j-1])
			}
		}
		b, err := ResidueBaseFor(bits)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 3} {
			pool := parallel.New(threads)
			a, err := NewResidueSparse(m, bits, pool)
			if err != nil {
				t.Fatal(err)
			}
			y := make([]big.Float, m.Rows)
			a.MulVec(y, x, pool)

			xa, ya := b.NewArray(cols), b.NewArray(m.Rows)
			for j := range x {
				xa.Set(j, &x[j])
			}
			b.NewCSR(m, pool).MulVec(ya, xa, pool)
			pool.Close()

			for i := range y {
				index, vals := m.Row(i)
				row, part := make([]big.Float, len(vals)), make([]big.Float, len(vals))
				for k, j := range index {
					row[k].SetFloat64(vals[k])
					part[k].Set(&x[j])
				}
				want, size := residueDot(row, part)
				d := new(big.Float).Sub(want, &y[i])
				if bound := FixedBound(bits, len(row), largest(row), largest(x)); d.Abs(d).Cmp(bound) > 0 {
					t.Errorf("%d bits, row %d: %v, want %v", bits, i, &y[i], want)
				}
				d.Sub(want, ya.At(i))
				if bound := b.GEMVBound(len(row), size); d.Abs(d).Cmp(bound) > 0 {
					t.Errorf("%d bits, row %d: %v, want %v", bits, i, ya.At(i), want)
				}
			}
		}
	}
}
