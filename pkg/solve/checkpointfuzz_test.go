package solve

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// FuzzReadCheckpoint changes bytes before the checksum, which it puts right, so that what is
// behind it is read: that is an error, or a checkpoint which is the same when it is written
// and read again.
func FuzzReadCheckpoint(f *testing.F) {
	for _, opt := range []Options{{Precond: unpreconditioned}, {}} {
		opt.Threads = 1
		var last []byte
		opt.Checkpoint = Checkpoints{Every: 1, Save: func(c *Checkpoint) { last = file(f, c) }}
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
		c, err := ReadCheckpoint(bytes.NewReader(append(bytes.Clone(body), sum[:]...)))
		var refused *CheckpointError
		if err != nil {
			if !errors.As(err, &refused) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
			return
		}
		_, _ = c.Solved(), c.Iterations()
		again, err := ReadCheckpoint(bytes.NewReader(file(t, c)))
		if err != nil || again.Solved() != c.Solved() || again.Iterations() != c.Iterations() {
			t.Errorf("written and read again: %v", err)
		}
	})
}

// A checkpoint that is whole but contradicts itself, or the Solver, is refused.
func TestContradictoryCheckpoint(t *testing.T) {
	c := checkpointCase{"", grid(4, 0, 0), Options{}}
	b, x0 := c.systems()
	var good []byte
	c.solveAll(t, t.Context(), Checkpoints{Every: 1, Save: func(k *Checkpoint) {
		if k.Iterations() == 1 && k.Solved() == 0 {
			good = file(t, k)
		}
	}})
	for name, change := range map[string]func(*progress){
		"rung":              func(p *progress) { p.Position.Ladder.Rung = 99 },
		"rungs":             func(p *progress) { p.Position.Ladder.Rungs = nil },
		"rung made":         func(p *progress) { p.Position.Ready[0].Rung = -1 },
		"vectors":           func(p *progress) { p.Method.Vectors = p.Method.Vectors[1:] },
		"numbers":           func(p *progress) { p.Method.Numbers = nil },
		"no refinement":     func(p *progress) { p.Steps.Counts = nil },
		"another method":    func(p *progress) { p.Method = &krylov.State[vector]{Vectors: p.Method.Vectors[:2]} },
		"of refusals":       func(p *progress) { p.Position.Refused = []refused{{Rung: 1, Is: []int{17}}} },
		"rung of a refusal": func(p *progress) { p.Position.Refused = []refused{{Rung: 17}} },
	} {
		from := saved(t, good)
		change(from.current)
		opt := c.opt
		opt.Checkpoint.Resume = saved(t, file(t, from))
		s, err := New(t.Context(), c.m, opt)
		if err != nil {
			t.Fatal(err)
		}
		var refused *CheckpointError
		if _, err := s.Solve(t.Context(), b[0], x0[0]); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
