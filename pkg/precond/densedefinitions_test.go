package precond

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

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
