package precond

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// TestData applies what Data returns by hand, and compares.
func TestData(t *testing.T) {
	for name, m := range positive(t) {
		for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
			for _, d := range registry[1:] {
				opt := Options{Symmetric: true, Epsilon: epsilon, Portable: true}
				if d.Kind == Chebyshev { // the polynomial is one of A itself
					opt.Epsilon = adaptive.MinEpsilon
				}
				if name == "badly scaled" && d.Kind == AMG { // callers scale
					continue
				}
				p := mustNew(t, d.Kind, m, opt, nil)
				r, want := random(m.Rows, 3), make(vector, m.Rows)
				p.Apply(want, r)
				if p.Data() == nil {
					if d.OnDevice() {
						t.Errorf("%s: no data", d.Kind)
					}
					continue
				}
				got, tol := make(vector, m.Rows), 0.0
				switch data := p.Data().(type) {
				case Diagonal:
					for i := range got {
						got[i] = data[i] * r[i]
					}
				case BlockDiagonal:
					for b, a := range data.Numbers {
						x := r[data.First[b]:data.First[b+1]]
						for i := range x {
							sum := 0.0
							for j, xj := range x {
								sum += float64(a[i*len(x)+j] * xj)
							}
							got[int(data.First[b])+i] = math.Ldexp(sum, int(data.Exponent[b]))
						}
					}
				case Polynomial:
					NewPolynomial(linop.NewHost(m.Rows, nil), linop.NewCSR(m, nil), data.W, data.Omega).Apply(got, r)
					tol = 0x1p-45
				case Sequence:
					q, err := NewSequence(hostBackend{}, data)
					if err != nil {
						t.Fatal(err)
					}
					q.Apply(got, r)
				case Hierarchy:
					c, err := NewCycle(hostBackend{}, data)
					if err != nil {
						t.Fatal(err)
					}
					c.Apply(got, r)
					tol = 0x1p-40
				}
				if d.Kind != Chebyshev && d.Kind != AMG && !slices.Equal(got, want) {
					t.Errorf("%s of %s: other data", d.Kind, name)
				}
				closeTo(t, name+": "+p.String(), got, want, tol)
			}
		}
	}
}

// hostBackend keeps all in FP64 in memory.
type hostBackend struct{}

func (hostBackend) Space(n int) MulSpace[vector, scalar] { return linop.NewHost(n, nil) }

func (hostBackend) Store(m Factor) (linop.Relaxer[vector, scalar], error) {
	return linop.NewCSR(m.Matrix, nil), nil
}

func (hostBackend) Dense(n int, a []float64) (krylov.Preconditioner[vector], error) {
	return denseProduct{coarseSolver{kernels.Default(), n, a}}, nil
}

type denseProduct struct{ coarseSolver }

func (d denseProduct) Apply(dst, x vector) { d.solve(dst, x) }
