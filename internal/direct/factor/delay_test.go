package factor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// saddles are saddle points whose lower right block is zero.
func saddles(t *testing.T) map[string]*csr.Matrix {
	list := map[string]*csr.Matrix{}
	for kind, n := range map[string]float64{"stokes2d": 8, "mixeddarcy2d": 7, "leastsquares": 8} {
		m, err := generate.Generate(kind, generate.Params{"n": n})
		if err != nil {
			t.Fatal(err)
		}
		s, err := csr.SymmetricScaling(m, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		list[kind] = s.Apply(m, nil)
	}
	return list
}

// singular counts the groups of an order whose pivots have a singular block when the groups before them have been eliminated.
func singular(m *csr.Matrix, e order.Elimination) (count int) {
	n := m.Rows
	s, inverse := mat.NewDense(n, n, nil), e.Order.Inverse()
	for i := range n {
		cols, vals := m.Row(int(e.Order[i]))
		for k, j := range cols {
			s.Set(i, int(inverse[j]), vals[k])
		}
	}
	ends := append(slices.Clone(e.Groups), int32(n))[1:]
	for k, from := range e.Groups {
		lo, hi := int(from), int(ends[k])
		var d mat.SVD
		d.Factorize(s.Slice(lo, hi, lo, hi), mat.SVDNone)
		if values := d.Values(nil); values[len(values)-1] < 1e-10 {
			count++
			for i := lo; i < hi; i++ {
				s.Set(i, i, s.At(i, i)+1)
			}
		}
		if hi == n {
			break
		}
		var x, y mat.Dense
		if err := x.Solve(s.Slice(lo, hi, lo, hi), s.Slice(lo, hi, hi, n)); err != nil {
			continue
		}
		y.Mul(s.Slice(hi, n, lo, hi), &x)
		rest := s.Slice(hi, n, hi, n).(*mat.Dense)
		rest.Sub(rest, &y)
	}
	return count
}

// ordersOf returns a minimum degree order of a matrix and a random one.
func ordersOf(t *testing.T, m *csr.Matrix, seed uint64) []order.Elimination {
	t.Helper()
	g := order.NewGraph(m, nil)
	amd, err := order.AMD(t.Context(), g, order.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	random := make(csr.Permutation, m.Rows)
	for k, v := range rand.New(rand.NewPCG(seed, 2)).Perm(m.Rows) {
		random[k] = int32(v)
	}
	return []order.Elimination{amd, order.Count(g, random)}
}

// Of saddle points, no group has a singular block of pivots after delays.
func TestDelay(t *testing.T) {
	for name, m := range saddles(t) {
		before := 0
		for k, e := range ordersOf(t, m, 1) {
			before += singular(m, e)
			if after := singular(m, Delay(m, e)); after > 0 {
				t.Errorf("%s, order %d: %d groups are singular", name, k, after)
			}
		}
		if before == 0 {
			t.Errorf("%s: nothing to delay", name)
		}
	}
}

// groupOf returns the group of each unknown, and fails unless an order is one of all unknowns in groups that are not empty.
func groupOf(t *testing.T, e order.Elimination, n int) []int32 {
	t.Helper()
	bounds := append(slices.Clone(e.Groups), int32(n))
	if !slices.IsSorted(bounds) || len(slices.Compact(bounds)) != len(bounds) || bounds[0] != 0 || len(e.Order) != n {
		t.Fatalf("order %v in groups %v", e.Order, e.Groups)
	}
	of := marks(n)
	for k, i := range e.Order {
		if of[i] >= 0 {
			t.Fatalf("%d is twice in the order", i)
		}
		at, found := slices.BinarySearch(e.Groups, int32(k))
		if !found {
			at--
		}
		of[i] = int32(at)
	}
	return of
}

// FuzzDelay makes a symmetric matrix of the ends of entries, and its diagonal: only unknowns without a diagonal entry are delayed, behind others, and the
// partners of pairs come into the same group.
func FuzzDelay(f *testing.F) {
	f.Add(uint8(9), uint64(0x1ff), []byte{0, 1, 1, 2, 2, 3, 3, 4})
	f.Add(uint8(40), uint64(0x5555555555), []byte{0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 0, 9, 9, 11, 13, 12})
	f.Add(uint8(64), uint64(1), []byte{1, 1, 1, 3, 1, 4, 1, 5, 1, 6, 2, 7, 3, 7})
	f.Fuzz(func(t *testing.T, size uint8, diagonal uint64, ends []byte) {
		n := 1 + int(size)%64
		m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				if diagonal>>i&1 != 0 {
					add(i, i, 1)
				}
			}
			for k := 0; k+1 < min(len(ends), 400); k += 2 {
				if i, j := int(ends[k])%n, int(ends[k+1])%n; i != j {
					add(i, j, 1)
					add(j, i, 1)
				}
			}
		})
		for _, e := range ordersOf(t, m, diagonal) {
			before := groupOf(t, e, n)
			d := Delay(m, e)
			after := groupOf(t, d, n)
			for _, i := range e.Order {
				for _, j := range e.Order {
					if diagonal>>i&1 == 0 || before[i] > before[j] {
						continue
					}
					if after[i] > after[j] { // an f is never behind what came after it, or together with it
						t.Fatalf("%d was in group %d, then %d, and %d in %d, then %d", i, before[i], after[i], j, before[j], after[j])
					}
				}
			}
			partner := numbers(n)
			for i := 0; i+1 < n; i += 2 {
				if m.At(i, i+1) != 0 {
					partner[i], partner[i+1] = int32(i+1), int32(i)
				}
			}
			of := groupOf(t, Pair(e, partner), n)
			for i, j := range partner {
				if of[i] != of[j] {
					t.Fatalf("%d is in group %d, its partner %d in %d", i, of[i], j, of[j])
				}
			}
			p := problem{Matrix: Matrix{A: m}}
			var err error
			if p.tree, err = NewTree(p.Matrix, d, "", never()); err == nil {
				err = p.checkTree()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
