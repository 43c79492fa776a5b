package backend

import (
	"fmt"
	"unsafe"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// ScaledMatrix is s D_r A D_c with powers of two D_r and D_c, where s = -1 makes a matrix
// with a negative diagonal positive definite.
type ScaledMatrix struct {
	csr.Scaling
	Sign float64
	M    *csr.Matrix // A
	Pool *parallel.Pool
	Job  *ranks.Job  // nil: all of A is here
	made *csr.Matrix // the scaled matrix; nil: not made yet

	Shared map[bool]*csr.Matrix // scaled matrices that solves in lockstep have made, by None; nil: there are no other solves

	// Later returns the scaling for all preconditioners but the diagonal, with which the matrix is not scaled; nil: the scaling is the
	// same for all preconditioners.
	Later func() csr.Scaling
	None  bool // the matrix is not scaled now

	Transposes bool // the method multiplies with the transpose as well
	Symmetric  bool // the transpose is the same matrix
}

// Identity reports whether the scaling changes nothing, on any rank.
func (s *ScaledMatrix) Identity() bool {
	if s.Job != nil {
		return dist.Identity(s.Job.Matrix, s.Scaling)
	}
	return s.Scaling.Identity()
}

// Suit switches to the scaling for a kind of preconditioner, and reports whether the scaling has changed.
func (s *ScaledMatrix) Suit(kind precond.Kind) (changed bool) {
	if s.Later == nil || s.None == (kind == precond.Jacobi) {
		return false
	}
	if s.None = !s.None; s.None {
		s.Scaling = csr.NoScaling(s.M)
	} else {
		s.Scaling = s.Later()
	}
	s.made = nil
	return true
}

// Matrix returns the scaled matrix. It is made once, and kept until Drop.
func (s *ScaledMatrix) Matrix() *csr.Matrix {
	switch {
	case s.made != nil:
	case s.Shared[s.None] != nil:
		s.made = s.Shared[s.None]
	case s.Identity() && s.Sign > 0:
		s.made = s.M
	default:
		s.made = s.Apply(s.M, s.Pool)
		if s.Sign < 0 {
			s.made.Negate(s.Pool)
		}
	}
	if s.Shared != nil {
		s.Shared[s.None] = s.made
	}
	return s.made
}

// Drop releases the scaled matrix, unless the stored matrix a uses it.
func (s *ScaledMatrix) Drop(a Stored) { s.made = a.Source }

// Scaling converts between the vectors of A d = r and those of the scaled system
//
//	(s D_r A D_c) z = s D_r r / 2^e,  d = 2^e D_c z.
//
// It adds up exponents before it applies them, so that nothing over- or underflows on the way.
type Scaling[V any] struct {
	Sign               float64
	row, Unscaled, Col Powers[V] // D_r, D_r^-1, D_c
}

// NewScaling returns the scaling of s for vectors of a backend.
func NewScaling[V any, S linop.Scalar[S]](at Backend[V, S], s *ScaledMatrix) Scaling[V] {
	row := at.Powers(s.Row, 1)
	if s.Identity() {
		return Scaling[V]{s.Sign, row, row, row}
	}
	col := row
	if unsafe.SliceData(s.Row) != unsafe.SliceData(s.Col) {
		col = at.Powers(s.Col, 1)
	}
	return Scaling[V]{s.Sign, row, at.Powers(s.Row, -1), col}
}

// Residual sets rhs = s D_r r / 2^e, where 2^e is the magnitude of s D_r r, so that no inner product over- or underflows.
func (s *Scaling[V]) Residual(rhs, r V) (e int) {
	e = s.row.MaxExponent(r)
	s.row.Ldexp(rhs, r, s.Sign, -e)
	return e
}

// Correction sets d = 2^e D_c z.
func (s *Scaling[V]) Correction(d, z V, e int) { s.Col.Ldexp(d, z, 1, e) }

// Stored describes how the scaled matrix is stored.
type Stored struct {
	Storage solve.Storage
	Bytes   int64
	Stats   adaptive.Stats  // zero if it is plain CSR
	Layout  string          // in words
	Kind    adaptive.Layout // "": there is no single layout
	slow    bool            // slower than FP64 CSR
	Rows    int

	Relaxer linop.Relaxer[vector, scalar] // the matrix for preconditioners that multiply with it; nil: not on the host
	Source  *csr.Matrix                   // the scaled matrix, if the stored matrix uses it; nil: it does not
}

// Lines describes the stored matrix, with a line for each format.
func (a Stored) Lines() []string {
	if rules.Plain(a.Storage) {
		lines := []string{"precision FP64"}
		if a.Layout != "" {
			lines = append(lines, "layout "+a.Layout)
		}
		return lines
	}
	s := a.Stats
	fp64 := csr.Bytes(int64(a.Rows), int64(s.NNZ))
	lines := []string{fmt.Sprintf("precision %v: %.2f bytes per nonzero instead of %.2f, indices included; %.2f %% dropped",
		a.Storage, s.PerNonzero(), float64(fp64)/float64(max(s.NNZ, 1)), 100*float64(s.Dropped)/float64(max(s.NNZ, 1)))}
	layout := a.Layout
	if a.slow {
		layout += "; slower than FP64 CSR if rows are short (Options.Storage.Set = FP64)"
	}
	lines = append(lines, "layout "+layout)
	for _, f := range s.Formats {
		lines = append(lines, fmt.Sprintf("format %-8s %11d nonzeros %5.1f %% %11d bytes",
			f.Format.Name, f.Count, 100*float64(f.Count)/float64(max(s.NNZ, 1)), f.Bytes))
	}
	return lines
}

// Formats names the formats in use.
func (a Stored) Formats() []string {
	if rules.Plain(a.Storage) {
		return []string{"FP64"}
	}
	var names []string
	for _, f := range a.Stats.Formats {
		names = append(names, f.Format.Name)
	}
	return names
}

// StoredAs identifies a stored matrix of a system: its storage, and whether it is scaled.
type StoredAs struct {
	set      string
	epsilon  float64
	dd, none bool
}

// AsStored returns the identification of the scaled matrix in the storage t.
func AsStored(t solve.Storage, s *ScaledMatrix) StoredAs {
	return StoredAs{t.Set.Name, t.Epsilon, t.DD, s.None}
}

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
	both := Transposed[dd.Vec, dd.DD]{Operator: any(a.Matrix).(Widening).Wide()}
	both.Transpose = both.Operator
	if a.Transpose != nil {
		both.Transpose = any(a.Transpose).(Widening).Wide()
	}
	return both
}
