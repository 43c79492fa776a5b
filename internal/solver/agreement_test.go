package solver

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// ending is a context that has ended when it has been asked more often than so many times.
type ending struct {
	context.Context
	asked atomic.Int64
	most  int64
	Fault error
}

func (e *ending) Err() error {
	if e.asked.Add(1) > e.most {
		return e.Fault
	}
	return nil
}

// A context that ends on one rank, whenever it does, ends the work of all with the same Reason or error.
func TestInterruptOnOneRank(t *testing.T) {
	const ranks = 3
	m := grid(20, 0.2, 0)
	b := rhs(m, 1)
	outcomes := map[string]bool{}
	for _, looks := range []int{0, 1, 2, 3, 4, 5, 8, 12, 20, 40, 80} {
		for end, err := range []error{context.Canceled, context.DeadlineExceeded} {
			last := (looks + end) % ranks
			var reasons [ranks]krylov.Reason
			var iterations [ranks]int
			var failed [ranks]error
			dist.Run(ranks, func(c dist.Comm) {
				a, _ := dist.Spread(c, m, 4)
				ctx := context.Background()
				if c.Rank() == last {
					ctx = &ending{Context: ctx, most: int64(looks), Fault: err}
				}
				s, err := NewDistributed(ctx, a, solve.Options{Precond: solve.Precond{Kind: precond.ILU0}})
				if failed[c.Rank()] = err; err != nil {
					return
				}
				defer s.Close()
				r, err := s.Solve(ctx, ownElements(a, b), nil)
				reasons[c.Rank()], iterations[c.Rank()], failed[c.Rank()] = r.Reason, r.Iterations, err
			})
			for r := range ranks {
				if reasons[r] != reasons[0] || iterations[r] != iterations[0] || !errors.Is(failed[r], failed[0]) && failed[r].Error() != failed[0].Error() {
					t.Errorf("%d looks: %v after %v iterations, %v", looks, reasons, iterations, failed)
				}
			}
			if reason, e := reasons[last], failed[last]; e != nil && !errors.Is(e, err) || e == nil && reason != krylov.Converged && reason != krylov.Ended(&ending{Fault: err}) {
				t.Errorf("%d looks: %v, %v", looks, reason, e)
			}
			outcomes[reasons[0].String()] = true
		}
	}
	for _, want := range []krylov.Reason{krylov.Running, krylov.Interrupted, krylov.TimeLimit} {
		if !outcomes[want.String()] {
			t.Errorf("no solve ended as %v", want)
		}
	}
}

// ownElements returns the elements of the whole vector v that the rank owns.
func ownElements(a *dist.Matrix, v []float64) (own []float64) {
	for _, p := range a.Parts {
		own = append(own, v[p.Row:p.Row+int64(p.Own)]...)
	}
	return own
}

// What is wrong on one rank is the error of all, with the number of the element in the whole.
func TestErrorOnOneRank(t *testing.T) {
	m := grid(20, 0, 0)
	b := rhs(m, 1)
	b[250] = math.NaN()
	for ranks := range 5 {
		_, all := solveOnRanks(t, ranks+1, 4, m, b, solve.Options{})
		for r, got := range all {
			var input *solve.InputError
			if !errors.As(got.Fault, &input) || got.Fault.Error() != "element 251 of the right-hand side is NaN" {
				t.Errorf("rank %d of %d: error %v", r, ranks+1, got.Fault)
			}
		}
	}
	infinite := m.Clone()
	infinite.Val[len(infinite.Val)-1] = math.Inf(1)
	_, all := solveOnRanks(t, 3, 4, infinite, b, solve.Options{})
	for r, got := range all {
		var input *solve.InputError
		if !errors.As(got.Fault, &input) || got.Fault.Error() != all[0].Fault.Error() {
			t.Errorf("rank %d: error %v", r, got.Fault)
		}
	}
	for _, opt := range []solve.Options{{Limits: solve.Limits{MaxMemory: 100_000}}, {Method: solve.LSQR}, {Storage: solve.Storage{Layout: adaptive.Symmetric}}, {Method: solve.BiCG, Precond: solve.Precond{Overlap: precond.OverlapOne}}, {Reorder: solve.ReorderRCM}, {NullSpace: solve.NullSpace{Kind: solve.NullSpaceConstant}}} {
		_, all := solveOnRanks(t, 3, 4, m, b, opt)
		for r, got := range all {
			if got.Fault == nil || errors.Is(got.Fault, solve.ErrMemory) != (opt.MaxMemory > 0) || got.Fault.Error() != all[0].Fault.Error() {
				t.Errorf("rank %d: error %v", r, got.Fault)
			}
		}
	}
}

