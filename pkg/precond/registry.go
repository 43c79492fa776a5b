package precond

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

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
	LU          Kind = "lu"
	Cholesky    Kind = "chol"
	LDL         Kind = "ldl"
	Chebyshev   Kind = "chebyshev"
	FSAI        Kind = "fsai"
	ISAI        Kind = "isai"
	AMG         Kind = "amg"
	Schur       Kind = "schur"
	CG32        Kind = "cg32"
)

// A Description is the row of a kind in the registry.
type Description struct {
	Kind       Kind
	Summary    string // what M is, in a few words
	Definite   bool   // for symmetric positive definite A only; so is M then
	Symmetric  bool   // for symmetric A only, definite or not; M is positive definite
	Iterates   bool   // it solves inexactly by an iteration, so that M is not linear
	Transposes bool   // M of A^T is the transpose of M of A, but for rounding
	BlockSizes bool   // it reads Options.BlockSize
	Drops      bool   // it reads Options.DropTol and Options.Fill

	// MaxWork is the number of multiplications per nonzero of A beyond which setting up
	// does not pay, about three times the number for meshes: graphs with a few rows that
	// touch everything may take a thousand times as many. 0: no limit.
	MaxWork float64

	// DeviceBytes estimates from above what a device holds for a matrix of n rows and nnz
	// nonzeros, besides vectors; nil: the kind does not run on devices.
	DeviceBytes func(n, nnz int64) int64

	// Overlaps: NewDistributed can make it of domains that overlap.
	Overlaps bool

	// Making is the largest memory of setting up relative to the memory of the preconditioner, or to the memory counted while
	// setting up; 0: no more than that. docs/memory.md has the measurements.
	Making float64

	create func(s setup) (Preconditioner, error)
	// plan is the plan of complete factors: in fronts, or by rows; nil: the kind has none.
	plan func(s *setup) (*frontPlan, *luPlan, error)

	// distribute is create for matrices in domains; nil: it is not for these.
	distribute func(s distributed) (Preconditioner, error)
}

// registry lists all kinds. A kind is added by its file and a row here.
var registry = []Description{
	{
		Kind: None, Summary: "identity", Transposes: true, DeviceBytes: noBytes,
		create: func(setup) (Preconditioner, error) { return nil, errors.New("there is nothing to set up") },
	},
	{Kind: Jacobi, Summary: "diagonal", Transposes: true, DeviceBytes: noBytes, create: newJacobi, distribute: newDistributedJacobi},
	{
		Kind: BlockJacobi, Summary: "diagonal blocks", BlockSizes: true, Making: 2.5,
		DeviceBytes: func(n, _ int64) int64 { return 8 * defaultBlockSize * n }, create: newBlockJacobi,
		distribute: byDomain(newBlockJacobi),
	},
	{Kind: ILU0, Summary: "ILU(0)", Transposes: true, Making: 4, Overlaps: true, create: newILU0, distribute: byDomain(newILU0)},
	{Kind: IC0, Summary: "IC(0)", Definite: true, Making: 3, Overlaps: true, create: newIC0, distribute: byDomain(newIC0)},
	{
		Kind: ILUT, Summary: "ILU with a threshold", Drops: true, MaxWork: 500, Making: 4.5, Overlaps: true,
		create: newILUT, distribute: byDomain(newILUT),
	},
	{
		Kind: ICT, Summary: "IC with a threshold", Definite: true, Drops: true, MaxWork: 500, Making: 3,
		Overlaps: true, create: newICT, distribute: byDomain(newICT),
	},
	{
		Kind: LU, Summary: "complete LU", Transposes: true, MaxWork: completeWork, Overlaps: true,
		create: newLU, distribute: byDomain(newLU), plan: (*setup).planAnyLU,
	},
	{
		Kind: Cholesky, Summary: "complete Cholesky", Definite: true, MaxWork: completeWork,
		Overlaps: true, create: newCholesky, distribute: byDomain(newCholesky), plan: fronts((*setup).planCholesky),
	},
	{
		Kind: LDL, Summary: "complete L|D|LT", Symmetric: true, MaxWork: completeWork,
		Overlaps: true, create: newLDL, distribute: byDomain(newLDL), plan: fronts((*setup).planIndefinite),
	},
	{
		Kind: Chebyshev, Summary: "polynomial", Definite: true, Making: 2,
		DeviceBytes: csr.Bytes, create: equilibrated(newChebyshev), // which may keep a matrix that the method has given up
		distribute: newDistributedChebyshev,
	},
	{
		Kind: FSAI, Summary: "sparse approximate inverse", Definite: true, Making: 2.25,
		DeviceBytes: csr.Bytes, create: equilibrated(newFSAI), distribute: newDistributedFSAI,
	},
	{
		Kind: ISAI, Summary: "sparse approximate inverses of ILU(0)", Making: 2.25, DeviceBytes: csr.Bytes, create: newISAI, distribute: byDomain(newISAI),
	},
	{
		Kind: AMG, Summary: "smoothed aggregation multigrid", MaxWork: 60,
		BlockSizes: true, create: newMultigrid, distribute: newDistributedMultigrid,
		DeviceBytes: func(n, nnz int64) int64 { return 2*csr.Bytes(n, nnz) + 60*n },
	},
	{Kind: CG32, Summary: "inexact conjugate gradients in FP32", Definite: true, Iterates: true, create: newCG32},
	{Kind: Schur, Summary: "block triangular with a Schur complement", Iterates: true, MaxWork: 60, create: newSchur},
}

