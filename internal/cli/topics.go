package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
)

// newTopics returns the topics of the help that belong to no single command: commands that do nothing.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "methods", Short: "Krylov methods, and when to choose one", Long: methodsTopic()},
		{Use: "preconditioners", Short: "Preconditioners and their flags", Long: precondTopic()},
		{Use: "precision", Short: "What is stored in how many bits, and what that changes", Long: precisionTopic()},
		{Use: "exit-codes", Short: "Exit codes of all commands", Long: exitCodesTopic()},
		{Use: "files", Short: "Formats of matrices and vectors", Long: filesTopic()},
	}
}

// terms returns an indented list of words with their meanings in a second column.
func terms(list [][2]string) string {
	width := 0
	for _, t := range list {
		width = max(width, utf8.RuneCountInString(t[0]))
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "    %-*s  %s\n", width, t[0], t[1])
	}
	return b.String()
}

func methodsTopic() string {
	var list [][2]string
	for _, k := range krylov.Methods {
		list = append(list, [2]string{k.Name, k.Summary})
	}
	return `Krylov methods.

A Krylov method improves x in iterations. Each multiplies with the matrix and applies the preconditioner, once or twice. By default
mpsolve chooses the method by the features of the matrix, and continues with another one if the first is too slow or fails.
"mpsolve info FILE" says what it chooses, and why. With --method NAME it uses this method only.

` + terms(list) + `
Every method runs within iterative refinement. A step of refinement computes the residual r = b - A x with the matrix as given, in
double-double arithmetic; the method then solves A d = r for a correction d of x. So the method itself may multiply with a matrix that is
stored in few bits. With gmres this is GMRES-IR. --refine=false runs the method alone.

A method that needs a symmetric matrix also runs with another one if --method names it, and is then unlikely to converge. If cg finds out
that the matrix is not definite, mpsolve says so, and continues with another method unless --method names cg.

    --restart N            gmres keeps N vectors: more take fewer iterations and more memory
    --idr-s N              idr takes N shadow vectors
    --orthogonalization W  mgs or cgs2: the second sums more vectors at once, which pays over many ranks
    --basis FORMAT         gmres keeps its vectors in fewer bits
    --vectors dd           all vectors have 106 bits: for matrices of large condition

More: docs/solvers.md.`
}

func precondTopic() string {
	list := [][2]string{{string(solve.PrecondAuto), "the one that is expected to take the least time (the default)"}}
	for _, kind := range precond.Kinds() {
		d, _ := precond.Lookup(kind)
		text := d.Summary
		switch {
		case d.Definite:
			text += "; for symmetric positive definite matrices"
		case d.Symmetric:
			text += "; for symmetric matrices"
		}
		list = append(list, [2]string{string(kind), text})
	}
	devices, ranks := joined(rules.DevicePreconds[1:], ", "), joined(rules.DevicePrecondsOverDomains[1:], ", ")
	return `Preconditioners.

A preconditioner approximates the inverse of the matrix. A better approximation saves iterations, but takes more time and memory itself.
By default mpsolve estimates what set-up and iterations will take with each preconditioner, begins with the cheapest, and goes over to
another one as soon as that is expected to end earlier. With --precond NAME it uses this one only.

` + terms(list) + `
Where to begin, if you want to choose: amg for diffusion and elasticity on large meshes; chol, ldl or lu where the memory suffices and
nothing else converges; ilu0 for flow; schur for saddle points; jacobi for matrices whose diagonal dominates.

    --precond-epsilon E    accuracy of the preconditioner as it is stored: 2^-53 is FP64, the default is 2^-16
    --drop-tol, --fill     ilut and ict: smaller and larger values keep more entries
    --block-size N         bjacobi: largest block; amg: unknowns of a node
    --coordinates FILE     amg: coordinates of the nodes of an elastic body, for its rotations
    --near-null FILE       amg: vectors v for which A v is nearly zero
    --cycle, --coarsening  amg: V- or K-cycle; aggregation or classical coarsening
    --device NAME          has ` + devices + `;
                           with several domains ` + ranks + `

More: docs/preconditioners.md, docs/multigrid.md, docs/complete-factors.md.`
}

