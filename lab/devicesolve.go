package lab

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Solve is the measurement of a whole solve, from b on the device to x on the device.
type Solve struct {
	Stored
	Time
	Method            string
	Iterations, Steps int // steps of refinement; 0: the method alone
	Reason            string
	Residual          float64 // ||b - A x|| / ||b||, computed on the host
}

type (
	method     = krylov.Method[*gpu.Vector, gpu.Scalar]
	operator   = linop.Operator[*gpu.Vector, gpu.Scalar]
	refinement = krylov.Refinement[*gpu.Vector, gpu.Scalar]
)

// DeviceMethods lists the methods of DeviceSolves.
var DeviceMethods = []string{"cg", "gmres"}

func newMethod(name string, s gpu.Space) method {
	if name == "gmres" {
		return krylov.NewGMRES[*gpu.Vector, gpu.Scalar](s, krylov.GMRESOptions{})
	}
	return krylov.NewCG[*gpu.Vector, gpu.Scalar](s)
}

// DeviceSolves measures solves of A x = b, where A is square and b is a vector of ones, to ||b - A x|| <= Tol ||b||, without
// scaling and preconditioner. The first form, FP64 CSR, is solved by the method alone; with the others the method runs inside
// refinement with double-double residuals.
func DeviceSolves(ctx context.Context, d *gpu.Device, m *csr.Matrix, name string, opt DeviceOptions) ([]Solve, error) {
	space := gpu.NewSpace(d, m.Rows)
	defer space.Close()
	exact, err := gpu.NewCSR(d, m)
	if err != nil {
		return nil, err
	}
	defer exact.Close()
	matrices, err := opt.store(ctx, d, m)
	defer func() { closeAll(matrices) }()
	if err != nil {
		return nil, err
	}
	b := make([]float64, m.Rows)
	for i := range b {
		b[i] = 1
	}
	rhs := space.New()
	space.Upload(rhs, b)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wait := func() {
		if err := d.Wait(); err != nil {
			cancel(err)
		}
	}
	s := deviceSolver{
		space: space, exact: gpu.Accurate{Matrix: exact}, b: rhs, tol: opt.Tol, maxIter: opt.MaxIter,
		method: newMethod(name, space), refinement: krylov.NewRefinement[*gpu.Vector, gpu.Scalar](space),
	}
	solves := make([]Solve, len(matrices))
	x := make([]*gpu.Vector, len(matrices))
	round := 0
	var cases []Case
	for k, a := range matrices {
		x[k] = space.New()
		solves[k] = Solve{Stored: a.Stored, Method: name}
		prepare := func() {
			opt.Progress(fmt.Sprintf("%s in %s, round %d of %d", name, a.Name, round, opt.Repeat))
			space.Zero(x[k])
			wait()
		}
		cases = append(cases, Case{prepare, func() {
			r := s.solve(ctx, a, x[k], k > 0)
			wait()
			solves[k].Iterations, solves[k].Steps, solves[k].Reason = r.Iterations, r.Outer, r.Reason.String()
		}})
	}
	times, err := Timing{Repeat: opt.Repeat, Progress: func(k int) { round = k + 1 }}.Measure(ctx, cases...)
	if err != nil {
		return nil, err
	}
	host := linop.NewHost(m.Rows, opt.Pool)
	residual := linop.Accurate{CSR: linop.NewCSR(m, opt.Pool)}
	got, r := make([]float64, m.Rows), make([]float64, m.Rows)
	for k, t := range times {
		space.Download(got, x[k])
		residual.Residual(r, b, got)
		solves[k].Time, solves[k].Residual = t, float64(host.Dot(r, r).Sqrt()/host.Dot(b, b).Sqrt())
	}
	return solves, d.Err()
}

// deviceSolver solves with one matrix that is stored in several forms.
type deviceSolver struct {
	space      gpu.Space
	exact      operator
	b          *gpu.Vector
	tol        float64
	maxIter    int
	method     method
	refinement *refinement
}

// solve computes x by the method alone, or by refinement with corrections that the method computes with a.
func (s *deviceSolver) solve(ctx context.Context, a operator, x *gpu.Vector, refined bool) krylov.Result {
	opt := krylov.Options[*gpu.Vector]{Tol: s.tol, MaxIter: s.maxIter}
	if !refined {
		return s.method.Solve(ctx, a, x, s.b, opt)
	}
	norm := s.space.Dot(s.b, s.b).Sqrt().Float()
	opt.Measure = func(_, r *gpu.Vector) float64 { return s.space.Dot(r, r).Sqrt().Float() / norm }
	return s.refinement.Solve(ctx, s.exact, corrector{s.method, a, s.space}, x, s.b, opt)
}

// corrector computes corrections with a stored matrix.
type corrector struct {
	method method
	stored operator
	space  gpu.Space
}

// leastReduction is the smallest reduction of the residual that one step aims at: the stored matrix and the method's
// recurrence do not get much further.
const leastReduction = 1e-6

// Correct solves A d = r for a correction d.
func (c corrector) Correct(ctx context.Context, d, r, _ *gpu.Vector, goal krylov.Goal) krylov.Result {
	c.space.Zero(d)
	return c.method.Solve(ctx, c.stored, d, r, krylov.Options[*gpu.Vector]{
		Tol: min(0.5, max(goal.To/goal.From, leastReduction)), MaxIter: goal.MaxIter, Monitor: goal.Monitor, Unconfirmed: true,
	})
}

// Escalate returns false: there is no other precision.
func (corrector) Escalate(krylov.Reason) bool { return false }

// Patience returns the default.
func (corrector) Patience(reduction float64) int { return krylov.DefaultPatience(reduction) }
