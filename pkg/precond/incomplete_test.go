package precond

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

var incompleteKinds = []Kind{ILU0, IC0, ILUT, ICT}

// sparse makes a matrix of what fill adds.
func sparse(t testing.TB, n int, fill func(add func(i, j int, v float64))) *csr.Matrix {
	t.Helper()
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	fill(func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			t.Fatal(err)
		}
	})
	return b.Build()
}

// randomSparse is diagonally dominant, so that all factors exist; symmetric ones
// are positive definite.
func randomSparse(t testing.TB, n int, perRow float64, symmetric bool, seed uint64) *csr.Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	return sparse(t, n, func(add func(i, j int, v float64)) {
		sum := make([]float64, n)
		for i := range n {
			for j := range i {
				if r.Float64()*float64(n) > perRow {
					continue
				}
				v, w := r.NormFloat64(), r.NormFloat64()
				if symmetric {
					w = v
				}
				add(i, j, v)
				add(j, i, w)
				sum[i] += math.Abs(v)
				sum[j] += math.Abs(w)
			}
		}
		for i := range n {
			add(i, i, sum[i]+0.1)
		}
	})
}

func laplace(t testing.TB, points int) *csr.Matrix {
	t.Helper()
	return generated(t, "poisson2d", generate.Params{"n": float64(points)})
}

func dotted(x, y []float64) (s float64) {
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

// largestChange is that of any element of M^-1 A x relative to x of ones and twos.
func largestChange(p Preconditioner, m *csr.Matrix) (worst float64) {
	x, y, z := make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.Rows)
	for i := range x {
		x[i] = 1 + float64(i%2)
	}
	m.MulVec(y, x)
	p.Apply(z, y)
	for i := range z {
		worst = max(worst, math.Abs(z[i]-x[i]))
	}
	return worst
}

// L U is A on the pattern of A.
func TestILU0MatchesPattern(t *testing.T) {
	for seed := range uint64(20) {
		m := randomSparse(t, 40, 4, false, seed)
		f, shifted := ilu0(m)
		if shifted != 0 {
			t.Fatalf("%d pivots replaced", shifted)
		}
		checkProduct(t, m, f)
	}
}

// L L^T is A on the pattern of A.
func TestIC0MatchesPattern(t *testing.T) {
	for seed := range uint64(20) {
		m := randomSparse(t, 40, 4, true, seed)
		s := newSetup(m, Options{})
		f, bad, err := s.cholesky(m, m.Diagonal(nil), 0, keepPattern{})
		if bad >= 0 || err != nil {
			t.Fatal(bad, err)
		}
		f.l = rows{ptr: make([]int64, 1)}
		for i := range m.Rows {
			for k := range i {
				cols, vals := f.u.row(k)
				if e, found := slices.BinarySearch(cols, int32(i)); found {
					f.l.col, f.l.val = append(f.l.col, int32(k)), append(f.l.val, vals[e]/f.d[k])
				}
			}
			f.l.end()
		}
		checkProduct(t, m, f)
	}
}

// checkProduct compares (I + l)(d + u) with m where m has entries.
func checkProduct(t *testing.T, m *csr.Matrix, f *factors) {
	t.Helper()
	n := m.Rows
	for i := range n {
		product := make([]float64, n)
		add := func(factor float64, k int) {
			product[k] += factor * f.d[k]
			cols, vals := f.u.row(k)
			for e, j := range cols {
				product[j] += factor * vals[e]
			}
		}
		cols, vals := f.l.row(i)
		for e, k := range cols {
			add(vals[e], int(k))
		}
		add(1, i)
		cols, vals = m.Row(i)
		for e, j := range cols {
			if math.Abs(product[j]-vals[e]) > 1e-13*m.At(i, i) {
				t.Fatalf("entry %d, %d of L U is %g, that of A %g", i, j, product[j], vals[e])
			}
		}
	}
}

// Without dropping, factors are complete: M = A up to the rounding of values.
func TestCompleteFactors(t *testing.T) {
	for seed := range uint64(10) {
		for _, symmetric := range []bool{false, true} {
			m := randomSparse(t, 60, 3, symmetric, seed)
			for _, kind := range []Kind{ILUT, ICT} {
				if kind == ICT && !symmetric {
					continue
				}
				for epsilon, bound := range map[float64]float64{adaptive.MinEpsilon: 1e-10, 0x1p-32: 1e-5, 0x1p-16: 0.05} {
					opt := Options{Symmetric: symmetric, DropTol: 1e-300, Fill: 1e6, Epsilon: epsilon}
					if e := largestChange(mustNew(t, kind, m, opt, nil), m); !(e <= bound) {
						t.Errorf("%s, epsilon %g: M^-1 A x differs from x by %g", kind, epsilon, e)
					}
				}
			}
		}
	}
}

