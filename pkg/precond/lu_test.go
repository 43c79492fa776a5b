package precond

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// shuffle returns P A Q for random permutations.
func shuffle(m *csr.Matrix, r *rand.Rand) *csr.Matrix {
	p, q := r.Perm(m.Rows), r.Perm(m.Rows)
	return testsupport.Entries(m.Rows, func(add func(i, j int, v float64)) {
		for i := range m.Rows {
			cols, vals := m.Row(i)
			for e, j := range cols {
				add(p[i], q[j], vals[e])
			}
		}
	})
}

// rowwise is the largest backward error of a row, max |b - A x|_i / (|A| |x| + |b|)_i.
func rowwise(m *csr.Matrix, x, b vector) (worst float64) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		r, size := b[i], math.Abs(b[i])
		for e, j := range cols {
			r -= vals[e] * x[j]
			size += math.Abs(vals[e] * x[j])
		}
		if size > 0 {
			worst = max(worst, math.Abs(r)/size)
		}
	}
	return worst
}

// refined solves A x = b by a factorisation and some steps of refinement.
func refined(m *csr.Matrix, p Preconditioner, b vector) vector {
	x, r, d := make(vector, m.Rows), make(vector, m.Rows), make(vector, m.Rows)
	for range 20 {
		m.MulVec(r, x)
		for i := range r {
			r[i] = b[i] - r[i]
		}
		p.Apply(d, r)
		for i := range x {
			x[i] += d[i]
		}
	}
	return x
}

// random0 has random entries, and zeros on the diagonal.
func random0(n int, perRow float64, seed uint64) *csr.Matrix {
	r := rand.New(rand.NewPCG(seed, 4))
	shift := 1 + r.IntN(max(n-1, 1))
	return testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, (i+shift)%n, 1+r.Float64())
			for k := 0.0; k < perRow; k++ {
				if j := r.IntN(n); j != i {
					add(i, j, math.Ldexp(r.NormFloat64(), r.IntN(10)-5))
				}
			}
		}
	})
}

// Whatever the structure, refinement with the factors solves to a small error in every row.
func TestLUSolves(t *testing.T) {
	problems := hostile(t, 3000)
	r := rand.New(rand.NewPCG(1, 9))
	for seed := range uint64(40) {
		n := 2 + r.IntN(200)
		problems[fmt.Sprintf("random %d", seed)] = random0(n, 4*r.Float64(), seed)
	}
	problems["grid"] = laplace(t, 40)
	problems["shuffled grid"] = shuffle(laplace(t, 30), r)
	problems["scaled"] = wide(laplace(t, 30))
	problems["blocks"] = shuffle(testsupport.Entries(900, func(add func(i, j int, v float64)) {
		for i := range 900 {
			for j := i / 9 * 9; j < i/9*9+9; j++ {
				add(i, j, r.NormFloat64())
			}
			for range 3 {
				add(i, i+r.IntN(900-i), r.NormFloat64())
			}
		}
	}), r)
	for name, m := range problems {
		for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
			p, err := New(t.Context(), LU, m, Options{Epsilon: epsilon}, nil)
			if errors.Is(err, ErrSingular) && strings.HasPrefix(name, "random") {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			b := random(m.Rows, 3)
			if e := rowwise(m, refined(m, p, b), b); !(e < 1e-13) {
				t.Errorf("%s, epsilon %g: error %g with %v", name, epsilon, e, p)
			}
		}
	}
}

// A permuted triangular matrix has no fill, and costs no multiplications but those of its
// entries.
func TestLUTriangular(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	const n = 5000
	triangle := testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 1+r.Float64())
			for range 5 {
				add(i, i+r.IntN(n-i), r.NormFloat64())
			}
		}
	})
	for name, m := range map[string]*csr.Matrix{"triangular": triangle, "shuffled": shuffle(triangle, r), "transposed": shuffle(triangle.Transpose(nil), r)} {
		p := mustNew(t, LU, m, Options{Limits: Limits{MaxWork: 2}}, nil)
		if got := p.Cost().Values; got != int64(m.NNZ()) {
			t.Errorf("%s: %d entries in the factors of %d", name, got, m.NNZ())
		}
	}
}

