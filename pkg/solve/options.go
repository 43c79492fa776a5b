package solve

import (
	"cmp"
	"errors"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Method names a Krylov method, or leaves the choice to the rules of Auto.
type Method string

// The methods. Auto takes conjugate gradients if the matrix is numerically
// symmetric with a diagonal of one sign, and GMRES otherwise.
const (
	Auto     Method = "auto"
	CG       Method = "cg"
	BiCGStab Method = "bicgstab"
	GMRES    Method = "gmres"
	MINRES   Method = "minres"
	CGS      Method = "cgs"
	BiCG     Method = "bicg"
	IDR      Method = "idr"
	TFQMR    Method = "tfqmr"
	LSQR     Method = "lsqr"
)

// Scale names a way to scale the matrix by powers of two.
type Scale string

// The scalings, see csr.Scaling. ScaleAuto is ScaleSym for numerically
// symmetric matrices and ScaleBoth for others.
const (
	ScaleAuto Scale = "auto"
	ScaleNone Scale = "none"
	ScaleRow  Scale = "row"
	ScaleSym  Scale = "sym"
	ScaleBoth Scale = "both"
)

// Stop names the measure that the tolerance bounds, see package verify.
type Stop string

// The stopping criteria.
const (
	StopRow Stop = "row" // row-wise backward error
	StopNW  Stop = "nw"  // normwise backward error
	StopCW  Stop = "cw"  // componentwise backward error
	StopRel Stop = "rel" // ||r||_2 / ||b||_2
)

// Options configure a solve; the zero value is useful. The embedded groups hold related options, which are set and read like fields of
// Options:
//
//	opt := solve.Options{Method: solve.CG}
//	opt.Tol, opt.Threads = 1e-12, 4
//
//	opt := solve.Options{Method: solve.CG, Accuracy: solve.Accuracy{Tol: 1e-12}, Limits: solve.Limits{Threads: 4}}
type Options struct {
	Method    Method    // "": Auto
	Precond   Precond   // the preconditioner; the zero value chooses one
	Storage   Storage   // of the matrix that the method multiplies with
	Vectors   Vectors   // of the method; with Kind VectorsDD also of refinement
	Scale     Scale     // "": ScaleAuto
	Reorder   Reorder   // of rows and columns; "": as given, but with the unknowns of each node side by side
	NullSpace NullSpace // of a singular matrix
	Updates   bool      // Update will follow: New keeps the parts of the preconditioner that Update reuses, which take memory

	Accuracy
	Krylov
	Limits
	Placement
	Reporting

	Checkpoint Checkpoints // taken, and gone on from
	Snapshot   Snapshots   // of x in the middle of a solve
}

// Accuracy is what x has to meet, and how many of its digits are asked for.
type Accuracy struct {
	Tol      float64 // bound of the error that Stop names; 0: krylov.DefaultTol
	Stop     Stop    // "": StopRow
	InnerTol float64 // relative reduction of one refinement step; 0: all that Tol needs

	// Digits is the number of digits of x that are to be believed. With NoDigits no digits are estimated, and x is judged by its
	// residual alone. With 0 they are estimated, and x is improved as far as that is cheap. With a positive number the solve goes on until
	// so many digits are believed, or no more can be gained. A number above MaxDigits, up to MaxPreciseDigits, asks for
	// Result.Precise, an x of multiple precision that refinement makes from x in float64. Where float64 does not suffice for a number of
	// digits, a matrix of up to 2000 rows is factored in multiple precision.
	Digits int
	Bits   int // least number of bits of an x of multiple precision, at most 1696; 0: as many as Digits needs

	// Lower are matrices that are added to the matrix of New for an x of multiple precision: the part of a file beyond float64. Their
	// elements are much smaller than those of the matrix, and only residuals use them.
	Lower []*csr.Matrix
}

// Krylov are the parameters of the Krylov methods, and of the refinement around them.
type Krylov struct {
	NoRefine bool // the method alone, without iterative refinement
	Restart  int  // of GMRES; 0: krylov.DefaultRestart, growing when a cycle is slow
	IDR      int  // dimension s of the shadow space of IDR; 0: krylov.DefaultIDR
	CGS2     bool // classical Gram-Schmidt, twice, in GMRES instead of modified; on devices and over several domains always

	// Basis is the format of GMRES's basis for float64 vectors; "": float64. With the other formats, GMRES uses classical Gram-Schmidt.
	Basis linop.BasisFormat
}

// Limits bound what a solve takes.
type Limits struct {
	MaxIter   int   // iterations in all; 0: the larger of krylov.DefaultMaxIter and 2n
	Threads   int   // 0: all processors
	MaxMemory int64 // bytes; 0: no limit
	Held      int64 // bytes in use by the caller, such as those of the program, which count against MaxMemory
}

// Placement says where a solve runs.
type Placement struct {
	// Device holds the vectors during the solve; nil: the host does. The caller closes it after the Solver. With DeviceAuto the
	// solve runs on the host if the device does not support the options or has too little memory, and logs why. Without a Device, the
	// solve uses the Candidate if it is expected to be faster than the host, and logs the estimates.
	Device     *gpu.Device
	DeviceAuto bool
	Candidate  *Candidate

	// HaloEpsilon bounds the relative rounding of the elements that domains of a matrix over ranks send each other, for products with a
	// matrix in reduced precision; 0: nothing is rounded, which costs next to nothing where domains are large, and saves iterations.
	HaloEpsilon float64
}

// Reporting has functions that a solve calls to report its work, from the goroutine that sets up or solves, Stage also from goroutines that
// help it, one at a time; nil: nothing is called.
type Reporting struct {
	Monitor  krylov.Monitor    // gets each iteration
	Log      func(line string) // gets each decision, as a line
	Examined func(f csr.Facts) // gets the facts about the matrix, before any choice
	Stage    func(text string) // gets each new stage of the work, in a few words such as "setting up amg: 55%, level 2, 1200 rows"
}

// InputError is the error of a system that cannot be solved as given: it has the wrong shape or length, NaN or Inf, or a row or
// column of zeros.
type InputError struct{ Msg string }

func (e *InputError) Error() string { return e.Msg }

// ErrMemory is wrapped by errors about a MaxMemory that does not suffice.
var ErrMemory = adaptive.ErrMemory

// ErrDeviceMemory is wrapped by errors about a device with too little memory.
var ErrDeviceMemory = errors.New("not enough memory on the device")

// A Candidate is a device on which a solve runs if it is expected to be faster there than on the host.
type Candidate struct {
	Find func() (gpu.Info, error)            // describes the device; called only if a device that took no time but its start would be faster
	Open func(gpu.Info) (*gpu.Device, error) // opens the device; the caller closes it after the Solver
}

// Storage says how to store the matrix that the method multiplies with. The residuals of refinement and the verdict always use the
// matrix as given, so reduced precision costs refinement steps, never accuracy. By default Set is adaptive.AFX, or without
// refinement adaptive.FP64, which is plain CSR, or adaptive.Lossless for many products. Epsilon is 2^-24, or 2^-53 where the preconditioner leaves few iterations. Criterion is
// adaptive.NW for symmetric matrices and adaptive.CW for others. See adaptive.Spec.
type Storage struct {
	Set               adaptive.Set       // set of formats, such as adaptive.AFX, adaptive.Lossless or adaptive.FP64; see adaptive.LookupSet
	Epsilon           float64            // target accuracy, 2^-53 <= Epsilon < 1
	Criterion         adaptive.Criterion // what Epsilon is relative to
	Layout            adaptive.Layout    // in memory
	NoDrop            bool               // keeps elements that are smaller than the accuracy
	GuardBits         int                // extra bits for AFX: each halves its error
	PaperExact        bool               // takes the intervals of formats as [Molina24] prints them; for reproduction only
	StorageArithmetic bool               // multiplies and adds heads of FP32 in FP32, not in FP64
	DD                bool               // products are with double-double vectors; the solver sets it
	Kernels           string             // name of the kernels of the whole solve on the host; "": the best of this processor
	Model             *adaptive.Model    // model by which layouts are chosen; nil: the model of the kernels
}

// String describes the storage. What the storage leaves open has its default for a matrix that is not symmetric.
func (t Storage) String() string {
	if t.Set.Uniform && t.Set.Name == "FP64" {
		return "FP64"
	}
	if len(t.Set.Formats) == 0 {
		t.Set = adaptive.AFX
	}
	return adaptive.Spec{
		Set: t.Set, Epsilon: cmp.Or(t.Epsilon, 0x1p-24), Criterion: cmp.Or(t.Criterion, adaptive.CW), Layout: t.Layout, NoDrop: t.NoDrop,
		GuardBits: t.GuardBits, PaperExact: t.PaperExact, StorageArithmetic: t.StorageArithmetic, DD: t.DD, Model: t.Model,
	}.String()
}

// PrecondAuto leaves the choice of the preconditioner to the rules of
// docs/solvers.md, "How mpsolve chooses".
const PrecondAuto precond.Kind = "auto"

// Precond describes the preconditioner; the zero value is useful.
type Precond struct {
	Kind       precond.Kind // "": PrecondAuto
	Epsilon    float64      // accuracy of its values; 0: precond.DefaultEpsilon
	NearNull   [][]float64  // near-null vectors of A as given, for multigrid; see precond.MultigridOptions
	KCycle     bool         // multigrid with K-cycles instead of V-cycles
	Coarsening string       // of multigrid, see precond.MultigridOptions
	BlockSize  int          // unknowns of a node, or largest block of block Jacobi; 0: found from the pattern
	DropTol    float64      // of the incomplete factorisations with threshold; 0: their default
	Fill       float64      // of the same factorisations; 0: their default

	Overlap precond.Overlap // of preconditioners that are made for each domain of a matrix over ranks
}

// Reorder is the order in which the rows and columns of the matrix are stored.
type Reorder string

// The orders. ReorderAuto takes reverse Cuthill-McKee where a model of the
// products says that it pays.
const (
	ReorderNone Reorder = "none" // as given
	ReorderRCM  Reorder = "rcm"  // reverse Cuthill-McKee, see csr.RCM
	ReorderAuto Reorder = "auto"
)

// NullSpaceKind says where the null space of a singular matrix comes from.
type NullSpaceKind string

// The sources. NullSpaceAuto takes the constants if all rows sum to zero, as in a pure Neumann problem, and otherwise no null space.
const (
	NullSpaceAuto     NullSpaceKind = "auto"
	NullSpaceNone     NullSpaceKind = "none"
	NullSpaceConstant NullSpaceKind = "constant" // constants, on each connected component
	NullSpaceGiven    NullSpaceKind = "given"    // NullSpace.Right
)

// NullSpace describes the null space of a singular matrix A, like PETSc's MatSetNullSpace and MatSetTransposeNullSpace. The system has
// solutions if b is orthogonal to the left null space, the null space of A'. The solution returned is orthogonal to the null
// space, and so the shortest. Vectors need not be orthonormal; over domains they are the elements of a rank.
type NullSpace struct {
	Kind  NullSpaceKind // "": NullSpaceAuto
	Right [][]float64   // vectors that span the null space, for NullSpaceGiven
	Left  [][]float64   // vectors that span the left null space; nil: Right if A'v = 0 for these, otherwise found by solving with A'
}

// NullSpaceResult describes the null space of a singular matrix as found.
type NullSpaceResult struct {
	Dim       int     // dimension of the null space; 0: the matrix was taken for nonsingular
	Residual  float64 // largest row-wise error of the null vectors, left and right
	Component float64 // largest |y'b| / sum |y_i| (T_i |x|_inf + |b_i|) for a y of the left null space, T_i = sum_j |a_ij|
}
