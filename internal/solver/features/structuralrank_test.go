package features

import (
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// slowRank is structuralRank by one augmenting path after another, recursively.
func slowRank(m *csr.Matrix) (rank int) {
	rowOf := unmatched(m.Cols)
	var find func(i int, seen []bool) bool
	find = func(i int, seen []bool) bool {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if vals[k] == 0 || seen[j] {
				continue
			}
			seen[j] = true
			if rowOf[j] < 0 || find(int(rowOf[j]), seen) {
				rowOf[j] = int32(i)
				return true
			}
		}
		return false
	}
	for i := range m.Rows {
		if find(i, make([]bool, m.Cols)) {
			rank++
		}
	}
	return rank
}

func TestStructuralRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	full, lower := 0, 0
	for range 2000 {
		rows, cols := 1+rng.IntN(12), 1+rng.IntN(12)
		m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1)}
		density := rng.Float64() * 0.6
		for i := range rows {
			for j := range cols {
				if rng.Float64() < density {
					m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, float64(rng.IntN(4))) // some are zero
				}
			}
			m.RowPtr[i+1] = int64(len(m.Col))
		}
		rank, known := structuralRank(m, 1<<40)
		if want := slowRank(m); rank != want || !known {
			t.Fatalf("rank %d, want %d, known %v, of %+v", rank, want, known, m)
		}
		if rank == min(rows, cols) {
			full++
		} else {
			lower++
		}
		if few, known := structuralRank(m, 1); known && m.NNZ() > 1 || few > rank {
			t.Fatalf("rank %d of %d, known %v, without work", few, rank, known)
		}
	}
	if full < 200 || lower < 200 {
		t.Errorf("%d of full rank, %d not", full, lower)
	}
}

// A path that goes through all rows: the diagonal is empty but for its place, which the cheap matching takes first.
func TestStructuralRankLongPath(t *testing.T) {
	const n = 100_000
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
	for i := range n { // row i has columns i and i+1, the last one 0
		if m.Col = append(m.Col, int32(i)); i+1 < n {
			m.Col = append(m.Col, int32(i+1))
		} else {
			m.Col[len(m.Col)-1] = 0
		}
		m.RowPtr[i+1] = int64(len(m.Col))
	}
	m.Val = make([]float64, len(m.Col))
	for i := range m.Val {
		m.Val[i] = 1
	}
	if rank, known := structuralRank(m, int64(20*len(m.Col))); rank != n || !known {
		t.Errorf("rank %d of %d, known %v", rank, n, known)
	}
}

// Sets of the overdetermined part have one equation more than unknowns, and all of the nonzeros of these equations; a matching has as many rows as columns.
func TestOverdetermined(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	sets := 0
	for range 1000 {
		n := 1 + rng.IntN(15)
		m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
		density := rng.Float64() * 0.4
		for i := range n {
			for j := range n {
				if rng.Float64() < density {
					m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, float64(rng.IntN(4)))
				}
			}
			m.RowPtr[i+1] = int64(len(m.Col))
		}
		rows, cols, over, known := Matching(m)
		if rank, _ := structuralRank(m, 1<<40); !known || len(rows) != rank || len(cols) != rank || len(over) != n-rank {
			t.Fatalf("%d rows, %d columns and %d sets of a matrix of %d rows and rank %d", len(rows), len(cols), len(over), n, rank)
		}
		for _, set := range over {
			sets++
			in := map[int32]bool{}
			for _, j := range set.Cols {
				in[j] = true
			}
			if len(set.Rows) != len(set.Cols)+1 || len(in) != len(set.Cols) {
				t.Fatalf("%d rows in %d columns", len(set.Rows), len(set.Cols))
			}
			for _, i := range set.Rows {
				of, vals := m.Row(int(i))
				for k, j := range of {
					if vals[k] != 0 && !in[j] {
						t.Fatalf("row %d has column %d outside of %v", i, j, set.Cols)
					}
				}
			}
		}
	}
	if sets < 500 {
		t.Errorf("%d sets", sets)
	}
}
