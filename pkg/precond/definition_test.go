package precond

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// TestDefinitions compares M^-1 of every kind with its definition in dense matrices, at
// several accuracies.
func TestDefinitions(t *testing.T) {
	small := positive(t)
	delete(small, "none")
	for seed := range uint64(2) {
		small["random, symmetric "+string('0'+rune(seed))] = randomSparse(t, 60, 3, true, seed)
		small["random "+string('0'+rune(seed))] = randomSparse(t, 60, 3, false, seed)
	}
	small["convection"] = generated(t, "convdiff2d", generate.Params{"n": 12})
	wellScaled := maps.Clone(small) // as callers of AMG scale
	delete(wellScaled, "badly scaled")
	large := multigridProblems(t)
	large["convection"] = generated(t, "convdiff2d", generate.Params{"n": 23})
	cycle := func(p Preconditioner, a mat.Matrix) mat.Matrix {
		if p.(*multigrid).levels == 0 {
			t.Fatalf("one level: %v", p)
		}
		return vCycle(p, a)
	}
	exact := func(_ Preconditioner, a mat.Matrix) mat.Matrix { return inverse(a) }
	indefinite := map[string]*csr.Matrix{"quasi-definite": quasiDefinite(20, 10, 3), "shifted": laplace(t, 7)}
	shift(indefinite["shifted"], -3.3)
	for _, c := range []struct {
		kind     Kind
		matrices map[string]*csr.Matrix
		opt      Options
		define   func(p Preconditioner, a mat.Matrix) mat.Matrix
	}{
		{Jacobi, small, Options{}, func(_ Preconditioner, a mat.Matrix) mat.Matrix { return inverse(masked(a, same)) }},
		{BlockJacobi, small, Options{}, diagonalBlocks},
		{BlockJacobi, small, Options{BlockSize: 1}, diagonalBlocks},
		{BlockJacobi, small, Options{BlockSize: 7}, diagonalBlocks},
		{BlockJacobi, small, Options{BlockSize: maxBlockSize}, diagonalBlocks},
		{ILU0, small, Options{}, patternLU(0)},
		{ILU0, small, Options{Relax: 0.9}, patternLU(0.9)},
		{IC0, small, Options{}, patternLU(0)},
		{ILUT, small, Options{DropTol: 1e-300, Fill: 1e6}, exact},
		{ICT, small, Options{DropTol: 1e-300, Fill: 1e6}, exact},
		{ILUT, small, Options{DropTol: 1e-300, Fill: 1e6, Order: OrderRCM}, exact},
		{ICT, small, Options{DropTol: 1e-300, Fill: 1e6, Order: OrderRCM}, exact},
		{LU, small, Options{}, exact},
		{Cholesky, small, Options{}, exact},
		{LDL, small, Options{}, exact},
		{LDL, indefinite, Options{}, absolute},
		{Chebyshev, small, Options{}, chebyshevPolynomial},
		{Chebyshev, small, Options{Degree: 1}, chebyshevPolynomial},
		{Chebyshev, small, Options{Degree: 9}, chebyshevPolynomial},
		{FSAI, small, Options{}, lowerPatternInverse},
		{FSAI, small, Options{Degree: 2}, lowerPatternInverse},
		{FSAI, small, Options{Degree: 3}, lowerPatternInverse},
		{FSAI, map[string]*csr.Matrix{"full pattern": laplace(t, 4)}, Options{Degree: 8}, exact},
		{ISAI, wellScaled, Options{}, factorsInverses(2)},
		{ISAI, wellScaled, Options{Degree: 1}, factorsInverses(1)},
		{AMG, wellScaled, Options{}, exact}, // of one level
		{AMG, large, Options{}, cycle},
		{AMG, large, Options{Multigrid: MultigridOptions{Coarsest: 4}}, cycle}, // levels visited twice
		{AMG, large, Options{Degree: 3, Multigrid: MultigridOptions{Smoother: SmootherL1Jacobi}}, cycle},
	} {
		for name, m := range c.matrices {
			d, _ := Lookup(c.kind)
			if c.opt.Symmetric = csr.Examine(m, nil).Symmetric; (d.Definite || d.Symmetric) && !c.opt.Symmetric {
				continue
			}
			for epsilon, tol := range map[float64]float64{adaptive.MinEpsilon: 1e-10, 0x1p-32: 1e-5, 0x1p-16: 0.05} {
				if c.opt.Epsilon = epsilon; epsilon != adaptive.MinEpsilon && (c.kind == AMG || testing.Short() && epsilon < DefaultEpsilon) {
					continue // coarser levels are those of the rounded prolongator
				}
				p := mustNew(t, c.kind, m, c.opt, nil)
				a := dense(m)
				want := c.define(p, a)
				got, definition := make([]float64, 0, m.Rows*m.Rows), make([]float64, 0, m.Rows*m.Rows)
				for j, column := range denseOf(p, m.Rows) {
					for i, v := range column { // scaled, so that no row is small
						scale := math.Sqrt(math.Abs(a.At(i, i) * a.At(j, j)))
						got, definition = append(got, scale*v), append(definition, scale*want.At(i, j))
					}
				}
				closeTo(t, name+": "+p.String(), got, definition, tol)
			}
		}
	}
}

