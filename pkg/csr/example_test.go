package csr_test

import (
	"fmt"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

func ExampleBuilder() {
	b, err := csr.NewBuilder(2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range []struct {
		i, j int
		v    float64
	}{{1, 2, 5}, {0, 0, 1}, {1, 0, 2}, {1, 2, 0.5}} {
		if err := b.Add(e.i, e.j, e.v); err != nil {
			fmt.Println(err)
		}
	}
	m := b.Build()
	m.DoNonZero(func(i, j int, v float64) { fmt.Println(i, j, v) })
	// Output:
	// 0 0 1
	// 1 0 2
	// 1 2 5.5
}

// The arrays of compressed sparse rows; the columns of a row in any order.
func ExampleNew() {
	m, err := csr.New(2, 3, []int{0, 1, 3}, []int{0, 2, 1}, []float64{4, -1, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(m))
	_, err = csr.New(2, 3, []int{0, 1, 3}, []int{0, 2, 3}, []float64{4, -1, 5})
	fmt.Println(err)
	// Output:
	// ⎡ 4   0   0⎤
	// ⎣ 0   5  -1⎦
	// csr: row 2: column index 3 out of range [0, 3)
}

// A matrix of github.com/james-bowman/sparse, and back.
func ExampleFromSparse() {
	src := sparse.NewCOO(2, 2, []int{0, 1, 1}, []int{0, 0, 1}, []float64{4, -1, 3})
	m, err := csr.FromSparse(src.ToCSR())
	if err != nil {
		fmt.Println(err)
		return
	}
	y := make([]float64, 2)
	m.ToSparse().MulVecTo(y, false, []float64{1, 2})
	fmt.Println(m.NNZ(), "nonzeros, A x =", y)
	// Output: 3 nonzeros, A x = [4 5]
}

// A matrix of gonum becomes a sparse one, and a sparse one is a mat.Matrix.
func ExampleFromMat() {
	band := mat.NewBandDense(3, 3, 0, 1, []float64{2, -1, 2, -1, 2, 0})
	m, err := csr.FromMat(band)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NNZ(), "nonzeros, trace", mat.Trace(m))
	fmt.Println(mat.Formatted(m))
	// Output:
	// 5 nonzeros, trace 6
	// ⎡ 2  -1   0⎤
	// ⎢ 0   2  -1⎥
	// ⎣ 0   0   2⎦
}

func ExampleExamine() {
	m, err := csr.FromMat(mat.NewSymDense(2, []float64{-2, 1, 0, -4}))
	if err != nil {
		fmt.Println(err)
		return
	}
	f := csr.Examine(m, nil)
	fmt.Println(f.Symmetric, f.DiagonalSign(), f.MinAbs, f.MaxAbs)
	// Output: true -1 1 4
}

func ExampleScaling() {
	m, err := csr.FromMat(mat.NewDense(2, 2, []float64{1 << 20, 0, 1 << 10, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := csr.RowScaling(m, nil)
	fmt.Println(s.Row, s.Apply(m, nil).Val)
	// Output: [-21 -11] [0.5 0.5 0.00146484375]
}
