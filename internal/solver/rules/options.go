package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Methods lists all methods: Auto and those of package krylov.
var Methods = methods()

func methods() []solve.Method {
	list := []solve.Method{solve.Auto}
	for _, k := range krylov.Methods {
		list = append(list, solve.Method(k.Name))
	}
	return list
}

// Scales lists all scalings.
var Scales = []solve.Scale{solve.ScaleAuto, solve.ScaleNone, solve.ScaleRow, solve.ScaleSym, solve.ScaleBoth}

// Stops lists all stopping criteria.
var Stops = []solve.Stop{solve.StopRow, solve.StopNW, solve.StopCW, solve.StopRel}

// NullSpaces lists all sources of null spaces.
var NullSpaces = []solve.NullSpaceKind{solve.NullSpaceAuto, solve.NullSpaceNone, solve.NullSpaceConstant, solve.NullSpaceGiven}

// Preconds lists all preconditioners.
var Preconds = append([]precond.Kind{solve.PrecondAuto}, precond.Kinds()...)

// ReorderNodes is the order of the zero value: as given, but with the unknowns of each node side by side where they are numbered apart,
// see features.NodeOrder.
const ReorderNodes solve.Reorder = "nodes"

// Reorders lists all orders.
var Reorders = []solve.Reorder{ReorderNodes, solve.ReorderNone, solve.ReorderRCM, solve.ReorderAuto}

// AsksForOrder reports whether another order than the default was asked for.
func AsksForOrder(r solve.Reorder) bool { return r == solve.ReorderRCM || r == solve.ReorderAuto }

