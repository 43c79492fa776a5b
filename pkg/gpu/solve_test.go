package gpu

import (
	"context"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// generated is a matrix of pkg/generate.
func generated(t testing.TB, kind string, p generate.Params) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// methods are those that check convergence now and then.
var methods = map[string]func(*deviceSpace) krylov.Method[*Vector, Scalar]{
	"cg":       func(s *deviceSpace) krylov.Method[*Vector, Scalar] { return krylov.NewCG[*Vector, Scalar](s) },
	"bicgstab": func(s *deviceSpace) krylov.Method[*Vector, Scalar] { return krylov.NewBiCGStab[*Vector, Scalar](s) },
	"cgs":      named("cgs"),
	"tfqmr":    named("tfqmr"),
	"idr":      named("idr"),
	"gmres": func(s *deviceSpace) krylov.Method[*Vector, Scalar] {
		return krylov.NewGMRES[*Vector, Scalar](s, krylov.GMRESOptions{Restart: 50})
	},
	"gmres, long": func(s *deviceSpace) krylov.Method[*Vector, Scalar] { // more vectors than there are areas
		return krylov.NewGMRES[*Vector, Scalar](s, krylov.GMRESOptions{Restart: 3 * areas})
	},
	"gmres, fp32":     packedGMRES(linop.BasisFP32),
	"gmres, int16":    packedGMRES(linop.BasisINT16),
	"gmres, adaptive": packedGMRES(linop.BasisAdaptive),
	"minres":          named("minres"),
}

// named makes the method of that name.
func named(name string) func(*deviceSpace) krylov.Method[*Vector, Scalar] {
	return func(s *deviceSpace) krylov.Method[*Vector, Scalar] {
		m, err := krylov.New[*Vector, Scalar](name, s, krylov.MethodOptions{})
		if err != nil {
			panic(err)
		}
		return m
	}
}

func packedGMRES(f linop.BasisFormat) func(*deviceSpace) krylov.Method[*Vector, Scalar] {
	return func(s *deviceSpace) krylov.Method[*Vector, Scalar] {
		return krylov.NewGMRES[*Vector, Scalar](s, krylov.GMRESOptions{Restart: 50, Basis: f})
	}
}

// solve solves m x = m 1 on a device, and returns x and the launches that it took.
func solve(t testing.TB, d *Device, m *csr.Matrix, method string, opt krylov.Options[*Vector]) (x []float64, r krylov.Result, launches int) {
	t.Helper()
	space := newSpace(d, m.Rows)
	defer space.Close()
	a, err := NewCSR(d, m)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	solution, rhs, by := space.New(), space.New(), methods[method](space)
	space.Upload(rhs, product1(m))
	launches = d.Launches()
	r = by.Solve(context.Background(), a, solution, rhs, opt)
	launches = d.Launches() - launches
	x = make([]float64, m.Rows)
	space.Download(x, solution)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	return x, r, launches
}

// product1 is m 1.
func product1(m *csr.Matrix) []float64 {
	one, b := make([]float64, m.Cols), make([]float64, m.Rows)
	for i := range one {
		one[i] = 1
	}
	m.MulVec(b, one)
	return b
}

// Whole solves: every device takes the iterations of the emulated one to the same bits,
// and the solution is one.
func TestSolve(t *testing.T) {
	const tol = 1e-8
	general := []string{"bicgstab", "gmres", "cgs", "tfqmr", "idr"}
	eachDevice(t, func(t *testing.T, d *Device) {
		reference := emulated(t)
		for _, s := range []struct {
			name    string // of a matrix beside the project if n = 0, otherwise of a generator
			n       float64
			methods []string
		}{
			{"poisson2d", 30, []string{"cg", "minres", "bicgstab", "gmres", "cgs", "tfqmr", "idr"}},
			{"convdiff2d", 20, slices.Concat(general, []string{"gmres, adaptive"})},
			{"wathen_30_30", 0, []string{"cg"}},
			{"685_bus", 0, []string{"cg"}},
			{"jpwh_991", 0, general},
			{"pde900", 0, slices.Concat(general, []string{"gmres, fp32", "gmres, int16", "gmres, adaptive", "gmres, long"})},
			{"orsreg_1", 0, []string{"bicgstab"}},
		} {
			for _, method := range s.methods {
				if isInterpreted(d) && s.n == 0 || spent(d, 250_000) { // the former takes a minute
					continue
				}
				t.Run(s.name+"/"+method, func(t *testing.T) {
					var m *csr.Matrix
					if s.n > 0 {
						m = generated(t, s.name, generate.Params{"n": s.n})
					} else {
						m = testsupport.Matrix(t, s.name)
					}
					opt := krylov.Options[*Vector]{Tol: tol, MaxIter: 5000}
					x, r, _ := solve(t, d, m, method, opt)
					e := errorsOf(t, m, x)
					if r.Reason != krylov.Converged || !(e.RelativeResidual <= 2*tol) {
						t.Errorf("%+v, residual %g", r, e.RelativeResidual)
					}
					if method == "gmres, long" && r.Iterations <= areas {
						t.Errorf("%d iterations, want more than %d", r.Iterations, areas)
					}
					if d.info.Backend == Emulate {
						return
					}
					want, wanted, _ := solve(t, reference, m, method, opt)
					if r.Iterations != wanted.Iterations || !slices.Equal(x, want) {
						t.Errorf("other bits after %d iterations than the emulated device after %d", r.Iterations, wanted.Iterations)
					}
				})
			}
		}
	})
}

func errorsOf(t *testing.T, m *csr.Matrix, x []float64) verify.Errors {
	t.Helper()
	pool := parallel.New(1)
	defer pool.Close()
	e, err := verify.Compute(m, x, product1(m), pool)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Launches of a solve of so many iterations, the tolerance out of reach: a few to start
// with, some for each iteration, and for each convergence check two at most and the checkpoint of x.
func TestLaunches(t *testing.T) {
	d := emulated(t)
	m := generated(t, "poisson2d", generate.Params{"n": 50})
	for _, c := range []struct {
		method    string
		iteration int // launches of an iteration
		check     int // and of a convergence check at most
	}{{"cg", 3, 3}, {"bicgstab", 5, 3}} {
		const iterations = 5 * stride
		_, r, launches := solve(t, d, m, c.method, krylov.Options[*Vector]{Tol: 1e-30, MaxIter: iterations})
		most := iterations*c.iteration + (iterations/stride+1)*c.check + 6
		t.Logf("%s: %d launches in %d iterations", c.method, launches, r.Iterations)
		if r.Iterations != iterations || launches < iterations*c.iteration-1 || launches > most {
			t.Errorf("%s: %d launches in %d iterations, want %d an iteration and at most %d", c.method, launches, r.Iterations, c.iteration, most)
		}
	}
	// GMRES in step j: a product, four passes over the basis of j + 1 vectors in eights,
	// what adds up their inner products twice, and a scaling. And a cycle: about ten.
	const cycle = 50
	_, r, launches := solve(t, d, m, "gmres", krylov.Options[*Vector]{Tol: 1e-30, MaxIter: cycle})
	want := 0
	for j := range cycle {
		want += 2 + 4*((j+together)/together) + 2*((j+areas)/areas)
	}
	t.Logf("gmres: %d launches in %d iterations, %d of them in steps", launches, r.Iterations, want)
	if r.Iterations != cycle || launches < want || launches > want+cycle/stride+20 {
		t.Errorf("gmres: %d launches in %d iterations, %d of them in steps", launches, r.Iterations, want)
	}
}

// A solve has the same bits where cells of sums are used again in its middle.
func TestSolveWhileCellsAreReused(t *testing.T) {
	fresh, d := emulated(t), emulated(t)
	m := generated(t, "convdiff2d", generate.Params{"n": 20})
	spd := generated(t, "poisson2d", generate.Params{"n": 20})
	for name := range methods {
		m := m
		if name == "cg" || name == "minres" {
			m = spd
		}
		want, wanted, _ := solve(t, fresh, m, name, krylov.Options[*Vector]{})
		for _, left := range []uint64{1, 40, 75, 90} {
			d.sums.reserve(int(2*cells - left - d.sums.next%cells))
			before := d.sums.next / cells
			x, r, _ := solve(t, d, m, name, krylov.Options[*Vector]{})
			if d.sums.next/cells == before {
				t.Errorf("%s: no cell is used again", name)
			}
			if r.Iterations != wanted.Iterations || !slices.Equal(x, want) {
				t.Errorf("%s, %d cells left: other bits after %d iterations than with all left after %d", name, left, r.Iterations, wanted.Iterations)
			}
		}
	}
}

// Breakdowns on a device have the reasons that they have on the host.
func TestSolveTrouble(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		m := generated(t, "poisson2d", generate.Params{"n": 12})
		shifted := m.Clone()
		for i := range m.Rows {
			for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
				if int(m.Col[k]) == i {
					shifted.Val[k] -= 0.3
				}
			}
		}
		if _, r, _ := solve(t, d, shifted, "cg", krylov.Options[*Vector]{}); r.Reason != krylov.Indefinite {
			t.Errorf("CG on an indefinite matrix: %+v", r)
		}
		zero := m.Clone()
		clear(zero.Val)
		zero.Val[0] = 1 // b = e1, and the first direction is the solution
		if _, r, _ := solve(t, d, zero, "bicgstab", krylov.Options[*Vector]{}); r.Reason != krylov.Converged || r.Iterations != 1 {
			t.Errorf("BiCGStab solved by its first step: %+v", r)
		}
		if _, r, _ := solve(t, d, zero, "gmres", krylov.Options[*Vector]{}); r.Reason != krylov.Converged || r.Iterations != 1 {
			t.Errorf("GMRES solved by its first step: %+v", r)
		}
	})
}
