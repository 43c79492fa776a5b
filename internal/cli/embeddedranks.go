package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// sharedMatrix is a square matrix of which each rank of a communicator of the program has some rows.
type sharedMatrix struct {
	n    int64       // rows of all ranks
	rows *csr.Matrix // of this rank, as the program gives them, with columns of the whole matrix; nil: they are with the ranks of their domains
	have []dist.Span // the rows that each rank gives
	want []dist.Span // the rows that it solves for: of its domains, or all on rank 0
}

// sharedOptions are the options for such matrices alone.
var sharedOptions = []string{"domains", "overlap", "halo-epsilon"}

// Join makes the ranks of an MPI communicator of the program, given by its handle in Fortran, share a matrix. From now on SetRows, SetUp, Update,
// Solve and Close are collective, with the same options on all ranks. The error of a rank is that of all ranks. Collective.
func (e *Embedded) Join(communicator int) error {
	c, leave, err := mpi.Adopt(communicator)
	if err != nil {
		return err
	}
	j := newRanks(c, leave, os.Stderr)
	if err := j.agree(e.vacant()); err != nil {
		leave()
		return err
	}
	e.Leave()
	e.run.job = j
	return nil
}

// Leave ends what Join has begun. Collective.
func (e *Embedded) Leave() {
	e.run.job.stop()
	e.run.job = aloneJob()
}

// aloneJob returns the job of a single process, which has no need of MPI.
func aloneJob() *job { return newRanks(dist.Self{}, func() {}, io.Discard) }

// Agree returns the error of the first rank that has one, on all ranks. Collective after Join.
func (e *Embedded) Agree(err error) error { return e.run.job.agree(err) }

// Any reports whether what is true on any rank. Collective after Join.
func (e *Embedded) Any(what bool) bool { return dist.Any(e.run.job.comm, what) }

// Abandon ends all ranks with an exit code, at once, if there are others that would wait for this one for ever.
func (e *Embedded) Abandon(code int, text string) {
	if j := e.run.job; !j.alone() {
		fmt.Fprintf(j.err, "mpsolve: rank %d: %s\n", j.rank(), text)
		j.abort(code)
	}
}

// SetRows sets, in place of SetMatrix, this rank's rows first, first+1, ... of a matrix with as many rows as columns. Each row is on one rank. The
// arrays must not change until SetUp has succeeded. Collective.
func (e *Embedded) SetRows(first int64, m *csr.Matrix) error {
	j, n := e.run.job, int64(m.Cols)
	if err := j.agree(m.Validate()); err != nil {
		return &exitError{exitInput, err}
	}
	var have []dist.Span
	for r, b := range j.comm.Gather(dist.Bytes([]int64{first, int64(m.Rows), n})) {
		v := dist.Numbers[int64](b)
		if r == 0 {
			n = v[2]
		}
		if v[2] != n {
			return &solve.InputError{Msg: fmt.Sprintf("rank %d says that the matrix has %d rows, rank 0 says %d", r, v[2], n)}
		}
		have = append(have, dist.Span{From: v[0], End: v[0] + v[1]})
	}
	if n == 0 {
		return &solve.InputError{Msg: "the matrix has no rows"}
	}
	if err := tile(have, n); err != nil {
		return err
	}
	e.shared = &sharedMatrix{n: n, rows: m, have: have}
	return nil
}

// tile returns an error unless each of n rows is on one rank.
func tile(have []dist.Span, n int64) error {
	order := make([]int, len(have))
	for r := range order {
		order[r] = r
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(have[a].From, have[b].From), cmp.Compare(have[a].End, have[b].End))
	})
	next := int64(0)
	for _, r := range order {
		switch s := have[r]; {
		case s.Rows() == 0:
			continue
		case s.From != next:
			return &solve.InputError{Msg: fmt.Sprintf("rank %d has the rows %d to %d, counted from 1, and row %d is the first that no rank before has: each row must be on one rank", r, s.From+1, s.End, next+1)}
		}
		next = have[r].End
	}
	if next != n {
		return &solve.InputError{Msg: fmt.Sprintf("the ranks have %d rows of %d", next, n)}
	}
	return nil
}

// options returns the options that are set, in the order of their names.
func (e *Embedded) options() (list []string) {
	e.command.Flags().Visit(func(f *pflag.Flag) { list = append(list, f.Name+"="+f.Value.String()) })
	slices.Sort(list)
	if len(list) == 0 {
		return []string{"(default)"}
	}
	return list
}

