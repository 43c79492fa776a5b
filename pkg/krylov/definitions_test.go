package krylov

import (
	"context"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"gonum.org/v1/gonum/mat"
)

// krylovBasis is an orthonormal basis of span{v, A v, ..., A^(k-1) v}.
func krylovBasis(a mat.Matrix, v *mat.VecDense, k int) *mat.Dense {
	n := v.Len()
	columns := mat.NewDense(n, k, nil)
	w := mat.VecDenseCopyOf(v)
	for j := range k {
		w.ScaleVec(1/w.Norm(2), w)
		columns.SetCol(j, w.RawVector().Data)
		next := mat.NewVecDense(n, nil)
		next.MulVec(a, w)
		w = next
	}
	var qr mat.QR
	qr.Factorize(columns)
	q := mat.NewDense(n, n, nil)
	qr.QTo(q)
	return mat.DenseCopyOf(q.Slice(0, n, 0, k))
}

// petrovGalerkin is V y with W^T (b - A V y) = 0.
func petrovGalerkin(t *testing.T, a, v, w mat.Matrix, b *mat.VecDense) *mat.VecDense {
	t.Helper()
	var av, wav mat.Dense
	var wb, y, x mat.VecDense
	av.Mul(a, v)
	wav.Mul(w.T(), &av)
	wb.MulVec(w.T(), b)
	if err := y.SolveVec(&wav, &wb); err != nil {
		t.Fatal(err)
	}
	x.MulVec(v, &y)
	return &x
}

// definitionSystem is a small general system.
func definitionSystem() (sparse *csr.Matrix, a *mat.Dense, b *mat.VecDense) {
	sparse = grid(5, 0.8)
	return sparse, mat.DenseCopyOf(sparse), mat.NewVecDense(25, random(31, 25))
}

func solveSteps(t *testing.T, name string, a *csr.Matrix, b *mat.VecDense, steps int) *mat.VecDense {
	t.Helper()
	x := make([]float64, a.Cols)
	r := solveWith(t, name, a, x, b.RawVector().Data, hostOptions{Tol: 1e-14, MaxIter: steps})
	if r.Iterations != steps {
		t.Fatalf("%s: %d iterations, want %d", name, r.Iterations, steps)
	}
	return mat.NewVecDense(len(x), x)
}

func near(t *testing.T, what string, steps int, got, want *mat.VecDense) {
	t.Helper()
	var d mat.VecDense
	d.SubVec(got, want)
	if !(d.Norm(2) <= 1e-8*want.Norm(2)) {
		t.Errorf("%s, %d steps: x differs by %g of %g", what, steps, d.Norm(2), want.Norm(2))
	}
}

// The k-th x of BiCG lies in the Krylov space of A, with a residual orthogonal to that of A^T; that of
// LSQR minimises the residual in the Krylov space of A^T A; the residual of CGS is p(A) p(A) b where that of
// bicg is p(A) b.
func TestIteratesByDefinition(t *testing.T) {
	sparse, a, b := definitionSystem()
	var normal mat.Dense
	normal.Mul(a.T(), a)
	var atb mat.VecDense
	atb.MulVec(a.T(), b)
	for k := 1; k <= 6; k++ {
		v := krylovBasis(a, b, k)
		bicg := petrovGalerkin(t, a, v, krylovBasis(a.T(), b, k), b)
		near(t, "bicg", k, solveSteps(t, "bicg", sparse, b, k), bicg)

		v = krylovBasis(&normal, &atb, k)
		var av mat.Dense
		av.Mul(a, v)
		near(t, "lsqr", k, solveSteps(t, "lsqr", sparse, b, k), petrovGalerkin(t, a, v, &av, b))

		// p(z) = 1 - z q(z), where x = q(A) b of BiCG; p(A)^2 b = b - A (2 q - A q^2)(A) b.
		powers := mat.NewDense(25, k, nil)
		w := mat.VecDenseCopyOf(b)
		for j := range k {
			powers.SetCol(j, w.RawVector().Data)
			next := mat.NewVecDense(25, nil)
			next.MulVec(a, w)
			w = next
		}
		var q mat.VecDense
		if err := q.SolveVec(powers, bicg); err != nil {
			t.Fatal(err)
		}
		apply := func(v *mat.VecDense) *mat.VecDense { // q(A) v
			sum := mat.NewVecDense(25, nil)
			for j := range k {
				sum.AddScaledVec(sum, q.AtVec(j), v)
				next := mat.NewVecDense(25, nil)
				next.MulVec(a, v)
				v = next
			}
			return sum
		}
		var x, back mat.VecDense
		back.MulVec(a, apply(bicg))
		x.AddScaledVec(&back, -2, bicg)
		x.ScaleVec(-1, &x)
		near(t, "cgs", k, solveSteps(t, "cgs", sparse, b, k), &x)
	}
}