// completeWork is Description.MaxWork of complete factorisations: seconds for matrices of some
// hundred thousand nonzeros.
const completeWork = 10000

// planning is the memory for finding an order and the pattern of complete factors, relative to the memory of the matrix.
const planning = 5

// fronts returns a plan of fronts as Description.plan.
func fronts(plan func(s *setup) (*frontPlan, error)) func(*setup) (*frontPlan, *luPlan, error) {
	return func(s *setup) (*frontPlan, *luPlan, error) {
		p, err := plan(s)
		return p, nil, err
	}
}

func noBytes(int64, int64) int64 { return 0 }

// Kinds lists the kinds that satisfy all conditions, in the order of the registry.
func Kinds(conditions ...func(Description) bool) (kinds []Kind) {
next:
	for _, d := range registry {
		for _, holds := range conditions {
			if !holds(d) {
				continue next
			}
		}
		kinds = append(kinds, d.Kind)
	}
	return kinds
}

// OnDevice reports whether the kind runs on devices.
func (d Description) OnDevice() bool { return d.DeviceBytes != nil }

// Lookup returns the row of a kind.
func Lookup(kind Kind) (Description, bool) {
	for _, d := range registry {
		if d.Kind == kind {
			return d, true
		}
	}
	return Description{}, false
}

// New sets up a preconditioner of m, which is square and stays as it is. The error is
// ErrInterrupted if ctx is done before that, ErrMemory, ErrWork, ErrNotDefinite or
// ErrSingular, wrapped, or describes what is wrong with the matrix or the options.
func New(ctx context.Context, kind Kind, m *csr.Matrix, opt Options, pool *parallel.Pool) (Preconditioner, error) {
	d, ok := Lookup(kind)
	if !ok {
		return nil, fmt.Errorf("unknown preconditioner %q", kind)
	}
	if err := opt.checkKernels(); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	opt.making = d.Making
	p, err := d.new(newSetup(ctx, m, opt, pool))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return p, nil
}

// suits reports a kind that is for symmetric matrices only, if this one is not.
func (d Description) suits(symmetric bool) error {
	switch {
	case d.Symmetric && !symmetric:
		return errors.New("the matrix is not symmetric")
	case d.Definite && !symmetric:
		return errors.New("the matrix is not symmetric with a positive diagonal")
	}
	return nil
}

func (d Description) new(s setup) (p Preconditioner, err error) {
	defer s.end(&err)
	if err := s.ready(d); err != nil {
		return nil, err
	}
	if p, err = d.create(s); err != nil {
		return nil, err
	}
	return p, s.checkMemory(p.Cost().Bytes)
}

// ready returns the errors of New that need no work.
func (s *setup) ready(d Description) error {
	if err := cmp.Or(d.suits(s.Symmetric), s.interrupted()); err != nil {
		return err
	}
	if err := s.checkFinite(); err != nil || d.plan == nil {
		return err
	}
	return s.checkMemory(planning * s.m.Bytes()) // for an order and a plan
}