func precisionTopic() string {
	var layouts [][2]string
	for _, l := range adaptive.Layouts {
		if l != adaptive.LayoutAuto {
			layouts = append(layouts, [2]string{string(l), adaptive.LayoutHelp(l)})
		}
	}
	return `Precision.

Numbers are stored in few bits, so that less memory is moved, while products and sums are computed in FP64. This changes the time, not
the accuracy: x is corrected by residuals of the matrix as given until the error is at most --tol, and separate code computes that error
again.

    matrix          each nonzero in the fewest bits that --epsilon allows
    preconditioner  --precond-epsilon, 2^-16 by default; complete factors, multigrid and cg32 compute in FP32 where that suffices
    vectors         FP64; --vectors dd: 106 bits
    x               FP64; more with --digits above 15 or with --x-bits
    residuals       double-double, from the matrix as given

The line "precision" of the report says what each of them was, and how many bytes a nonzero took.

--epsilon E is the accuracy of the stored matrix, such as 1e-7 or 2^-24. E is relative to the norm of the matrix (--criterion nw) or to
that of the row (cw). 2^-53 is as accurate as FP64. By default mpsolve takes 2^-24 where many iterations are expected, 2^-53 where few
are or the matrix is small, and FP64 where storing in fewer bits would take longer than it saves.

--formats names the formats: AFX, the default, is a fixed-point format of 8 to 56 bits; AP1 ... AP7REU are the sets of the papers;
FP64, FP32, FP16, BF16 and others stand for themselves, as does a list such as FP64,FP32,drop. --paper-exact stores as the papers print it.

--layout names how the stored elements lie in memory. auto takes the fastest one by a model of the processor:

` + terms(layouts) + `
--digits N asks for N correct digits of x; if N is above 15, x has multiple precision. By default mpsolve estimates how many digits are
correct where that is cheap; --digits none leaves the estimate out.

More: docs/precision.md, docs/precision-formats.md, docs/accuracy.md, docs/digits.md.`
}

func exitCodesTopic() string {
	return `Exit codes.

` + terms([][2]string{
		{"0", "success: solve and verify have confirmed that the error is at most --tol"},
		{"1", "failure: input, output or memory; compare: the bits differ"},
		{"2", "usage: an unknown command or flag, or a value that makes no sense"},
		{"3", "not converged; the best x is still written, and the report says why mpsolve stopped"},
		{"4", "invalid input: a damaged file, or a system that cannot be solved as it is"},
		{"5", "the device or the MPI library that was asked for is not available"},
		{"129, 130, 143", "stopped by SIGHUP, SIGINT (Ctrl-C) or SIGTERM (152: SIGXCPU); the best x is still written"},
		{"141", "the reader of standard output closed it"},
	}) + `
After a signal mpsolve writes x and the report, and ends within seconds. A second signal ends it at once. A sequence of several matrices
ends with the largest of its codes. Under mpirun all ranks end with the same code.

An error is one line on standard error, with the file, the line and the column where there are any. With --json it is an object on
standard output as well (docs/error.schema.json).`
}

func filesTopic() string {
	return `Files.

All commands read matrices and vectors in all of these formats, and tell them by their content. A file may be compressed (.gz, .bz2),
and - is standard input.

` + terms([][2]string{
		{"Matrix Market", ".mtx: sparse or dense, real or complex; in digits beyond float64, too (--exact-input)"},
		{".mpx", "mpsolve's own binary file, the fastest to read: mpsolve convert A.mtx A.mpx"},
		{"PETSc", "binary matrices and vectors"},
		{"NumPy, SciPy", ".npy and .npz"},
		{"MATLAB", ".mat of save -v6 and -v7"},
		{"Harwell-Boeing", "and Rutherford-Boeing, with right-hand sides"},
		{"hypre", "NAME.00000 with the files of the other ranks, matrices and vectors"},
	}) + `
x is written in the format that the name tells: x.mtx, x.mtx.gz, x.npy, x.petsc or x.mpx; - is standard output. A file is written completely or not at all. If --rhs has several columns, x has as many.

"mpsolve fetch GROUP/NAME" downloads a matrix of the SuiteSparse collection, and GROUP/NAME then stands for its file.

A complex system is solved in its real form. A matrix that is not square is solved in the sense of least squares.

Several matrices on the command line are a sequence with one pattern of nonzeros, such as time steps: "mpsolve solve a0.mtx a1.mtx
--output x%d.mtx". Each solve begins with the x of the one before, and reuses what depends on the pattern only.

More: docs/formats.md, docs/matrix-market.md.`
}
