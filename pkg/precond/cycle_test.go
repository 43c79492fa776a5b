package precond

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A cycle with 16-bit values or float32 does what that in FP64 does, to within their accuracy,
// and K-cycles as well.
func TestCyclePrecisions(t *testing.T) {
	pool := newPool(t, 2)
	problems := multigridProblems(t)
	problems["convection"] = generated(t, "convdiff2d", generate.Params{"n": 40})
	for name, m := range problems {
		for _, k := range []bool{false, true} {
			opt := Options{Symmetric: csr.Examine(m, nil).Symmetric, Epsilon: adaptive.MinEpsilon, Multigrid: MultigridOptions{KCycle: k}}
			r := random(m.Rows, 5)
			want, got := make(vector, m.Rows), make(vector, m.Rows)
			mustNew(t, AMG, m, opt, pool).Apply(want, r)
			for epsilon, tol := range map[float64]float64{floatEpsilon: 1e-4, intEpsilon: 2e-2} {
				opt.Epsilon = epsilon
				p := mustNew(t, AMG, m, opt, pool)
				p.Apply(got, r)
				closeTo(t, fmt.Sprintf("%s, K-cycle %v, epsilon %g", name, k, epsilon), got, want, tol)
			}
		}
	}
}

// Right-hand sides of any magnitude give what those of magnitude 1 do, and NaN gives NaN.
func TestCycleOfAnyMagnitude(t *testing.T) {
	m, _ := diffusion(t, "poisson2d", 30, 0)
	p := mustNew(t, AMG, m, Options{Symmetric: true}, nil)
	r, x, y := random(m.Rows, 6), make(vector, m.Rows), make(vector, m.Rows)
	p.Apply(x, r)
	f := p.(*fusedCycle)
	for _, e := range []int{-500, -200, -50, 50, 200, 1000} {
		scaled := make(vector, m.Rows)
		for i, v := range r {
			scaled[i] = math.Ldexp(v, e)
		}
		p.Apply(y, scaled)
		z := make(vector, m.Rows)
		f.Input(scaled, scalar(dotted(scaled, scaled)))
		f.ApplyInput()
		f.Direction(0, z)
		for i := range y {
			y[i], z[i] = math.Ldexp(y[i], -e), math.Ldexp(z[i], -e)
		}
		closeTo(t, fmt.Sprintf("2^%d r", e), y, x, 1e-6)
		closeTo(t, fmt.Sprintf("fused 2^%d r", e), z, x, 1e-6)
	}
	p.Apply(y, make(vector, m.Rows))
	for i, v := range y {
		if v != 0 {
			t.Fatalf("element %d of M^-1 0 is %g", i, v)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		bad := random(m.Rows, 6)
		bad[7] = v
		if p.Apply(y, bad); y[7] == y[7] && !math.IsInf(y[7], 0) {
			t.Errorf("%g becomes %g", v, y[7])
		}
		if p.Apply(y, r); math.IsNaN(y[7]) { // nothing is left of it
			t.Errorf("%g stays", v)
		}
	}
}

// What a fused cycle does for conjugate gradients is what Apply and passes over vectors do.
func TestFusedCycle(t *testing.T) {
	pool := newPool(t, 2)
	m, _ := diffusion(t, "poisson3d", 12, 2)
	n := m.Rows
	c := mustNew(t, AMG, m, Options{Symmetric: true}, pool).(*fusedCycle)
	space := linop.NewHost(n, pool)
	p, x, q, r := random(n, 1), random(n, 2), random(n, 3), random(n, 4)
	x1, r1, z := space.New(), space.New(), space.New()
	copy(x1, x)
	copy(r1, r)
	rr := c.StepInput(0.3, p, x, q, r)
	if want := space.Step(0.3, p, x1, q, r1); rr != want {
		t.Errorf("r·r is %g, want %g", rr, want)
	}
	closeTo(t, "x", x, x1, 0)
	closeTo(t, "r", r, r1, 0)
	c.Apply(z, random(n, 9)) // does not disturb the input
	rz := c.ApplyInput()
	d, want := random(n, 5), random(n, 5)
	c.Direction(0.7, d)
	c.Apply(z, r1)
	if want := space.Dot(r1, z); math.Abs(float64(rz-want)) > 1e-5*math.Abs(float64(want)) {
		t.Errorf("r·z is %g, want %g", rz, want)
	}
	space.Xpay(z, 0.7, want)
	closeTo(t, "p", d, want, 1e-6)
}

// So are those of Jacobi, to the bit, in one domain and in several of two ranks.
func TestFusedJacobi(t *testing.T) {
	m := laplace(t, 200) // several blocks, more than one thread does
	pool := newPool(t, 3)
	c := mustNew(t, Jacobi, m, Options{Symmetric: true}, pool).(*jacobi)
	checkFused(t, c, linop.NewHost(m.Rows, pool), m.Rows)
	d := random(m.Rows, 5)
	if a := testing.AllocsPerRun(20, func() { c.ApplyInput(); c.Direction(0.7, d) }); a >= 1 {
		t.Errorf("%v allocations", a)
	}
	dist.Run(2, func(r dist.Comm) {
		pool := parallel.New(2)
		defer pool.Close()
		a, err := dist.Spread(r, m, 3)
		if err != nil {
			t.Error(err)
			return
		}
		made, err := NewDistributed(t.Context(), Jacobi, a, a.Local, Options{Symmetric: true}, pool)
		if err != nil {
			t.Error(err)
			return
		}
		checkFused(t, joinJacobi(made.(*domainwise), kernels.Default(), pool), dist.NewSpace(a.Layout, pool), a.Len)
	})
}

// fused is krylov.FusedPreconditioner.
type fused interface {
	Preconditioner
	Input(r vector, rr scalar)
	StepInput(a scalar, p, x, q, r vector) scalar
	ApplyInput() scalar
	Direction(b scalar, p vector)
}

// checkFused compares the passes of a preconditioner on vectors of length n with separate ones.
func checkFused(t *testing.T, c fused, space linop.Host, n int) {
	p, x, q, r := random(n, 1), random(n, 2), random(n, 3), random(n, 4)
	x1, r1, z := slices.Clone(x), slices.Clone(r), space.New()
	c.Input(r, space.Dot(r, r))
	before := c.ApplyInput()
	c.Apply(z, r)
	if want := space.Dot(r, z); before != want {
		t.Errorf("r·z of an input is %g, want %g", before, want)
	}
	rr := c.StepInput(0.3, p, x, q, r)
	rz := c.ApplyInput()
	d, want := random(n, 5), random(n, 5)
	c.Direction(0.7, d)
	rr1 := space.Step(0.3, p, x1, q, r1)
	c.Apply(z, r1)
	space.Xpay(z, 0.7, want)
	if rr != rr1 || rz != space.Dot(r1, z) || !slices.Equal(d, want) || !slices.Equal(x, x1) || !slices.Equal(r, r1) {
		t.Errorf("r·r is %g, want %g; r·z is %g, want %g", rr, rr1, rz, space.Dot(r1, z))
	}
}

// BenchmarkCycle says the time and the memory traffic of a V-cycle: every matrix and, for each
// product, the vectors that it reads and writes.
func BenchmarkCycle(b *testing.B) {
	pool := newPool(b, 2)
	for _, c := range []struct {
		kind   string
		params generate.Params
	}{
		{"poisson2d", generate.Params{"n": 1000}},
		{"poisson3d", generate.Params{"n": 100, "decades": 4}},
		{"anisotropic2d", generate.Params{"n": 1000}},
		{"elasticity3d", generate.Params{"n": 30, "decades": 6}},
	} {
		m := generated(b, c.kind, c.params)
		m, _ = equilibratedProblem(b, m, nil)
		for name, epsilon := range map[string]float64{"int16": intEpsilon, "fp32": floatEpsilon} {
			f := mustNew(b, AMG, m, Options{Symmetric: true, Epsilon: epsilon}, pool).(*fusedCycle)
			b.Run(c.kind+"/"+name, func(b *testing.B) {
				copy(f.input, rounded[float32](random(m.Rows, 1)))
				bytes := f.traffic()
				for b.Loop() {
					f.run(0)
				}
				perCycle := b.Elapsed().Seconds() / float64(b.N)
				b.ReportMetric(float64(bytes)/1e6, "MB/op")
				b.ReportMetric(float64(bytes)/1e9/perCycle, "GB/s")
			})
		}
	}
}

// traffic is the number of bytes that a V-cycle moves.
func (c *cycle[T]) traffic() (bytes int64) {
	for _, l := range c.levels {
		a, p, r := any(l.a).(*chunked), any(l.p).(*chunked), any(l.r).(*chunked)
		n, nc, steps := int64(4*a.rows), int64(4*p.cols), int64(len(l.steps))
		bytes += 2*steps*(a.bytes()+3*n) + n + p.bytes() + r.bytes() + 2*(n+nc) + n
	}
	return bytes + 8*int64(c.coarse.n)*int64(c.coarse.n)
}

// Smoothing a prolongator again multiplies it with what smoothed it first.
func TestSmoothAgain(t *testing.T) {
	m, null := diffusion(t, "poisson2d", 12, 2)
	s := newStrength(m, equalBlocks(m.Rows, 1), spreading{}, nil)
	strong := s.strong(connecting{threshold: 0.15}, nil)
	const omega = 0.6
	nodes := equalBlocks(m.Rows, 1)
	f := newFiltered(m, nodes, null[0], strong, spreading{}, nil)
	p := newTentative(nodes, aggregate(s, strong, nil), null, nil).smooth(m, nodes, null[0], strong, f, omega, newPool(t, 1))
	for c := range p.Cols {
		column, e := make(vector, m.Rows), make(vector, p.Cols)
		e[c] = 1
		p.MulVec(column, e)
		want := slices.Clone(column)
		for i := range want {
			cols, vals := m.Row(i)
			d, sum := 0.0, 0.0 // of A_F
			for k, j := range cols {
				a := math.Abs(m.At(i, int(j))) / math.Sqrt(m.At(i, i)*m.At(int(j), int(j)))
				switch {
				case int(j) == i:
					d += vals[k]
				case a >= 0.15:
					sum += vals[k] * column[j]
				default:
					d += vals[k] * null[0][j] / null[0][i]
				}
			}
			want[i] -= omega / d * (d*column[i] + sum)
		}
		got := make(vector, m.Rows)
		smoothAgain(p, m, strong, f.diagonal, omega, newPool(t, 3)).MulVec(got, e)
		closeTo(t, "column", got, want, 1e-14)
	}
}

// path is the Laplacian of a path of n nodes, singular.
func path(t *testing.T, n int) *csr.Matrix {
	return sparse(t, n, func(add func(i, j int, v float64)) {
		for i := 1; i < n; i++ {
			add(i, i, 1)
			add(i-1, i-1, 1)
			add(i, i-1, -1)
			add(i-1, i, -1)
		}
	})
}

// A singular matrix is inverted without its null space, which is logged.
func TestPseudoInverse(t *testing.T) {
	m := path(t, 30)
	constant := Constants(m.Rows, 1)[0]
	p, said := logged(t, AMG, m, Options{Symmetric: true})
	if !strings.Contains(said, "null space of dimension 1") {
		t.Errorf("logged %q", said)
	}
	b, x := times(m, random(m.Rows, 3)), make(vector, m.Rows) // b has no part in the null space
	p.Apply(x, b)
	closeTo(t, "A x", times(m, x), b, 1e-12)
	if sum := dotted(x, constant); !(math.Abs(sum) < 1e-10) {
		t.Errorf("the solution has a sum of %g", sum)
	}
	p.Apply(x, constant)
	if size := math.Sqrt(dotted(x, x)); !(size < 1e-10) {
		t.Errorf("the null space is mapped to vectors of norm %g", size)
	}
}
