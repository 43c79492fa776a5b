package precond

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
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
	String() string // the kind and its main parameters
}

// Cost is what a preconditioner takes.
type Cost struct {
	Values     int64 // numbers stored
	ValueBytes int64 // that these take
	Bytes      int64 // of everything: values, indices, work vectors
	FP64Bytes  int64 // the same with values in FP64, in plain CSR where a matrix is meant
}

// Add adds up costs.
func (c Cost) Add(o Cost) Cost {
	return Cost{c.Values + o.Values, c.ValueBytes + o.ValueBytes, c.Bytes + o.Bytes, c.FP64Bytes + o.FP64Bytes}
}

// Kind names a preconditioner.
type Kind string

// The kinds.
const (
	None        Kind = "none"
	Jacobi      Kind = "jacobi"
	BlockJacobi Kind = "bjacobi"
	ILU0        Kind = "ilu0"
	IC0         Kind = "ic0"
	ILUT        Kind = "ilut"
	ICT         Kind = "ict"
	Chebyshev   Kind = "chebyshev"
	FSAI        Kind = "fsai"
	AMG         Kind = "amg"
)

// kind describes one.
type kind struct {
	name Kind
	make func(m *csr.Matrix, opt Options, pool *linop.Pool) (Preconditioner, error)
	spd  bool // for symmetric positive definite matrices only; M is that, too
}

// kinds is all there is. Jacobi is symmetric positive definite if A is; so is
// block Jacobi.
var kinds = []kind{
	{AMG, newMultigrid, false},
	{ILU0, newILU0, false},
	{IC0, newIC0, true},
	{ILUT, newILUT, false},
	{ICT, newICT, true},
	{Jacobi, newJacobi, false},
	{BlockJacobi, newBlockJacobi, false},
	{Chebyshev, equilibrated(newChebyshev), true},
	{FSAI, equilibrated(newFSAI), true},
}

// Kinds lists the kinds.
func Kinds() []Kind {
	names := []Kind{None}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Options are common to all kinds; the zero value is useful.
type Options struct {
	// Epsilon is the accuracy that values are stored with, relative to the norm
	// of their matrix or row; 0: DefaultEpsilon; adaptive.MinEpsilon: FP64.
	Epsilon float64

	Symmetric bool              // A is symmetric, and so must M be
	MaxBytes  int64             // of Cost.Bytes; 0: no limit
	MaxWork   float64           // multiplications a nonzero of A that setting up ILUT, ICT or AMG may take; 0: no limit
	Done      <-chan struct{}   // closed: setting up is to end with ErrInterrupted; nil: never
	Log       func(line string) // told what a user should know, a line each; nil: nobody

	// Operator is A as it is stored already, if it is: kinds that multiply with A
	// use it instead of storing A once more.
	Operator linop.Relaxer[vector, scalar]

	DropTol   float64 // ILUT, ICT: entries below this, relative to their row, are left out; 0: DefaultDropTol
	Fill      float64 // ILUT, ICT: entries of the factors at most, as a multiple of those of A; 0: DefaultFill
	BlockSize int     // BlockJacobi: the largest block; AMG: unknowns a node; 0: found from the pattern
	Degree    int     // Chebyshev: products with A an application; FSAI: power of A whose pattern is used; AMG: steps of a smoother; 0: the kind's default

	Multigrid MultigridOptions
}

// DefaultEpsilon is the accuracy of values unless one is asked for.
const DefaultEpsilon = 0x1p-16

// Errors that setting up may end with, wrapped.
var (
	// ErrNotDefinite: a matrix that must be positive definite is not.
	ErrNotDefinite = errors.New("not positive definite")
	// ErrMemory: the preconditioner takes more than Options.MaxBytes.
	ErrMemory = errors.New("not enough memory allowed")
	// ErrInterrupted: Options.Done was closed.
	ErrInterrupted = errors.New("interrupted")
	// ErrWork: setting up takes more than Options.MaxWork.
	ErrWork = errors.New("setting up takes too long")
	// ErrSingular: a matrix that must be inverted, A or one made from it, is singular.
	ErrSingular = errors.New("singular")
)

// New sets up a preconditioner of m, which is square and stays as it is.
func New(name Kind, m *csr.Matrix, opt Options, pool *linop.Pool) (Preconditioner, error) {
	for _, k := range kinds {
		if k.name != name {
			continue
		}
		if k.spd && !opt.Symmetric {
			return nil, fmt.Errorf("%s: the matrix is not symmetric with a positive diagonal", name)
		}
		p, err := k.make(m, opt.withDefaults(), pool)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := opt.allow(p.Cost().Bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return p, nil
	}
	return nil, fmt.Errorf("unknown preconditioner %q", name)
}

func (o Options) withDefaults() Options {
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
	return o
}

// interrupted is ErrInterrupted if Done is closed.
func (o Options) interrupted() error {
	select {
	case <-o.Done:
		return ErrInterrupted
	default:
		return nil
	}
}

// tooMuch is ErrWork if that many multiplications are more than MaxWork allows for a
// matrix of nnz nonzeros.
func (o Options) tooMuch(multiplications int64, nnz int) error {
	if o.MaxWork > 0 && float64(multiplications) > o.MaxWork*float64(nnz) {
		return fmt.Errorf("%w: more than %g multiplications a nonzero", ErrWork, o.MaxWork)
	}
	return nil
}

// askedEvery is the number of rows after which factorisations look at Done.
const askedEvery = 1024

// goOn is the error that ends a factorisation of m before row i, if any, after that
// many multiplications.
func (o Options) goOn(m *csr.Matrix, i int, multiplications int64) error {
	if i%askedEvery == 0 {
		if err := o.interrupted(); err != nil {
			return err
		}
	}
	return o.tooMuch(multiplications, m.NNZ())
}

// allow is ErrMemory if that is more than MaxBytes; asked before memory is taken.
func (o Options) allow(bytes int64) error {
	if o.MaxBytes > 0 && bytes > o.MaxBytes {
		return fmt.Errorf("%w: %.1f MB, the limit is %.1f MB", ErrMemory, float64(bytes)/1e6, float64(o.MaxBytes)/1e6)
	}
	return nil
}
