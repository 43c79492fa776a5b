package precond

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
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
	Data() Data     // describes M^-1 for a device; nil if the kind does not run there
	String() string // the kind and its main parameters
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

	// Kernels is the name of the kernels for the products and vectors of an application; "": the default ones of this
	// processor. Setting up and complete factors use the default ones, with the same bits.
	Kernels string
	kernels *kernels.Set // of this name

	// Model chooses the layouts of stored matrices; nil: adaptive.ModelOf(Kernels).
	Model *adaptive.Model

	Symmetric bool              // A is symmetric, and M must be symmetric too
	Log       func(line string) // receives warnings, a line each; nil: nobody
	Stage     func(text string) // receives the present stage of setting up, from kinds that take long, one at a time from any thread; nil: nobody

	// Portable: matrices stay in FP64 CSR, and Data describes them for another backend, which stores them with Epsilon.
	// Otherwise Data of FSAI, ISAI and AMG is nil.
	Portable bool

	// Operator is A as it is stored already, if it is: kinds that multiply with A
	// use it instead of storing A once more.
	Operator linop.Relaxer[vector, scalar]

	// Kept holds what set-ups of matrices with the same pattern share; nil: nothing is kept.
	Kept *Kept

	Limits
	Incomplete
	Overlap   Overlap // NewDistributed, by domain
	BlockSize int     // BlockJacobi: the largest block; AMG: unknowns a node; 0: found from the pattern
	Degree    int     // Chebyshev: products with A an application; FSAI, ISAI: power of A, or of its factors, whose pattern is used; AMG: steps of a smoother; 0: the kind's default

	Multigrid MultigridOptions

	// Stiff reports whether the condition of A is expected to be beyond FP32, which complete factors then take only if FP64 does not fit. It is called
	// where FP32 would save time; nil: it is not.
	Stiff func() bool
}

// Limits bound the memory and the work of setting up, and report them. The functions may be nil.
type Limits struct {
	MaxBytes int64                       // the memory that setting up takes, and Cost.Bytes; 0: no limit
	MaxWork  float64                     // the multiplications per nonzero of A that setting up takes; 0: no limit
	Worked   func(multiplications int64) // receives the multiplications so far, now and then, from the kinds that MaxWork limits
	Needs    func(bytes int64)           // receives the least MaxBytes with which setting up reaches its present state, whenever that grows

	making float64 // Description.Making
}

// Incomplete are the options of incomplete factorisations.
type Incomplete struct {
	DropTol   float64 // ILUT, ICT: entries below this, relative to their row, are dropped; 0: DefaultDropTol
	Fill      float64 // ILUT, ICT: largest number of entries of the factors, relative to the entries of A; 0: DefaultFill
	Relax     float64 // ILU0: share of the dropped entries that is added to the diagonal ([Gustafsson78]); 0: none
	Undivided bool    // ILU0: no subdomains: all rows in their order, solved by one thread

	order ordering // ILUT, ICT
}

// ordering names an order of rows and columns for incomplete factorisations.
type ordering string

const (
	orderAuto ordering = ""    // orderAMD where the drop tolerance is at most nearlyComplete, otherwise orderRCM
	orderRCM  ordering = "rcm" // reverse Cuthill-McKee, see csr.RCM
	orderAMD  ordering = "amd" // approximate minimum degree, see order.AMD
	orderRows ordering = "row" // for pivots in any columns, see order.RowAMD
	orderCuts ordering = "cut" // nested dissection, see order.Dissect
)

// Overlap names how many layers of rows of other domains a domain has besides its own.
type Overlap string

// The overlaps. Without one, it is OverlapOne where the kind has it and it pays, by the size of domains and of nodes.
const (
	OverlapNone Overlap = "0" // blocks on the diagonal
	OverlapOne  Overlap = "1" // restricted additive Schwarz, or a weighted one where M must be symmetric
)

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
)

// checkKernels returns an error if this processor has no kernels of that name.
func (o Options) checkKernels() error {
	if o.Kernels != "" && kernels.Find(o.Kernels) == nil {
		return fmt.Errorf("this processor has no kernels %q", o.Kernels)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.kernels = kernels.Find(o.Kernels).Or()
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

// severalProducts does products with a, in one pass over it if it can.
func severalProducts(a linop.Relaxer[vector, scalar], products []linop.Product) {
	if s, ok := a.(linop.SeveralOperator); ok {
		s.Several(products)
		return
	}
	for _, p := range products {
		if p.Epilogue == linop.Relax {
			a.Relax(p.Dst, p.Src, p.B, p.W, scalar(p.Omega))
		} else {
			a.Apply(p.Dst, p.Src)
		}
	}
}

// workVectors makes work vectors of n elements until there are count.
func workVectors(work []vector, count, n int) []vector {
	for len(work) < count {
		work = append(work, make(vector, n))
	}
	return work
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *twoProducts) ApplyMany(dst, src [][]float64) {
	p.many = workVectors(p.many, len(dst), len(p.work))
	products := make([]linop.Product, len(dst))
	for k := range products {
		products[k] = linop.Product{Dst: p.many[k], Src: src[k]}
	}
	severalProducts(p.a, products)
	for k := range products {
		products[k] = linop.Product{Dst: dst[k], Src: p.many[k]}
	}
	severalProducts(p.b, products)
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *chebyshev) ApplyMany(dst, src [][]float64) {
	p.many = workVectors(p.many, len(dst), len(p.w))
	x, work := dst, p.many[:len(dst)]
	if len(p.omega)%2 == 0 { // an odd number of exchanges follows
		x, work = work, x
	}
	for k := range dst {
		p.space.Mul(p.omega[0], p.w, src[k], x[k])
	}
	products := make([]linop.Product, len(dst))
	for _, omega := range p.omega[1:] {
		for k := range products {
			products[k] = linop.Product{
				Epilogue: linop.Relax, Dst: work[k], Src: x[k], B: src[k], W: p.w, Omega: omega.Float(), Old: x[k],
			}
		}
		severalProducts(p.a, products)
		x, work = work, x
	}
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *rescaled) ApplyMany(dst, src [][]float64) {
	by, ok := p.Preconditioner.(krylov.SeveralPreconditioner)
	if !ok {
		for k := range dst {
			p.Apply(dst[k], src[k])
		}
		return
	}
	p.many = workVectors(p.many, len(dst), len(p.s))
	for k := range dst {
		p.space.Mul(1, p.s, src[k], p.many[k])
	}
	by.ApplyMany(dst, p.many[:len(dst)])
	for k := range dst {
		p.space.Mul(1, p.s, dst[k], dst[k])
	}
}