// setUpShared is SetUp for a matrix that ranks share. Collective.
func (e *Embedded) setUpShared(ctx context.Context) error {
	j := e.run.job
	runtime.SetDefaultGOMAXPROCS() // for another matrix the ranks may have shared the processors before
	if err := j.begin(e.options(), "has", "the options"); err != nil {
		return err
	}
	if err := j.agree(e.checkOptions()); err != nil {
		return err
	}
	if !j.alone() {
		e.run.device.spread(j)
	}
	if err := e.spreadShared(); err != nil {
		return err
	}
	err := e.together(ctx, e.setUpProblem)
	if e.ready = err == nil; e.ready {
		e.shared.rows = nil
	}
	return err
}

// spreadShared cuts the matrix into domains, as a file is cut, sends the rows to the ranks of their domains, and makes them the problem.
// Collective.
func (e *Embedded) spreadShared() error {
	j, s := e.run.job, e.shared
	domains := cmp.Or(e.run.cut(), dist.DefaultDomains(s.n))
	if int64(domains) > s.n {
		return &solve.InputError{Msg: fmt.Sprintf("%d domains of %d rows: each needs a row at least", domains, s.n)}
	}
	d, err := dist.CutRows(j.comm, s.n, s.have[j.rank()].From, s.rows.RowPtr, domains)
	if err != nil {
		return err
	}
	s.want = d.Spans(j.size())
	own, err := dist.Move(j.comm, dist.Slab{Matrix: s.rows}, s.have[j.rank()].From, d)
	if err != nil {
		return err
	}
	if domains == 1 {
		e.run.problem = whole{own.Matrix}
		return nil
	}
	a, err := own.Adopt(j.comm, d)
	if err == nil {
		e.run.problem = spread{a, j}
	}
	return err
}

// together runs a step of all ranks if the matrix has several domains, else of rank 0 while the others wait. Collective.
func (e *Embedded) together(ctx context.Context, step func(context.Context) error) error {
	j := e.run.job
	if e.run.spread() {
		return j.agree(step(ctx))
	}
	return j.first(ctx, step)
}

// updateShared is Update for a matrix that ranks share. The solver of several domains is made anew. Collective.
func (e *Embedded) updateShared(ctx context.Context, m *csr.Matrix) error {
	j, ready := e.run.job, e.ready
	if err := j.agree(m.Validate()); err != nil {
		return &exitError{exitInput, err}
	}
	e.shared.rows = m
	if !ready {
		return nil
	}
	if e.run.spread() {
		e.end()
	}
	if err := e.spreadShared(); err != nil {
		return err
	}
	err := e.together(ctx, func(ctx context.Context) error {
		if e.run.spread() {
			return e.setUpProblem(ctx)
		}
		return e.renew(ctx, e.run.problem.(whole).Matrix)
	})
	if err == nil {
		e.shared.rows = nil
	}
	return err
}

// solveShared is Solve for a matrix that ranks share: vectors have the elements of the rows that the program gives. Collective.
func (e *Embedded) solveShared(ctx context.Context, b, guess, x [][]float64) error {
	j, s := e.run.job, e.shared
	if err := j.agreeCount(len(b)); err != nil {
		return err
	}
	own, guesses, found := make([][]float64, len(b)), make([][]float64, len(b)), make([][]float64, len(b))
	for k := range b {
		own[k], found[k] = s.toOwners(j, b[k]), make([]float64, s.want[j.rank()].Rows())
		if dist.Any(j.comm, guess[k] != nil) {
			if err := j.agree(s.checkGuess(j, guess[k])); err != nil {
				return err
			}
			guesses[k] = s.toOwners(j, guess[k])
		}
	}
	any := false
	step := func(ctx context.Context) (err error) {
		any, err = e.solveProblem(ctx, own, guesses, found)
		return err
	}
	err := e.together(ctx, step)
	if !dist.Any(j.comm, any) {
		return err
	}
	for k := range x {
		copy(x[k], dist.Redistribute(j.comm, found[k], s.want, s.have))
	}
	e.text = dist.Share(j.comm, 0, e.text)
	return err
}

// toOwners sends a vector to the ranks that solve for its elements. Collective.
func (s *sharedMatrix) toOwners(j *job, v []float64) []float64 {
	return dist.Redistribute(j.comm, v, s.have, s.want)
}

// checkGuess returns an error if this rank has rows and no guess, given that another has one.
func (s *sharedMatrix) checkGuess(j *job, guess []float64) error {
	if guess == nil && s.have[j.rank()].Rows() > 0 {
		return usage("no initial guess, while another rank has one")
	}
	return nil
}

// agreeCount returns an error if ranks solve for different numbers of right-hand sides. Collective.
func (j *job) agreeCount(n int) error {
	most := []int64{int64(n), -int64(n)}
	if j.comm.Max(most); most[0] != -most[1] {
		return usage("a rank solves for %d right-hand sides, another for %d", most[0], -most[1])
	}
	return nil
}
