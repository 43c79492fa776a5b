package cli

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solveFlags are the flags of `mpsolve solve`, in the groups of its help text, and the options that check makes of them.
type solveFlags struct {
	problemFlags
	methodFlags
	precond precondFlags
	accuracyFlags
	machineFlags
	outputFlags
	opt solve.Options
}

// problemFlags say which system is solved, and in which scaling and order.
type problemFlags struct {
	rhs, guess     string
	rhsAsked       bool // --rhs was given
	verifies       bool // the command is verify: guess is the x to judge
	nullSpace      nullSpaceFlags
	exact          exactInput
	scale          string
	reorder        reorderFlag
	config         configFlag
	learnt         string // folder of what searches have learnt
	chosen, trying bool   // other flags choose what is learnt; the solver in use has it
}

// methodFlags choose the Krylov method.
type methodFlags struct {
	method, orthogonalization string
	refine                    bool
}

// accuracyFlags say how accurate x has to be, and how accurate what the method works with is.
type accuracyFlags struct {
	stop, basis string
	digits      digitsFlag
	xBits       bitsFlag
	vectors     vectorsFlag
	storage     storageFlags
}

// machineFlags limit the solve, say where it runs, and keep checkpoints.
type machineFlags struct {
	maxTime    time.Duration
	maxMemory  memorySize
	memory     string
	domains    domainFlags
	device     deviceFlag
	checkpoint checkpointFlags
}

// outputFlags say what is written where.
type outputFlags struct {
	output, history      string
	json, quiet, verbose bool
}

const solveExamples = `  mpsolve solve matrix.mtx
  mpsolve solve matrix.mtx.gz --rhs b.mtx --output x.mtx --tol 1e-12
  mpsolve solve matrix.mtx --method gmres --precond ilut --max-time 10m
  mpsolve solve matrix.mtx --digits 50 --output x.mtx
  mpsolve solve step0.mtx step1.mtx step2.mtx --output x%d.mtx
  mpsolve solve matrix.mtx --checkpoint run.ck --max-time 4h
  mpsolve solve matrix.mtx --checkpoint run.ck --max-time 4h --resume run.ck
  mpsolve generate poisson3d --n 60 | mpsolve solve - --json
  mpirun -n 64 mpsolve solve matrix.mtx --output x.mtx`

const solveLong = `Solve A x = b and verify the solution.

mpsolve chooses the method, the preconditioner and the precision by the features of the matrix, and prints what it
chose. It prints "converged" only if the backward error, which it recomputes from A, x and b as given, is at most --tol.
It also says how many digits of x can be believed.

FILE is a matrix in any of the formats that "mpsolve help files" lists, compressed or not; - reads standard input. Several
files are a sequence of matrices with the same pattern of nonzeros, such as time steps.

Under mpirun or srun all ranks solve together. The bits of x do not depend on the number of ranks; only rank 0 prints.

Exit codes: 0 converged; 1 failure; 2 usage; 3 not converged, the best x is still written; 4 invalid input; 5 device not
available; above 128 stopped by a signal.`

// usualFlags are the flags that solve --help shows; solve --help all shows all.
var usualFlags = []string{
	"rhs", "guess", "tol", "digits", "method", "precond", "threads", "device", "max-time", "max-memory", "checkpoint", "resume", "output", "json", "quiet",
}

func newSolve(s streams) *cobra.Command { return solveCommand(s, new(solveFlags)) }

