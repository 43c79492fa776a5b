package precond

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"gonum.org/v1/gonum/mat"
)

// indefinites are symmetric matrices that are not definite.
func indefinites(t *testing.T) map[string]*csr.Matrix {
	return map[string]*csr.Matrix{
		"flow":       generated(t, "stokes2d", generate.Params{"n": 14}),
		"rock":       generated(t, "mixeddarcy2d", generate.Params{"n": 14}),
		"levelling":  generated(t, "leastsquares", generate.Params{"n": 12}),
		"program":    generated(t, "kkt", generate.Params{"n": 300}),
		"random":     withoutDiagonal(t, randomSparse(t, 301, 4, true, 5)),
		"quasi":      quasiDefinite(200, 90, 3),
		"two by two": withoutDiagonal(t, randomSparse(t, 2, 4, true, 5)),
	}
}

// withoutDiagonal sets every other diagonal element to zero, and couples neighbours.
func withoutDiagonal(t *testing.T, m *csr.Matrix) *csr.Matrix {
	return sparse(t, m.Rows, func(add func(i, j int, v float64)) {
		for i := range m.Rows {
			cols, vals := m.Row(i)
			for k, j := range cols {
				if int(j) != i || i%2 == 1 {
					add(i, int(j), vals[k])
				}
			}
			if other := i ^ 1; other < m.Rows {
				add(i, other, 1)
			}
		}
	})
}

// Factors with delays and with pairs solve to their bound, and have the same bits for any number of threads.
func TestPairedPivotsThreads(t *testing.T) {
	for name, m := range indefinites(t) {
		b := random(m.Rows, 3)
		var want []float64
		for _, threads := range []int{1, 2, 3, 8} {
			s := newSetup(t.Context(), m, Options{}, newPool(t, threads))
			var x []float64
			var c *complete
			for _, plan := range s.indefinitePlans() {
				p, err := plan()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if c, err = s.signed(LU, p); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !s.suffices(c, mostUnpivoted) {
					t.Fatalf("%s: %v does not suffice", name, c)
				}
				z := make([]float64, m.Rows)
				c.Apply(z, b)
				x = append(x, z...)
			}
			if want == nil {
				want = x
				if e := rowwise(m, refined(m, c, b), b); !(e < 1e-13) {
					t.Errorf("%s: error %g with %v", name, e, c)
				}
			}
			if !slices.Equal(x, want) {
				t.Errorf("%s: %d threads give other bits", name, threads)
			}
		}
	}
}

// Where pivots in fronts do not suffice, pairs do.
func TestIndefinite(t *testing.T) {
	list := indefinites(t)
	flow := generated(t, "stokes2d", generate.Params{"n": 40})
	list["weak"] = sparse(t, flow.Rows, func(add func(i, j int, v float64)) {
		for i := range flow.Rows {
			cols, vals := flow.Row(i)
			for k, j := range cols {
				add(i, int(j), vals[k])
			}
			if flow.At(i, i) == 0 {
				add(i, i, 1e-14)
			}
		}
	})
	for name, m := range list {
		said := ""
		s := setupOf(m, Options{Log: func(line string) { said += line }})
		f, _, err := s.indefinite(LDL)
		if err != nil {
			t.Fatal(err)
		}
		b := random(m.Rows, 3)
		if e := rowwise(m, refined(m, f, b), b); !(e < 1e-13) {
			t.Errorf("%s: error %g with %v, %s", name, e, f, said)
		}
		f.Modulus = true
		y, z := make([]float64, m.Rows), make([]float64, m.Rows)
		m.MulVec(y, b)
		f.Apply(z, y)
		m.MulVec(y, z)
		f.Apply(z, y)
		worst := 0.0
		for i := range z {
			worst = max(worst, math.Abs(z[i]-b[i]))
		}
		if f.Apply(y, b); !(worst < 1e-6) || !(kernels.Default().Dot(b, y) > 0) {
			t.Errorf("%s: (M^-1 A)^2 differs from the identity by %g, or M is not positive, with %v", name, worst, f)
		}
	}
}

// Factors in FP32 and FP64, with pivots of each kind, solve to a few of their roundings, and D has the inertia of A.
func TestPrecisions(t *testing.T) {
	for name, m := range indefinites(t) {
		negative := inertia(t, m)
		for in, bound := range map[factor.Precision]float64{factor.FP32: 1e-4, factor.FP64: 1e-12} {
			s := setupOf(m, Options{})
			p, err := s.planPairs()
			if err != nil {
				t.Fatal(err)
			}
			r := &factor.Rule{}
			f, err := s.factor(p, r, in)
			if errors.Is(err, factor.ErrSmall) {
				t.Logf("%s in %s: %v", name, in, err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.newComplete(name, p, f)
			if err != nil {
				t.Fatal(err)
			}
			if e := s.backward(c); !(e <= bound) {
				t.Errorf("%s in %s: backward error %g", name, in, e)
			}
			if got := int(r.Negative.Load()); got != negative {
				t.Errorf("%s in %s: %d negative eigenvalues, want %d", name, in, got, negative)
			}
		}
	}
}

// inertia is the number of negative eigenvalues of a symmetric matrix.
func inertia(t *testing.T, m *csr.Matrix) (negative int) {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(m.Rows, dense(m).RawMatrix().Data), false) {
		t.Fatal("no eigenvalues")
	}
	for _, v := range e.Values(nil) {
		if v < 0 {
			negative++
		}
	}
	return negative
}

// Pairs are of two that are matched, and unknowns without a pair have a diagonal entry unless they are of an odd cycle.
func TestPairs(t *testing.T) {
	for name, m := range indefinites(t) {
		match, _, err := transversal(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		alone := 0
		for i, j := range pairs(match, m.Diagonal(nil)) {
			switch {
			case pairs(match, m.Diagonal(nil))[j] != int32(i):
				t.Fatalf("%s: %d is the partner of %d alone", name, j, i)
			case int(j) == i && m.At(i, i) == 0:
				alone++
			case int(j) != i && m.At(i, int(j)) == 0:
				t.Fatalf("%s: partners %d and %d have no entry", name, i, j)
			}
		}
		if alone > m.Rows/3 {
			t.Errorf("%s: %d of %d have neither a diagonal entry nor a partner", name, alone, m.Rows)
		}
	}
}

// LU of a symmetric matrix of any size is L D L^T, by counts with as little fill as without regard to zeros on the diagonal, or nearly.
func TestSymmetricLU(t *testing.T) {
	for name, m := range indefinites(t) {
		p := mustNew(t, LU, m, Options{}, nil)
		if !strings.HasPrefix(p.String(), "lu, L D L^T") {
			t.Errorf("%s: %v", name, p)
		}
		b := random(m.Rows, 3)
		if e := rowwise(m, refined(m, p, b), b); !(e < 1e-13) {
			t.Errorf("%s: error %g with %v", name, e, p)
		}
	}
	flow := generated(t, "stokes2d", generate.Params{"n": 40})
	whole := flow.Clone()
	for i := range whole.Rows {
		cols, vals := whole.Row(i)
		if k, found := slices.BinarySearch(cols, int32(i)); found {
			vals[k]++
		}
	}
	work := func(m *csr.Matrix) float64 {
		s := setupOf(m, Options{})
		p, err := s.planIndefinite()
		if err != nil {
			t.Fatal(err)
		}
		return p.work.Multiplications
	}
	if got, most := work(flow), 1.2*work(whole); got > most {
		t.Errorf("delays take %g multiplications, more than %g", got, most)
	}
}
