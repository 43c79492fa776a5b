package solver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// keptRun solves two systems on so many ranks in 4 domains, and stops rank last after so many looks at its context; it returns the results, and the
// file of the last checkpoint.
func keptRun(t *testing.T, ranks, looks int, m *csr.Matrix, opt solve.Options, resume []byte) (x []float64, texts []string, file []byte) {
	t.Helper()
	parts := make([][2][]float64, ranks)
	all := make([][]string, ranks)
	models := adaptive.Models()
	var mu sync.Mutex
	dist.Run(ranks, func(c dist.Comm) {
		opt := opt
		opt.Threads = 1 + ranks%2
		if resume != nil { // the model of the checkpoint counts
			opt.Storage.Model = models[c.Rank()%len(models)]
		}
		opt.Checkpoint.Save = func(k solve.Checkpoint) {
			var b bytes.Buffer
			if _, err := k.WriteTo(&b); err != nil {
				t.Error(err)
			}
			if c.Rank() == 0 {
				file = b.Bytes()
			}
		}
		switch { // the last rank does not see the file; of 5 ranks none but rank 0
		case resume == nil:
		case c.Rank() == 0 && ranks == 5:
			k, err := checkpoint.Read(bytes.NewReader(resume))
			if err != nil {
				t.Error(err)
			}
			opt.Checkpoint.Resume = k
		case c.Rank() == 0 || c.Rank() < ranks-1 && ranks < 5:
			k, err := checkpoint.Open(bytes.NewReader(resume), int64(len(resume)))
			if err != nil {
				t.Error(err)
			}
			opt.Checkpoint.Resume = k
		}
		a, _ := dist.Spread(c, m, 4)
		s, err := NewDistributed(context.Background(), a, opt)
		if err != nil {
			all[c.Rank()] = []string{err.Error()}
			return
		}
		defer s.Close()
		ctx := context.Background()
		if looks > 0 && c.Rank() == ranks-1 {
			ctx = &ending{Context: ctx, most: int64(looks), Fault: context.DeadlineExceeded}
		}
		for k := range 2 {
			r, err := s.Solve(ctx, ownElements(a, rhs(m, float64(k+1))), nil)
			mu.Lock()
			parts[c.Rank()][k] = r.X
			all[c.Rank()] = append(all[c.Rank()], fmt.Sprintln(summary(r), r.Reason, r.Iterations, r.Errors, err))
			mu.Unlock()
		}
	})
	for k := range 2 {
		for r := range ranks {
			x = append(x, parts[r][k]...)
		}
	}
	for r := range ranks {
		if !slices.Equal(all[r], all[0]) {
			t.Errorf("rank %d of %d: %q, want %q", r, ranks, all[r], all[0])
		}
	}
	return x, all[0], file
}

