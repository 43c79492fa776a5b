package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError turns an error of the flag parser into one that says which flag or value is expected.
func flagError(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		return usage("--%s %s: %w", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid.Unwrap()))
	}
	if !unknown {
		return usage("%w", err)
	}
	return usage("unknown flag --%s; did you mean --%s?", name, strings.Join(meant(name, c.Flags()), " or --"))
}

// checkEmpty returns an error if the value of a flag is an empty text, as that of a variable which is not set.
func checkEmpty(fl *pflag.FlagSet) (err error) {
	fl.Visit(func(f *pflag.Flag) {
		if err == nil && emptyText(f, f.Value.String()) {
			err = usage("--%s \"\": want a value", f.Name)
		}
	})
	return err
}

// emptyText reports whether a value of a flag is an empty text.
func emptyText(f *pflag.Flag, value string) bool { return f.Value.Type() == "string" && value == "" }

// wanted replaces an error of the package strconv by one that says what the flag takes.
func wanted(err error) error {
	var number *strconv.NumError
	switch {
	case !errors.As(err, &number):
		return err
	case errors.Is(err, strconv.ErrRange):
		return errors.New("is out of range")
	case number.Func == "ParseBool":
		return errors.New("want true or false")
	case number.Func == "ParseFloat":
		return errors.New("want a number")
	}
	return errors.New("want a whole number")
}

// elsewhere maps names of flags in other programs to our flags.
var elsewhere = map[string][]string{
	"precision": {"epsilon", "formats"}, "rtol": {"tol"}, "atol": {"tol"}, "tolerance": {"tol"}, "pc": {"precond"}, "solver": {"method"}, "ksp": {"method"},
	"iterations": {"max-iter"}, "timeout": {"max-time"}, "nthreads": {"threads"}, "num-threads": {"threads"}, "x0": {"guess"}, "initial-guess": {"guess"},
	"log": {"history"}, "gpu": {"device"},
}

// meant returns the flags that an unknown name may mean: those that other programs call so; else a flag that begins with the
// name, or with which the name begins; else the flag with the nearest name.
func meant(name string, flags *pflag.FlagSet) (names []string) {
	for _, n := range elsewhere[name] {
		if flags.Lookup(n) != nil {
			names = append(names, n)
		}
	}
	if len(names) > 0 {
		return names
	}
	var all []string
	flags.VisitAll(func(f *pflag.Flag) {
		if all = append(all, f.Name); len(name) > 2 && (strings.HasPrefix(f.Name, name) || strings.HasPrefix(name, f.Name)) {
			names = append(names, f.Name)
		}
	})
	if len(names) > 0 {
		return names[:min(len(names), 3)]
	}
	return []string{host.NearestWord(name, all)}
}

// oneOf checks that the value of a flag is one of all, without regard to case, and sets it to that word.
func oneOf[V, T ~string](flag string, value *V, all []T) error {
	words := make([]string, len(all))
	for i, a := range all {
		if words[i] = string(a); strings.EqualFold(words[i], string(*value)) {
			*value = V(a)
			return nil
		}
	}
	return usage("--%s %q is not one of %s; did you mean %s?", flag, *value, strings.Join(words, ", "), host.NearestWord(string(*value), words))
}

// maxThreads bounds --threads. More threads would cost memory and gain nothing.
const maxThreads = 4096

// checkThreads checks the value of --threads.
func checkThreads(n int) error {
	if n < 1 || n > maxThreads {
		return usage("--threads %d: want 1 to %d", n, maxThreads)
	}
	return nil
}

// checkGivenThreads is checkThreads if the command line has --threads; without it n stands for the default.
func checkGivenThreads(c *cobra.Command, n int) error {
	if !c.Flags().Changed("threads") {
		return nil
	}
	return checkThreads(n)
}

// threadsEach is the largest number of threads for each processor: more threads would only wait.
const threadsEach = 4

