package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// precisionFlags are the flags of products in multiple precision.
type precisionFlags struct {
	bits            []int
	implementations []string
}

func (f *precisionFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.IntSliceVar(&f.bits, "bits", nil, "list of precisions, 53 to 1696 bits: multiply in multiple precision instead")
	fl.StringSliceVar(&f.implementations, "mp", lab.SpMVImplementations, "list of `implementations` of multiple precision")
	completeWords(c, "mp", lab.SpMVImplementations)
}

// check finds every fault before any work.
func (f *precisionFlags) check(c *cobra.Command) error {
	if len(f.bits) == 0 && c.Flags().Changed("mp") {
		return usage("--mp is for products in multiple precision: give --bits as well")
	}
	if len(f.bits) > 0 {
		for _, name := range []string{"epsilon", "formats", "criterion", "layout", "arith"} {
			if c.Flags().Changed(name) {
				return usage("--%s cannot be used with --bits, which keeps the matrix in FP64", name)
			}
		}
	}
	for _, name := range f.implementations {
		if !slices.Contains(lab.SpMVImplementations, name) {
			return usage("--mp %s: not one of %s", name, strings.Join(lab.SpMVImplementations, ", "))
		}
	}
	return checkBits(f.bits)
}

// inBits measures products of m with vectors in multiple precision.
func (f *spmvFlags) inBits(c *cobra.Command, out *firstError, m *csr.Matrix, pool *parallel.Pool) error {
	list, err := lab.MPSpMV(c.Context(), m, pool, lab.MPSpMVOptions{
		Bits: f.precision.bits, Implementations: f.precision.implementations, Seed: f.seed, MaxMemory: f.maxMemory.orInstalled(),
		Timing: lab.Timing{Repeat: f.repeat},
	})
	if err != nil {
		return err
	}
	report.MPProducts(out, m.NNZ(), list)
	return out.err
}
