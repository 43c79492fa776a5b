package adaptive

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func newPool(t testing.TB, threads int) *parallel.Pool {
	t.Helper()
	p := parallel.New(threads)
	t.Cleanup(p.Close)
	return p
}

func set(t testing.TB, name string) Set {
	t.Helper()
	s, err := LookupSet(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t testing.TB, m *csr.Matrix, s Spec) Matrix {
	t.Helper()
	a, err := Build(m, s, newPool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func generated(t testing.TB, kind string, p generate.Params) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// realNames are matrices of many fields that lie beside the project.
var realNames = []string{
	"bcsstk14", "bcsstk19", "bcsstk08", "1138_bus", "memplus", "ScaleMicrogrid_Jacobian_N1000_01",
	"fidap007", "west2021", "mcca", "fs_183_3", "qh1484", "bips98_606", "tols4000", "Trefethen_2000",
}

// realNamesAll are all real square matrices beside the project but the largest.
func realNamesAll(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "matrices", "*.mtx.gz"))
	if err != nil || len(files) == 0 {
		t.Skip("no matrices beside this checkout")
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".mtx.gz"); name != "G3_circuit" && name != "helmholtz_2D" && name != "mhd1280b" { // large; complex
			names = append(names, name)
		}
	}
	return names
}

// entries makes a matrix of rows given in full; zeros are left out.
func entries(rows ...[]float64) *csr.Matrix {
	b, err := csr.NewBuilder(len(rows), len(rows[0]))
	if err != nil {
		panic(err)
	}
	for i, row := range rows {
		for j, v := range row {
			if v != 0 {
				if err := b.Add(i, j, v); err != nil {
					panic(err)
				}
			}
		}
	}
	return b.Build()
}

func random(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// decoded is the matrix that a stores, from its products with unit vectors.
func decoded(a Matrix) [][]float64 {
	rows, cols := a.Dims()
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, cols)
	}
	x, y := make([]float64, cols), make([]float64, rows)
	for j := range cols {
		x[j] = 1
		a.Apply(y, x)
		x[j] = 0
		for i, v := range y {
			m[i][j] = v
		}
	}
	return m
}
