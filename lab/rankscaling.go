package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dist"
	agreement "github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// RankScaling is the measurement of a product and an iteration of CG with one matrix on the first ranks of the job.
// Each rank has a domain; if the matrix is the same for any number of ranks, so are the domains, as many as the job
// has ranks.
type RankScaling struct {
	Kind      string
	Weak      bool // the matrix grows with the ranks
	Ranks     int
	Domains   int
	Threads   int
	Rows, NNZ int64

	Product, Iteration Time

	// What an iteration sends: all ranks together, and the rank that sends most.
	Messages, Bytes         int64
	MostMessages, MostBytes int64
	Reductions, Numbers     float64 // sums and maxima over all ranks, and the number of int64 in them, on average: exact sums repeat some
}

// efficiency returns the time on one rank over the time on s.Ranks ranks, for strong scaling divided by the number of
// ranks.
func (s RankScaling) efficiency(one, now Time) float64 {
	e := one.Median / now.Median
	if !s.Weak {
		e /= float64(s.Ranks)
	}
	return e
}

// Efficiency returns the efficiencies of products and of iterations, given the results on one rank.
func (s RankScaling) Efficiency(one RankScaling) (product, iteration float64) {
	return s.efficiency(one.Product, s.Product), s.efficiency(one.Iteration, s.Iteration)
}

// ScaleRanks measures matrices of all kinds on 1, 2, 4, ... and all ranks. For each kind it measures weak scaling and
// then strong scaling and calls done with the results of each, which are complete on rank 0. It is collective.
func ScaleRanks(ctx context.Context, c dist.Comm, opt RanksOptions, done func([]RankScaling) error) error {
	for _, k := range opt.Kinds {
		for _, weak := range []bool{true, false} {
			var list []RankScaling
			for n := 1; ; n = min(2*n, c.Size()) {
				s, err := ranks{c, opt}.scaleFirst(ctx, n, k, weak)
				if err != nil {
					return err
				}
				list = append(list, s)
				if n == c.Size() {
					break
				}
			}
			if err := done(list); err != nil {
				return err
			}
		}
	}
	return nil
}

// scaleFirst measures on the first n ranks while the others wait.
func (r ranks) scaleFirst(ctx context.Context, n int, k generate.Kind, weak bool) (RankScaling, error) {
	s := RankScaling{Kind: k.Name, Weak: weak, Ranks: n, Domains: n, Threads: r.opt.Threads}
	rows := r.opt.Rows * int64(n)
	if !weak {
		s.Domains, rows = r.Size(), r.opt.Rows
	}
	var err error
	if part := r.First(n); part != nil {
		err = ranks{dist.NewTimed(part), r.opt}.scale(ctx, k, rows, &s)
	}
	if r.any(err != nil) {
		return s, cmp.Or(err, errOtherRank)
	}
	return s, nil
}

// edge returns the edge of the cube of a kind with about so many rows, and their number.
func edge(k generate.Kind, about int64) (n, rows int64, err error) {
	one, _, err := k.Estimate(generate.Params{"n": 1})
	if err != nil {
		return 0, 0, err
	}
	n = max(2, int64(math.Round(math.Cbrt(float64(about)/float64(one)))))
	return n, one * n * n * n, nil
}

// Memory returns the bytes that the largest of the matrices takes on a rank while it is made, including the
// coefficients, which reach a plane further on either side, of weak scaling on so many ranks.
func (o RanksOptions) Memory(ranks int) (most int64) {
	for _, k := range o.Kinds {
		n, _, err := edge(k, o.Rows)
		if err != nil {
			continue // ScaleRanks reports the error
		}
		all, _, _ := edge(k, o.Rows*int64(ranks))
		rows, nnz, _ := k.Estimate(generate.Params{"n": float64(n)})
		const columns = 8 // of int64, before they become positions
		most = max(most, csr.Bytes(rows, nnz)+columns*nnz+8*(rows+2*all*all))
	}
	return most
}

