package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
)

// domainFlags say how rows are cut into domains, and how the domains work together.
type domainFlags struct {
	count       int // 0: by the number of rows
	overlap     string
	haloEpsilon string
}

// overlaps are the values of --overlap.
var overlaps = []string{byRules, string(precond.OverlapNone), string(precond.OverlapOne)}

const byRules = "auto"

func (f *domainFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.IntVar(&f.count, "domains", 0, "cut the rows into this `number` of domains, which ranks share: ranges of rows, or by the graph of the matrix where these have many ghosts (not with --reorder none); x depends on it, but not on the number of ranks and threads (default: one for about 2*10^6 rows)")
	fl.StringVar(&f.overlap, "overlap", byRules, "with several domains: layers of rows of neighbouring domains that the preconditioner of a domain includes: auto, 0 or 1")
	fl.StringVar(&f.haloEpsilon, "halo-epsilon", byRules, "with several domains: accuracy of the vector elements that they send each other for products, such as 2^-37; 2^-53: FP64; auto: exact")
	completeWords(c, "overlap", overlaps)
}

// check turns the flags into options, if the command has these flags.
func (f *domainFlags) check(c *cobra.Command, opt *solve.Options) (err error) {
	if c.Flags().Lookup("domains") == nil {
		return nil
	}
	if c.Flags().Changed("domains") && f.count < 1 {
		return usage("--domains %d: want a positive number", f.count)
	}
	if err := oneOf("overlap", &f.overlap, overlaps); err != nil {
		return err
	}
	if f.overlap != byRules {
		opt.Precond.Overlap = precond.Overlap(f.overlap)
	}
	if f.haloEpsilon != byRules {
		if opt.HaloEpsilon, err = packed.ParseEpsilon(f.haloEpsilon); err != nil {
			return usage("--halo-epsilon: %v", err)
		}
	}
	return nil
}

// checkDomains returns an error if several domains are asked for and other flags exclude them.
func (f *solveFlags) checkDomains() error {
	if err := f.overDomains(); f.domains.count > 1 && err != nil {
		return usage("--domains %d: %s", f.domains.count, oneLine(err))
	}
	return nil
}

// overDomains returns an error that names the options and flags that exclude several domains; nil: none does.
func (f *solveFlags) overDomains() error {
	err := rules.OverDomains(f.opt)
	for _, given := range []struct {
		flag string
		yes  bool
	}{{"--coordinates", f.precond.coordinates != ""}, {"--exact-input", f.exact.asked}} {
		if given.yes {
			err = errors.Join(err, fmt.Errorf("%s is for one domain", given.flag))
		}
	}
	return err
}

// cut returns the number of domains to ask for: the value of --domains; without the flag 1 if options exclude several domains
// or one process solves on a device or a sequence; else 0, so that the number of rows decides.
func (r *solveRun) cut() int {
	if r.domains.count == 0 && (r.overDomains() != nil || (r.device.explicit() || len(r.more) > 0) && r.job.alone()) {
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
	_, yes := overAll(r.problem)
	return yes
}

// ranks returns the figures of all ranks; nil if there is only one. Collective if all ranks solve.
func (r *solveRun) ranks() *report.Ranks {
	if r.job.alone() {
		return nil
	}
	own := report.Rank{
		Threads: r.solver.Threads, Nonzeros: int64(r.problem.share(r.solver)), Peak: peakRSS(), Stored: r.report.Bytes.Stored,
		Traffic: r.traffic().Minus(r.before), Seconds: r.report.Seconds.Solve,
	}
	if !r.spread() {
		own.Rows, _ = r.problem.dims()
		return report.NewRanks(append([]report.Rank{own}, make([]report.Rank, r.job.size()-1)...), r.job.nodes())
	}
	j := r.solver.Job
	rows, _ := j.Sides()
	own.Rows, own.Ghosts = rows.Spans(r.job.size())[r.job.rank()].Rows(), int64(j.Elements()-j.Own)
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
