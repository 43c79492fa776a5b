package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// transversal returns the row p[j] that is matched with each column j so that the
// product of the |a_(p[j], j)| is largest, and a scaling to powers of two of which
// these entries become about 1 and all others at most about 1 [Duff01].
//
// Columns are matched one by one along shortest augmenting paths by Dijkstra's
// algorithm, with the lengths c_ij = log max_k |a_kj| - log |a_ij| less the duals
// u_i + v_j. If that takes too long, the remaining columns are matched without regard to
// the values.
func transversal(m *csr.Matrix) (p []int32, s csr.Scaling, err error) {
	t := newMatcher(m)
	t.cheap()
	budget := int64(pathWork) * int64(m.NNZ()+m.Rows)
	for j := range int32(m.Rows) {
		if t.rowOf[j] >= 0 {
			continue
		}
		if !t.augment(j, t.work > budget) {
			return nil, s, fmt.Errorf("%w: no permutation gives a diagonal without zeros", ErrSingular)
		}
	}
	s = csr.NoScaling(m)
	for i := range s.Row {
		s.Row[i] = int(math.Round(t.u[i]))
		s.Col[i] = int(math.Round(t.v[i] - t.logMax[i]))
	}
	return t.rowOf, s, nil
}

// pathWork limits the entries visited in search of shortest paths, as a multiple of those of
// the matrix.
const pathWork = 1000

// matcher holds a partial matching and duals with u_i + v_j <= c_ij, and equality
// for matched pairs. All logarithms are binary.
type matcher struct {
	columns *csr.Matrix // A^T: rows of it are columns of A, the values c_ij
	rowOf   []int32     // of each column, -1: none
	colOf   []int32     // of each row
	u, v    []float64   // duals of rows and columns
	logMax  []float64   // of columns
	work    int64       // entries visited

	distance []float64 // to each row, of this search
	from     []int32   // column before a row on its path
	state    []int64   // 2j+1: seen, 2j+2: final in the search of column j
	queue    heap[item]
	final    []int32
}

func newMatcher(m *csr.Matrix) *matcher {
	n := m.Rows
	t := &matcher{
		columns: m.Transpose(nil), rowOf: marks(n), colOf: marks(n),
		u: make([]float64, n), v: make([]float64, n), logMax: make([]float64, n),
		distance: make([]float64, n), from: make([]int32, n), state: make([]int64, n),
	}
	for j := range n {
		_, vals := t.columns.Row(j)
		most := 0.0
		for _, v := range vals {
			most = max(most, math.Abs(v))
		}
		t.logMax[j] = math.Log2(most)
		for k, v := range vals {
			vals[k] = t.logMax[j] - math.Log2(math.Abs(v)) // +Inf for a zero
		}
	}
	for i := range t.u {
		t.u[i] = math.Inf(1)
	}
	for j := range n {
		rows, c := t.columns.Row(j)
		for k, i := range rows {
			t.u[i] = min(t.u[i], c[k])
		}
	}
	for j := range n {
		rows, c := t.columns.Row(j)
		t.v[j] = math.Inf(1)
		for k, i := range rows {
			t.v[j] = min(t.v[j], c[k]-t.u[i])
		}
	}
	return t
}

// cheap matches columns with free rows along edges of length zero.
func (t *matcher) cheap() {
	for j := range t.rowOf {
		rows, c := t.columns.Row(j)
		for k, i := range rows {
			if t.colOf[i] < 0 && c[k]-t.u[i]-t.v[j] <= 0 {
				t.rowOf[j], t.colOf[i] = i, int32(j)
				break
			}
		}
	}
}

// augment finds a shortest path from column root to a free row, or any path, and
// changes the matching along it. It reports whether there is one.
func (t *matcher) augment(root int32, anyPath bool) bool {
	seen, done := 2*int64(root)+1, 2*int64(root)+2
	t.queue, t.final = t.queue[:0], t.final[:0]
	j, base, end := root, 0.0, int32(-1)
	for end < 0 {
		rows, c := t.columns.Row(int(j))
		t.work += int64(len(rows))
		for k, i := range rows {
			if t.state[i] == done || math.IsInf(c[k], 1) {
				continue
			}
			length := base
			if !anyPath {
				length += max(c[k]-t.u[i]-t.v[j], 0)
			}
			if t.state[i] == seen && length >= t.distance[i] {
				continue
			}
			t.state[i], t.distance[i], t.from[i] = seen, length, j
			t.queue.push(item{length, i})
		}
		for {
			if len(t.queue) == 0 {
				return false
			}
			next := t.queue.pop()
			if t.state[next.row] == done || next.length > t.distance[next.row] {
				continue
			}
			base = next.length
			if t.colOf[next.row] < 0 {
				end = next.row
				break
			}
			t.state[next.row] = done
			t.final = append(t.final, next.row)
			j = t.colOf[next.row]
			break
		}
	}
	if !anyPath {
		for _, i := range t.final {
			t.u[i] += t.distance[i] - base
			t.v[t.colOf[i]] -= t.distance[i] - base
		}
		t.v[root] += base
	}
	for i := end; ; {
		j := t.from[i]
		before := t.rowOf[j]
		t.rowOf[j], t.colOf[i] = i, j
		if j == root {
			return true
		}
		i = before
	}
}

// item is a row that a search has reached.
type item struct {
	length float64
	row    int32
}

func (a item) before(b item) bool {
	return a.length < b.length || a.length == b.length && a.row < b.row
}
