package krylov

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"gonum.org/v1/gonum/mat"
)

// inverse is a function as a preconditioner.
type inverse func(dst, src []float64)

func (f inverse) Apply(dst, src []float64) { f(dst, src) }

// ApplyT is Apply: all that are used for methods with the transpose are symmetric.
func (f inverse) ApplyT(dst, src []float64) { f(dst, src) }

// applied is a matrix as a preconditioner.
func applied(m mat.Matrix) inverse {
	return func(dst, src []float64) {
		mat.NewVecDense(len(dst), dst).MulVec(m, mat.NewVecDense(len(src), src))
	}
}

// symmetricGaussSeidel is a sweep down and one up: M = (D + L) D^-1 (D + U),
// symmetric positive definite if m is.
func symmetricGaussSeidel(m *csr.Matrix) inverse {
	return func(dst, src []float64) {
		clear(dst)
		for k := range 2 * m.Rows {
			i := min(k, 2*m.Rows-1-k)
			sum, diag := src[i], 0.0
			cols, vals := m.Row(i)
			for e, j := range cols {
				if int(j) == i {
					diag = vals[e]
				} else {
					sum -= vals[e] * dst[j]
				}
			}
			dst[i] = sum / diag
		}
	}
}

// inner is a preconditioner that is another map each time: a few steps of
// conjugate gradients.
func inner(t testing.TB, m *csr.Matrix, steps int) inverse {
	pool := newPool(t, 1)
	cg, a := NewCG[[]float64, linop.Float64](linop.NewHost(m.Rows, pool)), linop.NewCSR(m, pool)
	return func(dst, src []float64) {
		cg.Solve(context.Background(), a, dst, src, hostOptions{MaxIter: steps, Unconfirmed: true})
	}
}

// Every method with every preconditioner: it converges, the residual that it claims
// at the end and in between is that of A x = b, and what is stronger takes fewer
// iterations.
func TestPreconditioned(t *testing.T) {
	const tol = 1e-9
	for _, p := range []struct {
		name      string
		a, spd    *csr.Matrix // preconditioners come from spd
		symmetric bool
		definite  bool
	}{
		{"poisson", grid(14, 0), grid(14, 0), true, true},
		{"uneven", uneven(grid(10, 0)), uneven(grid(10, 0)), true, true},
		{"indefinite", shifted(grid(10, 0), -0.7), grid(10, 0), true, false},
		{"convection", grid(14, 0.4), grid(14, 0), false, false},
	} {
		b := random(21, p.a.Rows)
		pool := newPool(t, 1)
		for _, m := range methods {
			if m.name == "cg" && !p.definite || m.name == "minres" && !p.symmetric {
				continue
			}
			if m.name == "gmres 1" || m.restarted() && p.name != "poisson" {
				continue // too short a cycle
			}
			iterations := map[string]int{}
			for _, c := range []struct {
				name string
				by   Preconditioner[[]float64]
				flex bool
			}{
				{"none", nil, false},
				{"jacobi", linop.NewCSR(jacobi(p.spd, 1), pool), false},
				{"gauss-seidel", symmetricGaussSeidel(p.spd), false},
				{"gauss-seidel, flexible", symmetricGaussSeidel(p.spd), true},
				{"inner", inner(t, p.spd, 4), true},
			} {
				if c.name == "inner" && (!m.flexible() || p.name != "poisson") {
					continue // not all methods are flexible; some other pairs do not converge
				}
				for _, limit := range []int{3, 2000} {
					x := make([]float64, len(b))
					r := solveWith(t, m.name, p.a, x, b, hostOptions{Tol: tol, MaxIter: limit, Precond: c.by, Flexible: c.flex})
					want := Converged
					if limit == 3 {
						want = IterationLimit
					}
					if r.Reason != want {
						t.Errorf("%s, %s, %s: %v after %d iterations, residual %g", p.name, m.name, c.name, r.Reason, r.Iterations, r.Residual)
					}
					res := trueResidual(t, p.a, x, b)
					checkHonest(t, r, res, tol)
					if math.Abs(res-r.Residual) > 1e-10*max(1, res) {
						t.Errorf("%s, %s, %s: residual %g, claimed %g", p.name, m.name, c.name, res, r.Residual)
					}
					iterations[c.name] = r.Iterations
				}
			}
			strong, flexible := iterations["gauss-seidel"], iterations["gauss-seidel, flexible"]
			if 4*strong > 3*iterations["none"] || flexible < strong-1 || flexible > strong+strong/4+1 {
				t.Errorf("%s, %s: iterations %v", p.name, m.name, iterations)
			}
			if p.name == "uneven" && 2*iterations["jacobi"] > iterations["none"] {
				t.Errorf("%s, %s: iterations %v", p.name, m.name, iterations)
			}
		}
	}
}

