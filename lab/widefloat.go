package lab

import (
	"math"
	"math/big"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// precision is the number of bits of wide arithmetic. It leaves many bits after cancellation: no class draws systems
// with a condition number beyond 2^300.
const precision = 512

// wideRow is an equation during elimination, by increasing column; the last entry may be the right-hand side, in
// column n.
type wideRow struct {
	col     []int32
	val     []*big.Float
	scale   int   // exponent of the largest coefficient at the start
	columns []int // exponents of the columns, once rows are scaled
}

// wideWork bounds the multiplications of solveWide.
const wideWork = 3_000_000

// cancelled is the number of leading bits beyond which a difference counts as zero.
const cancelled = 400

// solveWide solves A x = b by Gaussian elimination with row pivoting in 512 bits, in the given order of columns. It
// returns nil if A is singular, which is where 400 bits cancel, or after too much work.
func solveWide(m *csr.Matrix, b []float64) []*big.Float {
	n := m.Rows
	leading := make([][]wideRow, n) // rows by their first column
	scales := make([]int, n)        // of the columns, once rows are scaled
	for j := range scales {
		scales[j] = math.MinInt32
	}
	for i := range n {
		row, ok := newWideRow(m, i, b[i])
		if !ok {
			return nil
		}
		row.columns = scales
		for k, j := range row.col[:len(row.col)-1] {
			scales[j] = max(scales[j], row.val[k].MantExp(nil)-row.scale)
		}
		leading[row.col[0]] = append(leading[row.col[0]], row)
	}
	pivots := make([]wideRow, n)
	work := 0
	for j := range n {
		rows := leading[j]
		best := -1
		for k, r := range rows {
			if best < 0 || r.size() > rows[best].size() {
				best = k
			}
		}
		if best < 0 {
			return nil
		}
		pivot := rows[best]
		pivots[j] = pivot
		for k, r := range rows {
			if k == best {
				continue
			}
			if work += len(pivot.col); work > wideWork {
				return nil
			}
			r = r.minus(pivot)
			if len(r.col) == 0 || int(r.col[0]) == n {
				return nil
			}
			leading[r.col[0]] = append(leading[r.col[0]], r)
		}
		leading[j] = nil
	}
	return wideBackSubstitute(pivots)
}

func newWideRow(m *csr.Matrix, i int, rhs float64) (row wideRow, ok bool) {
	cols, vals := m.Row(i)
	for k, j := range cols {
		if v := vals[k]; v != 0 {
			f := new(big.Float).SetPrec(precision).SetFloat64(v)
			if len(row.col) == 0 || f.MantExp(nil) > row.scale {
				row.scale = f.MantExp(nil)
			}
			row.col, row.val = append(row.col, j), append(row.val, f)
		}
	}
	if len(row.col) == 0 {
		return row, false
	}
	row.col = append(row.col, int32(m.Rows))
	row.val = append(row.val, new(big.Float).SetPrec(precision).SetFloat64(rhs))
	return row, true
}

// size returns the exponent of the leading coefficient once rows and columns are scaled.
func (r wideRow) size() int { return r.val[0].MantExp(nil) - r.scale - r.columns[r.col[0]] }

// minus eliminates the first column, which both rows have.
func (r wideRow) minus(p wideRow) wideRow {
	f := new(big.Float).Quo(r.val[0], p.val[0])
	out := wideRow{scale: r.scale, columns: r.columns}
	out.col = slices.Grow(out.col, len(r.col)+len(p.col))
	out.val = slices.Grow(out.val, len(r.col)+len(p.col))
	a, b := 1, 1
	for a < len(r.col) || b < len(p.col) {
		switch {
		case b == len(p.col) || a < len(r.col) && r.col[a] < p.col[b]:
			out.col, out.val = append(out.col, r.col[a]), append(out.val, r.val[a])
			a++
		case a == len(r.col) || p.col[b] < r.col[a]:
			v := new(big.Float).Mul(f, p.val[b])
			out.col, out.val = append(out.col, p.col[b]), append(out.val, v.Neg(v))
			b++
		default:
			v := new(big.Float).Mul(f, p.val[b])
			least := max(v.MantExp(nil), r.val[a].MantExp(nil)) - cancelled
			v.Sub(r.val[a], v)
			if v.Sign() != 0 && v.MantExp(nil) > least || a == len(r.col)-1 {
				out.col, out.val = append(out.col, r.col[a]), append(out.val, v)
			}
			a++
			b++
		}
	}
	return out
}

// wideBackSubstitute solves the triangular system of the pivot rows.
func wideBackSubstitute(pivots []wideRow) []*big.Float {
	n := len(pivots)
	x := make([]*big.Float, n)
	for j := n - 1; j >= 0; j-- {
		p := pivots[j]
		s := new(big.Float).SetPrec(precision)
		for k := 1; k < len(p.col); k++ {
			if int(p.col[k]) == n {
				s.Add(s, p.val[k])
			} else {
				s.Sub(s, new(big.Float).Mul(p.val[k], x[p.col[k]]))
			}
		}
		x[j] = s.Quo(s, p.val[0])
	}
	return x
}