// A solve that is interrupted on some ranks and resumed on another number of ranks ends with the bits of a solve without an
// interruption, wherever it stopped.
func TestInterruptAndResumeOverDomains(t *testing.T) {
	spd, flow := grid(20, 0, 0), grid(20, 0.3, 0.1)
	random, _ := numbered(spd)
	for name, c := range map[string]checkpointCase{
		"cg":        {"", spd, solve.Options{Precond: solve.Precond{Kind: precond.None}}},
		"cg, auto":  {"", spd, solve.Options{}},
		"gmres":     {"", flow, solve.Options{Method: solve.GMRES, Krylov: solve.Krylov{Restart: 7}, Precond: solve.Precond{Kind: precond.Jacobi}}},
		"bicgstab":  {"", flow, solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{Kind: precond.ILU0}}},
		"bicg":      {"", flow, solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: precond.Jacobi}}},
		"by graph":  {"", random, solve.Options{Precond: solve.Precond{Kind: precond.IC0}}},
		"multigrid": {"", spd, solve.Options{Precond: solve.Precond{Kind: precond.AMG}}},
	} {
		if testing.Short() && name != "cg, auto" && name != "gmres" {
			continue
		}
		want, texts, _ := keptRun(t, 1, 0, c.m, c.opt, nil)
		interrupted, midway := 0, 0
		for _, looks := range []int{1, 2, 3, 5, 9, 14, 23, 41, 71, 111, 171} { // each sum of the ranks looks, too
			if testing.Short() && looks%2 == 0 {
				continue
			}
			ranks := 3
			x, _, file := keptRun(t, ranks, looks, c.m, c.opt, nil)
			if slices.Equal(x, want) {
				continue // it was done before
			}
			interrupted++
			if file == nil {
				t.Errorf("%s, %d looks: no checkpoint", name, looks)
				continue
			}
			if k, err := checkpoint.Read(bytes.NewReader(file)); err != nil || k.Iterations() > 0 {
				midway++
			}
			if looks == 9 { // and once more
				_, _, file = keptRun(t, 5, 4, c.m, c.opt, file)
			}
			ranks = 1 + looks%2
			x, got, _ := keptRun(t, ranks, 0, c.m, c.opt, file)
			if !slices.Equal(x, want) || !slices.Equal(got, texts) {
				t.Errorf("%s, %d looks, %d ranks: another x, or\n%q, want\n%q", name, looks, ranks, got, texts)
			}
		}
		if interrupted < 3 || midway < 2 {
			t.Errorf("%s: interrupted %d times, in a solve %d times", name, interrupted, midway)
		}
	}
}

// Where the context ends while the preconditioner is set up, there are no iterations without it that a checkpoint would keep.
func TestSetUpInterruptedOverDomains(t *testing.T) {
	m := grid(20, 0, 0)
	for _, method := range []solve.Method{solve.CG, solve.MINRES} {
		opt := solve.Options{Method: method, Precond: solve.Precond{Kind: precond.BlockJacobi}}
		want, texts, _ := keptRun(t, 1, 0, m, opt, nil)
		_, _, first := keptRun(t, 3, 41, m, opt, nil)
		for _, looks := range []int{1, 2, 5} {
			_, _, file := keptRun(t, 1+looks%2, looks, m, opt, first)
			if x, got, _ := keptRun(t, 1, 0, m, opt, file); !slices.Equal(x, want) || !slices.Equal(got, texts) {
				t.Errorf("%s, %d looks: another x, or\n%q, want\n%q", method, looks, got, texts)
			}
		}
	}
}

// A checkpoint of another number of domains, matrix or right-hand side is refused alike on all ranks.
func TestRefusedOverDomains(t *testing.T) {
	m := grid(20, 0, 0)
	_, _, file := keptRun(t, 3, 5, m, solve.Options{}, nil)
	_, text, _ := keptRun(t, 3, 0, grid(20, 0.1, 0), solve.Options{}, file)
	if len(text) != 1 || text[0] != "is of another matrix of the same size" {
		t.Errorf("another matrix: %q", text)
	}
	random, _ := numbered(m)
	_, _, byGraph := keptRun(t, 3, 5, random, solve.Options{}, nil)
	_, text, _ = keptRun(t, 3, 0, random, solve.Options{Reorder: solve.ReorderNone}, byGraph)
	if len(text) != 1 || text[0] != "is of domains by the graph of the matrix, not by ranges of rows (Options.Reorder, Options.MaxMemory)" {
		t.Errorf("another cut: %q", text)
	}
	k, err := checkpoint.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(t.Context(), m, solve.Options{Checkpoint: solve.Checkpoints{Resume: k}})
	var refused *solve.CheckpointError
	if !errors.As(err, &refused) || err.Error() != "is of 4 domains, not 1" {
		t.Errorf("one domain: %v", err)
	}
}

