// Package linop is the seam between iterative methods and what they run on.
//
// A method sees vectors only through a [Space] and matrices only through an
// [Operator]; its scalars are a [Scalar] type, so that the same source runs on
// float64 vectors of the host, on double-double vectors, and on vectors that
// live on a device. The fused calls (Step, AxpyDot, ApplyDot, MultiDot) are
// part of the seam: each is one pass over the data on the host and one kernel
// launch on a device.
//
// The host's float64 space is [Host]; its sparse matrix operator is [CSR].
package linop

import "math"

// Scalar is the field of the vectors' inner products. Float rounds to float64,
// for tests and reports; everything that enters the solution stays in S.
type Scalar[S any] interface {
	Add(S) S
	Sub(S) S
	Mul(S) S
	Div(S) S
	Neg() S
	Sqrt() S
	Float() float64
}

// Space is the vectors of one dimension n. Vectors passed to one call have
// that dimension and, unless said otherwise, are different ones.
type Space[V any, S Scalar[S]] interface {
	Dim() int
	New() V             // a zero vector
	Scalar(a float64) S // a as a scalar, exactly

	Zero(x V)
	Copy(dst, src V)
	Scale(a S, x V)           // x *= a
	Axpy(a S, x, y V)         // y += a x
	Xpay(x V, a S, y V)       // y = x + a y
	Dot(x, y V) S             // x·y; x may be y
	AxpyDot(a S, x, y, z V) S // y += a x, returns y·z; z may be x or y
	Step(a S, p, x, q, r V) S // x += a p, r -= a q, returns r·r

	MultiDot(h []S, vs []V, w V)  // h_k = v_k·w
	MultiAxpy(a []S, vs []V, w V) // w += sum a_k v_k
}

// Operator is a linear map between vectors. Results do not alias arguments.
type Operator[V, S any] interface {
	Dims() (rows, cols int)
	Apply(dst, src V)         // dst = A src
	ApplyDot(dst, src, w V) S // dst = A src, returns dst·w; w may be src
	Residual(r, b, x V)       // r = b - A x
}

// A Relaxer is an Operator with the steps of stationary iterations and of
// multigrid, each in one pass over A.
type Relaxer[V, S any] interface {
	Operator[V, S]
	Relax(dst, src, b, w V, omega S) // dst = src + omega w∘(b - A src), elementwise
	ApplyPlus(dst, b, src V)         // dst = b + A src
}

// Float64 is float64 as a Scalar.
type Float64 float64

// Add returns a + b.
func (a Float64) Add(b Float64) Float64 { return a + b }

// Sub returns a - b.
func (a Float64) Sub(b Float64) Float64 { return a - b }

// Mul returns a b.
func (a Float64) Mul(b Float64) Float64 { return a * b }

// Div returns a / b.
func (a Float64) Div(b Float64) Float64 { return a / b }

// Neg returns -a.
func (a Float64) Neg() Float64 { return -a }

// Sqrt returns the square root of a.
func (a Float64) Sqrt() Float64 { return Float64(math.Sqrt(float64(a))) }

// Float returns a.
func (a Float64) Float() float64 { return float64(a) }
