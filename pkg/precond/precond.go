package precond

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

type (
	vector = []float64
	scalar = linop.Float64
)

// Preconditioner is a map z = M^-1 r of host vectors, M ~ A. It keeps work
// vectors and its results have the same bits for any number of threads; use it
// from one goroutine at a time.
type Preconditioner interface {
	Apply(dst, src []float64) // dst = M^-1 src; dst is not src
	Cost() Cost
	Data() Data     // what Apply computes with, for a device; nil if the kind does not run there
	String() string // the kind and its main parameters
}

// A Forker keeps something from one call to the next. Fork returns another one with the same M^-1, which
// solves that take turns have each for itself.
type Forker interface{ Fork() Preconditioner }

// A Several is a Preconditioner that is applied to several vectors at once, for which it reads what it has stored once.
type Several interface {
	Preconditioner
	ApplyMany(dst, src [][]float64) // dst[k] = M^-1 src[k], with the bits of Apply
}

// Cost is the memory of a preconditioner.
type Cost struct {
	Values     int64 // numbers stored
	ValueBytes int64 // of these numbers
	Bytes      int64 // of everything: values, indices, work vectors
	FP64Bytes  int64 // the same with values in FP64, and matrices in plain CSR
}

// Add returns the sum of two costs.
func (c Cost) Add(o Cost) Cost {
	return Cost{c.Values + o.Values, c.ValueBytes + o.ValueBytes, c.Bytes + o.Bytes, c.FP64Bytes + o.FP64Bytes}
}

// fp64Cost is the cost of that many numbers in FP64.
func fp64Cost(values int64) Cost { return Cost{values, 8 * values, 8 * values, 8 * values} }

// workCost is the cost of work vectors, of that many elements in all.
func workCost(elements int64) Cost { return Cost{Bytes: 8 * elements, FP64Bytes: 8 * elements} }

// Options are common to all kinds; the zero value is useful.
type Options struct {
	// Epsilon is the accuracy of stored values relative to the norm of their matrix
	// or row; 0: DefaultEpsilon; adaptive.MinEpsilon: FP64.
	Epsilon float64

	// Kernels are those of the products and vectors of an application; nil: the default ones. Setting
	// up and complete factors have the default ones, with the same bits.
	Kernels *kernels.Set

	// Model is what the layouts of stored matrices are chosen by; nil: adaptive.ModelOf the kernels.
	Model *adaptive.Model

	Symmetric bool              // A is symmetric, and M must be symmetric too
	MaxBytes  int64             // the memory budget, a limit on what setting up takes, and on Cost.Bytes; 0: no limit
	MaxWork   float64           // limit on the multiplications per nonzero of A to set up ILUT, ICT or AMG; 0: no limit
	Log       func(line string) // receives warnings, a line each; nil: nobody
	Stage     func(text string) // receives what setting up is on, by kinds that take long; nil: nobody

	// Portable: matrices stay in FP64 CSR, and Data describes them for another place, where they are to be stored with Epsilon.
	// Otherwise Data of FSAI, ISAI and AMG is nil.
	Portable bool

	// Worked is told the multiplications of setting up so far, now and then, by the kinds
	// that MaxWork limits; nil: nobody.
	Worked func(multiplications int64)

	// Needs is told the least MaxBytes with which setting up could have come as far as it is, whenever that grows; nil: nobody.
	Needs func(bytes int64)

	// Operator is A as it is stored already, if it is: kinds that multiply with A
	// use it instead of storing A once more.
	Operator linop.Relaxer[vector, scalar]

	// Kept is what set-ups of matrices with the same pattern have in common; nil: nothing is kept.
	Kept *Kept

	DropTol   float64 // ILUT, ICT: entries below this, relative to their row, are dropped; 0: DefaultDropTol
	Fill      float64 // ILUT, ICT: largest number of entries of the factors, relative to those of A; 0: DefaultFill
	Order     Order   // ILUT, ICT: OrderAuto if empty
	Relax     float64 // ILU0: share of what it drops that is added to the diagonal, see newILU0; 0: none
	Undivided bool    // ILU0: no subdomains: all rows in their order, solved by one thread, see split
	Overlap   Overlap // NewDistributed, by domain
	BlockSize int     // BlockJacobi: the largest block; AMG: unknowns a node; 0: found from the pattern
	Degree    int     // Chebyshev: products with A an application; FSAI, ISAI: power of A, or of its factors, whose pattern is used; AMG: steps of a smoother; 0: the kind's default

	Multigrid MultigridOptions

	making float64 // Description.Making
}

// Order names an order of rows and columns for incomplete factorisations.
type Order string

// The orders.
const (
	OrderAuto Order = ""    // OrderAMD where the drop tolerance is at most nearlyComplete, otherwise OrderRCM
	OrderRCM  Order = "rcm" // reverse Cuthill-McKee, see csr.RCM
	OrderAMD  Order = "amd" // approximate minimum degree, see csr.AMD
)

// Overlap names how many layers of rows of other domains a domain has besides its own.
type Overlap string

// The overlaps.
const (
	OverlapAuto Overlap = ""  // OverlapOne where the kind has it and it pays, by the size of domains and of nodes
	OverlapNone Overlap = "0" // blocks on the diagonal
	OverlapOne  Overlap = "1" // restricted additive Schwarz, or a weighted one where M must be symmetric
)

// Overlaps lists the overlaps.
var Overlaps = []Overlap{OverlapAuto, OverlapNone, OverlapOne}

// DefaultEpsilon is the default accuracy of stored values.
const DefaultEpsilon = 0x1p-16

// Errors of New, wrapped.
var (
	// ErrNotDefinite: a matrix that must be positive definite is not.
	ErrNotDefinite = errors.New("not positive definite")
	// ErrIndefinite is an ErrNotDefinite where rounding cannot be the reason.
	ErrIndefinite = fmt.Errorf("%w, but indefinite", ErrNotDefinite)
	// ErrMemory: the preconditioner takes more than Options.MaxBytes.
	ErrMemory = errors.New("memory limit too low")
	// ErrInterrupted: the context of New is done.
	ErrInterrupted = errors.New("interrupted")
	// ErrWork: setting up takes more than Options.MaxWork.
	ErrWork = errors.New("setting up takes too long")
	// ErrSingular: a matrix that must be inverted, A or one made from it, is singular.
	ErrSingular = errors.New("singular")
	// ErrNoEstimate: Estimate has none for the kind.
	ErrNoEstimate = errors.New("no estimate of the work")
)

func (o Options) withDefaults() Options {
	o.Kernels = o.Kernels.Or()
	if o.Epsilon == 0 {
		o.Epsilon = DefaultEpsilon
	}
	if o.DropTol == 0 {
		o.DropTol = DefaultDropTol
	}
	if o.Fill == 0 {
		o.Fill = DefaultFill
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Stage == nil {
		o.Stage = func(string) {}
	}
	return o
}