// Apply solves with the stored factors, and a symmetric M stays so.
func TestIncompleteIsSymmetric(t *testing.T) {
	m := laplace(t, 50)
	for _, kind := range []Kind{IC0, ICT, ILU0} {
		for _, epsilon := range []float64{0x1p-8, 0x1p-16, 0x1p-32, adaptive.MinEpsilon} {
			p := mustNew(t, kind, m, Options{Symmetric: true, Epsilon: epsilon}, nil)
			x, y := random(m.Rows, 1), random(m.Rows, 2)
			px, py := make([]float64, m.Rows), make([]float64, m.Rows)
			p.Apply(px, x)
			p.Apply(py, y)
			a, b, scale := dotted(x, py), dotted(y, px), math.Sqrt(dotted(x, x)*dotted(py, py))
			if math.Abs(a-b) > 1e-13*scale {
				t.Errorf("%s, epsilon %g: x·M^-1 y = %g, y·M^-1 x = %g", kind, epsilon, a, b)
			}
		}
	}
}

// M is near L U as factored: within epsilon of the largest values.
func TestApplyInvertsFactors(t *testing.T) {
	for seed := range uint64(10) {
		m := randomSparse(t, 50, 4, false, seed)
		f, _ := ilu0(m)
		n := m.Rows
		x, want := random(n, seed), make([]float64, n)
		for i := range n {
			cols, vals := f.u.row(i)
			ux := f.d[i] * x[i]
			for e, j := range cols {
				ux += vals[e] * x[j]
			}
			want[i] += ux
			cols, vals = f.l.row(i)
			for e, j := range cols {
				cu, vu := f.u.row(int(j))
				uj := f.d[j] * x[j]
				for k, c := range cu {
					uj += vu[k] * x[c]
				}
				want[i] += vals[e] * uj
			}
		}
		for epsilon, bound := range map[float64]float64{0x1p-8: 0.5, 0x1p-16: 2e-3, 0x1p-32: 1e-7, adaptive.MinEpsilon: 1e-11} {
			p := mustNew(t, ILU0, m, Options{Epsilon: epsilon}, nil)
			got := make([]float64, n)
			p.Apply(got, want)
			for i := range got {
				if !(math.Abs(got[i]-x[i]) <= bound) {
					t.Fatalf("epsilon %g: element %d is %g, want %g", epsilon, i, got[i], x[i])
				}
			}
		}
	}
}

// Large matrices are cut into domains, whatever the number of threads.
func TestIncompleteSameBits(t *testing.T) {
	m := laplace(t, 200)
	src := random(m.Rows, 3)
	for _, kind := range incompleteKinds {
		var first []float64
		for _, threads := range []int{1, 2, 3, 8} {
			pool := linop.NewPool(threads)
			p := mustNew(t, kind, m, Options{Symmetric: true, Fill: 2}, pool)
			if p.(*incomplete).bounds == nil {
				t.Fatal("the matrix is not cut into domains")
			}
			dst := make([]float64, m.Rows)
			p.Apply(dst, src)
			if first == nil {
				first = dst
			}
			if !slices.Equal(first, dst) {
				t.Errorf("%s: other bits with %d threads", kind, threads)
			}
			if n := testing.AllocsPerRun(3, func() { p.Apply(dst, src) }); n != 0 {
				t.Errorf("%s: %g allocations", kind, n)
			}
			if c := p.Cost(); 2*c.ValueBytes > 8*c.Values {
				t.Errorf("%s: %d bytes for %d values", kind, c.ValueBytes, c.Values)
			}
			pool.Close()
		}
	}
}

