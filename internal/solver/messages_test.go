package solver

import (
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// What a rank sends to others depends on its rows and its neighbours, not on the number of ranks: neither in set-up nor in an iteration. What is
// gathered of all ranks is little, and once: 250 bytes of each are 2.5 MB among 10,000 ranks. Sums that
// need more limbs than those before are repeated, so that their number varies a little (Concurrent).
func TestMessagesOfRanksConcurrent(t *testing.T) {
	numbers := []int{2, 4, 16, 64}
	if testing.Short() {
		numbers = []int{2, 4, 16}
	}
	for _, c := range []struct {
		kind       precond.Kind
		setup, run traffic // at most, with two neighbours that have 50 ghosts each
	}{
		{precond.Jacobi, traffic{4, 1600, 2, 20, 10, 800, 0}, traffic{2 * counted, 800 * counted, 0, 3 * counted, 0, 0, 0}},
		{precond.FSAI, traffic{4, 1600, 6, 24, 12, 15200, 0}, traffic{6 * counted, 2400 * counted, 0, 4 * counted, 0, 0, 0}},
		{precond.AMG, traffic{4, 1600, 2, 31, 17, 800, 0}, traffic{2 * counted, 800 * counted, 0, 6 * counted, counted, 0, 0}},
	} {
		for _, ranks := range numbers {
			setup, run := messages(t, c.kind, ranks)
			others := int64(ranks - 1)
			c.setup.Gathered = 250 * others // facts, kernels, costs and lines of the report, of which each rank makes the same
			if c.kind == precond.AMG {      // the coarse levels are on every rank; the finest of them has fewer than 200 rows for each rank here
				c.setup.Gathered, c.run.Gathered = 15000*others, 8*202*counted*others
			}
			t.Logf("%s, %d ranks: set-up %+v, %d iterations %+v", c.kind, ranks, setup, counted, run)
			if !setup.within(c.setup) || !run.within(c.run) {
				t.Errorf("%s, %d ranks: want at most %+v and %+v", c.kind, ranks, c.setup, c.run)
			}
			if ranks > 2 && run.Messages != c.run.Messages {
				t.Errorf("%s, %d ranks: an iteration sends %d messages in %d iterations, want %d", c.kind, ranks, run.Messages, counted, c.run.Messages)
			}
		}
	}
}

const counted = 4 // iterations

// traffic are the largest numbers of all ranks.
type traffic struct{ Messages, Bytes, Exchanged, Reductions, Collectives, Swapped, Gathered int64 }

func (c *traffic) add(t dist.Traffic) {
	c.Messages, c.Bytes, c.Exchanged = max(c.Messages, t.Messages), max(c.Bytes, t.Bytes), max(c.Exchanged, t.Exchanged)
	c.Swapped, c.Gathered = max(c.Swapped, t.Swapped), max(c.Gathered, t.Gathered)
	c.Reductions, c.Collectives = max(c.Reductions, t.Reductions), max(c.Collectives, t.Collectives)
}

func (c traffic) within(most traffic) bool {
	return c.Messages <= most.Messages && c.Bytes <= most.Bytes && c.Exchanged <= most.Exchanged && c.Swapped <= most.Swapped &&
		c.Gathered <= most.Gathered && c.Reductions <= most.Reductions && c.Collectives <= most.Collectives
}

// strip returns the 5-point matrix of 50 x lines nodes.
func strip(lines int) *csr.Matrix {
	const width = 50
	m := &csr.Matrix{Rows: width * lines, Cols: width * lines, RowPtr: []int64{0}}
	for i := range m.Rows {
		add := func(there bool, j int, v float64) {
			if there {
				m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, v)
			}
		}
		add(i >= width, i-width, -1)
		add(i%width > 0, i-1, -1)
		add(true, i, 4.01)
		add(i%width < width-1, i+1, -1)
		add(i < m.Rows-width, i+width, -1)
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

// messages returns what ranks with 4 lines of 50 nodes each send in set-up, and in some more iterations of CG.
func messages(t *testing.T, kind precond.Kind, ranks int) (setup, run traffic) {
	m := strip(4 * ranks)
	opt := solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: kind}}
	for _, sent := range trafficOf(t, m, ranks, ranks, opt, 2, 2+counted) {
		setup.add(sent[0])
		run.add(sent[2].Minus(sent[1]))
	}
	return setup, run
}

// trafficOf returns what each rank sends in set-up, and in solves that end after so many iterations.
func trafficOf(t *testing.T, m *csr.Matrix, ranks, domains int, opt solve.Options, iterations ...int) [][]dist.Traffic {
	sent, b := make([][]dist.Traffic, ranks), rhs(m, 1)
	opt.NoRefine, opt.Tol = true, 1e-15
	dist.Run(ranks, func(c dist.Comm) {
		timed := dist.NewTimed(c)
		a, err := dist.Spread(timed, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := NewDistributed(t.Context(), a, opt)
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		mine := []dist.Traffic{timed.Traffic}
		for _, most := range iterations {
			before := timed.Traffic
			s.Opt.MaxIter = most
			r, err := s.Solve(t.Context(), ownElements(a, b), nil)
			if err != nil || r.Reason != krylov.IterationLimit || r.Iterations != most {
				t.Errorf("%s with %s on %d ranks: %v after %d iterations, %v", opt.Method, opt.Precond.Kind, ranks, r.Reason, r.Iterations, err)
			}
			mine = append(mine, timed.Traffic.Minus(before))
		}
		sent[c.Rank()] = mine
	})
	return sent
}
