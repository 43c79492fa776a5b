package precond

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/testsupport"
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
		{ILU0, small, Options{Incomplete: Incomplete{Relax: 0.9}}, patternLU(0.9)},
		{IC0, small, Options{}, patternLU(0)},
		{ILUT, small, Options{Incomplete: Incomplete{DropTol: 1e-300, Fill: 1e6}}, exact},
		{ICT, small, Options{Incomplete: Incomplete{DropTol: 1e-300, Fill: 1e6}}, exact},
		{ILUT, small, Options{Incomplete: Incomplete{DropTol: 1e-300, Fill: 1e6, order: orderRCM}}, exact},
		{ICT, small, Options{Incomplete: Incomplete{DropTol: 1e-300, Fill: 1e6, order: orderRCM}}, exact},
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
		{AMG, wellScaled, Options{Multigrid: MultigridOptions{Coarsest: coarsest}}, exact}, // of one level
		{AMG, large, Options{}, cycle},
		{AMG, large, Options{Multigrid: MultigridOptions{Coarsest: 4}}, cycle}, // levels visited twice
		{AMG, large, Options{Degree: 3, Multigrid: MultigridOptions{Smoother: smootherL1Jacobi}}, cycle},
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
	return testsupport.Entries(n+constraints, func(add func(i, j int, v float64)) {
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

// absolute is (L |D| L^T)^-1 where A = L D L^T, in the order and with the pairs of p.
func absolute(p Preconditioner, a mat.Matrix) mat.Matrix {
	c := p.(*complete)
	row, paired := c.Pivots()
	n := len(c.Unknowns)
	order := make([]int, n)
	for k, before := range row {
		order[k] = int(c.Unknowns[before])
	}
	rest, l, d := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	rest.Apply(func(i, j int, _ float64) float64 { return a.At(order[i], order[j]) }, rest)
	for lo := 0; lo < n; {
		hi := lo + 1
		if paired[lo] {
			hi++
		}
		block, below := rest.Slice(lo, hi, lo, hi), rest.Slice(lo, n, lo, hi)
		column, part := product(&mat.Dense{}, below, inverse(block)), modulus(block)
		l.Slice(lo, n, lo, hi).(*mat.Dense).Copy(column)
		d.Slice(lo, hi, lo, hi).(*mat.Dense).Copy(part)
		trailing := rest.Slice(lo, n, lo, n).(*mat.Dense)
		trailing.Sub(trailing, product(&mat.Dense{}, column, block, mat.DenseCopyOf(column).T()))
		lo = hi
	}
	m := product(&mat.Dense{}, l, d, l.T())
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			out.Set(order[i], order[j], m.At(i, j))
		}
	}
	return inverse(out)
}

// modulus is (D^2)^(1/2) of a symmetric matrix.
func modulus(d mat.Matrix) mat.Matrix {
	n, _ := d.Dims()
	symmetric := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			symmetric.SetSym(i, j, d.At(i, j))
		}
	}
	var e mat.EigenSym
	e.Factorize(symmetric, true)
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	for i, x := range values {
		values[i] = math.Abs(x)
	}
	return product(&mat.Dense{}, &v, mat.NewDiagDense(n, values), v.T())
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