// Validate reports every fault of the options.
func Validate(o solve.Options) error {
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
	if o.Digits < solve.NoDigits || o.Digits > solve.MaxPreciseDigits {
		fault("%d digits, want at most %d", o.Digits, solve.MaxPreciseDigits)
	}
	if o.Bits < 0 || o.Bits > MaxBits {
		fault("x of %d bits, want at most %d", o.Bits, MaxBits)
	}
	if o.Bits > 0 && !Precise(o) {
		fault("bits of x are for more than %d digits", solve.MaxDigits)
	}
	if len(o.Lower) > 0 && !Precise(o) {
		fault("lower parts of the matrix are for more than %d digits", solve.MaxDigits)
	}
	if Precise(o) && (o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil) {
		fault("there are no checkpoints with more than %d digits", solve.MaxDigits)
	}
	if Precise(o) && !Float64Vectors(o.Vectors) {
		fault("more than %d digits are for vectors in double, whose corrections x of multiple precision adds up", solve.MaxDigits)
	}
	if o.Digits > 0 && o.NoRefine {
		fault("a number of digits needs refinement")
	}
	if o.MaxIter < 0 || o.Restart < 0 || o.IDR < 0 || o.Threads < 0 || o.MaxMemory < 0 {
		fault("negative limit")
	}
	if o.Checkpoint.Every < 0 {
		fault("negative time between checkpoints")
	}
	t := StorageWithDefaults(o.Storage, true, o.NoRefine) // as for a symmetric matrix, which every layout is for
	t.DD = o.Vectors.Kind == solve.VectorsDD
	if err := Spec(t, true).Validate(); err != nil {
		faults = append(faults, err)
	}
	faults = append(faults, precondFaults(o.Precond)...)
	if err := cmp.Or(vectorsFault(o.Vectors), vectorsConflict(o)); err != nil {
		faults = append(faults, err)
	}
	if o.Device != nil && !o.DeviceAuto {
		if err := OnDevice(o); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func precondFaults(p solve.Precond) (faults []error) {
	if !oneOf(p.Kind, Preconds) {
		faults = append(faults, fmt.Errorf("solve: unknown preconditioner %q", p.Kind))
	}
	if p.Epsilon != 0 && !(p.Epsilon >= adaptive.MinEpsilon && p.Epsilon < 1) {
		faults = append(faults, fmt.Errorf("solve: accuracy %g of the preconditioner is not in [2^-53, 1)", p.Epsilon))
	}
	if !oneOf(p.Overlap, []precond.Overlap{precond.OverlapNone, precond.OverlapOne}) {
		faults = append(faults, fmt.Errorf("solve: unknown overlap %q", p.Overlap))
	}
	if p.BlockSize > maxBlockSize {
		faults = append(faults, fmt.Errorf("solve: block size %d is more than %d", p.BlockSize, maxBlockSize))
	}
	if p.BlockSize < 0 || !(p.DropTol >= 0 && p.DropTol < 1) || !(p.Fill >= 0) {
		faults = append(faults, errors.New("solve: negative size, drop tolerance or fill of the preconditioner"))
	}
	return faults
}

func oneOf[T ~string](v T, all []T) bool { return v == "" || slices.Contains(all, v) }

// WithDefaults fills in what options leave open, for a matrix of n rows.
func WithDefaults(o solve.Options, n int) solve.Options {
	o.Method = cmp.Or(o.Method, solve.Auto)
	o.Scale = cmp.Or(o.Scale, solve.ScaleAuto)
	o.Stop = cmp.Or(o.Stop, solve.StopRow)
	o.Reorder = cmp.Or(o.Reorder, ReorderNodes)
	o.NullSpace.Kind = cmp.Or(o.NullSpace.Kind, solve.NullSpaceAuto)
	o.Precond.Kind = cmp.Or(o.Precond.Kind, solve.PrecondAuto)
	o.Vectors = VectorsWithDefaults(o.Vectors)
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

// InFloat64 returns the options of a solve that does not go on to more digits than float64 holds.
func InFloat64(o solve.Options) solve.Options {
	if Precise(o) {
		o.Digits, o.Bits = 0, 0
	}
	return o
}

// Transposes reports whether the method multiplies with A^T as well.
func Transposes(m solve.Method) bool {
	kind, ok := krylov.KindOf(string(m))
	return ok && kind.Transpose
}

// ByRows reports whether the criterion bounds an error row by row.
func ByRows(s solve.Stop) bool { return s == solve.StopRow || s == solve.StopCW }

// ErrorOf returns the error that the criterion bounds.
func ErrorOf(s solve.Stop, e verify.Errors) float64 {
	switch s {
	case solve.StopNW:
		return e.Normwise
	case solve.StopCW:
		return e.Componentwise
	case solve.StopRel:
		return e.RelativeResidual
	default:
		return e.Row
	}
}

// maxBlockSize bounds Precond.BlockSize: the set-up makes dense blocks of that size, and a
// node of any discretisation has fewer unknowns.
const maxBlockSize = 1024

// CheckMatrix returns a solve.InputError if m cannot be the matrix of a square system.
func CheckMatrix(m *csr.Matrix) error {
	if err := m.Validate(); err != nil {
		return Invalid("%v", err)
	}
	if m.Rows != m.Cols {
		return NotSquare(int64(m.Rows), int64(m.Cols))
	}
	if m.Rows == 0 {
		return Invalid("the matrix is empty")
	}
	return nil
}

// NotSquare returns the error about a matrix that is not square.
func NotSquare(rows, cols int64) error {
	return Invalid("the matrix is %d x %d; only square systems can be solved, others by Options.Method = lsqr", rows, cols)
}

// Solvable returns a solve.InputError if a matrix has NaN or Inf, or a row or column of zeros.
func Solvable(f csr.Facts) error {
	switch {
	case f.NonFinite > 0:
		return Invalid("the matrix has %s that %s NaN or Inf, the first in row %d, column %d",
			english.Plural(f.NonFinite, "entry", ""), english.PluralWord(f.NonFinite, "is", "are"), f.FirstNonFinite.Row+1, f.FirstNonFinite.Col+1)
	case f.EmptyRow >= 0:
		return Invalid("the matrix is singular: row %d has no nonzero", f.EmptyRow+1)
	case f.EmptyCol >= 0:
		return Invalid("the matrix is singular: column %d has no nonzero", f.EmptyCol+1)
	}
	return nil
}

// CheckVector returns a solve.InputError if a vector does not have n elements, or has an element that is NaN or Inf. what names the
// vector.
func CheckVector(what string, v []float64, n int) error {
	if len(v) != n {
		return Invalid("the %s has %d elements, the matrix %d rows", what, len(v), n)
	}
	return CheckElements(what, v, 0)
}

// CheckGuess returns a solve.InputError for an initial guess whose number of elements is not that of the columns, or that has NaN or Inf; nil is no guess.
func CheckGuess(x0 []float64, cols int) error {
	if x0 != nil && len(x0) != cols {
		return Invalid("the initial guess has %d elements, the matrix %d columns", len(x0), cols)
	}
	return CheckElements("initial guess", x0, 0)
}

// CheckElements returns a solve.InputError if a vector has an element that is NaN or Inf. what names the vector; v are its elements from
// index first on.
func CheckElements(what string, v []float64, first int64) error {
	for i, e := range v {
		if e-e != 0 {
			return Invalid("element %d of the %s is %v", first+int64(i)+1, what, e)
		}
	}
	return nil
}

// Invalid returns a solve.InputError.
func Invalid(format string, args ...any) error {
	return &solve.InputError{Msg: fmt.Sprintf(format, args...)}
}

// LookAtParts adds to a Judgement what x leaves unexplained in parts that no entry joins, which unexplained returns, where the Judgement may not tell of it.
func LookAtParts(j *verify.Judgement, opt solve.Options, unexplained func() (float64, error)) error {
	if !hides(*j, opt) {
		return nil
	}
	q, err := unexplained()
	j.Unexplained = max(j.Unexplained, q)
	return err
}

// hides reports whether an x may leave a part of b unexplained that its Judgement does not tell of: parts of a system are looked at only if the row-wise error is within
// the tolerance, and under another criterion a huge unknown excuses what is wrong with those that have nothing to do with it.
func hides(j verify.Judgement, opt solve.Options) bool {
	return !ByRows(opt.Stop) && ErrorOf(opt.Stop, j.Errors) <= opt.Tol && j.Row > opt.Tol && j.RelativeResidual > verify.MaxUnexplained(opt.Tol)
}

// Unconfirmed is the share of b that an x may leave unexplained where no digits confirm it.
const Unconfirmed = 0.1

// Explains reports whether an x that meets the tolerance also explains b. Under the normwise error and the norm of the residual
// small rows may stay unexplained, but not a tenth of b where no estimated digits show how accurate x is.
func Explains(j verify.Judgement, opt solve.Options) bool {
	most := verify.MaxUnexplained(opt.Tol)
	switch {
	case ByRows(opt.Stop):
		return j.Unexplained <= most
	case opt.NoRefine:
		return j.RelativeResidual <= most || j.Unexplained <= most && j.RelativeResidual < Unconfirmed
	}
	return j.RelativeResidual <= most || j.Unexplained <= most
}
