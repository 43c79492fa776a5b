package csr

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// RCM returns the reverse Cuthill-McKee ordering of a square matrix, which
// brings the entries of P A P^T near the diagonal ([CuthillMcKee69], reversed as
// in [GeorgeLiu81]). It uses the pattern of A + A^T alone, orders its connected
// components one after the other, by their first rows, and starts each at a
// pseudo-peripheral vertex. The time is proportional to the number of entries, but
// for sorting the neighbours of a vertex by degree. Apart from the result it takes
// 12 bytes a row and, if the pattern is not symmetric, 8 more a row and 4 an entry.
// If ctx is done, RCM returns its error.
func RCM(ctx context.Context, m *Matrix) (Permutation, error) {
	if m.Rows != m.Cols {
		return nil, fmt.Errorf("csr: reordering a %d x %d matrix", m.Rows, m.Cols)
	}
	if m.Rows == 0 {
		return nil, nil
	}
	g := newGraph(m)
	g.ctx = ctx
	order := make(Permutation, 0, m.Rows)
	for i := range int32(m.Rows) {
		if !g.numbered.has(i) {
			first := len(order)
			var err error
			if order, err = g.component(order, i); err != nil {
				return nil, err
			}
			slices.Reverse(order[first:])
		}
	}
	return order, nil
}

// maxRoots bounds the vertices that one component is numbered from in search of
// a peripheral one. Two or three are usual.
const maxRoots = 8

// graph is the pattern of A + A^T as an undirected graph.
type graph struct {
	rows       pattern // of A
	cols       pattern // of A; empty if the pattern is symmetric
	degree     []int32
	numbered   bitset
	neighbours []uint64 // not numbered yet, by degree
	ctx        context.Context
	work       int // entries visited since the last check of ctx
}

// pattern is the columns of each row of a matrix.
type pattern struct {
	ptr []int64
	col []int32
}

func (p pattern) row(i int32) []int32 {
	if p.ptr == nil {
		return nil
	}
	return p.col[p.ptr[i]:p.ptr[i+1]]
}

func newGraph(m *Matrix) *graph {
	g := &graph{
		rows: pattern{m.RowPtr, m.Col}, degree: make([]int32, m.Rows), numbered: newBitset(m.Rows),
	}
	if !symmetricPattern(m) {
		g.cols = transposed(m)
	}
	for i := range g.degree {
		g.degree[i] = union(g.rows.row(int32(i)), g.cols.row(int32(i)))
	}
	return g
}

// symmetricPattern reports whether the partner of every entry is stored. Walking
// through the rows meets the entries of column j in the order of row j.
func symmetricPattern(m *Matrix) bool {
	next := slices.Clone(m.RowPtr[:m.Rows])
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			k := next[j]
			if k == m.RowPtr[j+1] || int(m.Col[k]) != i {
				return false
			}
			next[j]++
		}
	}
	return true
}

// transposed returns the pattern of A^T.
func transposed(m *Matrix) pattern {
	t := pattern{make([]int64, m.Cols+1), make([]int32, len(m.Col))}
	for _, j := range m.Col {
		t.ptr[j+1]++
	}
	for j := range m.Cols {
		t.ptr[j+1] += t.ptr[j]
	}
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			t.col[t.ptr[j]] = int32(i)
			t.ptr[j]++ // now the end of row j
		}
	}
	copy(t.ptr[1:], t.ptr)
	t.ptr[0] = 0
	return t
}

// union counts the elements of two increasing lists, common ones once.
func union(a, b []int32) (n int32) {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
		n++
	}
	return n + int32(len(a)+len(b))
}

// component appends the component of vertex i to order: numbered from i, then
// from a vertex of least degree in the last level, and so on until that gives no
// more levels, which makes its root pseudo-peripheral [GeorgeLiu81].
func (g *graph) component(order Permutation, i int32) (Permutation, error) {
	first, levels := len(order), 0
	for range maxRoots {
		for _, v := range order[first:] {
			g.numbered.clear(v)
		}
		var last, deep int
		var err error
		if order, last, deep, err = g.number(order[:first], i); err != nil {
			return nil, err
		}
		next := slices.MinFunc(order[last:], func(v, w int32) int { return int(g.degree[v] - g.degree[w]) })
		if deep <= levels || next == i {
			break
		}
		i, levels = next, deep
	}
	return order, nil
}

