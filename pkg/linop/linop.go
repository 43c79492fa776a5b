// Package linop is the interface between iterative methods and what they run on.
//
// A method sees vectors only through a [Space] and matrices only through an
// [Operator]; its scalars are a [Scalar] type, so that the same source runs on
// float64 vectors of the host, on double-double vectors, and on vectors that
// live on a device. The fused calls (Step, AxpyDot, ApplyDot, MultiDot) are
// part of the interface: each is one pass over the data on the host and one kernel
// launch on a device.
//
// The host's float64 space is [Host]; its sparse matrix operator is [CSR].
package linop

import (
	"math"
)

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
	Dim() int           // n, the same for all processes that share the vectors
	New() V             // a zero vector
	Scalar(a float64) S // a as a scalar, exactly
	Roundoff() float64  // the unit roundoff of S, 2^-53 for float64

	Zero(x V)
	Fill(x V, element func(i int) float64) // x_i = element(i), once for each i that this process has, ascending
	Copy(dst, src V)
	Scale(a S, x V)           // x *= a
	Axpy(a S, x, y V)         // y += a x
	Xpay(x V, a S, y V)       // y = x + a y
	Dot(x, y V) S             // x·y; x may be y
	AxpyDot(a S, x, y, z V) S // y += a x, returns y·z; z may be x or y
	Step(a S, p, x, q, r V) S // x += a p, r -= a q, returns r·r

	// DoubleStep computes x += a p + o t and r -= o q, and returns r·r and r·w; t may be r.
	DoubleStep(a S, p V, o S, t, x, q, r, w V) (rr, rw S)
	Direction(r V, b, o S, q, p V) // p = r + b (p - o q)

	MultiDot(h []S, vs []V, w V)       // h_k = v_k·w
	MultiAxpy(a []S, vs []V, w V)      // w += sum a_k v_k
	MultiAxpyDot(a []S, vs []V, w V) S // w += sum a_k v_k, returns w·w
}

// An Async is an asynchronous Space: operations are queued and done later, elsewhere, for example on
// a device. Scalars are made and used there; Float waits until everything queued so
// far has been done, unless the scalar has been fetched. A method on it checks convergence
// every Stride iterations only, and one iteration late, so that there is always something
// left to do.
//
// A quotient of scalars that is not finite counts as 0 where it is used, and so it does no
// harm; but it is a fault, which is recorded until ClearFault.
type Async[V any, S Scalar[S]] interface {
	Space[V, S]
	Stride() int

	Fetch()              // starts to copy all scalars made so far to where Float finds them
	Await() (sound bool) // waits for the copies of Fetch; sound: there was no fault when Fetch was called
	Known(a S) S         // a as a scalar of the host, waiting for it as Float does, but not rounded
	Forget(a S)          // drops a, unless it has been fetched or an operation has used it

	Positive(a S) S        // a, which is a fault where it is used if it is not positive then
	Checkpoint(dst, src V) // dst = src, unless there has been a fault
	ClearFault()
}

// Operator is a linear map between vectors. Results do not alias arguments.
type Operator[V, S any] interface {
	Dims() (rows, cols int)
	Apply(dst, src V)                   // dst = A src
	ApplyDot(dst, src, w V) S           // dst = A src, returns dst·w; w may be src
	ApplyDots(dst, src, w V) (dw, dd S) // dst = A src, returns dst·w and dst·dst
	Residual(r, b, x V)                 // r = b - A x
}

// A Graded is an Operator with less accurate products that read less memory.
type Graded[V, S any] interface {
	Operator[V, S]
	// ApplyWithin computes dst = A src with an error of at most delta ||A||_inf ||src||_inf in an element, or with the error
	// of Apply if that is larger.
	ApplyWithin(delta float64, dst, src V)
}

// A Transposer is an Operator that multiplies with its transpose as well.
type Transposer[V, S any] interface {
	Operator[V, S]
	ApplyT(dst, src V) // dst = A^T src
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

// roundoff is the unit roundoff of float64.
const roundoff = 0x1p-53

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

// A Reducer combines partial results of sums and maxima. [Local] combines the partial results
// of one process. For vectors that several processes share, a Reducer combines the results of all processes, and gives all
// processes the same bits.
type Reducer interface {
	// Sum sets each of the m sums to the sum of the partial results with its index modulo
	// m, in their order: sums[k] = partial[k] + partial[k+m] + ...
	Sum(sums, partial []float64)
	// Max returns the largest of the partial results, NaN if any is, -Inf if there are none.
	Max(partial []float64) float64
}

// Local is the Reducer of vectors that are not shared with other processes.
var Local Reducer = local{}

type local struct{}

// Sum implements Reducer.
func (local) Sum(sums, partial []float64) {
	for k := range sums {
		var s float64
		for at := k; at < len(partial); at += len(sums) {
			s += partial[at]
		}
		sums[k] = s
	}
}

// Max implements Reducer.
func (local) Max(partial []float64) float64 {
	largest := math.Inf(-1)
	for _, v := range partial {
		largest = max(largest, v)
	}
	return largest
}