// All ranks follow the more serious of their reasons, and none is lost on the way.
func TestSeriousness(t *testing.T) {
	for _, r := range append(reasons(), krylov.Running) {
		if back := ranks.OfSeriousness(ranks.Seriousness(r)); back != r {
			t.Errorf("%v becomes %v", r, back)
		}
		if !ranks.Limited(r) && ranks.MoreSerious(r, krylov.TimeLimit) != krylov.TimeLimit || ranks.MoreSerious(krylov.Interrupted, r) != krylov.Interrupted && !ranks.Limited(r) {
			t.Errorf("%v goes before the time limit", r)
		}
	}
	if ranks.MoreSerious(krylov.Converged, krylov.Running) != krylov.Running || ranks.MoreSerious(krylov.Running, krylov.NotFinite) != krylov.NotFinite {
		t.Error("wrong order")
	}
}

// Ranks on processors of several kinds, with other kernels and models, store alike and have the bits of ranks that are alike.
func TestMachinesThatDiffer(t *testing.T) {
	sets, models := kernels.Sets(), adaptive.Models()
	m := grid(60, 0.3, 0.1)
	b := rhs(m, 1)
	for _, kind := range []precond.Kind{precond.Jacobi, precond.AMG} {
		for _, best := range []int{0, len(sets) - 1} { // of the ranks
			opt := solve.Options{Limits: solve.Limits{Threads: 1}, Precond: solve.Precond{Kind: kind}, Storage: solve.Storage{Kernels: sets[0].String()}}
			if best == 0 {
				opt.Storage.Model = models[0]
			}
			want, one := solveOnRanks(t, 1, 4, m, b, opt)
			x, all := solveWith(t, 3, 4, m, b, func(a *dist.Matrix) solve.Options {
				o := opt
				o.Storage.Model = models[a.Comm.Rank()%len(models)]
				if a.Comm.Rank() != 1 {
					o.Storage.Kernels = sets[best].String()
				}
				return o
			})
			for r, got := range all {
				if got.summary() != one[0].summary() {
					t.Errorf("%s: rank %d has\n%s, want\n%s", kind, r, got.summary(), one[0].summary())
				}
			}
			if one[0].Fault != nil || !slices.Equal(x, want) {
				t.Errorf("%s: another x (%v)", kind, one[0].Fault)
			}
		}
	}
}

// A solve that goes on chooses layouts by the model of its checkpoint, whatever has been measured since.
func TestResumeKeepsTheModel(t *testing.T) {
	if !kernels.Default().HasFastSlots() {
		t.Skip("without fast kernels for slots there is nothing to choose")
	}
	slow := *adaptive.ModelOf("")
	text, err := json.Marshal(&slow)
	if err == nil {
		err = json.Unmarshal(regexp.MustCompile(`slot":[^,}]*`).ReplaceAll(text, []byte(`slot":1000`)), &slow)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := checkpointCase{"", grid(60, 0, 0), solve.Options{Precond: unpreconditioned, Storage: storageOf("AFX", 0x1p-24)}}
	solved := func(model *adaptive.Model, how solve.Checkpoints) []solve.Result {
		c.opt.Storage.Model = model
		return c.solveAll(t, t.Context(), how)
	}
	var of []byte
	want := solved(nil, solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) {
		if k.Solved() == 0 && k.Iterations() < 20 {
			of = file(t, k)
		}
	}})
	if other := solved(&slow, solve.Checkpoints{}); other[0].Storage.Layout == want[0].Storage.Layout {
		t.Fatalf("both models choose %s", want[0].Storage.Layout)
	}
	if got := solved(&slow, solve.Checkpoints{Resume: saved(t, of)}); !sameOutcomes(got, want) {
		t.Errorf("another result, with layout %s instead of %s", got[0].Storage.Layout, want[0].Storage.Layout)
	}
}

// reasons returns all reasons with which a solve ends.
func reasons() (list []krylov.Reason) {
	for r := krylov.Reason(-100); r < 100; r++ {
		if r != krylov.Running && !strings.HasPrefix(r.String(), "reason ") {
			list = append(list, r)
		}
	}
	return list
}
