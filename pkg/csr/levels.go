package csr

import "context"

// LevelWidth returns the size of a separator of the graph of a square matrix, A's rows being
// adjacent to its columns: the smallest level in the middle third of a breadth-first search from
// a vertex in the last level of another one, in the component with the largest such; more
// than others find for graphs whose neighbourhoods grow quickly. Rows that AMD postpones are
// left out. It takes the time of some products. If ctx is done, LevelWidth returns its error.
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
