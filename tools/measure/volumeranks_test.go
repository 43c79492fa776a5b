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

// counts solves with CG on a cube of bricks, one a rank, and returns what each rank sends in an iteration.
func (s stencil) counts(t *testing.T, kind precond.Kind, bricks, side int) []sent {
	t.Helper()
	const first, more = 2, 4
	ranks := bricks * bricks * bricks
	d := dist.Domains{Start: make([]int64, ranks+1)}
	for k := range d.Start {
		d.Start[k] = int64(k * side * side * side)
	}
	results := make([]sent, ranks)
	dist.Run(ranks, func(comm dist.Comm) {
		var counts [2]*dist.Timed
		for k, iterations := range []int{first, first + more} {
			c := dist.NewTimed(comm)
			counts[k] = c
			a, err := dist.NewMatrix(c, d, []dist.Rows{s.bricks(comm.Rank(), bricks, side)})
			if err != nil {
				panic(err)
			}
			opt := solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: kind}, Reorder: solve.ReorderNone}
			opt.Tol, opt.MaxIter, opt.Threads, opt.NoRefine = 1e-15, iterations, 1, true
			b := make([]float64, a.Own)
			for i := range b {
				b[i] = float64((i*i+7*comm.Rank())%101) - 50
			}
			of, err := solver.NewDistributed(t.Context(), a, opt)
			if err != nil {
				panic(err)
			}
			if r, err := of.Solve(t.Context(), b, nil); err != nil || r.Reason != krylov.IterationLimit || r.Iterations != iterations {
				t.Errorf("%s: %v after %d iterations, %v", kind, r.Reason, r.Iterations, err)
			}
			of.Close()
		}
		short, long, r := counts[0], counts[1], &results[comm.Rank()]
		for k, l := range long.Links {
			if n := float64(l.Starts-short.Links[k].Starts) / more; n > 0 {
				r.levels = append(r.levels, exchanged{n, float64(l.Messages), float64(l.Bytes)})
			}
		}
		d := long.Traffic.Minus(short.Traffic)
		r.sums, r.gathers, r.gathered = float64(d.Reductions)/more, float64(d.Collectives)/more, float64(d.Gathered)/more
	})
	return results
}

// near reports an error unless got is want within a share of want.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*want) {
		t.Errorf("%s: %g, the model has %g", what, got, want)
	}
}

// The rank in the middle of 27 or 64 sends in an iteration of CG what the model has, with each preconditioner. The sizes of coarse levels, and with them
// their ghosts, are about those of the model.
func TestIterationsOfConcurrentRanks(t *testing.T) {
	for _, c := range []struct {
		kind         precond.Kind
		bricks, side int
		middle       int
	}{
		{precond.None, 3, 8, 13},
		{precond.None, 4, 6, 21},
		{precond.FSAI, 3, 8, 13},
		{precond.FSAI, 4, 6, 21},
		{precond.AMG, 3, 16, 13}, // one level is spread
		{precond.AMG, 3, 33, 13}, // two
	} {
		if testing.Short() && c.side > 16 {
			continue
		}
		for _, s := range stencils[:2] {
			if c.kind == precond.AMG && s.box {
				continue
			}
			t.Run(fmt.Sprintf("%s with %s, %d^3 bricks of %d^3", s.name, c.kind, c.bricks, c.side), func(t *testing.T) {
				got, ranks := s.counts(t, c.kind, c.bricks, c.side)[c.middle], c.bricks*c.bricks*c.bricks
				want := s.sends(c.kind, s.brick(c.side, c.side, c.side), c.side*c.side*c.side, ranks)
				t.Logf("%+v, the model has %+v", got, want)
				if len(got.levels) != len(want.levels) {
					t.Fatalf("ghosts of %d kinds of vectors are exchanged, the model has %d", len(got.levels), len(want.levels))
				}
				for k, l := range want.levels {
					share := 0.0
					if k > 1 { // of a coarse level
						share = 0.15
					}
					near(t, fmt.Sprint("exchanges ", k), got.levels[k].count, l.count, 0)
					near(t, fmt.Sprint("messages ", k), got.levels[k].messages, l.messages, 0)
					near(t, fmt.Sprint("bytes ", k), got.levels[k].bytes, l.bytes, share)
				}
				near(t, "gathers", got.gathers, want.gathers, 0)
				near(t, "gathered bytes", got.gathered, want.gathered, 0.4)
				if got.sums < want.sums || got.sums > want.sums+1 { // some are repeated
					t.Errorf("%g sums, the model has %g", got.sums, want.sums)
				}
			})
		}
	}
}
