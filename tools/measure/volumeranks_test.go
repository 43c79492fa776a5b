package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// bricks returns the rows of a rank, of a grid of so many bricks of side^3 nodes a side, with a dominant diagonal that is nearly singular.
func (s stencil) bricks(rank, bricks, side int) dist.Rows {
	g := bricks * side
	number := func(x, y, z int) int {
		brick := x/side + bricks*(y/side+bricks*(z/side))
		return side*side*side*brick + x%side + side*(y%side+side*(z%side))
	}
	p := dist.Rows{RowPtr: []int64{0}}
	i := int64(rank * side * side * side)
	x0, y0, z0 := rank%bricks*side, rank/bricks%bricks*side, rank/bricks/bricks*side
	for z := z0; z < z0+side; z++ {
		for y := y0; y < y0+side; y++ {
			for x := x0; x < x0+side; x++ {
				for _, j := range s.row(x, y, z, g, g, g, number) { // one unknown a node
					v := -1.0
					if j == i {
						v = float64(s.rowEntries() - 1)
					}
					p.Col, p.Val = append(p.Col, j), append(p.Val, v)
				}
				p.RowPtr = append(p.RowPtr, int64(len(p.Col)))
				i++
			}
		}
	}
	return p
}

// counts solves with CG on a cube of bricks, one a rank, and returns the most that a rank sends in an iteration.
func (s stencil) counts(t *testing.T, kind precond.Kind, bricks, side int) (most sent) {
	t.Helper()
	const first, more = 2, 4
	ranks := bricks * bricks * bricks
	d := dist.Domains{Start: make([]int64, ranks+1)}
	for k := range d.Start {
		d.Start[k] = int64(k * side * side * side)
	}
	results := make([]sent, ranks)
	dist.Run(ranks, func(comm dist.Comm) {
		c := dist.NewTimed(comm)
		a, err := dist.NewMatrix(c, d, []dist.Rows{s.bricks(comm.Rank(), bricks, side)})
		if err != nil {
			panic(err)
		}
		opt := solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: kind}, Reorder: solve.ReorderNone}
		opt.Tol, opt.Threads, opt.NoRefine = 1e-15, 1, true
		b := make([]float64, a.Own)
		for i := range b {
			b[i] = float64((i*i+7*comm.Rank())%101) - 50
		}
		of, err := solver.NewDistributed(t.Context(), a, opt)
		if err != nil {
			panic(err)
		}
		defer of.Close()
		var traffic [3]dist.Traffic // of each solve, of which the first sets up what the others share
		var starts [3][]int64
		for k, iterations := range []int{first, first, first + more} {
			before := c.Traffic
			for _, l := range c.Links {
				starts[k] = append(starts[k], -l.Starts)
			}
			of.Opt.MaxIter = iterations
			if r, err := of.Solve(t.Context(), b, nil); err != nil || r.Reason != krylov.IterationLimit || r.Iterations != iterations {
				t.Errorf("%s: %v after %d iterations, %v", kind, r.Reason, r.Iterations, err)
			}
			traffic[k] = c.Traffic.Minus(before)
			for n := range starts[k] {
				starts[k][n] += c.Links[n].Starts
			}
		}
		r := &results[comm.Rank()]
		for n, l := range c.Links {
			if n := float64(starts[2][n]-starts[1][n]) / more; n > 0 {
				r.levels = append(r.levels, exchanged{n, float64(l.Messages), float64(l.Bytes)})
			}
		}
		d := traffic[2].Minus(traffic[1])
		r.sums, r.gathers, r.gathered = float64(d.Reductions)/more, float64(d.Collectives)/more, float64(d.Gathered)/more
	})
	most = results[0]
	for _, r := range results[1:] {
		for k, l := range r.levels {
			m := &most.levels[k]
			m.messages, m.bytes = max(m.messages, l.messages), max(m.bytes, l.bytes)
		}
		most.gathered = max(most.gathered, r.gathered)
	}
	return most
}

// near reports an error unless got is want within a share of want.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*want) {
		t.Errorf("%s: %g, the model has %g", what, got, want)
	}
}

// The most that one of 27 or 64 ranks sends in an iteration of CG is what the model has, with each preconditioner. The sizes of coarse levels, and with them
// their ghosts, are about those of the model.
func TestIterationsOfConcurrentRanks(t *testing.T) {
	for _, c := range []struct {
		kind         precond.Kind
		bricks, side int
	}{
		{precond.None, 3, 8},
		{precond.None, 4, 6},
		{precond.FSAI, 3, 8},
		{precond.FSAI, 4, 6},
		{precond.AMG, 3, 16},
		{precond.AMG, 4, 16},
		{precond.AMG, 3, 33},
	} {
		if testing.Short() && c.side > 16 {
			continue
		}
		for _, s := range stencils[:2] {
			if c.kind == precond.AMG && s.box {
				continue
			}
			t.Run(fmt.Sprintf("%s with %s, %d^3 bricks of %d^3", s.name, c.kind, c.bricks, c.side), func(t *testing.T) {
				got, ranks := s.counts(t, c.kind, c.bricks, c.side), c.bricks*c.bricks*c.bricks
				want := s.sends(c.kind, s.brick(c.side, c.side, c.side), c.side*c.side*c.side, ranks)
				t.Logf("%+v, the model has %+v", got, want)
				if len(got.levels) != len(want.levels) {
					t.Fatalf("ghosts of %d kinds of vectors are exchanged, the model has %d", len(got.levels), len(want.levels))
				}
				few := map[int]bool{} // exchanges between fewer ranks than the model's, whose neighbours are on all sides
				at := 1
				for _, l := range cycleOf(float64(c.side*c.side*c.side*ranks), float64(ranks)).spread {
					if l.joined() {
						at++
						few[at] = true
					}
					at++
				}
				for k, l := range want.levels {
					if few[k] {
						near(t, fmt.Sprint("exchanges ", k), got.levels[k].count, l.count, 0)
						if g := got.levels[k]; !(g.messages > 0 && g.messages <= l.messages && g.bytes > 0 && g.bytes <= l.bytes) {
							t.Errorf("exchange %d: %+v, the model has at most %+v", k, g, l)
						}
						continue
					}
					share := 0.0
					if k > 1 { // of a coarse level
						share = 0.15
					}
					near(t, fmt.Sprint("exchanges ", k), got.levels[k].count, l.count, 0)
					near(t, fmt.Sprint("messages ", k), got.levels[k].messages, l.messages, 0)
					near(t, fmt.Sprint("bytes ", k), got.levels[k].bytes, l.bytes, share)
				}
				near(t, "gathers", got.gathers, want.gathers, 0)
				near(t, "gathered bytes", got.gathered, want.gathered, 0.7)
				if got.sums < want.sums || got.sums > want.sums+1 { // some are repeated
					t.Errorf("%g sums, the model has %g", got.sums, want.sums)
				}
			})
		}
	}
}
