package adaptive

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

var epsilons = []float64{0x1p-53, 0x1p-37, 0x1p-24, 0x1p-16}

// composed are sets of formats with a narrow exponent.
var composed = []string{"FP64,FP32,FP16,FP8E4M3,drop", "FP64,RPRE40,FP16,FP8E5M2", "FP64,FP32,RPRE24"}

// specs is every set with every criterion, target, and way of rounding.
func specs() []Spec {
	var list []Spec
	var sets []Set
	for _, s := range packed.Sets() {
		sets = append(sets, Set(s))
	}
	for _, name := range composed {
		s, err := LookupSet(name)
		if err != nil {
			panic(err)
		}
		sets = append(sets, s)
	}
	for _, s := range sets {
		for _, c := range Criteria {
			for _, eps := range epsilons {
				if testing.Short() && eps != 0x1p-24 {
					continue
				}
				spec := Spec{Set: s, Criterion: c, Epsilon: eps, NoDrop: s.Keeps}
				list = append(list, spec)
				if spec.quantization().Fixed() {
					list[len(list)-1].Layout = Bucketed
					spec.Layout = Slots
					list = append(list, spec)
					spec.GuardBits = 2
					list = append(list, spec)
				} else {
					spec.PaperExact = true
					list = append(list, spec)
				}
				spec.NoDrop = true
				list = append(list, spec)
			}
		}
	}
	return list
}

func (s Spec) name() string {
	return fmt.Sprintf("%s %s %g %s guard %d exact %v nodrop %v",
		s.Set.Name, s.Criterion, s.Epsilon, s.Layout, s.GuardBits, s.PaperExact, s.NoDrop)
}

// checkSpec stores m and checks error and size against bound and prediction.
func checkSpec(t *testing.T, m *csr.Matrix, s Spec) {
	t.Helper()
	a := build(t, m, s)
	checkError(t, a, m, s)
	predicted, err := Predict(m, s, newPool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	if a.Layout() == Bucketed && predicted.Bytes != a.Bytes() || a.Stats().Bytes != a.Bytes() ||
		predicted.Dropped != a.Stats().Dropped {
		t.Errorf("%s: %d bytes, predicted %d, counted %d", s.name(), a.Bytes(), predicted.Bytes, a.Stats().Bytes)
	}
	if s.NoDrop && a.Stats().Dropped > 0 {
		t.Errorf("%s: %d elements dropped", s.name(), a.Stats().Dropped)
	}
}

// Every layout on every real matrix: the error of a product with a random x is
// within the bound.
func TestBoundOfEveryLayout(t *testing.T) {
	for k, name := range realNamesAll(t) {
		t.Run(name, func(t *testing.T) {
			m := testsupport.Matrix(t, name)
			if testing.Short() && m.NNZ() > 3_000 {
				t.Skip("large")
			}
			turn := k
			for _, l := range Layouts {
				for _, c := range Criteria {
					for _, eps := range []float64{0x1p-53, 0x1p-24} {
						if turn++; m.NNZ() > 10_000 && turn%7 > 0 { // another part of all for each matrix
							continue
						}
						if s := (Spec{Set: set(t, "AFX"), Criterion: c, Epsilon: eps, Layout: l}); s.Validate() == nil {
							checkError(t, build(t, m, s), m, s)
						}
					}
				}
			}
		})
	}
}

// Every set x criterion x epsilon on real matrices: the error of a product with
// a random x is within the bound, and within a few epsilon; the size is the
// predicted one to the byte.
func TestBoundOnRealMatrices(t *testing.T) {
	names := realNames
	if testing.Short() {
		names = names[1:2]
	}
	for k, name := range names {
		t.Run(name, func(t *testing.T) {
			m := testsupport.Matrix(t, name)
			for i, s := range specs() {
				if m.NNZ() > 10_000 && (i/3+k)%8 > 0 { // others for each matrix
					continue
				}
				checkSpec(t, m, s)
			}
		})
	}
}

// The same on small generated ones, scaled to the ends of the range of float64.
func TestBoundOnGeneratedMatrices(t *testing.T) {
	for _, scale := range []int{0, 900, -950} {
		m := generated(t, "poisson3d", generate.Params{"n": 5, "decades": 9, "seed": 1}).Clone()
		for k, v := range m.Val {
			m.Val[k] = dd.Ldexp(v, scale)
		}
		for _, s := range specs() {
			checkSpec(t, m, s)
		}
	}
}

func diagonal(t *testing.T, values []float64) *csr.Matrix {
	t.Helper()
	b, err := csr.NewBuilder(len(values), len(values))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if err := b.Add(i, i, v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Build()
}

// Truncation in paper-exact mode errs by up to twice epsilon, and that is the bound.
func TestBoundOfTruncation(t *testing.T) {
	values := random(5, 200)
	m := diagonal(t, values)
	for _, s := range specs() {
		if s.Criterion != CW || !s.PaperExact {
			continue
		}
		y := make([]float64, m.Rows)
		build(t, m, s).Apply(y, slices.Repeat([]float64{1}, m.Cols))
		bound := s.Bound(1, 1).Storage
		for i, v := range values {
			if e := math.Abs(y[i]-v) / math.Abs(v); !(e <= bound) {
				t.Errorf("%s: element %g is stored as %g, an error of %g; the bound is %g", s.name(), v, y[i], e, bound)
				break
			}
		}
	}
}

// Units that are subnormal, or as large as there are.
func TestExtremeUnits(t *testing.T) {
	values := []float64{1, 0x1p-1022, 0x1p-1023, 0x1p-1074, 0x1p1023}
	m := diagonal(t, values)
	for _, s := range specs() {
		if s.Criterion != CW {
			continue
		}
		y := make([]float64, m.Rows)
		build(t, m, s).Apply(y, slices.Repeat([]float64{1}, m.Cols))
		if !slices.Equal(y, values) {
			t.Errorf("%s: %g, want %g", s.name(), y, values)
		}
	}
}

func checkError(t *testing.T, a Matrix, m *csr.Matrix, s Spec) {
	t.Helper()
	bound := s.Bound(csr.Examine(m, nil).LongestRow, len(a.Buckets()))
	x, y := random(3, m.Cols), make([]float64, m.Rows)
	a.Apply(y, x)
	d := make([]float64, m.Rows)
	linop.Accurate{CSR: linop.NewCSR(m, nil)}.Residual(d, y, x)
	sums, normX, e := m.RowSums(nil), normInf(x), 0.0 // e: the largest error, relative to the norm of A, or of its row
	normA := normInf(sums)
	for i, t := range sums {
		if s.Criterion != CW {
			t = normA
		}
		if d[i] != 0 {
			e = max(e, math.Abs(d[i])/(t*normX))
		}
	}
	if !(e <= bound.Product) {
		t.Errorf("%s: error %g is above the bound %g", s.name(), e, bound.Product)
	} else if e > 10*s.Epsilon {
		t.Errorf("%s: error %g is %.1f epsilon", s.name(), e, e/s.Epsilon)
	}
}

func normInf(x []float64) (norm float64) {
	for _, v := range x {
		norm = max(norm, math.Abs(v))
	}
	return norm
}
