package precond

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Matrices and options that a kind cannot take are errors of one line.
func TestFaults(t *testing.T) {
	grid := func(change func(m *csr.Matrix)) *csr.Matrix {
		m := laplace(t, 30)
		change(m)
		return m
	}
	diagonal := func(i int, v float64) *csr.Matrix {
		return grid(func(m *csr.Matrix) {
			cols, vals := m.Row(i)
			k, _ := slices.BinarySearch(cols, int32(i))
			vals[k] = v
		})
	}
	m := laplace(t, 30)
	near := func(v float64) MultigridOptions {
		b := Constants(900, 1)
		b[0][77] = v
		return MultigridOptions{NearNull: b}
	}
	short := MultigridOptions{NearNull: [][]float64{make(vector, 900), make(vector, 899)}}
	amg, definite, lu := []Kind{AMG}, []Kind{IC0, ICT, Cholesky, Chebyshev, FSAI, AMG}, []Kind{ILU0, ILUT, LU}
	for name, c := range map[string]struct {
		m         *csr.Matrix
		kinds     []Kind
		symmetric bool
		opt       Options
		is        error // nil: any
		said      string
	}{
		"zero diagonal":      {diagonal(5, 0), definite, true, Options{}, ErrNotDefinite, ""},
		"negative diagonal":  {diagonal(5, -4), definite, true, Options{}, ErrNotDefinite, ""},
		"which is zero":      {diagonal(5, 0), []Kind{IC0, Cholesky, Chebyshev, AMG}, true, Options{}, ErrNotDefinite, "diagonal entry 6 is 0"},
		"which is negative":  {diagonal(5, -4), []Kind{IC0, Cholesky, Chebyshev, AMG}, true, Options{}, ErrNotDefinite, "diagonal entry 6 is -4"},
		"zero diagonal, LU":  {diagonal(5, 0), amg, false, Options{}, ErrSingular, "diagonal entry 6 is 0"},
		"indefinite":         {grid(func(m *csr.Matrix) { shift(m, -1) }), []Kind{Cholesky, Chebyshev, AMG}, true, Options{}, ErrNotDefinite, ""},
		"coarsest matrix":    {fromRows(t, [][]float64{{1, 2}, {2, 1}}), amg, true, Options{}, ErrNotDefinite, "eigenvalues -1 to 3"},
		"negative":           {fromRows(t, [][]float64{{-1, 0}, {0, -2}}), amg, true, Options{}, ErrNotDefinite, "eigenvalues -2 to -1"},
		"zero":               {fromRows(t, [][]float64{{0, 0}, {0, 0}}), amg, true, Options{}, ErrNotDefinite, ""},
		"singular":           {fromRows(t, [][]float64{{1, 2}, {2, 4}}), amg, false, Options{}, ErrSingular, "coarsest matrix, of 2 rows"},
		"empty row":          {fromRows(t, [][]float64{{1, 0}, {0, 0}}), lu, false, Options{}, ErrSingular, "row 2"},
		"empty column":       {fromRows(t, [][]float64{{1, 0}, {1, 0}}), lu, false, Options{}, ErrSingular, "column 2"},
		"no transversal":     {fromRows(t, [][]float64{{1, 1, 1}, {1, 0, 0}, {1, 0, 0}}), lu, false, Options{}, ErrSingular, "permutation"},
		"memory for fill":    {m, []Kind{ILUT, ICT}, true, Options{Limits: Limits{MaxBytes: 80000}}, ErrMemory, "entries"},
		"memory for fronts":  {m, []Kind{LU, Cholesky, LDL}, true, Options{Limits: Limits{MaxBytes: 80000}}, ErrMemory, "80 kB are left for it"},
		"block size":         {m, []Kind{BlockJacobi}, true, Options{BlockSize: maxBlockSize + 1}, nil, "block size 33"},
		"no divisor":         {m, amg, true, Options{BlockSize: 7}, nil, "900 unknowns are not nodes of 7"},
		"vector of NaN":      {m, amg, true, Options{Multigrid: near(math.NaN())}, nil, "vector 1 of the near-null space"},
		"infinite vector":    {m, amg, true, Options{Multigrid: near(math.Inf(1))}, nil, "vector 1 of the near-null space"},
		"huge vector":        {m, amg, true, Options{Multigrid: near(1e200)}, nil, "vector 1 of the near-null space"},
		"short vector":       {m, amg, true, Options{Multigrid: short}, nil, "vector 2 of the near-null space has 899 elements"},
		"no near-null space": {laplace(t, 60), amg, true, Options{Multigrid: MultigridOptions{NearNull: [][]float64{make(vector, 3600)}}}, nil, "coarsening stopped at 3600 unknowns"},
	} {
		for _, kind := range c.kinds {
			c.opt.Symmetric = c.symmetric
			p, err := New(t.Context(), kind, c.m, c.opt, nil)
			switch {
			case err == nil:
				t.Errorf("%s, %s: no error but %v", name, kind, p)
			case c.is != nil && !errors.Is(err, c.is), !strings.Contains(err.Error(), c.said), strings.Contains(err.Error(), "\n"):
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}

// shift adds v to the diagonal of m.
func shift(m *csr.Matrix, v float64) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		if k, found := slices.BinarySearch(cols, int32(i)); found {
			vals[k] += v
		}
	}
}

// What is replaced or shifted is logged, in one line.
func TestWarnings(t *testing.T) {
	zeros := fromRows(t, [][]float64{{2, 1, 0, 0}, {1, 0, 3, 0}, {0, 3, -8, 0}, {0, 0, 0, 0}})
	kershaw := fromRows(t, [][]float64{{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}})
	ones := fromRows(t, [][]float64{{1, 1}, {1, 1}})
	for _, c := range []struct {
		kind      Kind
		m         *csr.Matrix
		symmetric bool
		want      string
		x         vector // M^-1 of ones; nil: anything finite
	}{
		{Jacobi, zeros, true, "jacobi: zero diagonal entries replaced by absolute row sums: 2", vector{0.5, 0.25, 0.125, 1}},
		{Jacobi, zeros, false, "jacobi: zero diagonal entries replaced by absolute row sums: 2", vector{0.5, 0.25, -0.125, 1}},
		{BlockJacobi, zeros, true, "bjacobi: blocks that are not positive definite replaced by their diagonal: 1 of 1", vector{0.5, 0.25, 0.125, 1}},
		{IC0, kershaw, true, "ic0: pivots are not positive: factored A + 0.256 diag(A)", nil},
		{ICT, ones, true, "ict, drop 1e-05: pivots are not positive: factored A + 0.001 diag(A)", nil},
		{ILU0, ones, true, "ilu0: zero or tiny pivots replaced by 0.001 times the norm of their row: 1", nil},
		{LU, ones, true, "lu: vanishing pivots replaced by 1e-08 times the norm of their row: 1", nil},
		{ILUT, ones, true, "ilut: zero or tiny pivots replaced by 0.001 times the norm of their row: 1", nil},
	} {
		p, got := logged(t, c.kind, c.m, Options{Symmetric: c.symmetric})
		if got != c.want {
			t.Errorf("%s: logged %q, want %q", c.kind, got, c.want)
		}
		x := make(vector, c.m.Rows)
		if p.Apply(x, Constants(c.m.Rows, 1)[0]); !finite(dotted(x, x)) || c.x != nil && !slices.Equal(x, c.x) {
			t.Errorf("%s: %v, want %v", c.kind, x, c.x)
		}
	}
}

// A permuted matrix is factored by its permutation, and scaling does not matter.
func TestZeroDiagonal(t *testing.T) {
	m := goldenProblems(t)[4].m
	for kind, bound := range map[Kind]float64{ILU0: 0.2, ILUT: 1e-3} { // one entry of fill
		p, said := logged(t, kind, m, Options{Incomplete: Incomplete{Fill: 100}, Epsilon: 0x1p-53})
		x, y, z := make(vector, m.Rows), make(vector, m.Rows), make(vector, m.Rows)
		for i := range x {
			x[i] = 1 + float64(i%2)
		}
		m.MulVec(y, x)
		p.Apply(z, y)
		closeTo(t, string(kind), z, x, bound/2)
		if !strings.Contains(said, "rows permuted") {
			t.Errorf("%s: logged %q", kind, said)
		}
	}
}

// Whatever the pattern, and however badly rows and columns are scaled, there is an error or a finite result. Without that structure, entries
// of 1e-35 to 1e37 in one matrix, factors without pivoting may grow beyond all numbers, which ends a solve as a breakdown.
func FuzzIncomplete(f *testing.F) {
	scales := string([]byte{0, 255, 7, 120, 130, 0, 0, 1, 100, 200, 0, 0, 0, 5, 128, 127})
	f.Add([]byte(scales + "\x00\x00\x04\x00\x01\xff\x01\x01\x04"))
	f.Add([]byte(scales + "\x00\x00\x09\x01\x01\x01\x02\x02\x09\x03\x03\x01\x04\x04\x09\x05\x05\xff\x06\x06\x09\x07\x07\x01\x00\x07\x09\x06\x01\x08"))
	f.Add([]byte(scales + "\x00\x01\x04\x01\x00\x01\x02\x02\x00\x03\x03\x80"))
	f.Add([]byte("000000000000000070000 2202C07$00%0&1\x00010")) // a row of zeros
	f.Fuzz(func(t *testing.T, data []byte) {
		const n = 8
		if len(data) < 2*n {
			return
		}
		row, col, data := data[:n], data[n:2*n], data[2*n:]
		for _, symmetric := range []bool{false, true} {
			if symmetric {
				col = row
			}
			m := sparse(t, n, func(add func(i, j int, v float64)) {
				for data := data; len(data) >= 3; data = data[3:] {
					i, j := int(data[0]%n), int(data[1]%n)
					v := math.Ldexp(float64(int8(data[2])), int(int8(row[i]))+int(int8(col[j])))
					add(i, j, v)
					if symmetric && i != j {
						add(j, i, v)
					}
				}
			})
			for _, kind := range []Kind{ILU0, IC0, ILUT, ICT, LU, Cholesky, LDL} {
				p, err := New(t.Context(), kind, m, Options{Symmetric: symmetric}, nil)
				if err != nil {
					continue
				}
				x := make(vector, n)
				if p.Apply(x, vector{1, -1, 2, -2, 3, -3, 4, -4}); slices.ContainsFunc(x, infinite) {
					t.Fatalf("%s: M^-1 x = %v", kind, x)
				}
			}
		}
	})
}

// hostile are matrices of n rows that make some algorithm slow: with rows and columns that
// touch everything, and zeros on the diagonal.
func hostile(tb testing.TB, n int) map[string]*csr.Matrix {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	shifted := make([][3]int, n) // a random permutation with neighbours
	for i, j := range r.Perm(n) {
		shifted[i] = [3]int{j, r.IntN(n), r.IntN(n)}
	}
	return map[string]*csr.Matrix{
		"arrow": testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				add(i, i, 4)
				if i > 0 {
					add(0, i, -1)
					add(i, 0, -1)
				}
			}
			add(0, 0, float64(n))
		}),
		"dense row and column": testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i, js := range shifted {
				for k, j := range js {
					add(i, j, 1+float64(k)*r.Float64())
				}
				add(n/3, i, r.NormFloat64())
				add(i, n/2, r.NormFloat64())
			}
		}),
		"saddle point": testsupport.Entries(n, func(add func(i, j int, v float64)) { // [A B^T; B 0], a row of B full
			for i := range n {
				switch {
				case i < 2*n/3:
					add(i, i, 2+r.Float64())
					if i > 0 {
						add(i, i-1, -1)
						add(i-1, i, -1)
					}
				case i == n-1:
					for j := range 2 * n / 3 {
						add(i, j, 1)
						add(j, i, 1)
					}
				default:
					for _, j := range []int{i - 2*n/3, r.IntN(2 * n / 3)} {
						v := r.NormFloat64()
						add(i, j, v)
						add(j, i, v)
					}
				}
			}
		}),
	}
}

// Every kind ends soon after its context does, however long rows and columns are. That takes
// hundredths of a second on a machine that does nothing else; the limit allows for busy ones.
func TestInterruptedSoon(t *testing.T) {
	const late = 3 * time.Second
	n, pool := 400000, newPool(t, 2)
	if testing.Short() {
		n = 200000
	}
	turn := 0
	for name, m := range hostile(t, n) {
		for _, k := range kinds {
			for i, after := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond} {
				if turn++; i > 0 && (testing.Short() || turn%4 > 0) {
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), after)
				start := time.Now()
				_, err := New(ctx, k, m, Options{Symmetric: name != "dense row and column"}, pool)
				took := time.Since(start)
				cancel()
				if took > after+late {
					t.Errorf("%s of %s: %v after the end of its context, %v", k, name, took-after, err)
				} else if took > after && err == nil {
					t.Logf("%s of %s: succeeds %v after the end of its context", k, name, took-after)
				}
			}
		}
	}
}
