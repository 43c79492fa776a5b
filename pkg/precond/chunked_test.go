package precond

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// packed are matrices for each way that slots tell columns: grids, bands with holes, columns near and
// far from each other, rows of very different length, rows and columns that are empty.
func packed(tb testing.TB, rng *rand.Rand) map[string]*csr.Matrix {
	band := func(n int, share float64, offsets ...int) *csr.Matrix {
		return testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				for _, o := range offsets {
					if j := i + o; j >= 0 && j < n && rng.Float64() < share {
						add(i, j, rng.NormFloat64())
					}
				}
			}
		})
	}
	spread := func(rows, cols, perRow, reach int) *csr.Matrix {
		m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: []int64{0}}
		for i := range rows {
			for range rng.IntN(perRow + 1) {
				j := i*cols/rows + rng.IntN(reach)
				if j < cols {
					m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, rng.NormFloat64()) // unsorted, some twice
				}
			}
			m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
		}
		return m
	}
	matrices := map[string]*csr.Matrix{
		"grid":       generated(tb, "poisson3d", generate.Params{"n": 9}),
		"elasticity": generated(tb, "elasticity3d", generate.Params{"n": 4}),
		"band":       band(300, 1, -40, -3, -1, 0, 1, 3, 40), "holes": band(301, 0.6, -40, -2, 0, 2, 40),
		"prolongation": spread(1000, 130, 4, 40), "restriction": spread(130, 1000, 30, 200), "wide": spread(50, 200000, 9, 200000),
		"tall": spread(2000, 3, 2, 3), "empty rows": spread(40, 40, 0, 1), "1 x 1": fromRows(tb, [][]float64{{3}}), "none": {RowPtr: []int64{0}},
	}
	for name, m := range hostile(tb, 5000) {
		matrices[name] = m
	}
	return matrices
}

// Products of chunks are those of the matrix to within what rounding its values and float32
// arithmetic may change, and every element is there once.
func TestChunked(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	pool := newPool(t, 3)
	for name, m := range packed(t, rng) {
		left, right := make([]float64, m.Rows), make([]float64, m.Cols)
		for i := range left {
			left[i] = math.Ldexp(1+rng.Float64(), rng.IntN(12))
		}
		for j := range right {
			right[j] = 1 + rng.Float64()
		}
		for _, s := range []chunkScales{{left, right}, {nil, right}, {}} {
			what := fmt.Sprintf("%s, scaled from the left %v, right %v", name, s.left != nil, s.right != nil)
			checkChunked(t, what+", integers", newChunked[int16](m, s, nil, pool), m, s, widestUnits, rng)
			checkChunked(t, what+", floats", newChunked[float32](m, s, nil, pool), m, s, 0, rng)
		}
	}
}

