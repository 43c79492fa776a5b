package precond

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// What a preconditioner is made of is what it does.
func TestParts(t *testing.T) {
	for name, m := range positive(t) {
		for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
			opt := Options{Symmetric: true, Epsilon: epsilon}
			r, want, got := random(m.Rows, 3), make(vector, m.Rows), make(vector, m.Rows)

			p := mustNew(t, Jacobi, m, opt, nil)
			p.Apply(want, r)
			w, ok := Diagonal(p)
			for i := range got {
				got[i] = w[i] * r[i]
			}
			if !ok || !slices.Equal(got, want) {
				t.Errorf("%s: another diagonal", name)
			}

			p = mustNew(t, BlockJacobi, m, opt, nil)
			p.Apply(want, r)
			blocks, ok := Blocks(p)
			for b, a := range blocks.All() {
				x := r[blocks.First[b]:blocks.First[b+1]]
				for i := range x {
					sum := 0.0
					for j, xj := range x {
						sum += float64(a[i*len(x)+j] * xj)
					}
					got[int(blocks.First[b])+i] = math.Ldexp(sum, int(blocks.Exponent[b]))
				}
			}
			if !ok || !slices.Equal(got, want) {
				t.Errorf("%s: other blocks", name)
			}

			opt.Epsilon = adaptive.MinEpsilon // the polynomial is one of A itself
			p = mustNew(t, Chebyshev, m, opt, nil)
			p.Apply(want, r)
			w, omega, ok := Polynomial(p)
			if !ok {
				t.Fatalf("%s: no polynomial", name)
			}
			space, a := linop.NewHost(m.Rows, nil), linop.NewCSR(m, nil)
			x, y := space.New(), space.New()
			space.Mul(scalar(omega[0]), w, r, x)
			for _, o := range omega[1:] {
				a.Relax(y, x, r, w, scalar(o))
				x, y = y, x
			}
			closeTo(t, name+": polynomial", x, want, 0x1p-45)
		}
	}
}

func TestPartsOfAnother(t *testing.T) {
	p := mustNew(t, IC0, positive(t)["poisson"], Options{Symmetric: true}, nil)
	_, diagonal := Diagonal(p)
	_, blocks := Blocks(p)
	_, _, polynomial := Polynomial(p)
	if diagonal || blocks || polynomial {
		t.Error("a factorisation is none of these")
	}
}
