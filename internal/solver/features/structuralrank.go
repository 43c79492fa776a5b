package features

import (
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// structuralRank returns the largest rank that a matrix with the pattern of the nonzeros of m can have: the largest number of
// nonzeros of which no two share a row or a column, a maximum matching of rows and columns, by shortest augmenting paths in phases
// [HopcroftKarp73]. known is false if that takes more than work visits of entries; the rank is a lower bound then.
func structuralRank(m *csr.Matrix, work int64) (rank int, known bool) {
	return newTransversal(m, work).match()
}

func newTransversal(m *csr.Matrix, work int64) *transversal {
	return &transversal{m: m, work: work, rowOf: unmatched(m.Cols), colOf: unmatched(m.Rows), level: make([]int32, m.Rows), next: make([]int64, m.Rows)}
}

// match finds a maximum matching, see structuralRank.
func (t *transversal) match() (rank int, known bool) {
	for i := range t.m.Rows {
		rank += t.cheap(int32(i))
	}
	for t.work >= 0 && rank < min(t.m.Rows, t.m.Cols) && t.layers() {
		for i := range t.m.Rows {
			if t.colOf[i] < 0 && t.augment(int32(i)) {
				rank++
			}
		}
	}
	return rank, t.work >= 0
}

// transversal is a matching of rows and columns.
type transversal struct {
	m            *csr.Matrix
	work         int64   // visits left; negative: none
	rowOf, colOf []int32 // matched with a column and a row; -1: none
	level        []int32 // of rows: the distance from rows that are not matched
	next         []int64 // the entry of a row to go on from
	path         []int32 // rows
}

func unmatched(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

func (t *transversal) pair(i, j int32) { t.rowOf[j], t.colOf[i] = i, j }

// cheap matches row i with its diagonal or another column that is free, and returns how many rows that is.
func (t *transversal) cheap(i int32) int {
	cols, vals := t.m.Row(int(i))
	free := int32(-1)
	for k, j := range cols {
		if vals[k] != 0 && t.rowOf[j] < 0 && (free < 0 || j == i) {
			free = j
		}
	}
	if t.work -= int64(len(cols)); free < 0 {
		return 0
	}
	t.pair(i, free)
	return 1
}

// layers sets the levels of rows, and reports whether a free column can be reached.
func (t *transversal) layers() (found bool) {
	var queue []int32
	for i := range t.level {
		t.level[i], t.next[i] = -1, t.m.RowPtr[i]
		if t.colOf[i] < 0 {
			t.level[i] = 0
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		cols, vals := t.m.Row(int(i))
		t.work -= int64(len(cols))
		for k, j := range cols {
			switch r := t.rowOf[j]; {
			case vals[k] == 0:
			case r < 0:
				found = true
			case t.level[r] < 0:
				t.level[r] = t.level[i] + 1
				queue = append(queue, r)
			}
		}
	}
	return found && t.work >= 0
}

// augment looks for a path from row i, level by level, to a free column, and exchanges the matching along it.
func (t *transversal) augment(i int32) bool {
	t.path = append(t.path[:0], i)
	for len(t.path) > 0 {
		i := t.path[len(t.path)-1]
		down := int32(-1)
		for down < 0 && t.next[i] < t.m.RowPtr[i+1] && t.work >= 0 {
			k := t.next[i]
			j := t.m.Col[k]
			t.work--
			switch r := t.rowOf[j]; {
			case t.m.Val[k] == 0:
			case r < 0:
				t.exchange(j)
				return true
			case t.level[r] == t.level[i]+1:
				down = r
				continue // the entry is looked at again on the way back
			}
			t.next[i]++
		}
		if down >= 0 {
			t.path = append(t.path, down)
			continue
		}
		t.level[i] = -1
		if t.path = t.path[:len(t.path)-1]; len(t.path) > 0 {
			t.next[t.path[len(t.path)-1]]++
		}
	}
	return false
}

// exchange matches the rows of the path anew, the last one with column j.
func (t *transversal) exchange(j int32) {
	for k := len(t.path) - 1; k >= 0; k-- {
		i := t.path[k]
		before := t.colOf[i]
		t.pair(i, j)
		t.level[i] = -1 // on no other path of this phase
		j = before
	}
}

// structure is what the pattern of a matrix alone says about its rank.
type structure struct {
	once  sync.Once
	rank  int
	known bool
	over  []Overdetermined
}

// Overdetermined is a set of rows whose nonzeros are all in fewer columns than there are rows.
type Overdetermined struct{ Rows, Cols []int32 } // Cols in order

// StructuralRank returns the largest rank that a matrix with this pattern of nonzeros can have, see structuralRank. If it is less
// than the number of rows, the matrix is singular whatever its values, and there is no solution, or more than one. known is false where
// the search would take too long, and where ranks share a matrix with zeros on the diagonal.
func (s *Matrix) StructuralRank() (rank int, known bool) {
	found := s.structure()
	return found.rank, found.known
}

// Overdetermined returns the overdetermined part of a structurally singular matrix, in the decomposition of [DulmageMendelsohn58]:
// a set for each of the first rows that a maximum matching leaves out, at most mostSets.
func (s *Matrix) Overdetermined() []Overdetermined { return s.structure().over }

// mostSets bounds the sets of Overdetermined.
const mostSets = 64

// Matching returns the rows and the columns of a maximum matching of the nonzeros of m, in order, and the sets of Overdetermined; known is false if that
// takes too long.
func Matching(m *csr.Matrix) (rows, cols []int32, over []Overdetermined, known bool) {
	t := newTransversal(m, rules.StructureWork*int64(m.NNZ()+m.Rows))
	if _, known = t.match(); !known {
		return nil, nil, nil, false
	}
	for i, j := range t.colOf {
		if j >= 0 {
			rows = append(rows, int32(i))
		}
	}
	for j, i := range t.rowOf {
		if i >= 0 {
			cols = append(cols, int32(j))
		}
	}
	return rows, cols, t.overdetermined(mostSets), true
}

// structure finds the structure of the matrix as given, once.
func (s *Matrix) structure() *structure {
	found := &s.Known.structure
	found.once.Do(func() {
		full := min(s.Facts.Rows, s.Facts.Cols)
		switch {
		case s.Facts.Rows == s.Facts.Cols && s.Facts.DiagonalZero == 0:
			found.rank, found.known = full, true
		case s.Job == nil:
			t := newTransversal(s.Given, rules.StructureWork*int64(s.Given.NNZ()+s.Given.Rows))
			found.rank, found.known = t.match()
			if found.known && found.rank < full {
				found.over = t.overdetermined(mostSets)
			}
		}
	})
	return found
}

// overdetermined returns a set for each of the first rows that a maximum matching leaves out: the rows on alternating paths from that row, and their
// columns, each of which is matched with another row of the set.
func (t *transversal) overdetermined(most int) (sets []Overdetermined) {
	seen := make([]int32, t.m.Cols) // the number of the set that has met a column last
	for i, j := range t.colOf {
		if j >= 0 || len(sets) == most {
			continue
		}
		set := Overdetermined{Rows: []int32{int32(i)}}
		for k := 0; k < len(set.Rows); k++ {
			cols, vals := t.m.Row(int(set.Rows[k]))
			for e, j := range cols {
				if vals[e] != 0 && seen[j] <= int32(len(sets)) {
					seen[j] = int32(len(sets) + 1)
					set.Rows, set.Cols = append(set.Rows, t.rowOf[j]), append(set.Cols, j)
				}
			}
		}
		slices.Sort(set.Cols)
		sets = append(sets, set)
	}
	return sets
}
