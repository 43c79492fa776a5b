package precond

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// The diagonal of G A G^T is one, and (G A)_ij = 0 in the pattern of G left of
// the diagonal: that is what defines it.
func TestFSAIDefinition(t *testing.T) {
	pool := newPool(t, 2)
	for name, m := range positive(t) {
		for power := 1; power <= 3; power++ {
			s := fsaiSetup{setup: newSetup(m, Options{}), power: power, diagonal: m.Diagonal(nil), panels: csr.Panels(m)}
			if s.pool = pool; m.Rows == 0 {
				continue
			}
			g, err := s.factor()
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Validate(); err != nil {
				t.Fatal(err)
			}
			for i := range m.Rows {
				cols, vals := g.Row(i)
				diagonal := 0.0
				for _, j := range cols {
					ga, size := 0.0, 0.0
					for k, c := range cols {
						ga += vals[k] * m.At(int(c), int(j))
						size += math.Abs(vals[k] * m.At(int(c), int(j)))
					}
					if int(j) < i && math.Abs(ga) > 0x1p-40*size {
						t.Fatalf("%s, power %d: (GA)_(%d, %d) = %g", name, power, i, j, ga)
					}
					diagonal += ga * g.At(i, int(j))
				}
				if math.Abs(diagonal-1) > 0x1p-40 {
					t.Fatalf("%s, power %d: (GAG^T)_(%d, %d) = %g", name, power, i, i, diagonal)
				}
			}
		}
	}
}

// With the pattern of a full factor FSAI is the inverse.
func TestFSAIOfFullPattern(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 4})
	p := mustNew(t, FSAI, m, Options{Symmetric: true, Degree: 8, Epsilon: adaptive.MinEpsilon}, nil)
	x, b, y := random(m.Rows, 4), make(vector, m.Rows), make(vector, m.Rows)
	m.MulVec(b, x)
	p.Apply(y, b)
	closeTo(t, p.String(), y, x, 1e-12)
}

// Both factors are stored with values that are each other's exactly.
func TestFSAIFactorsAreTransposed(t *testing.T) {
	m := generated(t, "wathen", generate.Params{"nx": 20, "ny": 20})
	scaling, err := csr.SymmetricScaling(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	m = scaling.Apply(m, nil)
	for _, epsilon := range []float64{0x1p-6, 0, 0x1p-30} {
		p := mustNew(t, FSAI, m, Options{Symmetric: true, Epsilon: epsilon}, nil).(*fsai)
		for i := range m.Rows {
			e, row, col, f := make(vector, m.Rows), make(vector, m.Rows), make(vector, m.Rows), make(vector, m.Rows)
			e[i] = 1
			p.gt.Apply(row, e) // row i of G
			for _, j := range []int{i, max(0, i-1), max(0, i-2), i / 2} {
				clear(f)
				f[j] = 1
				if p.g.Apply(col, f); col[i] != row[j] {
					t.Fatalf("epsilon %g: g_(%d, %d) is %g, its transpose %g", epsilon, i, j, col[i], row[j])
				}
			}
		}
	}
}
