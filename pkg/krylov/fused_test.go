package krylov

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// scaled32 is the preconditioner z = w∘(w∘r) with vectors of float32.
type scaled32 struct {
	linop.Host
	w, f    []float32
	applied int // by ApplyInput
}

var _ FusedPreconditioner[[]float64, linop.Float64] = (*scaled32)(nil)

// newScaled32 returns diag(|d|).
func newScaled32(space linop.Host, d []float64) *scaled32 {
	s := &scaled32{Host: space, w: make([]float32, len(d)), f: make([]float32, len(d))}
	for i, v := range d {
		s.w[i] = float32(math.Sqrt(math.Abs(v)))
	}
	return s
}

func (s *scaled32) Apply(dst, src []float64) {
	for i, v := range src {
		dst[i] = float64(s.w[i]) * float64(s.w[i]*float32(v))
	}
}

// ApplyT is Apply: the map is symmetric.
func (s *scaled32) ApplyT(dst, src []float64) { s.Apply(dst, src) }

func (s *scaled32) Input(r []float64, _ linop.Float64) { s.Input32(s.w, r, s.f) }

func (s *scaled32) StepInput(a linop.Float64, p, x, q, r []float64) linop.Float64 {
	return s.StepInput32(a, p, x, q, r, s.w, s.f)
}

func (s *scaled32) ApplyInput() linop.Float64 {
	s.applied++
	return s.Dot32(s.f, s.f)
}

func (s *scaled32) Direction(b linop.Float64, p []float64) { s.Direction32(s.w, s.f, b, p) }

// A preconditioner that does the passes itself gives CG what the same map does without
// them, up to rounding to float32; taken for flexible, it is applied in the ordinary way.
func TestFusedPreconditioner(t *testing.T) {
	a := uneven(grid(12, 0))
	b, pool := random(25, a.Rows), newPool(t, 2)
	by := newScaled32(linop.NewHost(a.Rows, pool), jacobi(a, 1).Val)
	solve := func(by Preconditioner[[]float64], flexible bool) Result {
		x := make([]float64, len(b))
		r := solveWith(t, "cg", a, x, b, hostOptions{Tol: 1e-12, Precond: by, Flexible: flexible})
		if r.Reason != Converged {
			t.Errorf("%v after %d iterations", r.Reason, r.Iterations)
		}
		checkHonest(t, r, trueResidual(t, a, x, b), 1e-12)
		return r
	}
	want := solve(inverse(by.Apply), false)
	if got := solve(by, false); by.applied != got.Iterations || math.Abs(float64(got.Iterations-want.Iterations)) > 1 {
		t.Errorf("%d iterations, %d applications; %d of the ordinary one", got.Iterations, by.applied, want.Iterations)
	}
	if by.applied = 0; solve(by, true).Iterations == 0 || by.applied != 0 {
		t.Error("a flexible one does passes")
	}
}
