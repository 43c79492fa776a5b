package krylov

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Builders shared with other packages.
var (
	entries  = testsupport.Entries
	dense    = testsupport.Dense
	diagonal = testsupport.Diagonal
	hilbert  = testsupport.Hilbert
	path     = testsupport.Path
	random   = testsupport.Random
	sameBits = testsupport.SameBits
)

// grid is the five-point discretisation of -Laplace u + wind u_x on k x k
// points: symmetric for wind = 0.
func grid(k int, wind float64) *csr.Matrix { return testsupport.Grid(k, wind, 0) }

func fromMat(a mat.Matrix) *csr.Matrix {
	m, err := csr.FromMat(a)
	if err != nil {
		panic(err)
	}
	return m
}

// band has an odd number of values in each row, around the diagonal.
func band(n int, values ...float64) *csr.Matrix {
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for k, v := range values {
				if j := i + k - len(values)/2; j >= 0 && j < n && v != 0 {
					add(i, j, v)
				}
			}
		}
	})
}

// stiff is the square of the second difference on n points: symmetric positive
// definite with a condition number of about (n/2)^4 / 4.
func stiff(n int) *csr.Matrix {
	second := band(n, -1, 2, -1)
	return product(second, second)
}

// shift is the permutation that moves every element one place on, cyclically.
func shift(n int) *csr.Matrix {
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add((i+1)%n, i, 1)
		}
	})
}

// neumann is the path of n points whose edges have the weight 1.
func neumann(n int) *csr.Matrix { return path(constant(n-1, 1)...) }

// singularIndefinite has the eigenvalues -3, -1.5, ..., without and with zeros.
func singularIndefinite(n, zeros int) *csr.Matrix {
	d := make([]float64, n)
	for i := range d {
		d[i] = 1.5 * float64(i%7-2)
		if i%7 == 2 && i/7 >= zeros {
			d[i] = 4
		}
	}
	// A reflection on both sides mixes the unknowns.
	v, h := random(31, n), mat.NewDense(n, n, nil)
	vv := mat.Dot(mat.NewVecDense(n, v), mat.NewVecDense(n, v))
	h.Apply(func(i, j int, _ float64) float64 {
		e := -2 * v[i] * v[j] / vv
		if i == j {
			e++
		}
		return e
	}, h)
	var a mat.Dense
	a.Product(h, mat.NewDiagDense(n, d), h)
	for i := range n {
		for j := range i {
			a.Set(i, j, a.At(j, i))
		}
	}
	return fromMat(&a)
}

func scaledBy(a float64, m *csr.Matrix) *csr.Matrix {
	m = m.Clone()
	floats.Scale(a, m.Val)
	return m
}

// shifted returns A + s I for a matrix with a full diagonal.
func shifted(m *csr.Matrix, s float64) *csr.Matrix {
	return entries(m.Rows, func(add func(i, j int, v float64)) {
		m.DoNonZero(add)
		for i := range m.Rows {
			add(i, i, s)
		}
	})
}

// product is a b.
func product(a, b *csr.Matrix) *csr.Matrix {
	var c mat.Dense
	c.Mul(mat.DenseCopyOf(a), mat.DenseCopyOf(b))
	return fromMat(&c)
}

// jacobi is the inverse of the diagonal of m, to a power.
func jacobi(m *csr.Matrix, power float64) *csr.Matrix {
	d := m.Diagonal(nil)
	for i, v := range d {
		d[i] = math.Pow(math.Abs(v), -power)
	}
	return diagonal(d...)
}

// uneven scales rows and columns of an SPD matrix by up to 4 and down to 1/4.
func uneven(m *csr.Matrix) *csr.Matrix {
	d := make([]float64, m.Rows)
	for i := range d {
		d[i] = math.Pow(4, math.Sin(float64(7*i)))
	}
	return product(product(diagonal(d...), m), diagonal(d...))
}

// unit is the i-th unit vector.
func unit(n, i int) []float64 {
	x := make([]float64, n)
	x[i] = 1
	return x
}

func constant(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// centred is a random vector whose elements add up to zero.
func centred(n int) []float64 {
	x := random(10, n)
	floats.AddConst(-floats.Sum(x)/float64(n), x)
	return x
}

// sine is an eigenvector of band(n, -1, 2, -1).
func sine(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(math.Pi * float64(i+1) / float64(n+1))
	}
	return x
}

// times returns a x.
func times(a float64, x []float64) []float64 { return floats.ScaleTo(make([]float64, len(x)), a, x) }

func difference(x, y []float64) []float64 { return floats.SubTo(make([]float64, len(x)), x, y) }

// distance is the measure max |r_i|, for b of size 1.
func distance(_, r []float64) float64 {
	worst := 0.0
	for _, v := range r {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// relative is the measure ||r||_2 / ||b||_2.
func relative(b []float64) Measure[[]float64] {
	return func(_, r []float64) float64 { return floats.Norm(r, 2) / floats.Norm(b, 2) }
}
