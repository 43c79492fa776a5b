package cli

import (
	"context"
	"encoding/json"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/report"
)

// cut returns the number of domains to ask for: the value of --domains; without the flag 1 if options exclude several domains
// or one process solves on a device; else 0, so that the number of rows decides.
func (r *solveRun) cut() int {
	if r.domains.count == 0 && (r.overDomains() != nil || r.device.explicit() && r.job.alone()) {
		return 1
	}
	return r.domains.count
}

// sayHow logs how several ranks read the matrix, or why it was not cut into domains.
func (r *solveRun) sayHow() {
	n, _ := r.problem.dims()
	switch err := r.overDomains(); {
	case r.spread() && r.how != "":
		r.opt.Log("read " + r.how)
	case !r.spread() && r.domains.count == 0 && dist.DefaultDomains(n) > 1 && err != nil:
		r.opt.Log("domains 1: " + oneLine(err))
	}
}

// together is untilLimit for steps of all ranks: if this rank gives up, it ends the others.
func (r *solveRun) together(ctx context.Context, f func() error) error {
	returned := make(chan struct{})
	err := r.untilLimit(ctx, func() error {
		defer close(returned)
		return r.job.guarded(f)
	})
	select {
	case <-returned:
	default:
		if !r.job.alone() {
			r.job.giveUp(err)
		}
	}
	return err
}

// agree returns the error of the first rank that has one, among the ranks that solve.
func (r *solveRun) agree(err error) error {
	if r.spread() {
		return r.job.agree(err)
	}
	return err
}

// spread reports whether all ranks solve together.
func (r *solveRun) spread() bool {
	_, yes := r.problem.(spread)
	return yes
}

// ranks returns the figures of all ranks; nil if there is only one. Collective if all ranks solve.
func (r *solveRun) ranks() *report.Ranks {
	if r.job.alone() {
		return nil
	}
	own := report.Rank{
		Threads: r.solver.Threads, Nonzeros: int64(r.problem.share()), Peak: peakRSS(), Stored: r.report.Bytes.Stored,
		Traffic: r.traffic().Minus(r.before), Seconds: r.report.Seconds.Solve,
	}
	p, yes := r.problem.(spread)
	if !yes {
		own.Rows, _ = r.problem.dims()
		return report.NewRanks(append([]report.Rank{own}, make([]report.Rank, r.job.size()-1)...), r.job.nodes())
	}
	own.Rows = int64(p.Own)
	for _, part := range p.Parts {
		own.Ghosts += int64(len(part.Ghosts))
	}
	text, err := json.Marshal(own)
	if err != nil {
		panic(err) // a Rank has only numbers
	}
	var all []report.Rank
	for _, text := range r.job.comm.Gather(text) {
		var one report.Rank
		if err := json.Unmarshal(text, &one); err != nil {
			panic(err) // all ranks run the same program
		}
		all = append(all, one)
	}
	return report.NewRanks(all, r.job.nodes())
}

// traffic returns what this rank has sent so far. It is zero unless all ranks solve, since waiting ranks send nothing of the
// solve.
func (r *solveRun) traffic() dist.Traffic {
	if !r.spread() {
		return dist.Traffic{}
	}
	return r.job.comm.Traffic
}
