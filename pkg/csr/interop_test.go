package csr

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var _ mat.Matrix = (*Matrix)(nil)

// triplets has the methods of the sparse matrices of
// github.com/james-bowman/sparse; like its COO it holds entries in any order,
// those of one position to be added.
type triplets struct {
	rows, cols int
	entries    []entry
}

func (t triplets) Dims() (rows, cols int) { return t.rows, t.cols }
func (t triplets) T() mat.Matrix          { return mat.Transpose{Matrix: t} }
func (t triplets) NNZ() int               { return len(t.entries) }

func (t triplets) At(i, j int) (v float64) {
	for _, e := range t.entries {
		if int(e.row) == i && int(e.col) == j {
			v += e.val
		}
	}
	return v
}

func (t triplets) DoNonZero(fn func(i, j int, v float64)) {
	for _, e := range t.entries {
		fn(int(e.row), int(e.col), e.val)
	}
}

// lying visits an entry outside its own dimensions.
type lying struct{ triplets }

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
	unordered := triplets{rows: 4, cols: 6}
	for range 40 {
		unordered.entries = append(unordered.entries, entry{int32(rng.IntN(4)), int32(rng.IntN(6)), float64(rng.IntN(9))})
	}
	fromTriplets, err := FromNonZeros(unordered)
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
		{"unordered triplets", unordered},
		{"own", fromTriplets},
		{"own transposed", fromTriplets.T()},
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

func TestFromNonZerosReportsEntriesOutside(t *testing.T) {
	if _, err := FromNonZeros(lying{triplets{rows: 3, cols: 3}}); err == nil {
		t.Error("an entry outside the matrix was taken")
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
