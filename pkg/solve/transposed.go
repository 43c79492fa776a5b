package solve

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// transposes reports whether the method multiplies with A^T as well.
func (m Method) transposes() bool {
	kind, ok := krylov.KindOf(string(m))
	return ok && kind.Transpose
}

// keepsSymmetry reports whether the scaled matrix is its own transpose.
func (s *Solver) keepsSymmetry() bool {
	return s.Facts.Symmetric && (s.opt.Scale == ScaleAuto || s.opt.Scale == ScaleSym || s.opt.Scale == ScaleNone)
}

// suits reports whether the method can be used with a preconditioner: one whose transpose is needed
// is symmetric, or that of A^T is its transpose.
func (s *Solver) suits(kind precond.Kind) bool {
	if !s.Method.transposes() || kind == precond.None {
		return true
	}
	d, _ := precond.Lookup(kind)
	return d.Transposes || s.keepsSymmetry() && (d.Definite || d.Symmetric || kind == precond.AMG && !s.opt.Precond.KCycle)
}

// checkTranspose reports a preconditioner that was requested for a method that it does not suit.
func (s *Solver) checkTranspose() error {
	if kind := s.opt.Precond.Kind; kind == PrecondAuto || s.suits(kind) {
		return nil
	}
	var suit []string
	for _, kind := range precond.Kinds() {
		if s.suits(kind) {
			suit = append(suit, string(kind))
		}
	}
	return invalid("method %s needs the transpose of the preconditioner, which %s has not for this matrix; these have: %s",
		s.Method, s.opt.Precond.Kind, strings.Join(suit, ", "))
}

// transposing is a stored matrix with its transpose, which is a second one unless A is symmetric.
type transposing[V any, S linop.Scalar[S]] struct {
	matrix[V, S]
	transpose matrix[V, S] // nil: the same
}

var _ linop.Transposer[vector, scalar] = transposing[vector, scalar]{}

// storeScaled stores the scaled matrix, and its transpose if the method needs that, unless others have.
func storeScaled[V any, S linop.Scalar[S]](at place[V, S], s *scaledMatrix, t Storage) (matrix[V, S], error) {
	if others, ok := at.(sharedPlace[V, S]); ok {
		return others.shared(s, t)
	}
	return storeMatrices(at, s, t)
}

// storeMatrices is storeScaled where there are no others.
func storeMatrices[V any, S linop.Scalar[S]](at place[V, S], s *scaledMatrix, t Storage) (matrix[V, S], error) {
	stored, err := at.store(s.matrix(), t)
	if _, has := stored.(linop.Transposer[V, S]); err != nil || has || !s.transposes {
		return stored, err
	}
	both := transposing[V, S]{matrix: stored}
	if !s.symmetric {
		if both.transpose, err = at.store(s.matrix().Transpose(s.pool), t); err != nil {
			stored.release()
			return nil, err
		}
	}
	return both, nil
}

// ApplyT computes dst = A^T src.
func (a transposing[V, S]) ApplyT(dst, src V) {
	if a.transpose == nil {
		a.matrix.Apply(dst, src)
		return
	}
	a.transpose.Apply(dst, src)
}

func (a transposing[V, S]) about() stored {
	s := a.matrix.about()
	if a.transpose != nil {
		s.bytes += a.transpose.about().bytes
	}
	return s
}

func (a transposing[V, S]) release() {
	a.matrix.release()
	if a.transpose != nil {
		a.transpose.release()
	}
}

// line tells what is stored besides.
func (a transposing[V, S]) line() string {
	if a.transpose == nil {
		return "transpose the same: the matrix is symmetric"
	}
	return fmt.Sprintf("transpose stored as a second matrix, %s", humanize.Bytes(uint64(a.transpose.about().bytes)))
}

// bothWays is a preconditioner with its transpose.
type bothWays struct {
	precond.Preconditioner
	transpose precond.Preconditioner // nil: the same
}

// ApplyT computes dst = M^-T src.
func (p bothWays) ApplyT(dst, src []float64) {
	if p.transpose == nil {
		p.Apply(dst, src)
		return
	}
	p.transpose.Apply(dst, src)
}

// Cost is that of both.
func (p bothWays) Cost() precond.Cost {
	if p.transpose == nil {
		return p.Preconditioner.Cost()
	}
	return p.Preconditioner.Cost().Add(p.transpose.Cost())
}

// transpose returns the transpose of the matrix, over domains of their diagonal blocks alone: all that preconditioners that transpose are made of.
func (s *scaledMatrix) transpose() *csr.Matrix {
	if s.job != nil {
		return s.job.TransposedBlocks(s.matrix(), s.pool)
	}
	return s.matrix().Transpose(s.pool)
}

// transposed sets up the preconditioner of A^T as the transpose of made, if the method needs that.
func (c *correction[V, S]) transposed(
	made precond.Preconditioner, v variant, budget float64, held int64,
) (_ precond.Preconditioner, work float64, err error) {
	if !c.scaled.transposes {
		return made, 0, nil
	}
	p := bothWays{Preconditioner: made}
	if !c.scaled.symmetric {
		p.transpose, work, err = c.prepare(c.ctx, c.scaled.transpose(), v, budget, held+made.Cost().Bytes, stored{})
	}
	return p, work, err
}

// ApplyT computes dst = M^-T src.
func (p *preconditioner[V, S]) ApplyT(dst, src V) {
	defer p.add(time.Now())
	p.by.(krylov.TransposedPreconditioner[V]).ApplyT(dst, src)
}
