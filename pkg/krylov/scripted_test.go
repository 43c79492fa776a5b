package krylov

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// turn is what a scripted corrector does in one step on A = I: it leaves
// `left` of the residual and stops for that reason.
type turn struct {
	left       float64
	reason     Reason
	iterations int
}

// scripted is a Corrector for A = I that plays turns, the last one for ever,
// and takes down the order of events.
type scripted struct {
	turns       []turn
	escalations int // how many succeed
	calls       []string
	goals       []Goal
	record      bool
}

func (s *scripted) Correct(_ context.Context, d, r, _ []float64, goal Goal) Result {
	now := s.turns[0]
	if len(s.turns) > 1 {
		s.turns = s.turns[1:]
	}
	for i, v := range r {
		d[i] = (1 - now.left) * v
	}
	if s.record {
		s.calls = append(s.calls, fmt.Sprintf("correct %.3g", goal.From))
		s.goals = append(s.goals, goal)
	}
	if goal.Monitor != nil {
		for k := range now.iterations {
			goal.Monitor(Event{Iteration: k + 1, Residual: now.left})
		}
	}
	return Result{Reason: now.reason, Iterations: now.iterations, Residual: now.left}
}

func (s *scripted) Escalate(reason Reason) bool {
	s.calls = append(s.calls, "escalate: "+reason.String())
	s.escalations--
	return s.escalations >= 0
}

// distance is the measure of these tests: max |r_i| for b of size 1.
func distance(_, r []float64) float64 {
	worst := 0.0
	for _, v := range r {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

func refinement(t testing.TB, n int) (*Refinement[[]float64, linop.Float64], *linop.CSR) {
	t.Helper()
	pool := newPool(t, 1)
	id := entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 1)
		}
	})
	return NewRefinement[[]float64, linop.Float64](linop.NewHost(n, pool)), linop.NewCSR(id, pool)
}

var _ Corrector[[]float64] = (*scripted)(nil)

func (*scripted) Patience(reduction float64) int { return DefaultPatience(reduction) }