// capThreads limits the number of threads to threadsEach for each processor, and says so.
func capThreads(n *int, notes io.Writer) {
	if most := threadsEach * runtime.GOMAXPROCS(0); *n > most {
		fmt.Fprintf(notes, "mpsolve: --threads %d: using %d, for %s\n", *n, most, english.Plural(runtime.GOMAXPROCS(0), "processor", ""))
		*n = most
	}
}

// wordsOf is the annotation with the values of a flag that the shell completes.
const wordsOf = "mpsolve_words"

// completeWords names the values of a flag for registerCompletions.
func completeWords[T ~string](c *cobra.Command, flag string, all []T) {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = string(a)
	}
	if err := c.Flags().SetAnnotation(flag, wordsOf, words); err != nil {
		panic(err) // the flag does not exist
	}
}

// registerCompletions lets the shell complete the values of the flags of a command and of those below it. Cobra keeps the flags, and all that they
// refer to, for ever: this is for commands that live as long as the process.
func registerCompletions(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if words := f.Annotations[wordsOf]; words != nil {
			if err := c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
				panic(err) // it has completions already
			}
		}
	})
	for _, below := range c.Commands() {
		registerCompletions(below)
	}
}

// reorderFlag is the row and column order of the stored matrix.
type reorderFlag string

func (f *reorderFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "reorder", string(rules.ReorderNodes),
		"row and column order of the stored matrix: nodes (as given, but unknowns of a node side by side where the file has them apart), none (as given), rcm (reverse Cuthill-McKee) or auto (rcm if that is faster)")
	completeWords(c, "reorder", rules.Reorders)
}

func (f *reorderFlag) check() error { return oneOf("reorder", f, rules.Reorders) }

// apply reorders m and, unless the order is none, writes a line that says how.
func (f reorderFlag) apply(w io.Writer, m *csr.Matrix, pool *parallel.Pool) (*csr.Matrix, features.Ordering, error) {
	m, order, err := features.Reordered(solve.Reorder(f), m, pool)
	if err == nil && (rules.AsksForOrder(solve.Reorder(f)) || order.Permutation != nil) {
		report.Event(w, order.Line())
	}
	return m, order, err
}

// duration is the value of a flag such as 90s or 2h; a number without a unit counts seconds.
type duration time.Duration

// addDuration adds a flag whose value is a duration.
func addDuration(fl *pflag.FlagSet, to *time.Duration, name string, value time.Duration, help string) {
	*to = value
	fl.Var((*duration)(to), name, help)
}

func (d *duration) String() string {
	if *d == 0 {
		return "0"
	}
	return time.Duration(*d).String()
}
func (d *duration) Type() string { return "duration" }

func (d *duration) Set(text string) error {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if !(math.Abs(seconds) <= time.Duration(math.MaxInt64).Seconds()) {
			return fmt.Errorf("%s seconds are too many", text)
		}
		*d = duration(seconds * float64(time.Second))
		return nil
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("want a time such as 90s, 15m or 2h, or a number of seconds")
	}
	*d = duration(v)
	return nil
}

// vectorsFlag is the arithmetic of the method's vectors, as rules.ParseVectors reads it.
type vectorsFlag string

func (f *vectorsFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "vectors", string(solve.VectorsDouble),
		"arithmetic of the method's vectors: "+solver.VectorsHelp())
	completeWords(c, "vectors", solve.VectorKinds)
}

// vectors returns the value of solve.Options.Vectors. Values other than double exclude checkpoints.
func (f vectorsFlag) vectors(checkpoint checkpointFlags) (v solve.Vectors, err error) {
	if v, err = rules.ParseVectors(string(f)); err != nil {
		return v, usage("--%v", err)
	}
	if v.Kind != solve.VectorsDouble && (checkpoint.file != "" || checkpoint.resume != "") {
		return v, usage("--vectors %s: there are no checkpoints of other vectors than double", f)
	}
	return v, nil
}
