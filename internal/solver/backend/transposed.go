package backend

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Transposing is a stored matrix with its transpose, which is a second stored matrix unless A is symmetric.
type Transposing[V any, S linop.Scalar[S]] struct {
	Matrix[V, S]
	Transpose Matrix[V, S] // nil: the matrix is symmetric
}

var _ linop.Transposer[vector, scalar] = Transposing[vector, scalar]{}

// StoreScaled stores the scaled matrix, and its transpose if the method needs it. A SharedBackend returns the matrix that another
// solve has stored, if there is one.
func StoreScaled[V any, S linop.Scalar[S]](at Backend[V, S], s *ScaledMatrix, t solve.Storage) (Matrix[V, S], error) {
	if others, ok := at.(SharedBackend[V, S]); ok {
		return others.Shared(s, t)
	}
	return StoreMatrices(at, s, t)
}

// StoreMatrices is StoreScaled without sharing.
func StoreMatrices[V any, S linop.Scalar[S]](at Backend[V, S], s *ScaledMatrix, t solve.Storage) (Matrix[V, S], error) {
	stored, err := at.Store(s.Matrix(), t)
	if _, has := stored.(linop.Transposer[V, S]); err != nil || has || !s.Transposes {
		return stored, err
	}
	both := Transposing[V, S]{Matrix: stored}
	if !s.Symmetric {
		if both.Transpose, err = at.Store(s.Matrix().Transpose(s.Pool), t); err != nil {
			stored.Release()
			return nil, err
		}
	}
	return both, nil
}

// ApplyT computes dst = A^T src.
func (a Transposing[V, S]) ApplyT(dst, src V) {
	if a.Transpose == nil {
		a.Matrix.Apply(dst, src)
		return
	}
	a.Transpose.Apply(dst, src)
}

func (a Transposing[V, S]) About() Stored {
	s := a.Matrix.About()
	if a.Transpose != nil {
		s.Bytes += a.Transpose.About().Bytes
	}
	return s
}

func (a Transposing[V, S]) Release() {
	a.Matrix.Release()
	if a.Transpose != nil {
		a.Transpose.Release()
	}
}

// Line describes the transpose.
func (a Transposing[V, S]) Line() string {
	if a.Transpose == nil {
		return "transpose the same: the matrix is symmetric"
	}
	return fmt.Sprintf("transpose stored as a second matrix, %s", humanize.Bytes(uint64(a.Transpose.About().Bytes)))
}

// Transpose returns the transpose of the scaled matrix. Over domains it transposes the diagonal blocks alone, which are all that
// preconditioners with a transpose need.
func (s *ScaledMatrix) Transpose() *csr.Matrix {
	if s.Job != nil {
		return s.Job.TransposedBlocks(s.Matrix(), s.Pool)
	}
	return s.Matrix().Transpose(s.Pool)
}

// A SharedBackend has matrices that other solves have stored.
type SharedBackend[V any, S linop.Scalar[S]] interface {
	Shared(s *ScaledMatrix, t solve.Storage) (Matrix[V, S], error)
}

// A Widening matrix also has products with double-double vectors.
type Widening interface {
	Wide() linop.Operator[dd.Vec, dd.DD]
}

// Wide implements Widening.
func (a Transposing[V, S]) Wide() linop.Operator[dd.Vec, dd.DD] {
	both := linop.Transposed[dd.Vec, dd.DD]{Operator: any(a.Matrix).(Widening).Wide()}
	both.Transpose = both.Operator
	if a.Transpose != nil {
		both.Transpose = any(a.Transpose).(Widening).Wide()
	}
	return both
}
