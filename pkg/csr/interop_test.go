package csr

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var _ mat.Matrix = (*Matrix)(nil)

// lying visits an entry outside its own dimensions.
type lying struct{}

func (lying) Dims() (rows, cols int)                 { return 3, 3 }
func (lying) DoNonZero(fn func(i, j int, v float64)) { fn(0, 0, 1); fn(0, 9, 1); fn(9, 0, 1) }

func TestFromMat(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	random := func(n int) []float64 {
		d := make([]float64, n)
		for i := range d {
			if rng.IntN(3) > 0 {
				d[i] = rng.NormFloat64()
			}
		}
		return d
	}
	coo, dok := sparse.NewCOO(4, 6, nil, nil, nil), sparse.NewDOK(4, 6)
	for k := range 20 {
		i, j := 5*k%4, 7*k%6 // in no order, some twice
		coo.Set(i, j, rng.NormFloat64())
		dok.Set(i, j, rng.NormFloat64())
	}
	own, err := FromSparse(coo)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		src  mat.Matrix
	}{
		{"dense", mat.NewDense(5, 7, random(35))},
		{"transposed dense", mat.NewDense(5, 7, random(35)).T()},
		{"symmetric", mat.NewSymDense(6, random(36))},
		{"band", mat.NewBandDense(6, 5, 1, 2, random(24))},
		{"symmetric band", mat.NewSymBandDense(6, 2, random(18))},
		{"diagonal", mat.NewDiagDense(5, random(5))},
		{"upper triangle", mat.NewTriDense(5, mat.Upper, random(25))},
		{"lower triangle", mat.NewTriDense(5, mat.Lower, random(25))},
		{"tridiagonal", mat.NewTridiag(4, random(3), random(4), random(3))},
		{"vector", mat.NewVecDense(4, random(4))},
		{"sparse.COO", coo},
		{"sparse.DOK", dok},
		{"sparse.DIA", sparse.NewDIA(5, 5, random(5))},
		{"sparse.CSR", dok.ToCSR()},
		{"sparse.CSC", dok.ToCSC()},
		{"sparse.CSR transposed", dok.ToCSR().T()},
		{"sparse.CSC transposed", dok.ToCSC().T()},
		{"own", own},
		{"own transposed", own.T()},
		{"own as sparse.CSR", own.ToSparse()},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := FromMat(c.src)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Validate(); err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(m, c.src) {
				t.Errorf("got\n%v\nwant\n%v", mat.Formatted(m), mat.Formatted(c.src))
			}
			if !mat.Equal(m.T(), c.src.T()) || !mat.Equal(mat.DenseCopyOf(m), c.src) {
				t.Error("the transpose or gonum's copy differs")
			}
			if slices.Contains(m.Val, 0) && c.name != "sparse.DIA" { // which visits all of its diagonal
				t.Error("a zero is stored")
			}
		})
	}
}

func TestFromSparseRejects(t *testing.T) {
	for _, src := range []NonZeroMatrix{
		lying{},
		sparse.NewCSR(2, 3, []int{0, 1, 2}, []int{0, 3}, []float64{1, 2}),
		sparse.NewCSC(3, 2, []int{0, 1, 2}, []int{0, 3}, []float64{1, 2}),
	} {
		if _, err := FromSparse(src); err == nil {
			t.Errorf("no error for %T with an entry outside", src)
		}
	}
}

// Transposes are those of github.com/james-bowman/sparse, and A x to rounding, which adds in another order.
func TestAgainstSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	a := random(t, rng, 300, 200, func(i int) int { return i % 50 })
	x, y, want := make([]float64, a.Cols), make([]float64, a.Rows), make([]float64, a.Rows)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	a.MulVec(y, x)
	a.ToSparse().MulVecTo(want, false, x)
	for i := range y {
		cols, vals := a.Row(i)
		size := 0.0
		for k, j := range cols {
			size += math.Abs(vals[k] * x[j])
		}
		if !(math.Abs(y[i]-want[i]) <= 1e-14*size) {
			t.Errorf("A x differs in row %d", i)
		}
	}
	if !mat.Equal(a, a.ToSparse()) {
		t.Error("elements of A differ")
	}
	check := func(what string, got *Matrix, want NonZeroMatrix, from func(NonZeroMatrix) (*Matrix, error)) {
		t.Helper()
		if want, err := from(want); err != nil || !sameBits(got, want) {
			t.Errorf("%s differs, %v", what, err)
		}
	}
	check("A", a, a.ToSparse(), FromSparse)
	check("A as CSC", a, a.ToSparse().ToCSC(), FromSparse)
	for name, m := range manyShapes(t) {
		check(name+" transposed", m.Transpose(nil), m.ToSparse().T().(*sparse.CSC), fromNonZeros)
	}
}

func TestAtPanicsOutside(t *testing.T) {
	for _, c := range []struct {
		i, j int
		want error
	}{{-1, 0, mat.ErrRowAccess}, {3, 0, mat.ErrRowAccess}, {0, -1, mat.ErrColAccess}, {0, 4, mat.ErrColAccess}} {
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, c.want) {
					t.Errorf("At(%d, %d) panics with %v, want %v", c.i, c.j, err, c.want)
				}
			}()
			valid().At(c.i, c.j)
		}()
	}
}