// quasiDefinite is [H B^T; B -C], with H and C positive diagonal matrices.
func quasiDefinite(n, constraints int, seed uint64) *csr.Matrix {
	r := rand.New(rand.NewPCG(seed, 8))
	return testmatrix.Entries(n+constraints, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 0.5+r.Float64())
		}
		for i := n; i < n+constraints; i++ {
			add(i, i, -0.5-r.Float64())
			for range 3 {
				j, v := r.IntN(n), r.NormFloat64()
				add(i, j, v)
				add(j, i, v)
			}
		}
	})
}

// absolute is (L |D| L^T)^-1 where A = L D L^T, in the order of p.
func absolute(p Preconditioner, a mat.Matrix) mat.Matrix {
	order := p.(*complete).unknowns
	n := len(order)
	f := mat.NewDense(n, n, nil)
	f.Apply(func(i, j int, _ float64) float64 { return a.At(int(order[i]), int(order[j])) }, f)
	for k := range n {
		for i := k + 1; i < n; i++ {
			l := f.At(i, k) / f.At(k, k)
			for j := k; j < n; j++ {
				f.Set(i, j, f.At(i, j)-l*f.At(k, j))
			}
			f.Set(i, k, l)
		}
	}
	l, d := masked(f, func(i, j int) bool { return j < i }), mat.NewDense(n, n, nil)
	for i := range n {
		l.Set(i, i, 1)
		d.Set(i, i, math.Abs(f.At(i, i)))
	}
	m := product(&mat.Dense{}, l, d, l.T())
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			out.Set(int(order[i]), int(order[j]), m.At(i, j))
		}
	}
	return inverse(out)
}

func dense(m *csr.Matrix) *mat.Dense {
	a := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			a.Set(i, int(j), vals[k])
		}
	}
	return a
}

func inverse(a mat.Matrix) *mat.Dense {
	n, _ := a.Dims()
	d := make([]float64, n)
	for i := range d {
		d[i] = 1 / math.Sqrt(math.Abs(a.At(i, i)))
	}
	scale := func(i, j int, v float64) float64 { return d[i] * v * d[j] }
	var s mat.Dense
	s.Apply(scale, a) // with a diagonal of ones, so that rows of different size do no harm
	if err := s.Inverse(&s); err != nil {
		panic(err)
	}
	s.Apply(scale, &s)
	return &s
}

// diagonal is diag(d), dense, which multiplies faster.
func diagonal(d []float64) *mat.Dense { return mat.DenseCopyOf(mat.NewDiagDense(len(d), d)) }

func identity(n int) *mat.Dense { return diagonal(Constants(n, 1)[0]) }

// product sets dst to the product of matrices.
func product(dst *mat.Dense, factors ...mat.Matrix) *mat.Dense {
	var p mat.Dense
	p.Product(factors...)
	dst.CloneFrom(&p)
	return dst
}

func same(i, j int) bool { return i == j }

// masked is a where in holds, and zero elsewhere.
func masked(a mat.Matrix, in func(i, j int) bool) *mat.Dense {
	var b mat.Dense
	b.Apply(func(i, j int, v float64) float64 {
		if in(i, j) {
			return v
		}
		return 0
	}, a)
	return &b
}

