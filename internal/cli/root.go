// Package cli is the command line of mpsolve: commands, flags, progress and exit codes.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
)

// Version is the version of mpsolve. The linker sets it for releases; else it is the version of the module, if that is a
// release.
var Version = development

// Exit codes.
const (
	exitFailure      = 1        // I/O, memory
	exitUsage        = 2        // unknown flag or value
	exitNotConverged = 3        // the best x is still written
	exitInput        = 4        // unreadable or illegal file, unsolvable system
	exitNoDevice     = 5        // the device or the MPI library asked for is not available
	exitBrokenPipe   = 128 + 13 // standard output was closed by its reader
)

// streams are the standard streams of a command, and the job that runs it.
type streams struct {
	in       io.Reader
	out, err io.Writer
	job      *job
}

// exitError carries an exit code; a nil err prints nothing.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// Main runs the command line and returns the exit code. At a second signal it ends the process.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	if err := checkDescriptors(); err != nil {
		return noJob(err, errOut)
	}
	keepWithin(0)
	heedScheduler()
	if f, ok := errOut.(*os.File); ok {
		errOut = newStream(f, newConsole(f))
	}
	j, err := startJob(args, errOut)
	if j == nil {
		return noJob(err, errOut)
	}
	return j.run(args, j.streams(in, out, errOut), err)
}

// run runs the command line on this rank, unless err says that it has failed already. It returns the exit code, which is the
// same on all ranks.
func (j *job) run(args []string, s streams, err error) int {
	ctx, stop := watch(j)
	defer stop()
	if e, ok := j.err.(*stream); ok {
		defer context.AfterFunc(ctx, e.console.end)()
	}
	var stdout *standardOutput
	if f, ok := s.out.(*os.File); ok {
		stdout = &standardOutput{stream: newStream(f, consoleOf(s.err))}
		s.out = stdout
		if wantsJSON(args) {
			matrixio.Object = jsonErrorOf
		}
	}
	root := newRoot(s)
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		registerCompletions(root)
	}
	if err == nil {
		err = checkKernels()
	}
	if err == nil {
		err = abandonable(ctx, j.grace, func() error {
			return j.guarded(func() error { return root.ExecuteContext(ctx) })
		})
	}
	if err == nil && stdout != nil {
		err = stdout.failed // cobra ignores errors of printing help
	}
	if errors.Is(err, errAbandoned) && !j.alone() {
		j.giveUp(cmp.Or(context.Cause(ctx), err))
	}
	if errors.Is(err, errOutputClosed) {
		err = &exitError{code: exitBrokenPipe} // no message, since the reader has gone
	}
	if err = j.outcome(ctx, err); err != nil && err.Error() != "" {
		text := report.Wrap("mpsolve: "+report.Printable(oneLine(err)), 0, columns(s.err)) + "\n"
		if !explain(text) {
			fmt.Fprint(s.err, text)
		}
		if stdout != nil && !stdout.used.Load() && wantsJSON(args) {
			writeJSONError(stdout, err)
		}
	}
	j.close()
	return exitCode(err)
}

// oneLine returns the text of an error, or of several joined errors, in one line and with flags for the library's options.
func oneLine(err error) string { return report.Flags(joinedLines.Replace(err.Error())) }

// joinedLines joins lines without the names of the packages that wrote them.
var joinedLines = strings.NewReplacer("\n", "; ", "adaptive: ", "", "quantize: ", "")

// checkKernels returns an error for a wrong value of the environment variable that selects kernels.
func checkKernels() error {
	if err := kernels.DefaultFault(); err != nil {
		return usage("%w", err)
	}
	return nil
}

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	var coded *exitError
	var syntax *matrixmarket.Error
	var input *solve.InputError
	var checkpoint *solve.CheckpointError
	var stopped signalError
	var unfit *matrixio.ContentError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &stopped):
		return stopped.exitCode()
	case errors.As(err, &syntax), errors.As(err, &input), errors.As(err, &checkpoint), errors.As(err, &unfit):
		return exitInput
	case errors.Is(err, gpu.ErrUnavailable), errors.Is(err, mpi.ErrUnavailable):
		return exitNoDevice
	default:
		return exitFailure
	}
}

// exitOf returns the exit code of a solve that ended for a reason. The exit code of a signal takes precedence.
func exitOf(r krylov.Reason) int {
	switch {
	case r.Converged():
		return 0
	case r == krylov.OutOfMemory:
		return exitFailure
	}
	return exitNotConverged
}

