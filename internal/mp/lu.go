package mp

import (
	"context"
	"math/big"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// LU is P A = L U, by Gaussian elimination with partial pivoting, a panel of columns at a time ([GolubVanLoan13], section 3.4). The
// columns behind a panel are updated by products of package mp, whose results do not depend on the number of threads.
type LU struct {
	pool  *parallel.Pool
	cols  []*Vec // of U, and of L below its diagonal of ones
	order []int  // row i of P A is row order[i] of A
	Bits  int
}

// panelColumns is the number of columns of a panel: more make the panels slow, fewer the products.
const panelColumns = 16

// LUBytes returns the bytes of memory that FactorLU needs for n rows.
func LUBytes(n, bits int) int64 {
	return int64(n)*(Bytes(n, bits)+256) + DenseBytes(n, panelColumns, bits) + 4*Bytes(n, bits)
}

// FactorLU factors D_r A D_c in the scaling s, where A is the sum of the parts. progress is told the number of columns that are done.
// The factors are nil if a pivot is zero to all bits. The error is that of the context.
func FactorLU(ctx context.Context, pool *parallel.Pool, bits int, s csr.Scaling, progress func(columns int), parts ...*csr.Matrix) (*LU, error) {
	n := parts[0].Rows
	f := &LU{pool: pool, cols: make([]*Vec, n), order: make([]int, n), Bits: bits}
	for j := range n {
		f.order[j], f.cols[j] = j, New(n, bits)
	}
	add := kernels.NewAdder(wordsOf(bits))
	for _, part := range parts {
		for i := range n {
			cols, vals := part.Row(i)
			for k, j := range cols {
				y := f.cols[j].all()
				addFloat64(add, &y, i, vals[k], s.Row[i]+s.Col[j])
			}
		}
	}
	for lo := 0; lo < n; lo += panelColumns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress(lo); !f.panel(lo, min(lo+panelColumns, n)) {
			return nil, nil
		}
	}
	return f, nil
}

// panel factors columns lo to hi-1, and updates the columns behind them. It returns false if a pivot is zero.
func (f *LU) panel(lo, hi int) bool {
	n := len(f.cols)
	for k := lo; k < hi; k++ {
		col := f.cols[k]
		p := col.largest(k)
		if col.zero(p) {
			return false
		}
		f.order[k], f.order[p] = f.order[p], f.order[k]
		for _, c := range f.cols {
			c.swap(k, p)
		}
		f.pool.RunRanges(blocks(f.pool, n-k-1), func(_, from, to int) {
			col.divide(k+1+from, k+1+to, k)
			for _, c := range f.cols[k+1 : hi] {
				c.subtractTimes(k, col, k+1+from, k+1+to)
			}
		})
	}
	below := f.below(lo, hi)
	f.pool.Each(n-hi, func(t int) {
		c := f.cols[hi+t]
		for k := lo; k < hi; k++ {
			c.subtractTimes(k, f.cols[k], k+1, hi)
		}
		x := c.part(lo, hi)
		if _, any := x.top(); any {
			product, minus := New(n-hi, f.Bits), New(1, f.Bits)
			below.MulVec(product, x)
			minus.Set(0, big.NewFloat(-1))
			kernels.Default().AddTimes(c.numbers(hi, n), minus.all(), product.all())
		}
	})
	return true
}

// below returns L below the diagonal block of a panel.
func (f *LU) below(lo, hi int) *Dense {
	n, row := len(f.cols), New(hi-lo, f.Bits)
	a := NewDense(nil, n-hi, hi-lo, f.Bits)
	for i := hi; i < n; i++ {
		for k, c := range f.cols[lo:hi] {
			row.put(k, c.neg[i], c.at(i), int(c.exp[i]), false)
		}
		a.SetRow(i-hi, row)
	}
	return a
}

// largest returns the largest element from k on, to its leading word.
func (v *Vec) largest(k int) int {
	x, best := v.all(), k
	for i := k + 1; i < v.Len(); i++ {
		a, b := x.Term(i), x.Term(best)
		if top := v.words - 1; !a.Zero() && (b.Zero() || a.E > b.E || a.E == b.E && a.M[top] > b.M[top]) {
			best = i
		}
	}
	return best
}

// swap exchanges two elements.
func (v *Vec) swap(i, j int) {
	v.exp[i], v.exp[j], v.neg[i], v.neg[j] = v.exp[j], v.exp[i], v.neg[j], v.neg[i]
	a, b := v.at(i), v.at(j)
	for k := range a {
		a[k], b[k] = b[k], a[k]
	}
}

// divide divides elements lo to hi-1 by element k.
func (v *Vec) divide(lo, hi, k int) {
	q, by := new(big.Float).SetPrec(uint(v.bits)), v.At(k)
	for i := lo; i < hi; i++ {
		if !v.zero(i) {
			v.Set(i, q.Quo(v.At(i), by))
		}
	}
}

// subtractTimes subtracts v_k x from elements lo to hi-1.
func (v *Vec) subtractTimes(k int, x *Vec, lo, hi int) {
	f := v.numbers(k, k+1)
	f.Neg = []bool{!f.Neg[0]}
	kernels.Default().AddTimes(v.numbers(lo, hi), f, x.numbers(lo, hi))
}

// Solve returns an x with A x = b, in the precision of the factors, by column-oriented substitution ([GolubVanLoan13], section 3.1).
func (f *LU) Solve(b *Vec) *Vec {
	n := len(f.cols)
	x := New(n, f.Bits)
	for i, row := range f.order {
		x.put(i, b.neg[row], b.at(row), int(b.exp[row]), false)
	}
	for k, col := range f.cols {
		f.pool.RunRanges(blocks(f.pool, n-k-1), func(_, lo, hi int) { x.subtractTimes(k, col, k+1+lo, k+1+hi) })
	}
	for k := n - 1; k >= 0; k-- {
		x.Set(k, new(big.Float).SetPrec(uint(f.Bits)).Quo(x.At(k), f.cols[k].At(k)))
		f.pool.RunRanges(blocks(f.pool, k), func(_, lo, hi int) { x.subtractTimes(k, f.cols[k], lo, hi) })
	}
	return x
}

// part returns elements lo to hi-1, which share the memory of v.
func (v *Vec) part(lo, hi int) *Vec {
	return &Vec{bits: v.bits, words: v.words, exp: v.exp[lo:hi], neg: v.neg[lo:hi], mant: v.mant[lo*v.words : hi*v.words]}
}

// Shift multiplies element i by 2^by[i].
func (v *Vec) Shift(by []int) {
	for i, e := range by {
		if !v.zero(i) {
			v.exp[i] += int32(e)
		}
	}
}