func diagonalBlocks(p Preconditioner, a mat.Matrix) mat.Matrix {
	n, _ := a.Dims()
	block := make([]int, n)
	first := p.(*blockJacobi).first
	for b := range len(first) - 1 {
		for i := first[b]; i < first[b+1]; i++ {
			block[i] = b
		}
	}
	return inverse(masked(a, func(i, j int) bool { return block[i] == block[j] }))
}

// patternLU is (L U)^-1 of [Saad03], algorithm 10.4, where that share of what is dropped is added to the
// diagonal.
func patternLU(relax float64) func(Preconditioner, mat.Matrix) mat.Matrix {
	return func(_ Preconditioner, a mat.Matrix) mat.Matrix { return inverse(lu(patternFactors(a, relax))) }
}

func lu(l, u *mat.Dense) *mat.Dense { return product(&mat.Dense{}, l, u) }

// patternFactors are L and U.
func patternFactors(a mat.Matrix, relax float64) (l, u *mat.Dense) {
	n, _ := a.Dims()
	f := mat.DenseCopyOf(a)
	for i := range n {
		dropped := 0.0
		for k := range i {
			if a.At(i, k) == 0 {
				continue
			}
			f.Set(i, k, f.At(i, k)/f.At(k, k))
			for j := k + 1; j < n; j++ {
				if v := f.At(i, k) * f.At(k, j); a.At(i, j) != 0 {
					f.Set(i, j, f.At(i, j)-v)
				} else {
					dropped += v
				}
			}
		}
		f.Set(i, i, f.At(i, i)-relax*dropped)
	}
	l, u = masked(f, func(i, j int) bool { return j < i }), masked(f, func(i, j int) bool { return j >= i })
	for i := range n {
		l.Set(i, i, 1)
	}
	return l, u
}

// chebyshevPolynomial is (I - q(D^-1 A)) A^-1, q by the three-term recurrence.
func chebyshevPolynomial(p Preconditioner, a mat.Matrix) mat.Matrix {
	if outer, ok := p.(*rescaled); ok {
		p = outer.Preconditioner
	}
	c := p.(*chebyshev)
	middle, half := (c.hi+c.lo)/2, (c.hi-c.lo)/2
	t := product(&mat.Dense{}, inverse(masked(a, same)), a) // (middle - D^-1 A) / half
	n, _ := a.Dims()
	t.Apply(func(i, j int, v float64) float64 {
		if i == j {
			v -= middle
		}
		return -v / half
	}, t)
	before, now := identity(n), mat.DenseCopyOf(t)
	for range len(c.omega) - 1 {
		next := product(&mat.Dense{}, t, now)
		next.Scale(2, next)
		next.Sub(next, before)
		before, now = now, next
	}
	now.Scale(-1/math.Cosh(float64(len(c.omega))*math.Acosh(middle/half)), now)
	now.Add(identity(n), now)
	return product(now, now, inverse(a))
}

// lowerPatternInverse is G^T G: a row of G with the columns J is y / sqrt(y_i), A_JJ y = e_i.
// J is from the pattern of a power of A without its weak entries.
func lowerPatternInverse(p Preconditioner, a mat.Matrix) mat.Matrix {
	if outer, ok := p.(*rescaled); ok {
		p = outer.Preconditioner
	}
	n, _ := a.Dims()
	pattern := mat.DenseCopyOf(a)
	if power := p.(*fsai).power; power > 1 {
		pattern.Apply(func(i, j int, v float64) float64 {
			if math.Abs(v) < weakEntry*math.Sqrt(a.At(i, i)*a.At(j, j)) {
				return 0
			}
			return min(math.Abs(v), 1)
		}, a)
		pattern.Pow(pattern, power)
	}
	g := mat.NewDense(n, n, nil)
	for i := range n {
		var cols []int
		for j := range i + 1 {
			if pattern.At(i, j) != 0 {
				cols = append(cols, j)
			}
		}
		last := len(cols) - 1
		part := mat.NewDense(last+1, last+1, nil)
		part.Apply(func(k, j int, _ float64) float64 { return a.At(cols[k], cols[j]) }, part)
		y := inverse(part)
		for k, j := range cols {
			g.Set(i, j, y.At(k, last)/math.Sqrt(y.At(last, last)))
		}
	}
	return product(g, g.T(), g)
}

