package precond

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// The JSON schema of reports and the page on preconditioners list all kinds.
func TestRegistryIsDocumented(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	file, err := os.ReadFile(filepath.Join(docs, "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Preconditioner struct {
				Properties struct{ Kind struct{ Enum []Kind } }
			}
		}
	}
	if err := json.Unmarshal(file, &schema); err != nil {
		t.Fatal(err)
	}
	want := append(Kinds(), "given") // by the caller, of an operator
	if got := schema.Properties.Preconditioner.Properties.Kind.Enum; !slices.Equal(got, want) {
		t.Errorf("docs/report.schema.json has the kinds %v, want %v", got, want)
	}
	page, err := os.ReadFile(filepath.Join(docs, "solvers.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range registry[1:] {
		if !strings.Contains(string(page), "`"+string(d.Kind)+"`") {
			t.Errorf("docs/solvers.md does not describe %s", d.Kind)
		}
		if got, ok := Lookup(d.Kind); !ok || got.Summary != d.Summary || d.Summary == "" {
			t.Errorf("Lookup(%s) is %+v", d.Kind, got)
		}
	}
}

func TestNewRejects(t *testing.T) {
	m := laplace(t, 4)
	if _, err := New(t.Context(), "ilu7", m, Options{}, nil); err == nil || !strings.Contains(err.Error(), `"ilu7"`) {
		t.Errorf("unknown kind: %v", err)
	}
	if _, err := New(t.Context(), None, m, Options{}, nil); err == nil {
		t.Error("None can be set up")
	}
	for _, kind := range kinds {
		d, _ := Lookup(kind)
		if _, err := New(t.Context(), d.Kind, m, Options{}, nil); (d.Definite || d.Symmetric) != (err != nil) || errors.Is(err, ErrNotDefinite) {
			t.Errorf("%s of an unsymmetric matrix: %v", d.Kind, err)
		}
	}
}

// TestData applies what Data returns by hand, and compares.
func TestData(t *testing.T) {
	for name, m := range positive(t) {
		for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
			for _, kind := range kinds {
				d, _ := Lookup(kind)
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
