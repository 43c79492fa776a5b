package krylov

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// states is a Checkpointer that copies every state.
type states struct {
	list  []State[[]float64]
	every int // steps; 0: none
	seen  int
	marks int
}

func (s *states) Due() bool {
	s.seen++
	return s.every > 0 && s.seen%s.every == 0
}

func (s *states) Mark() { s.marks++ }

func (s *states) Save(state State[[]float64]) {
	copied := state
	copied.Vectors = nil
	for _, v := range state.Vectors {
		copied.Vectors = append(copied.Vectors, slices.Clone(v))
	}
	s.list = append(s.list, copied)
}

// alike is sameResult for results that may have NaN.
func alike(a, b Result) bool {
	a.Orthogonalization, b.Orthogonalization = 0, 0
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// All methods, on all problems, without a preconditioner, with one and with one taken for
// flexible: taking states changes nothing, and a new method goes on from each of them to the
// same bits and the same Result.
func TestResumeGivesTheSameBits(t *testing.T) {
	pool := newPool(t, 1)
	for _, v := range methods {
		t.Run(v.name, func(t *testing.T) {
			taken := 0
			for _, p := range problems() {
				a, space := linop.NewCSR(p.a, pool), linop.NewHost(p.a.Rows, pool)
				for _, opt := range preconditionings(p.a, pool) {
					opt.Tol, opt.MaxIter = 1e-8, 150
					want := make([]float64, len(p.b))
					result := onHost(t, v.name, space).Solve(context.Background(), a, want, p.b, opt)
					saved := &states{every: 1}
					x := make([]float64, len(p.b))
					with := opt
					with.Checkpoint = saved
					if got := onHost(t, v.name, space).Solve(context.Background(), a, x, p.b, with); !alike(got, result) || !sameBits(x, want) {
						t.Fatalf("%s: %+v with checkpoints, %+v without", p.name, got, result)
					}
					taken += len(saved.list)
					for k := 0; k < len(saved.list); k += 1 + len(saved.list)/8 {
						m, again := onHost(t, v.name, space), opt
						again.Resume = &saved.list[k]
						if err := CheckState(m, opt.Precond != nil, again.Resume); err != nil {
							t.Fatal(err)
						}
						x := slices.Clone(p.b) // whatever was there
						if got := m.Solve(context.Background(), a, x, p.b, again); !alike(got, result) || !sameBits(x, want) {
							t.Errorf("%s: state %d of %d: %+v, want %+v", p.name, k, len(saved.list), got, result)
						}
					}
				}
			}
			if taken < 100 {
				t.Errorf("only %d states", taken)
			}
		})
	}
}

// With checkpoints, a context ends a solve where its state can be taken, which is the last
// that is.
func TestContextEndsWithAState(t *testing.T) {
	pool := newPool(t, 1)
	a, b := grid(12, 0.4), random(9, 144)
	for _, v := range methods {
		if v.symmetric() {
			continue
		}
		op, space := linop.NewCSR(a, pool), linop.NewHost(a.Rows, pool)
		opt := hostOptions{Tol: 1e-8}
		want := make([]float64, len(b))
		result := onHost(t, v.name, space).Solve(context.Background(), op, want, b, opt)
		for _, after := range []int{0, 1, 7} {
			ctx, cancel := context.WithCancel(context.Background())
			if after == 0 {
				cancel()
			}
			saved := &states{}
			opt.Checkpoint, opt.Monitor = saved, func(e Event) {
				if e.Iteration == after {
					cancel()
				}
			}
			x := make([]float64, len(b))
			r := onHost(t, v.name, space).Solve(ctx, op, x, b, opt)
			cancel()
			if r.Reason != Interrupted || r.Iterations > after+1 || len(saved.list) != 1 || saved.marks < 1 {
				t.Fatalf("%s: %v after %d iterations instead of %d, %d states", v.name, r.Reason, r.Iterations, after, len(saved.list))
			}
			again := hostOptions{Tol: 1e-8, Resume: &saved.list[0]}
			if got := onHost(t, v.name, space).Solve(context.Background(), op, x, b, again); !alike(got, result) || !sameBits(x, want) {
				t.Errorf("%s: %+v after %d iterations, %+v at once", v.name, got, after, result)
			}
		}
	}
}

// A state of another method, or of another shape, is found.
func TestCheckState(t *testing.T) {
	space := linop.NewHost(4, newPool(t, 1))
	shapes := map[string]*State[[]float64]{}
	for _, k := range Methods {
		m := onHost(t, methodNamed(k.Name), space)
		for _, with := range []bool{false, true} {
			s := m.(keeper[[]float64, linop.Float64]).keeps(with).state(&convergence[[]float64]{})
			if err := CheckState(m, with, &s); err != nil {
				t.Error(err)
			}
			shapes[k.Name] = &s
		}
	}
	for name := range shapes {
		for other, s := range shapes {
			if err := CheckState(onHost(t, methodNamed(name), space), true, s); (err == nil) != (name == other) {
				t.Errorf("state of %s for %s: %v", other, name, err)
			}
		}
	}
	f := NewRefinement[[]float64, linop.Float64](space)
	if s := f.State(); f.CheckState(&s) != nil || f.CheckState(shapes["cg"]) == nil {
		t.Error("states of refinement are not told from others")
	}
}

// methodNamed is the first of the variants of a method.
func methodNamed(name string) string {
	return methods[slices.IndexFunc(methods, func(v variant) bool { return v.method == name })].name
}
