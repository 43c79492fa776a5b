package csr

import (
	"context"
	"fmt"
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
