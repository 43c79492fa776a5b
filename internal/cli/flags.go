package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpsolve/mpsolve/internal/nearest"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// flagError names the flag that an unknown one may have meant.
func flagError(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return usage("%w", err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return usage("unknown flag --%s; did you mean --%s?", name, nearest.Word(name, names))
}

// oneOf checks the value of a flag that has a fixed set of values.
func oneOf[T ~string](flag, value string, all []T) error {
	words := make([]string, len(all))
	for i, a := range all {
		if words[i] = string(a); words[i] == value {
			return nil
		}
	}
	return usage("--%s %q is not one of %s; did you mean %s?", flag, value, strings.Join(words, ", "), nearest.Word(value, words))
}

// checkThreads checks the value of --threads.
func checkThreads(n int) error {
	if n < 1 || n > parallel.MaxThreads {
		return usage("--threads %d: want 1 to %d", n, parallel.MaxThreads)
	}
	return nil
}

// completeWords lets the shell complete the values of a flag.
func completeWords[T ~string](c *cobra.Command, flag string, all []T) {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = string(a)
	}
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag does not exist
	}
}

// reorderFlag is the row and column order in which a matrix is stored.
type reorderFlag string

func (f *reorderFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "reorder", string(solve.ReorderNone),
		"row and column order of the stored matrix: none (as given), rcm (reverse Cuthill-McKee) or auto (rcm if that is faster)")
	completeWords(c, "reorder", solve.Reorders)
}

func (f reorderFlag) check() error { return oneOf("reorder", string(f), solve.Reorders) }

// apply reorders m and, unless the order is none, writes a line about it.
func (f reorderFlag) apply(w io.Writer, m *csr.Matrix, pool *parallel.Pool) (*csr.Matrix, solve.Ordering, error) {
	m, order, err := solve.Reorder(f).Apply(m, pool)
	if err == nil && solve.Reorder(f) != solve.ReorderNone {
		report.Event(w, order.Line())
	}
	return m, order, err
}
