package order

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// AMD returns an approximate minimum degree order of a graph [Amestoy96], in which the factors of its
// matrix, with pivots on the diagonal of P A P^T, fill little. Vertices with more than 10 sqrt n neighbours come last. The time is proportional to
// the number of entries for most matrices, and 10 to 30 times the time of reading them. Apart
// from the result it takes 60 bytes a row and about 5 an entry. If ctx is done, AMD returns
// its error; beyond the limit ErrLimit, and the multiplications that were counted.
func AMD(ctx context.Context, g *Graph, limit Limit) (Elimination, error) {
	n := g.vertices()
	q := newQuotient(ctx, n, 0, n)
	q.Limit = limit
	most := dense(n)
	for i := range int32(n) {
		q.at[i], q.length[i] = g.at[i], int32(len(g.neighbours(i)))
		if q.degree[i] = q.length[i]; q.degree[i] > most {
			q.postpone(i)
		}
	}
	q.list = append(make([]int32, 0, len(g.adj)+len(g.adj)/5+n), g.adj...)
	return q.eliminate()
}

// RowAMD returns an order of the rows of a matrix, which may be rectangular, in which
// elimination fills little whichever columns its pivots are in: an approximate minimum
// degree order for the pattern of A A^T, which is not formed, since the columns of A are
// the first elements of the quotient graph ([Davis04], for columns). Columns with
// more than 10 sqrt n entries are left out, and rows with as many come last. It takes about
// the time and memory of AMD, and has a limit like it.
func RowAMD(ctx context.Context, m *csr.Matrix, limit Limit) (Elimination, error) {
	q := newQuotient(ctx, m.Rows, m.Cols, m.Rows)
	q.Limit = limit
	columns := m.Transpose(nil)
	mostRows, mostCols := dense(m.Cols), dense(m.Rows)
	for i := range int32(m.Rows) {
		if r, _ := m.Row(int(i)); len(r) > int(mostRows) {
			q.postpone(i)
		}
	}
	for j := range int32(m.Cols) {
		c, _ := columns.Row(int(j))
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
		row, _ := m.Row(int(i))
		for _, j := range row {
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