// FuzzReadCheckpoint changes bytes before the checksum, which it puts right, so that what is
// behind it is read: that is an error, or a checkpoint which is the same when it is written
// and read again.
func FuzzReadCheckpoint(f *testing.F) {
	for _, opt := range []solve.Options{{Precond: unpreconditioned}, {}} {
		opt.Threads = 1
		var last []byte
		opt.Checkpoint = solve.Checkpoints{Every: 1, Save: func(c solve.Checkpoint) { last = file(f, c) }}
		m := grid(3, 0, 0)
		s := newSolver(f, m, opt)
		for range 2 {
			if _, err := s.Solve(f.Context(), rhs(m, 1), nil); err != nil {
				f.Fatal(err)
			}
			head, numbers := parted(f, last)
			f.Add(head, numbers)
		}
	}
	f.Fuzz(func(t *testing.T, head, numbers []byte) {
		sum := sha256.Sum256(head)
		block := sha256.Sum256(slices.Concat(sum[:], make([]byte, 8), numbers)) // there is one, or none
		c, err := checkpoint.Read(bytes.NewReader(slices.Concat(head, sum[:], numbers, block[:min(len(block), 32*len(numbers))])))
		var refused *solve.CheckpointError
		if err != nil {
			if !errors.As(err, &refused) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
			return
		}
		_, _ = c.Solved(), c.Iterations()
		again, err := checkpoint.Read(bytes.NewReader(file(t, c)))
		if err != nil || again.Solved() != c.Solved() || again.Iterations() != c.Iterations() {
			t.Errorf("written and read again: %v", err)
		}
	})
}

// parted returns what a file has before the first checksum, and its numbers, which are one block.
func parted(t testing.TB, file []byte) (head, numbers []byte) {
	for at := range file[:len(file)-sha256.Size] {
		if sum := sha256.Sum256(file[:at]); bytes.HasPrefix(file[at:], sum[:]) {
			numbers = file[at+sha256.Size:]
			return file[:at], numbers[:max(0, len(numbers)-sha256.Size)]
		}
	}
	t.Fatal("no checksum")
	return nil, nil
}

// A checkpoint that is whole but contradicts itself, or the Solver, is refused.
func TestContradictoryCheckpoint(t *testing.T) {
	c := checkpointCase{"", grid(4, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}}}
	b, x0 := c.systems()
	var good []byte
	c.solveAll(t, t.Context(), solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) {
		if k.Iterations() == 1 && k.Solved() == 0 {
			good = file(t, k)
		}
	}})
	for name, change := range map[string]func(*checkpoint.Progress){
		"fallback":              func(p *checkpoint.Progress) { p.Position.State.Fallback = 99 },
		"fallbacks":             func(p *checkpoint.Progress) { p.Position.State.Fallbacks = nil },
		"fallback set up":       func(p *checkpoint.Progress) { p.Position.Ready[0].Fallback = -1 },
		"vectors":               func(p *checkpoint.Progress) { p.Method.Vectors = p.Method.Vectors[1:] },
		"numbers":               func(p *checkpoint.Progress) { p.Method.Numbers = nil },
		"no refinement":         func(p *checkpoint.Progress) { p.Steps.Counts = nil },
		"another method":        func(p *checkpoint.Progress) { p.Method = &krylov.State[vector]{Vectors: p.Method.Vectors[:2]} },
		"of refusals":           func(p *checkpoint.Progress) { p.Position.Refused = []choice.Refused{{Fallback: 1, Is: []int{17}}} },
		"fallback of a refusal": func(p *checkpoint.Progress) { p.Position.Refused = []choice.Refused{{Fallback: 17}} },
	} {
		from := saved(t, good)
		change(from.Current)
		opt := c.opt
		opt.Checkpoint.Resume = saved(t, file(t, from))
		s, err := New(t.Context(), c.m, opt)
		if err != nil {
			t.Fatal(err)
		}
		var refused *solve.CheckpointError
		if _, err := s.Solve(t.Context(), b[0], x0[0]); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
