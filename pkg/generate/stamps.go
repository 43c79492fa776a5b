package generate

import (
	"cmp"
	"slices"
)

// stamps are the entries of a matrix in the order in which a model adds them, as circuit
// simulators do. Entries of one place add up in that order, so that a matrix whose entries
// come in pairs is exactly symmetric.
type stamps struct {
	row, col []int32
	val      []float64
}

// add adds v at (i, j).
func (s *stamps) add(i, j int, v float64) {
	s.row = append(s.row, int32(i))
	s.col = append(s.col, int32(j))
	s.val = append(s.val, v)
}

// pair adds v at (i, j) and at (j, i), which must not be the diagonal.
func (s *stamps) pair(i, j int, v float64) {
	s.add(i, j, v)
	s.add(j, i, v)
}

// edge adds g (x_i - x_j)^2 / 2, a spring or a conductance between two unknowns.
func (s *stamps) edge(i, j int, g float64) {
	s.add(i, i, g)
	s.add(j, j, g)
	s.pair(i, j, -g)
}

// stamped is the source of a matrix of stamps.
type stamped struct {
	start []int // of each row in col and val
	col   []int32
	val   []float64
}

// source sorts the stamps of an n by n matrix into rows. Sums that are zero stay entries.
func (s *stamps) source(n int) source {
	start := make([]int, n+1)
	for _, i := range s.row {
		start[i+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	order, next := make([]int, len(s.row)), slices.Clone(start)
	for k, i := range s.row {
		order[next[i]] = k
		next[i]++
	}
	m := &stamped{start: make([]int, 1, n+1)}
	for i := range n {
		row := order[start[i]:start[i+1]]
		slices.SortStableFunc(row, func(k, l int) int { return cmp.Compare(s.col[k], s.col[l]) })
		for p, k := range row {
			if p > 0 && s.col[row[p-1]] == s.col[k] {
				m.val[len(m.val)-1] += s.val[k]
				continue
			}
			m.col, m.val = append(m.col, s.col[k]), append(m.val, s.val[k])
		}
		m.start = append(m.start, len(m.col))
	}
	return m
}

func (m *stamped) count(row int) int { return m.start[row+1] - m.start[row] }

func (m *stamped) fill(row int, col []int32, val []float64) {
	copy(col, m.col[m.start[row]:m.start[row+1]])
	copy(val, m.val[m.start[row]:m.start[row+1]])
}