// solveCommand returns the command solve, whose flags go into f.
func solveCommand(s streams, f *solveFlags) *cobra.Command {
	c := &cobra.Command{
		Use: "solve FILE...", Short: "Solve A x = b and verify the solution", Long: solveLong, Example: solveExamples,
		Args: matrices,
		RunE: func(c *cobra.Command, args []string) error {
			s := s
			if err := s.job.agree(f.config.apply(c.Flags())); err != nil {
				return err
			}
			if f.output == "-" {
				f.output, s.out = standardOut, s.err // x takes standard output
				if f.json {
					return usage("--json and --output - both want standard output")
				}
			}
			err := f.check(c, args[0])
			if err == nil {
				err = f.checkSequence(args)
			}
			if err := s.job.agree(err); err != nil {
				return err
			}
			capThreads(&f.opt.Threads, s.err)
			r := solveRun{solveFlags: f, streams: s, path: args[0], more: args[1:], start: time.Now()}
			return r.run(c.Context())
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.rhs, "rhs", "ones", "right-hand side `b`: a file, ones (b = A·ones) or random:SEED (b = A·x, x uniform in [-1,1))")
	fl.StringVar(&f.guess, "guess", "", "`file` of initial guesses, one for all right-hand sides or one for each")
	f.nullSpace.add(c)
	f.exact.add(c)
	fl.StringVar(&f.scale, "scale", "auto", "scaling by powers of two: auto, none, row, sym or both")
	f.reorder.add(c)
	f.config.add(c)
	fl.StringVar(&f.learnt, "learnt", "", "try first what mpsolve tune --learn wrote to this `folder` about matrices of the same class on this machine")
	flagGroup(c, "Problem")
	fl.StringVar(&f.method, "method", "auto", methodHelp())
	fl.IntVar(&f.opt.Restart, "restart", 0, "restart length of gmres; 0: 40, and longer when convergence is slow")
	fl.IntVar(&f.opt.IDR, "idr-s", krylov.DefaultIDR, "dimension of the shadow space of idr: more takes fewer iterations and more memory")
	fl.StringVar(&f.orthogonalization, "orthogonalization", "mgs", "orthogonalization in gmres: mgs (modified Gram-Schmidt) or cgs2 (classical Gram-Schmidt, twice; always over several domains and on devices)")
	fl.BoolVar(&f.refine, "refine", true, "use iterative refinement")
	fl.Float64Var(&f.opt.InnerTol, "inner-tol", 0, "error reduction per refinement step; 0: as much as --tol needs")
	flagGroup(c, "Method")
	f.precond.add(c)
	flagGroup(c, "Preconditioner")
	fl.Float64Var(&f.opt.Tol, "tol", krylov.DefaultTol, "tolerance for the error that --stop names")
	fl.StringVar(&f.stop, "stop", "row", "stopping criterion: row, nw or cw (row-wise, normwise or componentwise backward error) or rel (||r||/||b||)")
	f.digits.add(c)
	f.xBits.add(c)
	f.vectors.add(c)
	fl.StringVar(&f.basis, "basis", plainBasis, "how gmres stores its basis: vectors (float64); or fp64, fp32, int16 or adaptive (each 1024 elements in the narrowest format that keeps the rate of convergence), "+
		"orthogonalized by classical Gram-Schmidt; on a device as well")
	f.storage.add(c)
	flagGroup(c, "Precision")
	fl.IntVar(&f.opt.MaxIter, "max-iter", 0, "limit on the total number of iterations; 0: max(20000, 2n)")
	addDuration(fl, &f.maxTime, "max-time", 0, "limit on the total time, such as 90s or 2h; 0: none")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	fl.StringVar(&f.memory, "memory", "fast", "fast, or lean: collect garbage more often, for less memory and a few percent more time")
	fl.IntVar(&f.opt.Threads, "threads", 0, "number of threads (default: all processors; under mpirun: the share of the rank)")
	f.domains.add(c)
	f.device.add(c)
	f.checkpoint.add(c)
	flagGroup(c, "Limits, machine and checkpoints")
	fl.StringVarP(&f.output, "output", "o", "", "write x to this `file` (.mtx, .mtx.gz, .npy, .petsc or .mpx); -: to standard output, and the report to standard error")
	fl.StringVar(&f.history, "history", "", "write the residual of every iteration to this CSV `file`")
	fl.BoolVar(&f.json, "json", false, "print a JSON object instead of text (docs/report.schema.json)")
	fl.BoolVar(&f.quiet, "quiet", false, "print the verdict only")
	fl.BoolVar(&f.verbose, "verbose", false, "print a line on standard error for every refinement step and every 1000 iterations")
	flagGroup(c, "Output")
	showFirst(c, usualFlags)
	completeWords(c, "method", rules.Methods)
	completeWords(c, "scale", rules.Scales)
	completeWords(c, "stop", rules.Stops)
	completeWords(c, "orthogonalization", orthogonalizations)
	completeWords(c, "basis", bases)
	completeWords(c, "memory", memoryUses)
	return c
}

// methodHelp is the help text of --method.
func methodHelp() string {
	return "Krylov method, which mpsolve help methods describes: " + joined(rules.Methods, ", ")
}

var orthogonalizations = []string{"mgs", "cgs2"}

// plainBasis is the value of --basis for a basis of float64 vectors.
const plainBasis = "vectors"

var bases = append([]linop.BasisFormat{plainBasis}, linop.BasisFormats...)

// check turns the flags into options. It finds every error before any work is done.
func (f *solveFlags) check(c *cobra.Command, path string) error {
	if err := checkGivenThreads(c, f.opt.Threads); err != nil {
		return err
	}
	if !(f.opt.Tol > 0 && f.opt.Tol < 1) {
		return usage("--tol %g: want a positive number below 1", f.opt.Tol)
	}
	if f.opt.MaxIter < 0 {
		return usage("--max-iter %d: want a positive number, or 0 for the default", f.opt.MaxIter)
	}
	if f.opt.Restart < 0 {
		return usage("--restart %d: want a positive number, or 0 for the default", f.opt.Restart)
	}
	if c.Flags().Changed("idr-s") && f.opt.IDR < 1 {
		return usage("--idr-s %d: want a positive number", f.opt.IDR)
	}
	if f.quiet && f.verbose {
		return usage("--quiet and --verbose cannot be used together")
	}
	if f.maxTime < 0 {
		return usage("--max-time %v: want a positive duration", f.maxTime)
	}
	f.rhsAsked, f.chosen = c.Flags().Changed("rhs"), slices.ContainsFunc(learnable, c.Flags().Changed)
	inputs := append([]string{path, f.rhs, f.guess}, f.precond.files()...)
	inputs = append(inputs, f.nullSpace.files()...)
	for _, err := range []error{
		oneOf("method", &f.method, rules.Methods), oneOf("scale", &f.scale, rules.Scales),
		oneOf("stop", &f.stop, rules.Stops), oneOf("orthogonalization", &f.orthogonalization, orthogonalizations), oneOf("basis", &f.basis, bases), oneOf("memory", &f.memory, memoryUses),
		checkX(f.output, inputs...), checkOutput("history", f.history, inputs...),
		checkDistinct("output", f.output, "history", f.history), checkDistinct("output", f.output, "checkpoint", f.checkpoint.file), checkDistinct("history", f.history, "checkpoint", f.checkpoint.file),
		checkDistinct("output", f.output, "resume", f.checkpoint.resume), checkRHS("--rhs", f.rhs, path), f.reorder.check(), f.nullSpace.check(), f.device.check(deviceKinds),
	} {
		if err != nil {
			return err
		}
	}
	f.opt.Method, f.opt.Scale, f.opt.Stop = solve.Method(f.method), solve.Scale(f.scale), solve.Stop(f.stop)
	var err error
	if f.opt.Vectors, err = f.vectors.vectors(f.checkpoint); err != nil {
		return err
	}
	if f.opt.Storage, err = f.storage.storage(letsMeasure(f.maxMemory) && f.checkpoint.resume == ""); err != nil {
		return err
	}
	if f.opt.Precond, err = f.precond.precond(c); err != nil {
		return err
	}
	if err := f.domains.check(c, &f.opt); err != nil {
		return err
	}
	f.opt.Reorder = solve.Reorder(f.reorder)
	f.opt.NoRefine = !f.refine
	if f.opt.Digits, err = f.digits.digits(); err != nil {
		return err
	}
	if err := f.xBits.check(c, &f.opt); err != nil {
		return err
	}
	if f.opt.Digits > solve.MaxDigits && formatOfX(f.output).Word != "mtx" {
		return usage("--output %s: files of this format have no room for more than %d digits; want .mtx", f.output, solve.MaxDigits)
	}
	f.opt.CGS2 = f.orthogonalization == "cgs2"
	if f.basis != plainBasis {
		f.opt.Basis = linop.BasisFormat(f.basis)
	}
	f.opt.MaxMemory, f.opt.Held = f.maxMemory.orInstalled(), programBytes
	if err := f.checkpoint.check(c, &f.opt, inputs...); err != nil {
		return err
	}
	if err := rules.Validate(f.opt); err != nil {
		return usage("%s", oneLine(err))
	}
	if err := f.checkDomains(); err != nil {
		return err
	}
	if err := f.exact.check(f); err != nil {
		return err
	}
	return f.device.suits(f.opt, f.domains.count)
}
