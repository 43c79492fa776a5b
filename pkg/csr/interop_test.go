package csr

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/floats"
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
			if !mat.Equal(m.T(), c.src.T()) {
				t.Error("the transposes differ")
			}
			back := mat.DenseCopyOf(m)
			if !mat.Equal(back, c.src) {
				t.Error("gonum's copy differs")
			}
		})
	}
}

func TestFromMatDropsZeros(t *testing.T) {
	m, err := FromMat(mat.NewDense(2, 2, []float64{0, 3, 0, 0}))
	if err != nil {
		t.Fatal(err)
	}
	if m.NNZ() != 1 {
		t.Errorf("%d entries stored of 1 nonzero", m.NNZ())
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

// Products and transposes are those of github.com/james-bowman/sparse; A x to rounding,
// since that adds in another order.
func TestAgainstSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	a := random(t, rng, 300, 200, func(i int) int { return i % 9 })
	b := random(t, rng, 200, 400, func(i int) int { return i % 7 })
	var product sparse.CSR
	product.Mul(a.ToSparse(), b.ToSparse())
	ab, err := Multiply(a, b, EqualBlocks(b.Cols, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y, want := make([]float64, a.Cols), make([]float64, a.Rows), make([]float64, a.Rows)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	a.MulVec(y, x)
	a.ToSparse().MulVecTo(want, false, x)
	if !floats.EqualApprox(y, want, 1e-14) {
		t.Error("A x differs")
	}
	for _, c := range []struct {
		name string
		got  *Matrix
		want NonZeroMatrix
	}{
		{"A", a, a.ToSparse()},
		{"A as CSC", a, a.ToSparse().ToCSC()},
		{"A B", ab, &product},
		{"A^T", a.Transpose(nil), a.ToSparse().T().(*sparse.CSC)},
	} {
		if want, err := FromSparse(c.want); err != nil || !sameBits(c.got, want) {
			t.Errorf("%s differs, %v", c.name, err)
		}
	}
}

// BenchmarkFromSparse copies seven million nonzeros.
func BenchmarkFromSparse(b *testing.B) {
	rng := rand.New(rand.NewPCG(33, 34))
	m := random(b, rng, 1_000_000, 1_000_000, func(int) int { return 7 })
	src := m.ToSparse()
	for _, bench := range []struct {
		name string
		run  func() (*Matrix, error)
	}{
		{"CSR", func() (*Matrix, error) { return FromSparse(src) }},
		{"CSC", func() (*Matrix, error) { return FromSparse(src.T().(*sparse.CSC)) }},
		{"one by one", func() (*Matrix, error) { return fromNonZeros(src) }},
		{"back", func() (*Matrix, error) { m.ToSparse(); return nil, nil }},
		{"Validate", func() (*Matrix, error) { return nil, m.Validate() }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := bench.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestDoNonZeroOrder(t *testing.T) {
	m := valid()
	var got []entry
	m.DoNonZero(func(i, j int, v float64) { got = append(got, entry{int32(i), int32(j), v}) })
	k := 0
	for i, row := range dense(m) {
		for j, v := range row {
			if v == 0 {
				continue
			}
			if k == len(got) || got[k] != (entry{int32(i), int32(j), v}) {
				t.Fatalf("visit %d of %v is not (%d, %d)", k, got, i, j)
			}
			k++
		}
	}
	if k != len(got) {
		t.Errorf("%d visits, want %d", len(got), k)
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