// A preconditioner D from the left and the right is the same as A scaled by D^(1/2)
// on both sides for the symmetric methods, and by D on the right for the others: as
// long as rounding does not show, iterates are the same.
func TestPreconditionedIsTheMethodOnTheScaledSystem(t *testing.T) {
	spd := uneven(grid(6, 0))
	general := product(uneven(grid(6, 0)), shifted(shift(36), 3))
	for _, m := range methods {
		a, root := general, jacobi(general, 1)
		if m.bothSides() {
			a, root = spd, jacobi(spd, 0.5)
		}
		inverse, scaled := root, product(a, root)
		b, c := random(22, a.Rows), random(22, a.Rows)
		if m.bothSides() {
			inverse, scaled = product(root, root), product(root, scaled)
			applied(root)(c, b)
		}
		for steps := 1; steps <= 5; steps++ {
			y, want := make([]float64, len(b)), make([]float64, len(b))
			r := solveWith(t, m.name, scaled, y, c, hostOptions{MaxIter: steps})
			applied(root)(want, y)
			for _, flexible := range []bool{false, true} {
				x := make([]float64, len(b))
				solveWith(t, m.name, a, x, b, hostOptions{MaxIter: r.Iterations, Precond: applied(inverse), Flexible: flexible})
				if d := distance(nil, difference(x, want)); !(d <= 1e-9*distance(nil, want)) {
					t.Errorf("%s, flexible %v, %d steps: x differs by %g of %g", m.name, flexible, steps, d, distance(nil, want))
				}
			}
		}
	}
}

// A preconditioner of which the size varies gives GMRES what a constant one gives, if it is
// flexible. One that favours other unknowns each time leaves p of CG conjugate to the p
// before it only with the flexible beta. Otherwise both are misled.
func TestFlexible(t *testing.T) {
	a, b := grid(20, 0), random(24, 400)
	sweeps := symmetricGaussSeidel(a)
	size := func(call, _ int) float64 { return float64(1 + call*call%7) }
	for _, c := range []struct {
		name  string
		by    inverse
		vary  func(call, i int) float64
		worse float64 // ratio of iterations if the method is not flexible
	}{
		{"gmres 40", sweeps, size, 1.25},
		{"gmres full", sweeps, size, 1.25},
		{"gmres full cgs2", sweeps, size, 1.25},
		{"cg", inverse(func(dst, src []float64) { copy(dst, src) }), func(call, i int) float64 { return 1.5 + math.Sin(float64(i*call)) }, 2},
	} {
		iterations := func(varies, flexible bool) int {
			calls, x := 0, make([]float64, len(b))
			r := solveWith(t, c.name, a, x, b, hostOptions{
				Tol: 1e-9, MaxIter: 3000, Flexible: flexible,
				Precond: inverse(func(dst, src []float64) {
					c.by(dst, src)
					calls++
					for i := range dst {
						if varies {
							dst[i] *= c.vary(calls, i)
						}
					}
				}),
			})
			if varies == flexible && r.Reason != Converged {
				t.Errorf("%s: %v after %d iterations", c.name, r.Reason, r.Iterations)
			}
			checkHonest(t, r, trueResidual(t, a, x, b), 1e-9)
			return r.Iterations
		}
		want, misled, flexible := iterations(false, false), iterations(true, false), iterations(true, true)
		if d := flexible - want; c.name != "cg" && (d < -1 || d > 1) || float64(misled) < c.worse*float64(flexible) {
			t.Errorf("%s: %d iterations, if M varies %d, flexible %d", c.name, want, misled, flexible)
		}
	}
}