// Estimates are exact for pivots on the diagonal, and work beyond the limit is refused
// before it is done.
func TestEstimate(t *testing.T) {
	grid, flow := laplace(t, 60), generated(t, "convdiff2d", generate.Params{"n": 60})
	for _, c := range []struct {
		kind  Kind
		m     *csr.Matrix
		share float64
	}{{LU, flow, 1}, {LU, grid, 0.5}, {Cholesky, grid, 0.5}, {LDL, grid, 0.5}} {
		opt, kind, m, share := Options{Symmetric: c.m == grid}, c.kind, c.m, c.share
		w, err := ForecastComplete(t.Context(), kind, m, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := mustNew(t, kind, m, opt, nil)
		if got := p.Cost().Values; share == 1 && w.Entries != got || 2*w.Entries-int64(m.Rows) != got && share < 1 || w.Bytes != p.Cost().Bytes {
			t.Errorf("%s: forecast %+v, the cost is %+v", kind, w, p.Cost())
		}
		if w.Multiplications < share*1.5e6 || w.Multiplications > share*4e6 {
			t.Errorf("%s: %g multiplications", kind, w.Multiplications)
		}
		opt.MaxWork = 0.99 * w.Multiplications / float64(m.NNZ())
		var excess *order.Excess
		if _, err := New(t.Context(), kind, m, opt, nil); !errors.Is(err, ErrWork) || !errors.As(err, &excess) ||
			excess.Limit != opt.MaxWork || excess.Work <= excess.Limit || share < 1 && (excess.AtLeast || excess.Work != w.Multiplications/float64(m.NNZ())) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, kind := range []Kind{ILU0, "ilu7"} {
		if _, err := ForecastComplete(t.Context(), kind, grid, Options{}, nil); err == nil {
			t.Errorf("%s: a forecast", kind)
		}
	}
	if _, err := ForecastComplete(t.Context(), LU, fromRows(t, [][]float64{{1, 1}, {0, 0}}), Options{}, nil); !errors.Is(err, ErrSingular) {
		t.Errorf("singular: %v", err)
	}
}

// Orders of incomplete factorisations are those asked for.
func TestOrders(t *testing.T) {
	m := generated(t, "convdiff2d", map[string]float64{"n": 40})
	entries := func(opt Options) int64 {
		opt.Fill = 100
		return mustNew(t, ILUT, m, opt, nil).Cost().Values
	}
	amd, rcm := entries(Options{Incomplete: Incomplete{DropTol: 1e-9, order: orderAMD}}), entries(Options{Incomplete: Incomplete{DropTol: 1e-9, order: orderRCM}})
	if amd >= rcm {
		t.Errorf("%d entries with minimum degree, %d with Cuthill-McKee", amd, rcm)
	}
	if auto := entries(Options{Incomplete: Incomplete{DropTol: 1e-9}}); auto != amd {
		t.Errorf("%d entries by default, want %d", auto, amd)
	}
	if auto, want := entries(Options{Incomplete: Incomplete{DropTol: 1e-2}}), entries(Options{Incomplete: Incomplete{DropTol: 1e-2, order: orderRCM}}); auto != want {
		t.Errorf("%d entries by default, want %d", auto, want)
	}
	if _, err := New(t.Context(), ILUT, m, Options{Incomplete: Incomplete{order: "nd"}}, nil); err == nil || !strings.Contains(err.Error(), `"nd"`) {
		t.Errorf("unknown order: %v", err)
	}
}

// Blocks are strong components, as paths in the graph say, and nothing is above them.
func TestStrongComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 1 + r.IntN(12)
		m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				add(i, i, 1)
			}
			for range r.IntN(2*n + 1) {
				add(r.IntN(n), r.IntN(n), 1)
			}
		})
		reach := make([][]bool, n)
		for i := range n {
			reach[i] = make([]bool, n)
			for j := range n {
				reach[i][j] = m.At(i, j) != 0
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		order, bounds, err := strongComponents(t.Context(), m)
		if err != nil || order.Validate() != nil || len(order) != n || bounds[len(bounds)-1] != n {
			t.Fatalf("%v, %v, %v", order, bounds, err)
		}
		block := make([]int, n)
		for b := range len(bounds) - 1 {
			for _, i := range order[bounds[b]:bounds[b+1]] {
				block[i] = b
			}
		}
		for i := range n {
			for j := range n {
				if (block[i] == block[j]) != (i == j || reach[i][j] && reach[j][i]) {
					t.Fatalf("rows %d and %d in blocks %d and %d", i, j, block[i], block[j])
				}
				if m.At(i, j) != 0 && block[i] < block[j] {
					t.Fatalf("entry (%d, %d) above block %d", i, j, block[j])
				}
			}
		}
	}
}

