package solve

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
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

// Methods lists all methods: Auto and those of package krylov.
var Methods = methods()

func methods() []Method {
	list := []Method{Auto}
	for _, k := range krylov.Methods {
		list = append(list, Method(k.Name))
	}
	return list
}

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

// Scales lists all scalings.
var Scales = []Scale{ScaleAuto, ScaleNone, ScaleRow, ScaleSym, ScaleBoth}

// Stop names the measure that the tolerance bounds, see package verify.
type Stop string

// The stopping criteria.
const (
	StopRow Stop = "row" // row-wise backward error
	StopNW  Stop = "nw"  // normwise backward error
	StopCW  Stop = "cw"  // componentwise backward error
	StopRel Stop = "rel" // ||r||_2 / ||b||_2
)

// Stops lists all stopping criteria.
var Stops = []Stop{StopRow, StopNW, StopCW, StopRel}

// Options configure a solve; the zero value is useful. The embedded groups hold related options, which are set and read as if they were fields of Options:
//
//	opt := solve.Options{Method: solve.CG}
//	opt.Tol, opt.Threads = 1e-12, 4
//
//	opt := solve.Options{Method: solve.CG, Accuracy: solve.Accuracy{Tol: 1e-12}, Limits: solve.Limits{Threads: 4}}
type Options struct {
	Method    Method    // "": Auto
	Precond   Precond   // the preconditioner; the zero value chooses one
	Storage   Storage   // of the matrix that the method multiplies with
	Vectors   Vectors   // of the method, with Kind VectorsDD of all that refinement adds up
	Scale     Scale     // "": ScaleAuto
	Reorder   Reorder   // of rows and columns; "": ReorderNone
	NullSpace NullSpace // of a singular matrix
	Updates   bool      // Update is to follow: what it takes over of the preconditioner is kept from the start, and its memory

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

	// Digits of x that are to be believed. NoDigits estimates none and judges x by its
	// residual alone. 0 estimates them and improves x as far as that is cheap. With a
	// positive number the solve goes on until so many are believed, or none can be gained. More than MaxDigits, up to
	// MaxPreciseDigits, are digits of Result.Precise, an x of multiple precision that refinement makes from x in float64.
	Digits int
	Bits   int // that x of multiple precision has at least, up to MaxBits; 0: as many as Digits need

	// Lower are matrices that are added to the matrix of New for an x of multiple precision: what a file has beyond float64. Their elements
	// are much smaller, and only residuals use them.
	Lower []*csr.Matrix
}

// Krylov are the parameters of the Krylov methods, and of the refinement around them.
type Krylov struct {
	NoRefine bool // the method alone, without iterative refinement
	Restart  int  // of GMRES; 0: krylov.DefaultRestart, growing when a cycle is slow
	IDR      int  // dimension s of the shadow space of IDR; 0: krylov.DefaultIDR
	CGS2     bool // classical Gram-Schmidt, twice, in GMRES instead of modified

	// Basis is how GMRES keeps its basis, in float64 vectors; "": as vectors. The other ways make it orthogonal by classical Gram-Schmidt.
	Basis linop.BasisFormat

	Block int // right-hand sides of SolveMany that conjugate gradients solve for together as block CG, at most MostTogether; 0, 1: each by itself
}

// Limits bound what a solve takes.
type Limits struct {
	MaxIter   int   // iterations in all; 0: the larger of krylov.DefaultMaxIter and 2n
	Threads   int   // 0: all processors
	MaxMemory int64 // bytes; 0: no limit
	Held      int64 // bytes that the caller takes besides, such as those of the program, which count against MaxMemory
}

// Placement says where a solve runs.
type Placement struct {
	// Device is where the vectors live during the solve; nil: the host. The caller closes it,
	// after the Solver. DeviceAuto solves on the host where the device does not support the
	// options or has too little memory, and logs why. Without a Device, a Candidate is one where it is
	// expected to be faster than the host, and logs by what figures.
	Device     *gpu.Device
	DeviceAuto bool
	Candidate  *Candidate

	// HaloEpsilon bounds the relative rounding of what domains send each other for products of the method with a matrix in reduced
	// precision, see NewDistributed; 0: nothing is rounded, which costs next to nothing where domains are large, and saves iterations.
	HaloEpsilon float64
}

// Reporting receives what a solve does. The goroutine that sets up or solves calls all of these functions; nil: no one is told.
type Reporting struct {
	Monitor  krylov.Monitor    // each iteration
	Log      func(line string) // every decision, a line each
	Examined func(f csr.Facts) // what the matrix is like, once that is known and before anything is chosen
	Stage    func(text string) // what the work is on whenever that changes, a few words such as "setting up amg: level 2, 1200 rows"
}

