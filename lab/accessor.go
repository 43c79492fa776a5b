package lab

import (
	"context"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Precision is a precision of storage and arithmetic: FP64, FP32 or Mixed. A memory
// accessor ([Gruetzmacher23], of Ginkgo) converts between the two on load and store.
type Precision string

// Mixed is FP64 arithmetic over storage in FP32.
const Mixed Precision = "FP64 over FP32"

// Precisions lists all precisions.
var Precisions = []Precision{FP64, FP32, Mixed}

// Kernel is an operation that is measured.
type Kernel string

const (
	GEMV Kernel = "GEMV" // y = A x, A dense by rows
	DOT  Kernel = "DOT"  // x·y
	TRSV Kernel = "TRSV" // L y = x, L dense by rows, lower triangular
	ELL  Kernel = "ELL"  // y = A x, A sparse in ELL
)

// Kernels lists all kernels.
var Kernels = []Kernel{GEMV, DOT, TRSV, ELL}

// Distribution is the distribution of the random numbers in matrices and vectors.
type Distribution string

const (
	Uniform Distribution = "uniform" // in [-1, 1)
	Normal  Distribution = "normal"  // mean 0, standard deviation 1
)

// Distributions lists all distributions.
var Distributions = []Distribution{Uniform, Normal}

// MaxLU is the largest n for which TRSV solves with a factor of an LU factorisation.
const MaxLU = 2048

// Problem is a kernel with its data in all precisions, to measure time and accuracy as in [Gruetzmacher23], section
// 4.
//
// The data of a problem are FP64. FP32 and Mixed store the matrix, the vectors and the result rounded to FP32; Mixed
// converts what it loads to FP64 and computes in FP64. Errors are relative to the result for the FP64 data in
// double-double arithmetic. They include the error of rounding the data, and FP64 has an error too.
type Problem struct {
	Kernel Kernel
	N      int // dimension, for ELL the number of rows

	pool      *parallel.Pool
	a, x      []float64   // matrix or first vector, and vector
	sparse    *csr.Matrix // of ELL
	forms     map[Precision]form
	reference []dd.DD // computed when first needed
}

// form is a problem in one precision, a level.
type form interface {
	run(p *Problem)
	result(n int) []float64
}

// NewProblem makes GEMV, DOT or TRSV of dimension n >= 1 with random numbers that depend on the seed alone. TRSV has
// the unit lower triangular factor of a random matrix, by Gaussian elimination with row exchanges; above MaxLU it has
// the identity plus random numbers divided by n, and the solve is as stable. With rounded, FP32 represents all data
// exactly, so that errors come from the arithmetic and from rounding the result only.
func NewProblem(kernel Kernel, n int, dist Distribution, rounded bool, seed uint64, pool *parallel.Pool) (*Problem, error) {
	var a []float64
	switch {
	case n < 1:
		return nil, fmt.Errorf("%s of dimension %d: want at least 1", kernel, n)
	case kernel == DOT:
		a = make([]float64, n)
	case kernel == GEMV || kernel == TRSV:
		a = make([]float64, n*n)
	default:
		return nil, fmt.Errorf("%s is not one of %s, %s, %s", kernel, GEMV, DOT, TRSV)
	}
	x := make([]float64, n)
	for stream, v := range [][]float64{x, a} {
		if err := randomise(v, dist, seed, uint64(stream), pool); err != nil {
			return nil, err
		}
	}
	if kernel == TRSV {
		lowerTriangle(a, n)
	}
	if rounded {
		for _, v := range [][]float64{a, x} {
			for k := range v {
				v[k] = float64(float32(v[k]))
			}
		}
	}
	return newProblem(Problem{Kernel: kernel, N: n, pool: pool, a: a, x: x}, kernels.ELL[float64]{}), nil
}

// NewELLProblem makes the product of m, stored in ELL, with a random vector. It returns an error if FP32 cannot hold
// a value of m.
func NewELLProblem(m *csr.Matrix, dist Distribution, seed uint64, pool *parallel.Pool) (*Problem, error) {
	for _, v := range m.Val {
		if s := float64(float32(v)); math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("%g is not finite in FP32", v)
		}
	}
	x := make([]float64, m.Cols)
	if err := randomise(x, dist, seed, 0, pool); err != nil {
		return nil, err
	}
	ell := toELL(m)
	return newProblem(Problem{Kernel: ELL, N: m.Rows, pool: pool, a: ell.Val, x: x, sparse: m}, ell), nil
}

