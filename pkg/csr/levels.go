package csr

import "context"

// LevelWidth returns the size of the largest level of a breadth-first search of the graph of a
// square matrix, A's rows being adjacent to its columns, from a vertex in the last level of
// another one, in the widest of its components: about the size of a separator of
// a mesh, and more for graphs whose neighbourhoods grow quickly. Rows that AMD postpones are left
// out. It ends as soon as the width exceeds most. The time is that of some products.
func LevelWidth(ctx context.Context, m *Matrix, most int) (width int, err error) {
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
		last, w, err := l.search(i, 1, most)
		if err == nil && w <= most {
			_, w, err = l.search(last, 2, most)
		}
		if err != nil {
			return 0, err
		}
		if width = max(width, w); width > most {
			break
		}
	}
	return width, nil
}

// levels is the state of LevelWidth.
type levels struct {
	m     *Matrix
	ctx   context.Context
	at    []int32 // the last search that met a row; 0: none; -1: left out
	order []int32
	work  int
}

// search returns the last row that a search from row i meets, and the largest level, or one of
// more than most rows. Its number is higher than that of other searches of the same rows.
func (l *levels) search(i, number int32, most int) (last int32, width int, err error) {
	order := append(l.order[:0], i)
	l.at[i] = number
	for from := 0; from < len(order); {
		end := len(order)
		if width = max(width, end-from); width > most {
			break
		}
		for _, v := range order[from:end] {
			cols, _ := l.m.Row(int(v))
			for _, j := range cols {
				if l.at[j] >= 0 && l.at[j] < number {
					l.at[j] = number
					order = append(order, j)
				}
			}
			if l.work += len(cols) + 1; l.work >= workBetweenLooks {
				l.work = 0
				if err := l.ctx.Err(); err != nil {
					return 0, 0, err
				}
			}
		}
		from = end
	}
	return order[len(order)-1], width, nil
}