// Preconditioners that are no symmetric positive definite matrices, and worse.
func TestBadPreconditioners(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		d    []float64
		want Reason // of CG and MINRES
	}{
		{"negative", []float64{-1, -1, -1}, IndefinitePreconditioner},
		{"indefinite", []float64{1, -5, 1}, IndefinitePreconditioner},
		{"indefinite, seen later", []float64{3, -1, 1}, IndefinitePreconditioner},
		{"zero", []float64{0, 0, 0}, IndefinitePreconditioner},
		{"NaN", []float64{nan, nan, nan}, NotFinite},
		{"one NaN", []float64{1, nan, 1}, NotFinite},
		{"Inf", []float64{math.Inf(1), 1, 1}, NotFinite},
		{"huge", []float64{1e308, 1e308, 1e308}, NotFinite},
	} {
		a, b := band(3, -1, 2.5, -1), []float64{4, 5, 6}
		by := inverse(func(dst, src []float64) {
			for i, v := range src {
				dst[i] = c.d[i] * v
			}
		})
		if c.name == "indefinite, seen later" {
			b = []float64{4, 1, 0}
		}
		for _, m := range methods {
			for _, flexible := range []bool{false, true} {
				x := make([]float64, 3)
				r := solveWith(t, m.name, a, x, b, hostOptions{MaxIter: 50, Precond: by, Flexible: flexible})
				if m.symmetric() && r.Reason != c.want {
					t.Errorf("%s, %s: %v, want %v", c.name, m.name, r.Reason, c.want)
				}
				if c.want == NotFinite && (r.Reason != NotFinite || !slices.Equal(x, make([]float64, 3))) {
					t.Errorf("%s, %s: %v, x = %v", c.name, m.name, r.Reason, x)
				}
				checkHonest(t, r, trueResidual(t, a, x, b), DefaultTol)
			}
		}
	}
}

// scaled32 is the preconditioner z = w∘(w∘r) with vectors of float32.
type scaled32 struct {
	linop.Host
	w, f    []float32
	applied int // by ApplyInput
}

var _ FusedPreconditioner[[]float64, linop.Float64] = (*scaled32)(nil)

// newScaled32 returns diag(|d|).
func newScaled32(space linop.Host, d []float64) *scaled32 {
	s := &scaled32{Host: space, w: make([]float32, len(d)), f: make([]float32, len(d))}
	for i, v := range d {
		s.w[i] = float32(math.Sqrt(math.Abs(v)))
	}
	return s
}

func (s *scaled32) Apply(dst, src []float64) {
	for i, v := range src {
		dst[i] = float64(s.w[i]) * float64(s.w[i]*float32(v))
	}
}

// ApplyT is Apply: the map is symmetric.
func (s *scaled32) ApplyT(dst, src []float64) { s.Apply(dst, src) }

func (s *scaled32) Input(r []float64, _ linop.Float64) { s.Input32(s.w, r, s.f) }

func (s *scaled32) StepInput(a linop.Float64, p, x, q, r []float64) linop.Float64 {
	return s.StepInput32(a, p, x, q, r, s.w, s.f)
}

func (s *scaled32) ApplyInput() linop.Float64 {
	s.applied++
	return s.Dot32(s.f, s.f)
}

func (s *scaled32) Direction(b linop.Float64, p []float64) { s.Direction32(s.w, s.f, b, p) }

// A preconditioner that does the passes itself gives CG what the same map does without
// them, up to rounding to float32; taken for flexible, it is applied in the ordinary way.
func TestFusedPreconditioner(t *testing.T) {
	a := uneven(grid(12, 0))
	b, pool := random(25, a.Rows), newPool(t, 2)
	by := newScaled32(linop.NewHost(a.Rows, pool), jacobi(a, 1).Val)
	solve := func(by Preconditioner[[]float64], flexible bool) Result {
		x := make([]float64, len(b))
		r := solveWith(t, "cg", a, x, b, hostOptions{Tol: 1e-12, Precond: by, Flexible: flexible})
		if r.Reason != Converged {
			t.Errorf("%v after %d iterations", r.Reason, r.Iterations)
		}
		checkHonest(t, r, trueResidual(t, a, x, b), 1e-12)
		return r
	}
	want := solve(inverse(by.Apply), false)
	if got := solve(by, false); by.applied != got.Iterations || math.Abs(float64(got.Iterations-want.Iterations)) > 1 {
		t.Errorf("%d iterations, %d applications; %d of the ordinary one", got.Iterations, by.applied, want.Iterations)
	}
	if by.applied = 0; solve(by, true).Iterations == 0 || by.applied != 0 {
		t.Error("a flexible one does passes")
	}
}