// Symmetric factorisations solve, whatever the structure, and have as many entries as was
// said before.
func TestCholeskySolves(t *testing.T) {
	problems := positive(t)
	delete(problems, "none")
	problems["arrow"] = hostile(t, 3000)["arrow"]
	problems["grid"] = laplace(t, 50)
	for seed := range uint64(30) {
		problems[fmt.Sprintf("random %d", seed)] = randomSparse(t, 3+7*int(seed), 1+float64(seed%5), true, seed)
	}
	for name, m := range problems {
		for _, kind := range []Kind{Cholesky, LDL} {
			opt := Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}
			w, err := ForecastComplete(t.Context(), kind, m, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := mustNew(t, kind, m, opt, nil)
			if got := (p.Cost().Values + int64(m.Rows)) / 2; got != w.Entries && (got > w.Entries || m.Rows < 17) {
				t.Errorf("%s of %s: %d entries, forecast %d", kind, name, got, w.Entries)
			}
			b := random(m.Rows, 3)
			if e := rowwise(m, refined(m, p, b), b); !(e < 1e-14) {
				t.Errorf("%s of %s: error %g", kind, name, e)
			}
		}
	}
}

// With LDL, MINRES takes two steps on quasi-definite matrices, and few where a pivot had to be
// replaced.
func TestLDLIndefinite(t *testing.T) {
	for name, c := range map[string]struct {
		m     *csr.Matrix
		steps int
	}{
		"quasi-definite": {quasiDefinite(300, 150, 1), 3},
		"saddle point":   {hostile(t, 300)["saddle point"], 100},
	} {
		p, said := logged(t, LDL, c.m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon})
		if !strings.Contains(p.String(), "negative eigenvalues") {
			t.Errorf("%s: %v", name, p)
		}
		n := c.m.Rows
		x, b := make(vector, n), random(n, 5)
		minres, err := krylov.New("minres", linop.NewHost(n, nil), krylov.MethodOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := minres.Solve(t.Context(), linop.NewCSR(c.m, nil), x, b, krylov.Options[vector]{
			Tol: 1e-10, MaxIter: c.steps, Precond: p,
		})
		if !r.Reason.Converged() {
			t.Errorf("%s: %v after %d iterations, %s", name, r.Reason, r.Iterations, said)
		}
		t.Logf("%s: %d iterations, %s", name, r.Iterations, said)
	}
}

// Matrices that are not definite, by rounding errors or more, have no Cholesky factor.
func TestCholeskyIndefinite(t *testing.T) {
	neumann := laplace(t, 20)
	for i := range neumann.Rows {
		cols, vals := neumann.Row(i)
		sum := 0.0
		for e, j := range cols {
			if int(j) != i {
				sum -= vals[e]
			}
		}
		for e, j := range cols {
			if int(j) == i {
				vals[e] = sum - 0x1p-40
			}
		}
	}
	if _, err := New(t.Context(), Cholesky, neumann, Options{Symmetric: true}, nil); !errors.Is(err, ErrNotDefinite) {
		t.Errorf("%v", err)
	}
}