// factorsInverses is W_U W_L, where W_L L and W_U U are the identity on the pattern of W, that of a power of L or U; for
// symmetric A, W_L^T D^-1 W_L.
func factorsInverses(power int) func(Preconditioner, mat.Matrix) mat.Matrix {
	return func(_ Preconditioner, a mat.Matrix) mat.Matrix {
		l, u := patternFactors(a, 0)
		lower := onPattern(l, power)
		if n, _ := a.Dims(); mat.EqualApprox(a, a.T(), 1e-12*mat.Max(a)) {
			d := identity(n)
			for k := range n {
				d.Set(k, k, 1/u.At(k, k))
			}
			return product(&mat.Dense{}, lower.T(), d, lower)
		}
		return product(&mat.Dense{}, onPattern(u, power), lower)
	}
}

// onPattern is W of the pattern of a power of a triangular matrix with W T the identity there: row i of W is e_i T_JJ^-1.
func onPattern(t *mat.Dense, power int) *mat.Dense {
	n, _ := t.Dims()
	pattern, w := mat.DenseCopyOf(t), mat.NewDense(n, n, nil)
	pattern.Apply(func(_, _ int, v float64) float64 { return min(math.Abs(v)*1e300, 1) }, t)
	pattern.Pow(pattern, power)
	for i := range n {
		var cols []int
		row := 0
		for j := range n {
			if pattern.At(i, j) != 0 {
				if j == i {
					row = len(cols)
				}
				cols = append(cols, j)
			}
		}
		part := mat.NewDense(len(cols), len(cols), nil)
		part.Apply(func(k, j int, _ float64) float64 { return t.At(cols[k], cols[j]) }, part)
		y := inverse(part)
		for k, j := range cols {
			w.Set(i, j, y.At(row, k))
		}
	}
	return w
}

// vCycle is the approximate inverse of A by a V-cycle, S B_0 S_1; see cycle.
func vCycle(p Preconditioner, a mat.Matrix) mat.Matrix {
	c := p.(*multigrid).cycles.(*cycle[float64])
	left, right := diagonal(c.left), diagonal(c.root)
	b := c.defined(0, product(&mat.Dense{}, left, a, right))
	return product(b, right, b, left)
}

// defined is what a cycle does on level k, whose matrix is a:
//
//	(I - E (I - P B R A) E) A^-1,  E = product of (I - omega_k A),
//
// where B is that of the coarser level for R A P, or 2 B - B R A P B if that is visited twice.
func (c *cycle[T]) defined(k int, a *mat.Dense) *mat.Dense {
	if k == len(c.levels) {
		return inverse(a)
	}
	l := &c.levels[k]
	n, _ := a.Dims()
	smooth := identity(n)
	for _, omega := range l.steps {
		step := product(&mat.Dense{}, a)
		step.Scale(-float64(omega), step)
		step.Add(identity(n), step)
		product(smooth, step, smooth)
	}
	coarser := len(c.rhs(k + 1))
	p, r := columns(l.p, n, coarser), columns(l.r, coarser, n)
	galerkin := product(&mat.Dense{}, r, a, p)
	coarse := c.defined(k+1, galerkin)
	if k+1 < len(c.levels) && c.levels[k+1].twice {
		second := product(&mat.Dense{}, coarse, galerkin, coarse)
		coarse.Scale(2, coarse)
		coarse.Sub(coarse, second)
	}
	e := product(&mat.Dense{}, p, coarse, r, a)
	e.Sub(identity(n), e)
	product(e, smooth, e, smooth)
	e.Sub(identity(n), e)
	return product(e, e, inverse(a))
}

// columns is a matrix by its products.
func columns[T real](a products[T], rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for j := range cols {
		e, column := make([]T, cols), make([]T, rows)
		e[j] = 1
		a.Apply(column, e)
		for i, v := range column {
			m.Set(i, j, float64(v))
		}
	}
	return m
}