// number appends the component of vertex i to order as Cuthill and McKee do:
// vertex by vertex the neighbours, in ascending order of their degrees. It returns where
// the last level begins, and the number of levels.
func (g *graph) number(order Permutation, i int32) (all Permutation, last, levels int, err error) {
	last = len(order)
	order = append(order, i)
	g.numbered.set(i)
	for next := last; ; levels++ {
		end := len(order)
		for ; next < end; next++ {
			row, col := g.rows.row(order[next]), g.cols.row(order[next])
			g.visit(row)
			g.visit(col)
			if g.work += len(row) + len(col) + 1; g.work >= workBetweenChecks {
				g.work = 0
				if err := g.ctx.Err(); err != nil {
					return nil, 0, 0, err
				}
			}
			slices.Sort(g.neighbours)
			for _, v := range g.neighbours {
				order = append(order, int32(uint32(v)))
			}
			g.neighbours = g.neighbours[:0]
		}
		if len(order) == end {
			return order, last, levels + 1, nil
		}
		last = end
	}
}

// visit collects the vertices of a list that have no number.
func (g *graph) visit(vertices []int32) {
	for _, v := range vertices {
		if !g.numbered.has(v) {
			g.numbered.set(v)
			g.neighbours = append(g.neighbours, uint64(g.degree[v])<<32|uint64(v))
		}
	}
}

// LevelWidth returns the size of a separator of the graph of a square matrix, A's rows being
// adjacent to its columns: the smallest level in the middle third of a breadth-first search from
// a vertex in the last level of another one, in the component with the largest such; more
// than others find for graphs whose neighbourhoods grow quickly. Rows with more than
// 10 sqrt n entries are left out. It takes the time of some products. If ctx is done, LevelWidth returns its error.
func LevelWidth(ctx context.Context, m *Matrix) (width int, err error) {
	n := m.Rows
	l := &levels{m: m, ctx: ctx, at: make([]int32, n), order: make([]int32, 0, n)}
	limit := dense(n)
	for i := range n {
		if m.RowPtr[i+1]-m.RowPtr[i] > int64(limit) {
			l.at[i] = -1
		}
	}
	for i := range int32(n) {
		if l.at[i] != 0 {
			continue
		}
		last, err := l.search(i, 1)
		if err == nil {
			_, err = l.search(last, 2)
		}
		if err != nil {
			return 0, err
		}
		width = max(width, l.middle())
	}
	return width, nil
}

// levels is the state of LevelWidth.
type levels struct {
	m     *Matrix
	ctx   context.Context
	at    []int32 // the last search that met a row; 0: none; -1: left out
	order []int32 // rows of the last search
	end   []int   // of its levels, in order
	work  int
}

// middle returns the size of the smallest level in the middle third of the last search.
func (l *levels) middle() int {
	all, begin := len(l.order), 0
	least := all
	for _, end := range l.end {
		if 3*end > all && 3*begin < 2*all {
			least = min(least, end-begin)
		}
		begin = end
	}
	return least
}

// search searches from row i and returns the last row that it meets. Its number is higher
// than the number of any other search of the same rows.
func (l *levels) search(i, number int32) (last int32, err error) {
	l.order, l.end = append(l.order[:0], i), l.end[:0]
	l.at[i] = number
	for from := 0; from < len(l.order); {
		end := len(l.order)
		l.end = append(l.end, end)
		for _, v := range l.order[from:end] {
			cols, _ := l.m.Row(int(v))
			for _, j := range cols {
				if l.at[j] >= 0 && l.at[j] < number {
					l.at[j] = number
					l.order = append(l.order, j)
				}
			}
			if l.work += len(cols) + 1; l.work >= workBetweenChecks {
				l.work = 0
				if err := l.ctx.Err(); err != nil {
					return 0, err
				}
			}
		}
		from = end
	}
	return l.order[len(l.order)-1], nil
}

// dense is the number of entries, of n, beyond which a row counts as dense.
func dense(n int) int32 { return int32(max(16, 10*math.Sqrt(float64(n)))) }

// workBetweenChecks is the number of entries, of some nanoseconds each, after which orders
// check their context.
const workBetweenChecks = 1 << 20
