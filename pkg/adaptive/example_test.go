package adaptive_test

import (
	"fmt"

	"github.com/james-bowman/sparse"
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

// A sparse matrix of another library.
func ExamplePredict() {
	m, err := csr.FromSparse(sparse.NewCOO(2, 2, []int{0, 1, 1}, []int{0, 0, 1}, []float64{1, 1, 1}))
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
