package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
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
	fl.IntVar(&f.count, "domains", 0, "cut the rows into this `number` of domains, which ranks share; x depends on it, but not on the number of ranks and threads (default: one for about 10^6 rows)")
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
		if opt.HaloEpsilon, err = quantize.ParseEpsilon(f.haloEpsilon); err != nil {
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
	err := options.OverDomains(f.opt)
	for _, given := range []struct {
		flag string
		yes  bool
	}{
		{"--coordinates", f.precond.coordinates != ""},
		{"--nullspace with a file", f.nullSpace.given()},
	} {
		if given.yes {
			err = errors.Join(err, fmt.Errorf("%s is for one domain", given.flag))
		}
	}
	return err
}
