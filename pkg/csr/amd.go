package csr

import (
	"context"
	"fmt"
	"math"
)

// An Elimination is an order of the rows of a matrix for Gaussian elimination, and the cost of
// this elimination if all pivots are on the diagonal. For an order for other pivots the cost is
// an upper bound.
type Elimination struct {
	Order           Permutation
	Groups          []int32 // where rows of the same pattern in the factors begin, in Order; ascending, the first is 0
	Entries         int64   // of one triangular factor, without the diagonal
	Multiplications float64 // of an LU factorisation; of a symmetric one, half as many
}

// AMD returns an approximate minimum degree order of a square matrix [Amestoy96], in which the
// factors of A, with pivots on the diagonal of P A P^T, fill little. It uses the pattern of
// A + A^T alone. Rows with more than 10 sqrt n entries come last. The time is proportional to
// the number of entries for most matrices, and 10 to 30 times the time of reading them. Apart
// from the result it takes 60 bytes a row and about 5 an entry. If ctx is done, AMD returns
// its error.
func AMD(ctx context.Context, m *Matrix) (Elimination, error) {
	if m.Rows != m.Cols {
		return Elimination{}, fmt.Errorf("csr: ordering a %d x %d matrix", m.Rows, m.Cols)
	}
	q := newQuotient(ctx, m.Rows, 0)
	rows, cols := pattern{m.RowPtr, m.Col}, pattern{}
	if m.Rows > 0 && !symmetricPattern(m) {
		cols = transposed(m)
	}
	for i := range int32(m.Rows) {
		from := len(q.list)
		q.list = appendUnion(q.list, rows.row(i), cols.row(i), i)
		q.at[i], q.length[i] = from, int32(len(q.list)-from)
		q.degree[i] = q.length[i]
	}
	most := dense(m.Rows)
	for i, d := range q.degree[:m.Rows] {
		if d > most {
			q.postpone(int32(i))
		}
	}
	return q.eliminate()
}

// RowAMD returns an order of the rows of a matrix, which may be rectangular, in which
// elimination fills little whichever columns its pivots are in: an approximate minimum
// degree order for the pattern of A A^T, which is not formed, since the columns of A are
// the first elements of the quotient graph ([Davis04], for columns). Columns with
// more than 10 sqrt n entries are left out, and rows with as many come last. It takes about
// the time and memory of AMD.
func RowAMD(ctx context.Context, m *Matrix) (Elimination, error) {
	q := newQuotient(ctx, m.Rows, m.Cols)
	rows, cols := pattern{m.RowPtr, m.Col}, transposed(m)
	mostRows, mostCols := dense(m.Cols), dense(m.Rows)
	for i := range int32(m.Rows) {
		if r := rows.row(i); len(r) > int(mostRows) {
			q.postpone(i)
		}
	}
	for j := range int32(m.Cols) {
		c := cols.row(j)
		if len(c) > int(mostCols) || len(c) < 2 {
			continue
		}
		e := int32(m.Rows) + j
		q.at[e] = len(q.list)
		for _, i := range c {
			if q.weight[i] > 0 {
				q.list = append(q.list, i)
			}
		}
		q.length[e] = int32(len(q.list) - q.at[e])
		q.degree[e] = q.length[e]
		q.seen[e] = 1
	}
	for i := range int32(m.Rows) {
		q.at[i] = len(q.list)
		if q.weight[i] == 0 {
			continue
		}
		degree := int64(0)
		for _, j := range rows.row(i) {
			if e := int32(m.Rows) + j; q.length[e] > 1 {
				q.list = append(q.list, e)
				degree += int64(q.length[e] - 1)
			}
		}
		q.length[i] = int32(len(q.list) - q.at[i])
		q.elements[i] = q.length[i]
		q.degree[i] = int32(min(degree, int64(m.Rows-1)))
	}
	return q.eliminate()
}

// dense is the number of entries, of n, beyond which a row counts as dense.
func dense(n int) int32 { return int32(max(16, 10*math.Sqrt(float64(n)))) }

// appendUnion appends the union of two increasing lists without i.
func appendUnion(to, a, b []int32, i int32) []int32 {
	for len(a) > 0 || len(b) > 0 {
		var v int32
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			v, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			v, b = b[0], b[1:]
		default:
			v, a, b = a[0], a[1:], b[1:]
		}
		if v != i {
			to = append(to, v)
		}
	}
	return to
}