// checkChunked compares the products of a, whose units differ by a factor of at most units from
// those of their rows.
func checkChunked(t *testing.T, name string, a *chunked, m *csr.Matrix, s chunkScales, units float64, rng *rand.Rand) {
	t.Helper()
	vector := func(n int) []float32 {
		x := make([]float32, paddedLen(n))
		for i := range n {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	x, b, dst := vector(m.Cols), vector(m.Rows), make([]float32, paddedLen(m.Rows))
	y, tol := make([]float64, m.Rows), make([]float64, m.Rows)
	for i := range y {
		cols, vals := m.Row(i)
		most, size := 0.0, 0.0
		for k, j := range cols {
			v := vals[k]
			if s.left != nil {
				v *= s.left[i]
			}
			if s.right != nil {
				v *= s.right[j]
			}
			y[i] += v * float64(x[j])
			most = max(most, math.Abs(v))
			size += math.Abs(float64(x[j]))
			tol[i] += float64(len(cols)+4) * 0x1p-24 * math.Abs(v*float64(x[j]))
		}
		tol[i] += 4*0x1p-24*(math.Abs(y[i])+math.Abs(float64(b[i]))) + 0.51*units*unitOf(most)*size
	}
	check := func(what string, want func(i int) float64) {
		t.Helper()
		for i := range y {
			if !(math.Abs(float64(dst[i])-want(i)) <= tol[i]) {
				t.Fatalf("%s, %s: row %d is %g, want %g to within %g", name, what, i, dst[i], want(i), tol[i])
			}
		}
		if rest := dst[m.Rows:]; slices.ContainsFunc(rest, func(v float32) bool { return v != 0 }) {
			t.Fatalf("%s, %s: %v behind the rows", name, what, rest)
		}
	}
	a.Apply(dst, x)
	check("product", func(i int) float64 { return y[i] })
	a.Residual(dst, b, x)
	check("residual", func(i int) float64 { return float64(b[i]) - y[i] })
	a.Plus(dst, b, x)
	check("sum", func(i int) float64 { return float64(b[i]) + y[i] })
	if m.Rows == m.Cols {
		for i := range tol {
			tol[i] += 0x1p-24 * math.Abs(float64(x[i]))
		}
		a.Relax(dst, x, b, 1)
		check("step", func(i int) float64 { return float64(x[i]) + (float64(b[i]) - y[i]) })
	}
	if n, bound := a.bytes(), 64*int64(m.NNZ())+4096*int64(len(a.parts))+8*int64(m.Rows); n > bound {
		t.Errorf("%s: %d bytes for %d elements", name, n, m.NNZ())
	}
}

// Slots that are kept of a pattern store other values as new ones do.
func TestChunkShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	all := packed(t, rng)
	all["long rows"] = hostile(t, 200000)["arrow"]
	for name, m := range all {
		var shapes, floats chunkShapes
		for range 3 {
			left := make([]float64, m.Rows)
			for i := range left {
				left[i] = math.Ldexp(1+rng.Float64(), rng.IntN(12))
			}
			s := chunkScales{left: left}
			sameChunks(t, name+", integers", newChunked[int16](m, s, &shapes, nil), newChunked[int16](m, s, nil, nil))
			sameChunks(t, name+", floats", newChunked[float32](m, s, &floats, nil), newChunked[float32](m, s, nil, nil))
		}
		kept := 0
		for _, panel := range shapes {
			if panel != nil {
				kept++
			}
		}
		if kept == 0 && m.Rows > 0 {
			t.Errorf("%s: no shapes are kept", name)
		}
	}
}

// sameChunks fails if two matrices are not the same.
func sameChunks(t *testing.T, name string, got, want *chunked) {
	t.Helper()
	if !reflect.DeepEqual(got.parts, want.parts) {
		t.Errorf("%s: other chunks than without what is kept", name)
	}
}

// Integers reach 32767 at most, whatever the largest element is.
func TestUnitOf(t *testing.T) {
	for _, most := range []float64{1, 32767, 32767.4, 32767.6, 32768, 0x1p-400, 1e300, math.MaxFloat64, 0x1p-1000, 0x1.fp-1001, 0x1p-1040} {
		u := unitOf(most)
		if q := math.RoundToEven(most / u); q > 32767 || q < 16383 {
			t.Errorf("%g has the unit %g", most, u)
		}
	}
	if unitOf(0) != 0 {
		t.Error("zeros have a unit")
	}
}

// A row is stored apart from a chunk that it would fill with zeros, in pieces if it is very long.
func TestLongRows(t *testing.T) {
	m := hostile(t, 200000)["arrow"]
	a := newChunked[float32](m, chunkScales{}, nil, nil)
	if long := a.parts[0].long; len(long) < 200000/(chunkRows*mostSlots) || long[0].row != 0 {
		t.Errorf("%d long rows", len(long))
	}
	if n := a.bytes(); n > 20*int64(m.NNZ()) {
		t.Errorf("%d bytes for %d elements", n, m.NNZ())
	}
}
