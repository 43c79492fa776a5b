package adaptive_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A matrix from gonum in adaptive precision.
func ExampleBuild() {
	dense := mat.NewDense(3, 3, []float64{4, -1e-3, 0, -1e-3, 4, 1e-12, 0, 1e-12, 0.1})
	m, err := csr.FromMat(dense)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := parallel.New(0)
	defer pool.Close()
	a, err := adaptive.Build(m, adaptive.Spec{Set: set, Epsilon: 0x1p-24, Criterion: adaptive.NW, Layout: adaptive.Bucketed}, pool)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range a.Stats().Formats {
		fmt.Println(f.Format.Name, f.Count)
	}
	y := make([]float64, 3)
	a.Apply(y, []float64{1, 1, 1})
	fmt.Printf("%d dropped, y = %.6f\n", a.Stats().Dropped, y)
	// Output:
	// AFX16 2
	// AFX24 1
	// AFX32 2
	// 2 dropped, y = [3.999000 3.999000 0.100000]
}

// coordinates has the method set of the sparse matrices of
// github.com/james-bowman/sparse (COO, CSR, CSC, DOK), which fit as they are.
type coordinates struct{ i, j []int }

func (c coordinates) Dims() (rows, cols int) { return 2, 2 }
func (c coordinates) NNZ() int               { return len(c.i) }
func (c coordinates) At(i, j int) float64    { return 1 }
func (c coordinates) T() mat.Matrix          { return mat.Transpose{Matrix: c} }
func (c coordinates) DoNonZero(visit func(i, j int, v float64)) {
	for k := range c.i {
		visit(c.i[k], c.j[k], 1)
	}
}

// A sparse matrix of another library.
func ExamplePredict() {
	m, err := csr.FromSparse(coordinates{[]int{0, 1, 1}, []int{0, 0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := adaptive.LookupSet("AP7RE")
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := parallel.New(1)
	defer pool.Close()
	stats, err := adaptive.Predict(m, adaptive.Spec{Set: set, Epsilon: 1e-7}, pool)
	fmt.Println(stats.Formats[0].Format.Name, stats.Dropped, err)
	// Output: FP32 0 <nil>
}