func newRoot(s streams) *cobra.Command {
	root := group(&cobra.Command{
		Use: "mpsolve", Short: "Solve sparse linear systems and verify the solution", Version: Version,
		Example:       "  mpsolve solve matrix.mtx\n  mpsolve info matrix.mtx.gz\n  mpsolve generate poisson3d --n 50 -o poisson.mtx.gz",
		SilenceErrors: true, SilenceUsage: true,
	}, "command")
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate(versionLine() + "\n")
	fitHelp(root, s.out)
	noColor := root.PersistentFlags().Bool("no-color", false, "no colours on a terminal, as with the environment variable NO_COLOR")
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if err := checkEmpty(c.Flags()); err != nil {
			return err
		}
		if c.Name() != fetchName {
			findFetched(args)
		}
		if *noColor {
			consoleOf(s.err).plain = true
		}
		return s.job.suits(c)
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, err) })
	root.AddCommand(alike(newSolve(s)), newVerify(s), newCompare(s), newInfo(s), newPlot(s), newSpMV(s), newDigits(s), newFormats(s), newTune(s), newBench(s), newReproduce(s), newGenerate(s), newConvert(s), newFetch(s), newDevices(s), newCalibrate(s), alike(newVersion(s)), newMan(root))
	root.AddCommand(newTopics()...)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			group(c, "shell")
			for _, shell := range c.Commands() {
				shell.Args = exactly(0, "no argument")
			}
		case "help":
			c.Run, c.RunE = nil, helpAbout
		}
	}
	return root
}

// helpAbout prints the help of the command that words name; words that name none are an error, as they are without help in front.
func helpAbout(c *cobra.Command, words []string) error {
	about, rest, err := c.Root().Find(words)
	switch {
	case err != nil:
		return usage("%v", err)
	case len(rest) == 1 && rest[0] == allWord && about.HasFlags():
		showAll(about)
	case len(rest) > 0 && about.HasSubCommands():
		return about.Args(about, rest)
	case len(rest) > 0:
		return usage("%s has no topic %q; see %s --help", about.CommandPath(), rest[0], about.CommandPath())
	}
	return about.Help()
}

// group makes c a command with subcommands only: without arguments it prints its help, and any other word is an error that
// names the kind of the subcommands.
func group(c *cobra.Command, kind string) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var words []string
		meant := strings.ToLower(args[0])
		for _, sub := range c.Commands() {
			if name := sub.Name(); !sub.Hidden && (strings.HasPrefix(name, meant) || host.Near(meant, name)) {
				words = append(words, name)
			}
		}
		if len(words) > 0 {
			return usage("unknown %s %q; did you mean %s?", kind, args[0], strings.Join(words, " or "))
		}
		if _, err := os.Stat(args[0]); err == nil || strings.Contains(args[0], ".mtx") {
			return usage("unknown %s %q; to solve with a matrix: mpsolve solve %s", kind, args[0], strings.Join(args, " "))
		}
		return usage("unknown %s %q; see %s --help", kind, args[0], c.CommandPath())
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("want %s; got %s", what, english.Plural(len(args), "argument", ""))
		}
		return nil
	}
}

// ran says what is run, when, and on which machine.
func (r *solveRun) ran() report.Run {
	used := kernels.Find(r.opt.Storage.Kernels).Or()
	return report.Run{Arguments: append([]string{}, r.job.args...), Started: r.start.UTC(), Processor: host.Processor(), Kernels: used.String()}
}

// jsonError is the object on standard output after an error of a command with --json (docs/error.schema.json).
type jsonError struct {
	Version  string `json:"version"` // of mpsolve
	Error    string `json:"error"`
	ExitCode int    `json:"exit_code"`
}

// wantsJSON reports whether the arguments ask for JSON, even if other arguments are wrong.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--json", strings.EqualFold(a, "--json=true"):
			return true
		}
	}
	return false
}

// writeJSONError writes an error as an object. It ignores errors of writing, since the text is also on standard error.
func writeJSONError(w io.Writer, err error) {
	_ = report.WriteJSON(w, jsonError{Version, oneLine(err), exitCode(err)})
}

// jsonErrorOf returns the object for an error with a text and the exit code exitFailure.
func jsonErrorOf(text string) string {
	var b strings.Builder
	writeJSONError(&b, errors.New(text))
	return b.String()
}