func TestIncompleteFailures(t *testing.T) {
	diagonal := func(d ...float64) *csr.Matrix {
		return sparse(t, len(d), func(add func(i, j int, v float64)) {
			for i, v := range d {
				add(i, i, v)
			}
		})
	}
	emptyColumn := sparse(t, 2, func(add func(i, j int, v float64)) {
		add(0, 0, 1)
		add(1, 0, 1)
	})
	structural := sparse(t, 3, func(add func(i, j int, v float64)) {
		for k := range 3 {
			add(0, k, 1)
			add(k, 0, 1)
		}
	})
	for _, c := range []struct {
		name      string
		m         *csr.Matrix
		kinds     []Kind
		symmetric bool
		max       int64
		want      error
	}{
		{"negative diagonal", diagonal(1, -1), []Kind{IC0, ICT}, true, 0, ErrNotDefinite},
		{"zero diagonal", diagonal(1, 0), []Kind{IC0, ICT}, true, 0, ErrNotDefinite},
		{"empty row", diagonal(1, 0), []Kind{ILU0, ILUT}, false, 0, ErrSingular},
		{"empty column", emptyColumn, []Kind{ILU0, ILUT}, false, 0, ErrSingular},
		{"structurally singular", structural, []Kind{ILU0, ILUT}, false, 0, ErrSingular},
		{"memory", laplace(t, 30), incompleteKinds, true, 1000, ErrMemory},
		{"memory for fill", laplace(t, 30), []Kind{ILUT, ICT}, true, 80000, ErrMemory},
	} {
		for _, kind := range c.kinds {
			_, err := New(context.Background(), kind, c.m, Options{Symmetric: c.symmetric, MaxBytes: c.max}, nil)
			if !errors.Is(err, c.want) || strings.Contains(fmt.Sprint(err), "\n") {
				t.Errorf("%s, %s: %v, want %v", c.name, kind, err, c.want)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		m := laplace(t, 5)
		m.Val[1] = bad
		for _, kind := range incompleteKinds {
			if _, err := New(context.Background(), kind, m, Options{Symmetric: true}, nil); err == nil {
				t.Errorf("%s: no error for an entry of %g", kind, bad)
			}
		}
	}
}

// Matrices with bad pivots are factored with a shift that is said.
func TestShiftIsSaid(t *testing.T) {
	kershaw := sparse(t, 4, func(add func(i, j int, v float64)) {
		for i, row := range [][]float64{{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}} {
			for j, v := range row {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	})
	ones := sparse(t, 2, func(add func(i, j int, v float64)) {
		for k := range 4 {
			add(k/2, k%2, 1)
		}
	})
	for kind, m := range map[Kind]*csr.Matrix{IC0: kershaw, ICT: ones, ILU0: ones, ILUT: ones} {
		var lines []string
		p := mustNew(t, kind, m, Options{Symmetric: true, Log: func(s string) { lines = append(lines, s) }}, nil)
		if len(lines) != 1 || !strings.HasPrefix(lines[0], string(kind)) {
			t.Errorf("%s: said %q", kind, lines)
		}
		dst := make([]float64, m.Rows)
		p.Apply(dst, []float64{1, 2, 3, 4}[:m.Rows])
		if s := dotted(dst, dst); !finite(s) {
			t.Errorf("%s: M^-1 x = %v", kind, dst)
		}
	}
}

// A permuted matrix is factored by its permutation, and scaling does not matter.
func TestZeroDiagonal(t *testing.T) {
	n := 30
	m := sparse(t, n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, (i+7)%n, math.Ldexp(1, i%5*20))
			add(i, (i+8)%n, math.Ldexp(0.25, i%5*20))
		}
	})
	for kind, bound := range map[Kind]float64{ILU0: 0.2, ILUT: 1e-3} { // one entry of fill
		p := mustNew(t, kind, m, Options{Fill: 100, Epsilon: adaptive.MinEpsilon}, nil)
		if e := largestChange(p, m); !(e < bound) {
			t.Errorf("%s: M^-1 A x differs from x by %g", kind, e)
		}
	}
}

// Whatever the pattern and values, there is an error or a finite result.
func FuzzIncomplete(f *testing.F) {
	f.Add([]byte{0, 0, 4, 0, 1, 255, 1, 1, 4})
	f.Add([]byte{0, 1, 4, 1, 0, 1, 2, 2, 0, 3, 3, 128})
	f.Fuzz(func(t *testing.T, data []byte) {
		const n = 8
		for _, symmetric := range []bool{false, true} {
			m := sparse(t, n, func(add func(i, j int, v float64)) {
				for data := data; len(data) >= 3; data = data[3:] {
					i, j, v := int(data[0]%n), int(data[1]%n), math.Ldexp(float64(int8(data[2])), int(data[0]/n)*8-128)
					add(i, j, v)
					if symmetric && i != j {
						add(j, i, v)
					}
				}
			})
			for _, kind := range incompleteKinds {
				if (kind == IC0 || kind == ICT) && !symmetric {
					continue
				}
				p, err := New(context.Background(), kind, m, Options{Symmetric: symmetric}, nil)
				if err != nil {
					continue
				}
				dst := make([]float64, n)
				p.Apply(dst, []float64{1, -1, 2, -2, 3, -3, 4, -4})
				for _, v := range dst {
					if !finite(v) {
						t.Fatalf("%s: M^-1 x = %v", kind, dst)
					}
				}
			}
		}
	})
}

// Nothing and one number are matrices, too.
func TestTinyIncomplete(t *testing.T) {
	for n := range 3 {
		m := sparse(t, n, func(add func(i, j int, v float64)) {
			for i := range n {
				add(i, i, 4)
			}
		})
		for _, kind := range incompleteKinds {
			dst := []float64{0, 0}[:n]
			mustNew(t, kind, m, Options{Symmetric: true}, nil).Apply(dst, []float64{8, 8}[:n])
			for _, v := range dst {
				if math.Abs(v-2) > 1e-6 {
					t.Errorf("%s: 8/4 = %g", kind, v)
				}
			}
		}
	}
}

func BenchmarkIncomplete(b *testing.B) {
	m := laplace(b, 300)
	pool := linop.NewPool(0)
	defer pool.Close()
	src, dst := random(m.Rows, 1), make([]float64, m.Rows)
	for _, kind := range incompleteKinds {
		opt := Options{Symmetric: true, Fill: 3, DropTol: 1e-3}
		b.Run(string(kind)+"/factor", func(b *testing.B) {
			for b.Loop() {
				mustNew(b, kind, m, opt, pool)
			}
		})
		b.Run(string(kind)+"/apply", func(b *testing.B) {
			p := mustNew(b, kind, m, opt, pool)
			for b.Loop() {
				p.Apply(dst, src)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Cost().Values), "ns/nz")
		})
	}
}
