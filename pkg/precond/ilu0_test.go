package precond

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// TestSubdomainFactors compares the factors of two interleaved pairs of subdomains and their separator
// with those of the dense matrix in that order.
func TestSubdomainFactors(t *testing.T) {
	const n, size = 7, 7 * 7 // rows of a plane
	m := generated(t, "convdiff3d", generate.Params{"n": n})
	var order csr.Permutation
	bounds := []int{0}
	for _, planes := range [][2]int{{0, 2}, {4, 6}} {
		for i := range size {
			for _, plane := range planes {
				order = append(order, int32(plane*size+i))
			}
		}
		bounds = append(bounds, len(order))
	}
	for _, plane := range []int{1, 3, 5} {
		for i := range size {
			order = append(order, int32(plane*size+i))
		}
	}
	for _, relax := range []float64{0, 0.95} {
		l, u := patternFactors(dense(m.Permuted(order, order.Inverse(), nil)), relax)
		for _, threads := range []int{1, 3} {
			s := newSetup(t.Context(), m, Options{Incomplete: Incomplete{Relax: relax}}, newPool(t, threads))
			f, replaced, err := s.ilu0(m, order, placement{row: order, col: order, bounds: bounds})
			if err != nil || replaced != 0 {
				t.Fatal(replaced, err)
			}
			var got, want []float64
			for k := range m.Rows {
				got, want = append(got, f.d[k]), append(want, u.At(k, k))
				cols, vals := f.l.row(k)
				for e, j := range cols {
					got, want = append(got, vals[e]), append(want, l.At(k, int(j)))
				}
				cols, vals = f.u.row(k)
				for e, j := range cols {
					got, want = append(got, vals[e]), append(want, u.At(k, int(j)))
				}
			}
			closeTo(t, "factors", got, want, 1e-13)
			if len(got) != m.NNZ() {
				t.Errorf("%d entries, want %d", len(got), m.NNZ())
			}
		}
	}
}

// Relaxed factors do not depend on how the matrix is scaled, if the near-null vector is, and leave fewer
// iterations where diffusion decides.
func TestRelaxed(t *testing.T) {
	m := generated(t, "convdiff2d", generate.Params{"n": 64})
	iterations := func(relax float64) int {
		method := krylov.NewBiCGStab[vector, scalar](linop.NewHost(m.Rows, nil))
		return solved(t, method, m, mustNew(t, ILU0, m, Options{Incomplete: Incomplete{Relax: relax}}, nil), nil)
	}
	if plain, relaxed := iterations(0), iterations(0.95); 4*relaxed > 3*plain {
		t.Errorf("%d iterations, %d without relaxation", relaxed, plain)
	}

	scaled, null := wide(m), make(vector, m.Rows)
	for i := range null {
		null[i] = math.Ldexp(1, -wideExponent(i))
	}
	opt := Options{Incomplete: Incomplete{Relax: 0.95}, Epsilon: adaptive.MinEpsilon}
	p := mustNew(t, ILU0, m, opt, nil)
	opt.Multigrid.NearNull = [][]float64{null}
	q := mustNew(t, ILU0, scaled, opt, nil)
	b := random(m.Rows, 1)
	want, got := make(vector, m.Rows), make(vector, m.Rows)
	p.Apply(want, b)
	for i := range b {
		b[i] /= null[i]
	}
	q.Apply(got, b)
	for i := range got {
		got[i] /= null[i]
	}
	closeTo(t, "scaled", got, want, 1e-12)
}