// newProblem rounds the data to FP32 and allocates the results.
func newProblem(p Problem, ell kernels.ELL[float64]) *Problem {
	a32, x32 := toFloat32(p.a), toFloat32(p.x)
	ell32 := kernels.ELL[float32]{Width: ell.Width, Stride: ell.Stride, Col: ell.Col, Val: a32}
	p.forms = map[Precision]form{
		FP64:  &level[float64, float64]{a: p.a, x: p.x, y: make([]float64, p.N), ell: ell, dot: kernels.Default().Dot},
		FP32:  &level[float32, float32]{a: a32, x: x32, y: make([]float32, p.N), ell: ell32, dot: kernels.Default().Dot32},
		Mixed: &level[float32, float64]{a: a32, x: x32, y: make([]float32, p.N), ell: ell32, dot: kernels.Default().DotMixed},
	}
	return &p
}

// ProblemBytes returns the bytes of memory that NewProblem needs.
func ProblemBytes(kernel Kernel, n int) int64 {
	elements := int64(n)
	if kernel != DOT {
		elements *= elements
	}
	return (8+4)*(elements+int64(n)) + (8+4+4)*int64(n)
}

// ELLProblemBytes returns the bytes of memory that NewELLProblem needs for m, besides m itself.
func ELLProblemBytes(m *csr.Matrix) int64 {
	return int64(m.LongestRow())*int64(m.Rows)*(8+4+4) + int64(m.Cols)*(8+4) + int64(m.Rows)*(8+4+4)
}

// Run executes the operation once.
func (p *Problem) Run(precision Precision) { p.forms[precision].run(p) }

// Result returns what the last Run of a precision has stored: n numbers, or one for DOT.
func (p *Problem) Result(precision Precision) []float64 {
	if p.Kernel == DOT {
		return p.forms[precision].result(1)
	}
	return p.forms[precision].result(p.N)
}

// Error executes the operation and returns ‖y - ŷ‖₂ / ‖y‖₂, where y is the result in double-double arithmetic; for
// DOT this is |y - ŷ| / |y|.
func (p *Problem) Error(precision Precision) float64 {
	if p.reference == nil {
		p.reference = p.exact()
	}
	p.Run(precision)
	var errors, norm float64
	for i, v := range p.Result(precision) {
		exact := p.reference[i]
		e, y := exact.Sub(dd.From(v)).Float(), exact.Float()
		errors += e * e
		norm += y * y
	}
	return math.Sqrt(errors) / math.Sqrt(norm)
}

// Times measures all precisions. It returns early with the cause of ctx.
func (p *Problem) Times(ctx context.Context, timing Timing) (map[Precision]Time, error) {
	var cases []Case
	for _, precision := range Precisions {
		cases = append(cases, Warm(func() { p.Run(precision) }))
	}
	times, err := timing.Measure(ctx, cases...)
	if err != nil {
		return nil, err
	}
	byPrecision := map[Precision]Time{}
	for k, precision := range Precisions {
		byPrecision[precision] = times[k]
	}
	return byPrecision, nil
}

// FLOPs counts additions, multiplications and divisions; elements that pad rows of ELL do not count.
func (p *Problem) FLOPs() int64 {
	n := int64(p.N)
	switch p.Kernel {
	case GEMV:
		return 2 * n * n
	case DOT:
		return 2 * n
	case TRSV:
		return n * n
	default:
		return 2 * int64(p.sparse.NNZ())
	}
}

// Traffic returns the bytes of matrix, indices and vectors, each counted once.
func (p *Problem) Traffic(precision Precision) int64 {
	n, size := int64(p.N), int64(4)
	if precision == FP64 {
		size = 8
	}
	switch p.Kernel {
	case GEMV:
		return size * (n*n + 2*n)
	case DOT:
		return size * 2 * n
	case TRSV:
		return size * (n*(n+1)/2 + 2*n)
	default:
		return (size+4)*int64(len(p.a)) + size*(n+int64(p.sparse.Cols))
	}
}
