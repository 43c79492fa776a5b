package order

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// randomRectangle has entries of 1 and a full diagonal, and rows and columns that are empty
// but for that, dense, or equal to others.
func randomRectangle(r *rand.Rand, rows, cols int, perRow float64) *csr.Matrix {
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		panic(err)
	}
	add := func(i, j int) {
		if err := b.Add(i, j, 1); err != nil {
			panic(err)
		}
	}
	for i := range rows {
		from := i
		if i > 0 && r.IntN(4) == 0 {
			from = i - 1
		}
		s := rand.New(rand.NewPCG(uint64(from), 9))
		for j := range cols {
			if s.Float64()*float64(cols) < perRow {
				add(i, j)
			}
		}
		if i < cols {
			add(i, i)
		}
	}
	if dense := r.IntN(3); dense > 0 && rows > 3 {
		for j := range cols {
			add(rows/2, j)
		}
		for i := range rows {
			if dense == 2 {
				add(i, cols/3)
			}
		}
	}
	return b.Build()
}

// countedDensely counts the entries of the factor of a symmetric pattern, one row after the
// other in the order given, by dense elimination.
func countedDensely(pattern [][]bool, order csr.Permutation) (entries int64, multiplications float64) {
	n := len(order)
	a := make([][]bool, n)
	for i := range a {
		a[i] = make([]bool, n)
		for j := range n {
			a[i][j] = pattern[order[i]][order[j]]
		}
	}
	for k := range n {
		below := 0
		for i := k + 1; i < n; i++ {
			if a[i][k] {
				below++
				for j := k + 1; j < n; j++ {
					a[i][j] = a[i][j] || a[k][j]
				}
			}
		}
		entries += int64(below)
		multiplications += float64(below) + float64(below*below)
	}
	return entries, multiplications
}

// Orders are permutations for every pattern, the same ones each time, and what they say of
// the factors of a pattern is no less than it is, and the same but for dense rows.
func TestAMD(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		rows := 1 + r.IntN(60)
		cols := rows
		if round%3 == 0 {
			cols = r.IntN(60)
		}
		m := randomRectangle(r, rows, max(cols, 1), r.Float64()*4)
		products := make([][]bool, rows) // A A^T
		either := make([][]bool, rows)   // A + A^T
		for i := range rows {
			products[i], either[i] = make([]bool, rows), make([]bool, rows)
			for j := range rows {
				for k := range m.Cols {
					products[i][j] = products[i][j] || m.At(i, k) != 0 && m.At(j, k) != 0
				}
				either[i][j] = m.Cols == rows && (m.At(i, j) != 0 || m.At(j, i) != 0)
			}
		}
		check := func(name string, e Elimination, err error, again Elimination, pattern [][]bool, exact bool) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := e.Order.Validate(); err != nil || len(e.Order) != rows {
				t.Fatalf("%s: %d of %d rows, %v", name, len(e.Order), rows, err)
			}
			for k := range e.Order {
				if e.Order[k] != again.Order[k] {
					t.Fatalf("%s: another order at the second time", name)
				}
			}
			entries, multiplications := countedDensely(pattern, e.Order)
			if e.Entries < entries || e.Multiplications < multiplications-0.5 {
				t.Errorf("%s: %d entries and %g multiplications, really %d and %g", name, e.Entries, e.Multiplications, entries, multiplications)
			}
			if exact && (e.Entries != entries || e.Multiplications > multiplications+0.5) {
				t.Errorf("%s: %d entries and %g multiplications, exactly %d and %g", name, e.Entries, e.Multiplications, entries, multiplications)
			}
		}
		exact := rows < 17 // no row is dense
		if rows == m.Cols {
			g := NewGraph(m, m.Transpose(nil))
			e, err := AMD(t.Context(), g, Limit{})
			again, _ := AMD(t.Context(), g, Limit{})
			check("AMD", e, err, again, either, exact)
		}
		e, err := RowAMD(t.Context(), m, Limit{})
		again, _ := RowAMD(t.Context(), m, Limit{})
		if exact && m.Cols < 17 {
			check("RowAMD", e, err, again, products, true)
		} else if err != nil || e.Order.Validate() != nil || len(e.Order) != rows {
			t.Errorf("RowAMD of %d x %d: %v, %v", rows, m.Cols, e.Order, err)
		}
	}
}

// A grid of 60 x 60 has a factor of about 15 entries a row, and an arrow one that does
// not fill.
func TestAMDFill(t *testing.T) {
	const k = 60
	b, err := csr.NewBuilder(k*k, k*k)
	if err != nil {
		t.Fatal(err)
	}
	add := func(b *csr.Builder, i, j int) {
		if err := b.Add(i, j, 1); err != nil {
			t.Fatal(err)
		}
	}
	for i := range k * k {
		add(b, i, i)
		if i%k > 0 {
			add(b, i, i-1)
			add(b, i-1, i)
		}
		if i >= k {
			add(b, i, i-k)
			add(b, i-k, i)
		}
	}
	e, err := AMD(t.Context(), NewGraph(b.Build(), nil), Limit{})
	if err != nil || e.Entries > 56000 {
		t.Errorf("grid: %d entries, %v", e.Entries, err)
	}
	const n = 5000
	if b, err = csr.NewBuilder(n, n); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		add(b, i, i)
		add(b, 0, i)
		add(b, i, 0)
	}
	if e, err = AMD(t.Context(), NewGraph(b.Build(), nil), Limit{}); err != nil || e.Entries != n-1 || e.Order[n-1] != 0 {
		t.Errorf("arrow: %d entries, %v", e.Entries, err)
	}
}

func TestAMDInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := randomRectangle(rand.New(rand.NewPCG(1, 1)), 50, 50, 3)
	if _, err := AMD(ctx, NewGraph(m, m.Transpose(nil)), Limit{}); err == nil {
		t.Error("AMD goes on")
	}
	if _, err := RowAMD(ctx, m, Limit{}); err == nil {
		t.Error("RowAMD goes on")
	}
}

// An order is given up at its limit, and a limit that it keeps changes nothing.
func TestAMDLimit(t *testing.T) {
	m := randomRectangle(rand.New(rand.NewPCG(2, 1)), 20_000, 20_000, 8)
	for name, find := range map[string]func(Limit) (Elimination, error){
		"AMD":    func(limit Limit) (Elimination, error) { return AMD(t.Context(), NewGraph(m, m.Transpose(nil)), limit) },
		"RowAMD": func(limit Limit) (Elimination, error) { return RowAMD(t.Context(), m, limit) },
	} {
		free, err := find(Limit{})
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := find(Limit{Multiplications: 2 * free.Multiplications, Visits: math.MaxInt}); err != nil || !slices.Equal(kept.Order, free.Order) {
			t.Errorf("%s within its limit: %v", name, err)
		}
		for _, limit := range []Limit{{Multiplications: free.Multiplications / 2}, {Visits: 2 << 20}} {
			if _, err := find(limit); !errors.Is(err, ErrLimit) {
				t.Errorf("%s beyond %+v: %v", name, limit, err)
			}
		}
	}
}
