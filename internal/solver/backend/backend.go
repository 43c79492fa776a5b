package backend

import (
	"math"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Backend holds the vectors of a solve, with scalars of type S: in the memory of the host, or on a device. The interfaces of this
// file are all that depends on the backend. Scaling, the stopping criteria, refinement and its corrections are written once in terms of
// them, and never round the solution to float64.
//
// Another backend is a file with a type for each interface here, and a case in solver.Solver.build, which decides on the backend,
// or a row of solver.vectorsOf for another kind of number in memory.
type Backend[V any, S linop.Scalar[S]] interface {
	vectors[V, S]
	matrices[V, S]

	// Agree returns krylov.Options.Agree, by which all ranks that share the vectors go on or end alike; nil: no ranks share them.
	Agree() func(krylov.Reason) krylov.Reason

	Fault() error // the fault after which results are wrong; nil: none
	Close()       // release everything
}

// vectors are the operations of a backend on vectors.
type vectors[V any, S linop.Scalar[S]] interface {
	linop.Space[V, S]

	FromHost(x []float64) V  // a copy of x, or x itself
	ToHost(x []float64, v V) // x = v
	GiveBack(vs ...V)        // gives back vectors of FromHost and New

	// Reductions, in float64 whatever S is: they serve comparisons, and never enter the solution. NaN if an element is NaN.
	AbsMax(x V) float64                          // max |x_i|
	Norm2(x V) (norm float64, e int)             // ||x||_2 = norm 2^e, which may be beyond float64
	RowError(r, t V, normX float64, b V) float64 // max quotient(|r_i|, t_i, normX, |b_i|)

	Powers(e []int, sign int) Powers[V] // diag(2^(sign e_i)); e stays as it is
}

// Powers is a diagonal matrix D of powers of two.
type Powers[V any] interface {
	Ldexp(dst, src V, a float64, shift int) // dst = a 2^shift D src, rounded once if a is 1 or -1
	AddLdexp(dst, x, z V, shift int)        // dst = x + 2^shift D z
	MaxExponent(x V) int                    // the largest dd.Exponent of a nonzero of D x; LeastExponent: x = 0
}

// LeastExponent is below the exponents of all numbers, scaled or not.
const LeastExponent = -1 << 14

// matrices are the operations of a backend with matrices.
type matrices[V any, S linop.Scalar[S]] interface {
	Exact() linop.Operator[V, S] // A as given, with accurate residuals
	AbsApply(dst, x V)           // dst = |A||x|

	// Store converts the scaled matrix, s D_r A D_c, to the storage t.
	Store(scaled *csr.Matrix, t solve.Storage) (Matrix[V, S], error)
}

// A Matrix is the scaled matrix as the method multiplies with it.
type Matrix[V any, S linop.Scalar[S]] interface {
	linop.Operator[V, S]
	About() Stored

	// StorageError sets r_i = 2^e D theta_i norm, where theta_i bounds the error of row i in reduced precision. r_i then bounds
	// the error of the residual after a product with a vector of that norm. It is not called for a matrix in FP64.
	StorageError(r V, norm float64, d Powers[V], e int)

	// Ready makes a preconditioner of this matrix ready for vectors of the backend. An error names a kind that the backend does
	// not support.
	Ready(made precond.Preconditioner) (krylov.Preconditioner[V], error)

	Release() // no method multiplies with it any more
}

// keeps is what a backend on devices keeps until it is closed: free vectors, and the objects that it closes.
type keeps[V any] struct {
	spare []V
	owned []closer // the last one is closed first
}

// take returns a free vector, or a new one if none is free.
func (k *keeps[V]) take(create func() V) V {
	if len(k.spare) == 0 {
		return create()
	}
	last := len(k.spare) - 1
	v := k.spare[last]
	k.spare = k.spare[:last]
	return v
}

func (k *keeps[V]) GiveBack(vs ...V) { k.spare = append(k.spare, vs...) }

func (k *keeps[V]) closeOwned() {
	for _, c := range slices.Backward(k.owned) {
		c.Close()
	}
}

// exponents returns sign e in the form of devices; nil: all exponents are zero.
func exponents(e []int, sign int) []int32 {
	if !slices.ContainsFunc(e, func(e int) bool { return e != 0 }) {
		return nil
	}
	signed := make([]int32, len(e))
	for i := range e {
		signed[i] = int32(sign * e[i])
	}
	return signed
}

// Measure evaluates the stopping criterion for x and r = b - A x, in float64. It steers the solve; package verify gives the verdict.
type Measure[V any, S linop.Scalar[S]] struct {
	At      Backend[V, S]
	Stop    solve.Stop
	Weights V       // row sums of |A| or, for StopCW, |A||x|
	NormA   float64 // infinity norm
	b       V
	normB   float64 // infinity norm; for StopRel the 2-norm is normB 2^expB
	expB    int
}

// StopWeighted is the measure max |r_i| / weights_i.
const StopWeighted solve.Stop = "weighted"

// NewMeasure returns the measure for a matrix with these row sums of |A|, the largest of which is normA.
func NewMeasure[V any, S linop.Scalar[S]](at Backend[V, S], stop solve.Stop, rowSums []float64, normA float64) *Measure[V, S] {
	k := &Measure[V, S]{At: at, Stop: stop, NormA: normA}
	if stop == solve.StopCW {
		k.Weights = at.New()
	} else {
		k.Weights = at.FromHost(rowSums)
	}
	return k
}

// Begin sets the right-hand side.
func (k *Measure[V, S]) Begin(b V) {
	k.b = b
	if k.Stop == solve.StopRel {
		k.normB, k.expB = k.At.Norm2(b)
	} else {
		k.normB = k.At.AbsMax(b)
	}
}

// Of returns the measure of x and r; NaN or Inf if x or r is not finite.
func (k *Measure[V, S]) Of(x, r V) float64 {
	switch k.Stop {
	case solve.StopNW:
		return Quotient(k.At.AbsMax(r), k.NormA, k.At.AbsMax(x), k.normB)
	case solve.StopRel:
		norm, e := k.At.Norm2(r)
		return dd.Ldexp(norm/k.normB, e-k.expB)
	case solve.StopCW:
		k.At.AbsApply(k.Weights, x)
		return k.At.RowError(r, k.Weights, 1, k.b)
	case StopWeighted:
		return 2 * k.At.RowError(r, k.Weights, 1, k.Weights) // |r_i| / (w_i + w_i)
	default:
		return k.At.RowError(r, k.Weights, k.At.AbsMax(x), k.b)
	}
}

// virtual are powers of a backend that measures scaled vectors without making them.
type virtual[V any] interface {
	// sumNorms returns max |x_i + 2^shift d_i z_i| and max |z_i|.
	sumNorms(x, z V, shift int) (sum, largest float64, ok bool)
	// rowError returns RowError of 2^shift D r for r.
	rowError(r V, shift int, t V, normX float64, b V) (e float64, ok bool)
}

// OfCorrection returns the measure of x + 2^e D_c z, whose residual is 2^e D_r^-1 rhs, and the maximum norms of this sum and of z.
// Where the backend or the criterion needs the sum and the residual as vectors, it makes them in sum and r, and the norms are NaN.
func (k *Measure[V, S]) OfCorrection(s *Scaling[V], x, z, rhs V, e int, sum, r V) (m, normX, normZ float64) {
	col, ok := s.Col.(virtual[V])
	if unscaled, also := s.Unscaled.(virtual[V]); ok && also && (k.Stop == solve.StopRow || k.Stop == StopWeighted) {
		if normX, normZ, ok = col.sumNorms(x, z, e); ok {
			if k.Stop == StopWeighted {
				m, ok = unscaled.rowError(rhs, e, k.Weights, 1, k.Weights)
				m *= 2
			} else {
				m, ok = unscaled.rowError(rhs, e, k.Weights, normX, k.b)
			}
			if ok {
				return m, normX, normZ
			}
		}
	}
	s.Col.AddLdexp(sum, x, z, e)
	s.Unscaled.Ldexp(r, rhs, 1, e)
	return k.Of(sum, r), math.NaN(), math.NaN()
}

// Quotient returns r / (t x + b), with 0/0 = 0. A denominator beyond the range of float64 does not make it zero.
func Quotient(r, t, x, b float64) float64 {
	if r == 0 {
		return 0
	}
	d := float64(t*x) + b
	if math.IsInf(d, 1) {
		return r / t / x
	}
	return r / d
}

// Timed counts and times the products of an operator. It computes nothing of
// its own: reports read it, methods never see the clock.
type Timed[V, S any] struct {
	linop.Operator[V, S]
	Count   int
	Elapsed time.Duration
}

// Apply computes dst = A src.
func (t *Timed[V, S]) Apply(dst, src V) {
	defer t.add(time.Now())
	t.Operator.Apply(dst, src)
}

// ApplyDot computes dst = A src and returns dst·w.
func (t *Timed[V, S]) ApplyDot(dst, src, w V) S {
	defer t.add(time.Now())
	return t.Operator.ApplyDot(dst, src, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (t *Timed[V, S]) ApplyDots(dst, src, w V) (dw, dd S) {
	defer t.add(time.Now())
	return t.Operator.ApplyDots(dst, src, w)
}

// ApplyT computes dst = A^T src; it panics if the operator is no linop.Transposer.
func (t *Timed[V, S]) ApplyT(dst, src V) {
	defer t.add(time.Now())
	t.Operator.(linop.Transposer[V, S]).ApplyT(dst, src)
}

// Residual computes r = b - A x.
func (t *Timed[V, S]) Residual(r, b, x V) {
	defer t.add(time.Now())
	t.Operator.Residual(r, b, x)
}

func (t *Timed[V, S]) add(start time.Time) {
	t.Count++
	t.Elapsed += time.Since(start)
}

// Transposed is an operator with its transpose, which is another operator: a second matrix in memory, or
// the same if A is symmetric.
type Transposed[V, S any] struct {
	linop.Operator[V, S]
	Transpose linop.Operator[V, S]
}

// ApplyT computes dst = A^T src.
func (a Transposed[V, S]) ApplyT(dst, src V) { a.Transpose.Apply(dst, src) }
