package solver

import (
	"context"
	"errors"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Batch is what solves in lockstep share: everything that is made of the matrix, by the solve that needs it first. Only one
// solve runs at a time.
type Batch struct {
	*backend.Host
	matrices map[backend.StoredAs]*sharedMatrix
	made     map[madeFor]madeOnce
	Scaled   map[bool]*csr.Matrix // by ScaledMatrix.None, while solves go on
	Later    *csr.Scaling         // the scaling of ScaledMatrix.Later; nil: not computed yet
}

// sharedMatrix is a stored matrix and the number of columns that use it.
type sharedMatrix struct {
	backend.Matrix[vector, scalar]
	users int
}

// madeFor identifies a preconditioner.
type madeFor struct {
	choice.Variant
	budget    float64
	precision choice.Precision // of the method's matrix
	none      bool
}

// madeOnce is the outcome of a set-up.
type madeOnce struct {
	precond.Preconditioner
	work  float64
	Fault error
}

// NewBatch returns a batch that begins with the stored matrix of f.
func NewBatch(f *refine.Refinement[vector, scalar], at *backend.Host) *Batch {
	g := &Batch{Host: at, matrices: map[backend.StoredAs]*sharedMatrix{}, made: map[madeFor]madeOnce{}, Scaled: map[bool]*csr.Matrix{}}
	c := f.Correction
	if first := backend.AsStored(c.First, c.Scaled); rules.SameStorage(c.Matrix.About().Storage, c.First) {
		g.matrices[first] = &sharedMatrix{Matrix: c.Matrix, users: 1}
	}
	return g
}

// preconditioner returns the preconditioner v for the method's matrix in a precision, scaled or not. It runs setUp once.
func (g *Batch) preconditioner(
	v choice.Variant, budget float64, p choice.Precision, none bool, setUp func() (precond.Preconditioner, float64, error),
) (made precond.Preconditioner, work float64, err error) {
	key := madeFor{v, budget, p, none}
	if had, ok := g.made[key]; ok {
		return had.Preconditioner, had.work, had.Fault
	}
	if made, work, err = setUp(); !errors.Is(err, precond.ErrInterrupted) {
		g.made[key] = madeOnce{made, work, err}
	}
	return made, work, err
}

// columnBackend is the backend of a solve in lockstep.
type columnBackend struct {
	*backend.Host
	*Batch
	*Column
}

var _ backend.SharedBackend[vector, scalar] = columnBackend{}

// Shared returns the scaled matrix in the storage t for the column.
func (p columnBackend) Shared(s *backend.ScaledMatrix, t solve.Storage) (backend.Matrix[vector, scalar], error) {
	key := backend.AsStored(t, s)
	kept := p.matrices[key]
	if kept == nil {
		made, err := backend.StoreMatrices(p.Host, s, t)
		if err != nil {
			return nil, err
		}
		kept = &sharedMatrix{Matrix: made}
		p.matrices[key] = kept
	}
	kept.users++
	return p.Column.matrix(kept.Matrix, func() {
		if kept.users--; kept.users == 0 {
			delete(p.matrices, key)
		}
	}), nil
}

// columnMatrix is a stored matrix that a column multiplies with.
type columnMatrix struct {
	columnOperator
	of      backend.Matrix[vector, scalar]
	dropped func()
}

// matrix returns the stored matrix of for the column. dropped is called when the column releases it.
func (m *Column) matrix(of backend.Matrix[vector, scalar], dropped func()) columnMatrix {
	return columnMatrix{columnOperator{of, m, severalOf(of)}, of, dropped}
}

// severalOf returns the products of several vectors with a stored matrix.
func severalOf(of backend.Matrix[vector, scalar]) severalProducts {
	if both, ok := of.(backend.Transposing[vector, scalar]); ok {
		of = both.Matrix
	}
	return severalProducts{of.(backend.HostMatrix).Relaxer.(linop.SeveralOperator)}
}

var (
	_ linop.Transposer[vector, scalar] = columnMatrix{}
	_ backend.Widening                 = columnMatrix{}
)

// ApplyT computes dst = A^T src.
func (a columnMatrix) ApplyT(dst, src vector) {
	switch of := a.of.(type) {
	case backend.Transposing[vector, scalar]:
		if of.Transpose == nil {
			a.Apply(dst, src)
			return
		}
		a.product(severalOf(of.Transpose), linop.Product{Dst: dst, Src: src})
	case linop.Transposer[vector, scalar]:
		of.ApplyT(dst, src)
	}
}

func (a columnMatrix) About() backend.Stored { return a.of.About() }

func (a columnMatrix) StorageError(r vector, norm float64, d backend.Powers[vector], e int) {
	a.of.StorageError(r, norm, d, e)
}

func (a columnMatrix) Release() { a.dropped() }

func (a columnMatrix) Wide() linop.Operator[dd.Vec, dd.DD] { return a.of.(backend.Widening).Wide() }

// Ready returns a preconditioner for the column: a fork with its own state, or one whose applications the column waits for.
func (a columnMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[vector], error) {
	switch by := made.(type) {
	case cycles:
		m := a.Column
		return by.ForkWaiting(func(copy precond.Preconditioner) { m.Ask(&Request{copy: copy, Of: severalCycles{by}}) }), nil
	case forker:
		return by.Fork(), nil
	case krylov.SeveralPreconditioner:
		return columnApplication{by, a.Column}, nil
	}
	return made, nil
}

// ApplicationVectors is the number of vectors that an application to several vectors takes for each: most with multigrid, whose
// levels have three to five vectors of float32.
const ApplicationVectors = 5

// Numbered returns a monitor that gets the number of the right-hand side with each event.
func Numbered(monitor krylov.Monitor, rhs *int) krylov.Monitor {
	if monitor == nil {
		return nil
	}
	return func(e krylov.Event) {
		e.RHS = *rhs
		monitor(e)
	}
}

// Charge subtracts the time that a solve has waited from the times of its result.
func (m *Column) Charge(r *solve.Result) {
	r.Time.SpMV -= m.Away.products
	r.Time.Precond -= m.Away.applications
	r.Precond.Elapsed -= m.Away.applications
	r.Time.Verify -= m.Away.judgements
	r.Time.Total -= m.Away.total()
}

// Refinement returns the refinement of the column m for the problem t. It shares everything that f has made of the matrix.
func (g *Batch) Refinement(ctx context.Context, m *Column, f *refine.Refinement[vector, scalar], t *refine.Problem) *refine.Refinement[vector, scalar] {
	p := f.Correction
	at := columnBackend{g.Host, g, m}
	accurate := f.Exact.Operator.(linop.Accurate)
	r := &refine.Refinement[vector, scalar]{
		At: at, Epsilon: f.Epsilon,
		Exact: &backend.Timed[vector, scalar]{Operator: columnOperator{accurate, m, severalProducts{accurate.CSR}}},
	}
	r.Refined = r.Operator(&t.System)
	r.Measure = backend.NewMeasure(at, t.Opt.Stop, t.AbsSums(), f.Measure.NormA)
	matrix := m.matrix(p.Matrix, func() {})
	r.Correction = &refine.Correction[vector, scalar]{
		At: at, Measure: r.Measure, Exact: r.Exact, Attempts: choice.NewAttempts(&t.System, g.Host, t.Carried.Ready), Prepare: t.Precondition,
		Hopeless: t.Hopeless, Repays: t.Repays, Suits: t.EpsilonFor,
		Ctx: ctx, InnerTol: p.InnerTol, Vectors: p.Vectors, Log: t.Opt.Log, Beyond: p.Beyond,
		StoredSystem: refine.StoredSystem[vector, scalar]{
			Scaled: t.Scaled, Scaling: p.Scaling, Matrix: matrix, First: p.First, Chosen: p.Chosen, Open: p.Open, Spared: p.Spared,
			Timed: &backend.Timed[vector, scalar]{Operator: matrix},
		},
		Shared:  refine.Shared{Made: g.preconditioner},
		Scratch: refine.Scratch[vector]{Rhs: at.New(), Z: at.New(), R: at.New()},
	}
	for v, had := range p.Attempts.Ready {
		by, _ := matrix.Ready(had.Made) // which has no errors
		own := *had
		own.By, own.Tally, own.Solves = by, &r.Correction.Attempts.Tally, max(1, had.Solves)
		r.Correction.Attempts.Ready[v] = &own
	}
	r.Steps = krylov.NewRefinement[vector, scalar](at)
	r.Steps.MaxSteps = f.Steps.MaxSteps
	return r
}

// Judgements are the judgements of solves in lockstep. Each is made by one thread, which is faster for several small systems than
// all threads on one judgement after the other.
type Judgements struct {
	Known *features.KnownParts
	Pool  *parallel.Pool
}

// JudgeVectors is the number of vectors of a judgement.
const JudgeVectors = 4

// Serve implements served.
func (j Judgements) Serve(requests []*Request) {
	if len(requests) < j.Pool.Threads() {
		for _, r := range requests {
			r.Judge(j.Pool)
		}
		return
	}
	j.Pool.Each(len(requests), func(k int) { requests[k].Judge(nil) })
}
