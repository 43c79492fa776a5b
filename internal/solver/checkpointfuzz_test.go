package solver

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/attempt"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

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
			f.Add(last[:len(last)-sha256.Size])
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		c, err := checkpoint.Read(bytes.NewReader(append(bytes.Clone(body), sum[:]...)))
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

// A checkpoint that is whole but contradicts itself, or the Solver, is refused.
func TestContradictoryCheckpoint(t *testing.T) {
	c := checkpointCase{"", grid(4, 0, 0), solve.Options{}}
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
		"of refusals":           func(p *checkpoint.Progress) { p.Position.Refused = []attempt.Refused{{Fallback: 1, Is: []int{17}}} },
		"fallback of a refusal": func(p *checkpoint.Progress) { p.Position.Refused = []attempt.Refused{{Fallback: 17}} },
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
