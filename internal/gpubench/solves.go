package gpubench

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Solve is a whole solve, measured: from b on the device to x on the device.
type Solve struct {
	Way
	Method            string
	Rows, NNZ         int
	Iterations, Steps int // steps of refinement; 0: the method alone
	Reason            string
	Residual          float64 // ||b - A x|| / ||b||, computed on the host
	Seconds, Build    float64 // least time to solve, time to store
}

type (
	method     = krylov.Method[*gpu.Vector, gpu.Scalar]
	operator   = linop.Operator[*gpu.Vector, gpu.Scalar]
	refinement = krylov.Refinement[*gpu.Vector, gpu.Scalar]
)

// Methods are the names of the methods of Solves.
var Methods = []string{"cg", "gmres"}

func newMethod(name string, s *gpu.Space) method {
	if name == "gmres" {
		return krylov.NewGMRES[*gpu.Vector, gpu.Scalar](s, krylov.GMRESOptions{})
	}
	return krylov.NewCG[*gpu.Vector, gpu.Scalar](s)
}

// Solves solves A x = b with b of ones to ||b - A x|| <= tol ||b||, without scaling and
// preconditioner: by the method alone in FP64, and inside of refinement with residuals in
// double-double where the method's matrix is stored in another way. It does so opt.Repeat times.
func Solves(ctx context.Context, d *gpu.Device, m *csr.Matrix, name string, tol float64, maxIter int, opt Options) ([]Solve, error) {
	space := gpu.NewSpace(d, m.Rows)
	defer space.Close()
	exact, err := gpu.NewCSR(d, m)
	if err != nil {
		return nil, err
	}
	defer exact.Close()
	b := make([]float64, m.Rows)
	for i := range b {
		b[i] = 1
	}
	h := host{m, b, linop.NewHost(m.Rows, opt.Pool), linop.NewCSR(m, opt.Pool)}
	x, rhs := space.New(), space.New()
	space.Upload(rhs, b)
	how := newMethod(name, space)
	refine := krylov.NewRefinement[*gpu.Vector, gpu.Scalar](space)
	var list []Solve
	for k, w := range opt.Ways {
		a, build, err := opt.store(d, m, w)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		defer a.Close()
		s := Solve{Way: w, Method: name, Rows: m.Rows, NNZ: m.NNZ(), Build: build}
		for turn := range opt.Repeat {
			opt.Progress(fmt.Sprintf("%s in %s, turn %d of %d", name, w, turn+1, opt.Repeat))
			space.Zero(x)
			if err := d.Wait(); err != nil {
				return nil, err
			}
			start := time.Now()
			var r krylov.Result
			if k == 0 {
				r = how.Solve(ctx, a, x, rhs, krylov.Options[*gpu.Vector]{Tol: tol, MaxIter: maxIter})
			} else {
				r = refined(ctx, refine, space, gpu.NewAccurate(exact), a, how, x, rhs, tol, maxIter)
			}
			if err := d.Wait(); err != nil {
				return nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if took := time.Since(start).Seconds(); turn == 0 || took < s.Seconds {
				s.Seconds = took
			}
			s.Iterations, s.Steps, s.Reason = r.Iterations, r.Outer, r.Reason.String()
		}
		s.Residual = h.residual(space, x)
		list = append(list, s)
	}
	return list, d.Err()
}

// host recomputes residuals.
type host struct {
	m     *csr.Matrix
	b     []float64
	space *linop.Host
	a     *linop.CSR
}

func (h host) residual(s *gpu.Space, x *gpu.Vector) float64 {
	got, r := make([]float64, h.m.Rows), make([]float64, h.m.Rows)
	s.Download(got, x)
	linop.Accurate{CSR: h.a}.Residual(r, h.b, got)
	return float64(h.space.Dot(r, r).Sqrt() / h.space.Dot(h.b, h.b).Sqrt())
}

// refined solves with corrections by the method on a stored matrix.
func refined(ctx context.Context, f *refinement, s *gpu.Space, exact, stored operator, how method, x, b *gpu.Vector, tol float64, maxIter int) krylov.Result {
	norm := s.Dot(b, b).Sqrt().Float()
	measure := func(_, r *gpu.Vector) float64 { return s.Dot(r, r).Sqrt().Float() / norm }
	return f.Solve(ctx, exact, corrector{how, stored, s}, x, b,
		krylov.Options[*gpu.Vector]{Tol: tol, MaxIter: maxIter, Measure: measure})
}

// corrector is a method with a stored matrix.
type corrector struct {
	how    method
	stored operator
	space  *gpu.Space
}

// least is the reduction of the residual that is asked of one step at most: the stored
// matrix and the method's own recurrence do not get much further.
const least = 1e-6

func (c corrector) Correct(ctx context.Context, d, r, _ *gpu.Vector, goal krylov.Goal) krylov.Result {
	c.space.Zero(d)
	return c.how.Solve(ctx, c.stored, d, r, krylov.Options[*gpu.Vector]{
		Tol: min(0.5, max(goal.To/goal.From, least)), MaxIter: goal.MaxIter, Monitor: goal.Monitor, Unconfirmed: true,
	})
}

func (corrector) Escalate(krylov.Reason) bool { return false }

func (corrector) Patience(reduction float64) int { return krylov.DefaultPatience(reduction) }