// Validate reports every fault of the options.
func (o Options) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("solve: "+format, args...)) }
	unknown := func(what string, v any, known bool) {
		if !known {
			fault("unknown %s %q", what, v)
		}
	}
	unknown("method", o.Method, oneOf(o.Method, Methods))
	unknown("scaling", o.Scale, oneOf(o.Scale, Scales))
	unknown("stopping criterion", o.Stop, oneOf(o.Stop, Stops))
	unknown("format of the basis", o.Basis, oneOf(o.Basis, linop.BasisFormats))
	unknown("null space", o.NullSpace.Kind, oneOf(o.NullSpace.Kind, NullSpaces))
	unknown("order", o.Reorder, oneOf(o.Reorder, Reorders))
	unknown("criterion", o.Storage.Criterion, oneOf(o.Storage.Criterion, adaptive.Criteria))
	if !(o.Tol >= 0 && o.Tol < 1) {
		fault("tolerance %g is not in [0, 1)", o.Tol)
	}
	if !(o.InnerTol >= 0 && o.InnerTol < 1) {
		fault("inner tolerance %g is not in [0, 1)", o.InnerTol)
	}
	if o.NoRefine && o.InnerTol > 0 {
		fault("an inner tolerance needs refinement")
	}
	if o.Storage.Epsilon < 0 {
		fault("accuracy %g of the storage is negative", o.Storage.Epsilon)
	}
	if name := o.Storage.Kernels; name != "" && kernels.Find(name) == nil {
		fault("this processor has no kernels %q", name)
	}
	if o.HaloEpsilon < 0 || o.HaloEpsilon >= 1 {
		fault("accuracy %g of halos is not in [0, 1)", o.HaloEpsilon)
	}
	if o.Digits < NoDigits || o.Digits > MaxPreciseDigits {
		fault("%d digits, want at most %d", o.Digits, MaxPreciseDigits)
	}
	if o.Bits < 0 || o.Bits > MaxBits {
		fault("x of %d bits, want at most %d", o.Bits, MaxBits)
	}
	if o.Bits > 0 && !o.Precise() {
		fault("bits of x are for more than %d digits", MaxDigits)
	}
	if len(o.Lower) > 0 && !o.Precise() {
		fault("lower parts of the matrix are for more than %d digits", MaxDigits)
	}
	if o.Precise() && (o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil) {
		fault("there are no checkpoints with more than %d digits", MaxDigits)
	}
	if o.Precise() && o.Vectors.Kind != "" && o.Vectors.Kind != VectorsDouble {
		fault("more than %d digits are for vectors in double, whose corrections x of multiple precision adds up", MaxDigits)
	}
	if o.Digits > 0 && o.NoRefine {
		fault("a number of digits needs refinement")
	}
	if o.MaxIter < 0 || o.Restart < 0 || o.IDR < 0 || o.Threads < 0 || o.MaxMemory < 0 {
		fault("negative limit")
	}
	if o.Block < 0 || o.Block > MostTogether {
		fault("block CG for %d right-hand sides at a time: want 1 to %d, or 0", o.Block, MostTogether)
	}
	if o.Checkpoint.Every < 0 {
		fault("negative time between checkpoints")
	}
	// As for a symmetric matrix, which every layout is for.
	if t := o.Storage.WithDefaults(true, o.NoRefine); !t.Plain() || t.Layout.FP64() {
		t.DD = o.Vectors.Kind == VectorsDD
		if err := t.Spec(true).Validate(); err != nil {
			faults = append(faults, err)
		}
	}
	faults = append(faults, o.Precond.validate()...)
	if err := cmp.Or(o.Vectors.validate(), o.checkVectors()); err != nil {
		faults = append(faults, err)
	}
	if o.Device != nil && !o.DeviceAuto {
		if err := o.OnDevice(); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func oneOf[T ~string](v T, all []T) bool { return v == "" || slices.Contains(all, v) }

func (o Options) WithDefaults(n int) Options {
	o.Method = cmp.Or(o.Method, Auto)
	o.Scale = cmp.Or(o.Scale, ScaleAuto)
	o.Stop = cmp.Or(o.Stop, StopRow)
	o.Reorder = cmp.Or(o.Reorder, ReorderNone)
	o.NullSpace.Kind = cmp.Or(o.NullSpace.Kind, NullSpaceAuto)
	o.Precond.Kind = cmp.Or(o.Precond.Kind, PrecondAuto)
	o.Vectors = o.Vectors.WithDefaults()
	o.Tol = cmp.Or(o.Tol, krylov.DefaultTol)
	o.MaxIter = cmp.Or(o.MaxIter, max(krylov.DefaultMaxIter, 2*n))
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Examined == nil {
		o.Examined = func(csr.Facts) {}
	}
	if o.Stage == nil {
		o.Stage = func(string) {}
	}
	return o
}

// InputError is the error of a system that cannot be solved as given: wrong shape or
// length, NaN or Inf, a row or column of zeros.
type InputError struct{ Msg string }

func (e *InputError) Error() string { return e.Msg }

func Invalid(format string, args ...any) error { return &InputError{fmt.Sprintf(format, args...)} }

// ErrMemory is wrapped by errors about a MaxMemory that does not suffice.
var ErrMemory = adaptive.ErrMemory

// Precise reports whether x is to have more digits than float64 holds.
func (o Options) Precise() bool { return o.Digits > MaxDigits }

// FloatDigits are the digits that the solve in float64 is to go on for: with more than it can hold, x need only be believable.
func (o Options) FloatDigits() int {
	if o.Precise() {
		return 1
	}
	return o.Digits
}

// InFloat64 are the options of a solve that does not go on to more digits.
func (o Options) InFloat64() Options {
	if o.Precise() {
		o.Digits, o.Bits = 0, 0
	}
	return o
}

// BitsFor is the precision in which x can have the digits asked for with a condition of A.
func (o Options) BitsFor(condition float64) int {
	need := int(math.Ceil(float64(o.Digits)*BitsPerDigit+math.Log2(max(1, condition)))) + guardBits
	need = max(MinBits, o.Bits, need)
	return min(MaxBits, (need+LimbBits-1)/LimbBits*LimbBits)
}

// Parts is how many float64 hold an element of A and b as accurately as the digits asked for need, unless the condition of A is above 2^53.
func (o Options) Parts() int { return (o.BitsFor(1/Roundoff) + floatBits - 1) / floatBits }

// MostTogether is the largest number of right-hand sides that SolveMany solves for side by side.
const MostTogether = linop.MostTogether

// transposes reports whether the method multiplies with A^T as well.
func (m Method) Transposes() bool {
	kind, ok := krylov.KindOf(string(m))
	return ok && kind.Transpose
}