// tfqmr is Freund's algorithm as it is printed, and its residuals keep their bound.
func TestTFQMRAsPrinted(t *testing.T) {
	sparse, a, b := definitionSystem()
	n := b.Len()
	times := func(v *mat.VecDense) *mat.VecDense {
		y := mat.NewVecDense(n, nil)
		y.MulVec(a, v)
		return y
	}
	w, u, x, d := mat.VecDenseCopyOf(b), mat.VecDenseCopyOf(b), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	v := times(u)
	au := mat.VecDenseCopyOf(v)
	tau, theta, eta, rho, alpha := b.Norm(2), 0.0, 0.0, mat.Dot(b, b), 0.0
	for m := range 16 {
		next := mat.NewVecDense(n, nil)
		if m%2 == 0 {
			alpha = rho / mat.Dot(v, b)
			next.AddScaledVec(u, -alpha, v)
		}
		w.AddScaledVec(w, -alpha, au)
		d.AddScaledVec(u, theta*theta*eta/alpha, d)
		theta = w.Norm(2) / tau
		c := 1 / math.Sqrt(1+theta*theta)
		tau, eta = tau*theta*c, c*c*alpha
		x.AddScaledVec(x, eta, d)
		if m%2 == 1 {
			beta := mat.Dot(w, b) / rho
			rho *= beta
			next.AddScaledVec(w, beta, u)
			v.AddScaledVec(au, beta, v)
			au = times(next)
			v.AddScaledVec(au, beta, v)
			near(t, "tfqmr", m/2+1, solveSteps(t, "tfqmr", sparse, b, m/2+1), x)
			var r mat.VecDense
			r.SubVec(b, times(x))
			if bound := math.Sqrt(float64(m+2)) * tau; r.Norm(2) > bound*(1+1e-10) {
				t.Errorf("%d steps: residual %g, bound %g", m/2+1, r.Norm(2), bound)
			}
		} else {
			au = times(next)
		}
		u = next
	}
}

// In the k-th step after each reduction, the residual of IDR(s) is orthogonal to the first k
// shadow vectors, and at most n + n/s products solve.
func TestIDRDimensions(t *testing.T) {
	sparse, _, b := definitionSystem()
	n := b.Len()
	pool := newPool(t, 1)
	for s := 1; s <= 6; s++ {
		m := newIDR(linop.NewHost(n, pool), IDROptions{S: s}).(*idr[[]float64, linop.Float64])
		steps, seen := 0, 0
		opt := hostOptions{Tol: 1e-9, Monitor: func(e Event) {
			for i := 0; i < e.Iteration%(s+1) && e.Residual > 1e-6; i++ {
				cosine := float64(m.space.Dot(m.p[i], m.r)) / float64(m.space.Dot(m.r, m.r).Sqrt())
				if seen++; math.Abs(cosine) > 1e-8 {
					t.Errorf("s = %d, step %d: the cosine of p_%d and r is %g", s, e.Iteration, i, cosine)
				}
			}
			steps = e.Iteration
		}}
		x := make([]float64, n)
		if r := m.Solve(context.Background(), linop.NewCSR(sparse, pool), x, b.RawVector().Data, opt); r.Reason != Converged || steps > n+(n+s-1)/s {
			t.Errorf("s = %d: %v after %d steps, want at most %d", s, r.Reason, steps, n+(n+s-1)/s)
		}
		if seen < 10 {
			t.Errorf("s = %d: only %d inner products", s, seen)
		}
	}
}

// On symmetric positive definite matrices, with a symmetric preconditioner, BiCG is CG.
func TestBiCGIsCG(t *testing.T) {
	a := uneven(grid(6, 0))
	b := mat.NewVecDense(36, random(32, 36))
	for _, by := range []Preconditioner[[]float64]{nil, symmetricGaussSeidel(a)} {
		for steps := 1; steps <= 8; steps++ {
			x := map[string]*mat.VecDense{}
			for _, name := range []string{"cg", "bicg"} {
				v := make([]float64, 36)
				solveWith(t, name, a, v, b.RawVector().Data, hostOptions{MaxIter: steps, Precond: by})
				x[name] = mat.NewVecDense(36, v)
			}
			near(t, "bicg and cg", steps, x["bicg"], x["cg"])
		}
	}
}