// spread makes the matrix of a kind with about so many rows; each rank makes its own rows.
func (r ranks) spread(k generate.Kind, rows int64, domains int, pool *parallel.Pool) (*dist.Matrix, error) {
	n, rows, err := edge(k, rows)
	if err != nil {
		return nil, err
	}
	p := generate.Params{"n": float64(n)}
	d, err := dist.Cut(rows, domains, func(row int64) int64 { return row })
	if err != nil {
		return nil, err
	}
	var parts []dist.Rows
	for own, end := d.Owned(r.Rank(), r.Size()); own < end; own++ {
		rowPtr, col, val, err := k.MakeRows(p, d.Start[own], d.Start[own+1], pool)
		if err != nil {
			return nil, err
		}
		parts = append(parts, dist.Rows{RowPtr: rowPtr, Col: col, Val: val})
	}
	return dist.NewMatrix(r.Comm, d, parts)
}

// unreachable is a tolerance that CG does not reach within the timed iterations.
const unreachable = 1e-30

// scale measures on all ranks of r, whose Comm is a dist.Timed.
func (r ranks) scale(ctx context.Context, k generate.Kind, rows int64, s *RankScaling) error {
	pool := parallel.New(r.opt.Threads)
	defer pool.Close()
	m, err := r.spread(k, rows, s.Domains, pool)
	if err != nil {
		return err
	}
	s.Rows, s.NNZ = m.N, m.NNZ
	m = m.Through(dist.NewHearing(m.Comm)) // as a solve does
	agreed := agreement.NewAgreement(context.Background(), m.Comm)
	a, space := dist.NewCSR(m, m.Local, pool), dist.NewSpace(m.Layout, pool)
	x, y, b := space.New(), space.New(), space.New()
	space.Fill(b, func(i int) float64 { return float64(i%7) - 3 })
	cg := krylov.NewCG[[]float64, linop.Float64](space)
	iterate := func(iterations int) krylov.Result {
		clear(x)
		return cg.Solve(context.Background(), a, x, b, krylov.Options[[]float64]{Tol: unreachable, MaxIter: iterations, Agree: agreed.Follow})
	}
	if end := iterate(max(2*few, r.opt.Iterations)); end.Reason != krylov.IterationLimit {
		return fmt.Errorf("CG on %d rows of %s ended after %d iterations: want more rows, or fewer iterations", m.N, k.Name, end.Iterations)
	}
	r.count(s, func(iterations int) { iterate(iterations) })
	times, err := r.measure(ctx, func(round int) {
		r.opt.Progress(fmt.Sprintf("%s on %d ranks: round %d of %d", s.Kind, s.Ranks, round+1, r.opt.Repeat))
	}, Warm(func() { a.Apply(y, b) }), Case{Run: func() { iterate(r.opt.Iterations) }})
	if err != nil {
		return err
	}
	s.Product, s.Iteration = times[0], times[1].per(r.opt.Iterations)
	return nil
}

// few is the number of additional iterations over which messages are counted.
const few = 10

// count sets what an iteration sends, from the difference of two solves of different lengths, in which start and end
// cancel.
func (r ranks) count(s *RankScaling, iterate func(iterations int)) {
	timed := r.Comm.(*dist.Timed)
	sent := func(iterations int) dist.Traffic {
		before := timed.Traffic
		iterate(iterations)
		return timed.Traffic.Minus(before)
	}
	short := sent(few)
	t := sent(2 * few).Minus(short)
	all := []int64{t.Messages, t.Bytes}
	most := []int64{t.Messages, t.Bytes, t.Reductions, t.Numbers}
	r.Sum(all)
	r.Max(most)
	s.Messages, s.Bytes = all[0]/few, all[1]/few
	s.MostMessages, s.MostBytes = most[0]/few, most[1]/few
	s.Reductions, s.Numbers = float64(most[2])/few, float64(most[3])/few
}
