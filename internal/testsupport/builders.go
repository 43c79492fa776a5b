// Matrix reads real matrices for tests, from the folder shared/matrices next to a checkout.
package testsupport

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Entries returns the n x n matrix of the entries that fill adds.
func Entries(n int, fill func(add func(i, j int, v float64))) *csr.Matrix {
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		panic(err)
	}
	fill(func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			panic(err)
		}
	})
	return b.Build()
}

// Dense returns the square matrix with these rows, without their zeros.
func Dense(rows ...[]float64) *csr.Matrix {
	return Entries(len(rows), func(add func(i, j int, v float64)) {
		for i, row := range rows {
			for j, v := range row {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	})
}

// Diagonal returns the matrix with this diagonal, including its zeros.
func Diagonal(d ...float64) *csr.Matrix {
	return Entries(len(d), func(add func(i, j int, v float64)) {
		for i, v := range d {
			add(i, i, v)
		}
	})
}

// Hilbert returns the Hilbert matrix of dimension n.
func Hilbert(n int) *csr.Matrix {
	return Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for j := range n {
				add(i, j, 1/float64(i+j+1))
			}
		}
	})
}

// Grid returns the five-point discretisation of -Laplace u + wind u_x + shift u on
// k x k points.
func Grid(k int, wind, shift float64) *csr.Matrix {
	return Entries(k*k, func(add func(i, j int, v float64)) {
		for p := range k * k {
			add(p, p, 4+shift)
			if p%k > 0 {
				add(p, p-1, -1-wind)
			}
			if p%k < k-1 {
				add(p, p+1, -1+wind)
			}
			if p >= k {
				add(p, p-k, -1)
			}
			if p < k*k-k {
				add(p, p+k, -1)
			}
		}
	})
}

// Path returns the Laplacian of a path whose edges have these weights: singular, with constants in its null space.
func Path(weights ...float64) *csr.Matrix {
	return Entries(len(weights)+1, func(add func(i, j int, v float64)) {
		for i, w := range weights {
			add(i, i, w)
			add(i+1, i+1, w)
			add(i, i+1, -w)
			add(i+1, i, -w)
		}
	})
}

// SevenDiagonals returns a band matrix of n rows with normal numbers, the diagonals up to 1000 away from the main one.
func SevenDiagonals(rng *rand.Rand, n int) *csr.Matrix {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: []int64{0}}
	for i := range n {
		for _, d := range []int{-1000, -30, -1, 0, 1, 30, 1000} {
			if j := i + d; j >= 0 && j < n {
				m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, rng.NormFloat64())
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

// Random returns n normally distributed numbers.
func Random(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// SameBits reports whether x and y have the same bits.
func SameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// Folder returns the folder of the matrices as seen from a package two folders below the root. It skips the test if
// the folder is missing.
func Folder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "matrices")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no folder shared/matrices next to this checkout")
	}
	return dir
}

// Matrix reads the matrix of that name.
func Matrix(t testing.TB, name string) *csr.Matrix {
	t.Helper()
	m, _, err := matrixio.Named(Folder(t), name).Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