// LSQR solves least-squares problems of any shape, with zero rows or columns where the matrix is
// not square, and says so; other systems it solves.
func TestLSQRLeastSquares(t *testing.T) {
	for _, c := range []struct {
		rows, cols int
		consistent bool
	}{{30, 12, false}, {30, 12, true}, {12, 30, true}, {20, 20, true}} {
		dense := mat.NewDense(c.rows, c.cols, random(33, c.rows*c.cols))
		b := mat.NewVecDense(c.rows, random(34, c.rows))
		if c.consistent {
			b.MulVec(dense, mat.NewVecDense(c.cols, random(35, c.cols)))
		}
		n := max(c.rows, c.cols)
		padded := mat.NewDense(n, n, nil)
		padded.Slice(0, c.rows, 0, c.cols).(*mat.Dense).Copy(dense)
		rhs, x := make([]float64, n), make([]float64, n)
		copy(rhs, b.RawVector().Data)
		r := solveWith(t, "lsqr", fromMat(padded), x, rhs, hostOptions{Tol: 1e-11, LeastSquares: 1e-11})
		want := LeastSquares
		if c.consistent {
			want = Converged
		}
		if r.Reason != want {
			t.Errorf("%d x %d: %v, want %v", c.rows, c.cols, r.Reason, want)
		}
		var svd mat.SVD
		if !svd.Factorize(dense, mat.SVDThin) {
			t.Fatal("no SVD")
		}
		var least mat.VecDense
		svd.SolveVecTo(&least, b, min(c.rows, c.cols))
		near(t, "lsqr of least norm", r.Iterations, mat.NewVecDense(c.cols, x[:c.cols]), &least)
		for _, v := range x[c.cols:] {
			if v != 0 {
				t.Errorf("%d x %d: an unknown that does not exist is %g", c.rows, c.cols, v)
			}
		}
	}
}

// In exact arithmetic MINRES is GMRES for symmetric A.
func TestMINRESIsGMRES(t *testing.T) {
	for _, a := range []*csr.Matrix{grid(8, 0), shifted(grid(8, 0), -2.5), singularIndefinite(64, 0), band(30, 1, 0, 1)} {
		b := random(32, a.Rows)
		for steps := 1; steps <= 8; steps++ {
			x, y := make([]float64, len(b)), make([]float64, len(b))
			r := solveWith(t, "minres", a, x, b, hostOptions{Tol: 1e-6, MaxIter: steps})
			s := solveWith(t, "gmres full cgs2", a, y, b, hostOptions{Tol: 1e-6, MaxIter: steps})
			if d := distance(nil, difference(x, y)); d > 1e-9*distance(nil, y) || math.Abs(r.Residual-s.Residual) > 1e-12 {
				t.Errorf("%d steps: x differs by %g, residuals %g and %g", steps, d, r.Residual, s.Residual)
			}
		}
	}
}

// Symmetric indefinite systems, regular, and singular with b in the range: the
// solution is that of least norm, which a dense solver finds.
func TestMINRESAgainstDense(t *testing.T) {
	const n = 50
	for _, zeros := range []int{0, 1, 5} {
		a := singularIndefinite(n, zeros)
		b := make([]float64, n)
		a.MulVec(b, random(33, n))
		var svd mat.SVD
		var want mat.VecDense
		if !svd.Factorize(mat.DenseCopyOf(a), mat.SVDFull) {
			t.Fatal("no singular values")
		}
		svd.SolveVecTo(&want, mat.NewVecDense(n, b), n-zeros)
		x := make([]float64, n)
		r := solveWith(t, "minres", a, x, b, hostOptions{Tol: 1e-13})
		if d := distance(nil, difference(x, want.RawVector().Data)); r.Reason != Converged || d > 1e-11 {
			t.Errorf("%d zero eigenvalues: %v after %d iterations, error %g", zeros, r.Reason, r.Iterations, d)
		}
		checkHonest(t, r, trueResidual(t, a, x, b), 1e-13)
	}
}

// With b outside of the range and few eigenvalues, Lanczos' process ends with a
// singular T: x has the least residual that there is.
func TestMINRESStopsAtLeastSquares(t *testing.T) {
	for seed := range uint64(20) {
		a, b, x := singularIndefinite(30, 2), random(40+seed, 30), make([]float64, 30)
		r := solveWith(t, "minres", a, x, b, hostOptions{})
		res, ar := make([]float64, 30), make([]float64, 30)
		a.MulVec(res, x)
		res = difference(b, res)
		a.MulVec(ar, res)
		if r.Reason != Breakdown || distance(nil, ar) > 1e-11*distance(nil, res) {
			t.Errorf("seed %d: %v after %d iterations, A r = %g of %g", seed, r.Reason, r.Iterations, distance(nil, ar), distance(nil, res))
		}
	}
}
