package krylov

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// rank is one of two goroutines that share their vectors, each with half of the elements.
type rank struct {
	to   chan<- message
	from <-chan message
}

type message struct {
	what   string
	values []float64
}

var _ linop.Reducer = (*rank)(nil)

// exchange sends numbers to the other rank and returns its own, for the same purpose.
func (r *rank) exchange(what string, own ...float64) []float64 {
	r.to <- message{what, slices.Clone(own)}
	other, ok := <-r.from
	if !ok || other.what != what {
		panic("ranks are out of step: " + what + " meets " + other.what)
	}
	return other.values
}

func (r *rank) Sum(sums, partial []float64) {
	linop.Local.Sum(sums, partial)
	for k, v := range r.exchange("sum", sums...) {
		sums[k] += v
	}
}

func (r *rank) Max(partial []float64) float64 {
	own := linop.Local.Max(partial)
	return max(own, r.exchange("max", own)[0])
}

// agree takes the more serious of two reasons.
func (r *rank) agree(own Reason) Reason {
	return min(own, Reason(r.exchange("agree", float64(own))[0]))
}

// solveShared solves a system of two uncoupled halves by two ranks.
func solveShared(t *testing.T, name string, async bool, half *csr.Matrix, x, b []float64, ctx [2]context.Context, opt [2]hostOptions) (results [2]Result) {
	t.Helper()
	n := half.Rows
	channels := [2]chan message{make(chan message, 1), make(chan message, 1)}
	done := make(chan int)
	for k := range 2 {
		r := &rank{channels[k], channels[1-k]}
		space, a := linop.NewHost(n, nil), linop.NewCSR(half, nil)
		space.SetReducer(r)
		a.SetReducer(r)
		x, b, opt := x[k*n:(k+1)*n], b[k*n:(k+1)*n], opt[k]
		opt.Agree = r.agree
		solve := func() Result { return onHost(t, name, space).Solve(ctx[k], a, x, b, opt) }
		if async {
			far := far[[]float64, linop.Float64]{a, distant[[]float64, linop.Float64]{space, &queue{stride: 8}}}
			solve = func() Result {
				return create[[]float64, late[linop.Float64]](t, name, far.space).Solve(ctx[k], far, x, b, opt)
			}
		}
		go func() {
			results[k] = solve()
			close(channels[k])
			done <- k
		}()
	}
	<-done
	<-done
	return results
}

// Two ranks end in the same iteration, whichever is interrupted and when, and both as one
// solver does if none is.
func TestRanksEndTogether(t *testing.T) {
	half := grid(10, 0)
	n := half.Rows
	whole := entries(2*n, func(add func(i, j int, v float64)) {
		half.DoNonZero(func(i, j int, v float64) {
			add(i, j, v)
			add(i+n, j+n, v)
		})
	})
	b := random(51, 2*n)
	background := context.Background()
	eachMethod(t, func(t *testing.T, v variant, async bool, solve solver) {
		opt := hostOptions{Tol: 1e-8, MaxIter: 500}
		x, y := make([]float64, 2*n), make([]float64, 2*n)
		results := solveShared(t, v.name, async, half, x, b, [2]context.Context{background, background}, [2]hostOptions{opt, opt})
		want := solve(t, background, v.name, whole, y, b, opt)
		got := results[0]
		if !sameResult(got, results[1]) || got.Reason != want.Reason || got.Iterations < want.Iterations-2 || got.Iterations > want.Iterations+2 {
			t.Errorf("%+v and %+v, want %+v", got, results[1], want)
		}
		if res := trueResidual(t, whole, x, b); got.Reason == Converged && !(res <= 1.01e-8) || math.Abs(res-got.Residual) > 1e-10 {
			t.Errorf("residual %g, claimed %g", res, got.Residual)
		}

		for k := range 4 { // one is interrupted, by its monitor or by its measure, which GMRES takes once a cycle
			ctx, stop := context.WithCancel(background)
			contexts, opts := [2]context.Context{background, background}, [2]hostOptions{opt, opt}
			contexts[k%2] = ctx
			if k < 2 {
				opts[k].Monitor = func(e Event) {
					if e.Iteration >= 7 {
						stop()
					}
				}
			} else {
				taken := 0
				opts[k%2].Measure = func(_, _ []float64) float64 {
					if taken++; taken == 3 {
						stop()
					}
					return 1
				}
				opts[1-k%2].Measure = func(_, _ []float64) float64 { return 1 }
			}
			clear(x)
			results := solveShared(t, v.name, async, half, x, b, contexts, opts)
			got := results[0]
			if !sameResult(got, results[1]) || got.Reason != Interrupted || k < 2 && (got.Iterations < 7 || got.Iterations > 16) {
				t.Errorf("%d: %+v and %+v", k, got, results[1])
			}
			stop()
		}
	})
}

// A reason that the others have ends a solve at once.
func TestAgree(t *testing.T) {
	a, b := grid(12, 0), random(52, 144)
	eachMethod(t, func(t *testing.T, v variant, async bool, solve solver) {
		for _, forced := range []Reason{TimeLimit, Interrupted, Stagnation} {
			calls, x := 0, make([]float64, len(b))
			r := solve(t, context.Background(), v.name, a, x, b, hostOptions{Agree: func(own Reason) Reason {
				if calls++; calls == 5 {
					return forced
				}
				return own
			}})
			if r.Reason != forced || r.Iterations > 4 || calls > 7 {
				t.Errorf("%v after %d iterations and %d calls, want %v", r.Reason, r.Iterations, calls, forced)
			}
			if res := trueResidual(t, a, x, b); math.Abs(res-r.Residual) > 1e-10 {
				t.Errorf("residual %g, claimed %g", res, r.Residual)
			}
		}
	})
}
