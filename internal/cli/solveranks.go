package cli

import (
	"context"
	"encoding/json"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/report"
)

// cut returns the number of domains to ask for: that of the flag, or one for what several cannot do and for one device, or 0, to go by the number of rows.
func (r *solveRun) cut() int {
	if r.domains.count == 0 && (r.overDomains() != nil || r.device.explicit() && r.job.alone()) {
		return 1
	}
	return r.domains.count
}

// sayHow logs how the matrix was read by several ranks, or why it was not cut.
func (r *solveRun) sayHow() {
	n, _ := r.problem.dims()
	switch err := r.overDomains(); {
	case r.spread() && r.how != "":
		r.opt.Log("read " + r.how)
	case !r.spread() && r.domains.count == 0 && dist.DefaultDomains(n) > 1 && err != nil:
		r.opt.Log("domains 1: " + oneLine(err))
	}
}

// together is untilLimit for what all ranks do: if this one gives up, the others cannot go on.
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

// agree returns the first error of the ranks that do this step.
func (r *solveRun) agree(err error) error {
	if r.spread() {
		return r.job.agree(err)
	}
	return err
}

// spread reports whether all ranks solve.
func (r *solveRun) spread() bool {
	_, yes := r.problem.(spread)
	return yes
}

// ranks returns what the ranks have had and done, nil without a job. Collective if all ranks solve.
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
		panic(err) // numbers alone
	}
	var all []report.Rank
	for _, text := range r.job.comm.Gather(text) {
		var one report.Rank
		if err := json.Unmarshal(text, &one); err != nil {
			panic(err) // all ranks are of the same program
		}
		all = append(all, one)
	}
	return report.NewRanks(all, r.job.nodes())
}

// traffic is what this rank has sent so far. With one domain ranks send nothing but signs of life, beside what asks here.
func (r *solveRun) traffic() dist.Traffic {
	if !r.spread() {
		return dist.Traffic{}
	}
	return r.job.comm.Traffic
}
