package lab

import (
	"context"
	"math"
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ProductDD is the measurement of the product of a stored matrix, or of its transpose, with a vector of float64 and
// of double-double numbers.
type ProductDD struct {
	Stored
	Double, DD Time

	// The largest |y - A x|_i / (|A| |x|)_i of some rows, A being the matrix as given.
	ErrorDouble, ErrorDD float64
}

// Ratio returns the time with double-double vectors over the time with float64 vectors.
func (p ProductDD) Ratio() float64 { return p.DD.Min / p.Double.Min }

// BytesPerSecond returns the bytes of the stored matrix and both vectors over the least time.
func (p ProductDD) BytesPerSecond() float64 {
	return float64(p.Bytes+16*int64(p.Rows+p.Cols)) / p.DD.Min
}

// OptionsDD configure a measurement of products with double-double vectors.
type OptionsDD struct {
	Specs      []adaptive.Spec // with the layouts
	Transposed bool            // products with the transpose
	Normal     bool            // sums are renormalised at each addition

	// Low has the low parts of a matrix of double-double numbers, which adaptive.BuildPair stores as two matrices;
	// the epsilon of Specs then holds for each of the two. nil: the matrix is one of float64.
	Low *csr.Matrix

	Seed   uint64 // of x, uniform in [-1, 1)
	Timing Timing
}

// ProductsDD measures products of m with double-double vectors beside products with float64 vectors in the same
// layout, all in the same rounds. It returns early with the cause of ctx.
func ProductsDD(ctx context.Context, m *csr.Matrix, opt OptionsDD, pool *parallel.Pool) ([]ProductDD, error) {
	of := m
	if opt.Transposed {
		of = m.Transpose(pool)
	}
	x, y := randomDD(of.Cols, opt.Seed), dd.NewVec(of.Rows)
	var products []ProductDD
	var cases []Case
	for _, spec := range opt.Specs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		stored, double, extended, err := opt.store(m, spec, pool)
		if err != nil {
			return nil, err
		}
		p := ProductDD{Stored: stored}
		double(y.Hi, x.Hi)
		clear(y.Lo)
		p.ErrorDouble = largestError(of, opt.Low, dd.Vec{Hi: x.Hi}, y)
		extended(y, x)
		p.ErrorDD = largestError(of, opt.Low, x, y)
		products = append(products, p)
		cases = append(cases, Warm(func() { double(y.Hi, x.Hi) }), Warm(func() { extended(y, x) }))
	}
	times, err := opt.Timing.Measure(ctx, cases...)
	for k, t := range times {
		if p := &products[k/2]; k%2 == 0 {
			p.Double = t
		} else {
			p.DD = t
		}
	}
	return products, err
}

// store stores the matrix and returns its products.
func (o OptionsDD) store(m *csr.Matrix, spec adaptive.Spec, pool *parallel.Pool) (s Stored, double func(y, x []float64), extended func(y, x dd.Vec), err error) {
	if o.Low == nil {
		p, a, err := Store(m, spec, pool)
		if err != nil {
			return s, nil, nil, err
		}
		double, extended, err = productsOf(a, o)
		return p.Stored, double, extended, err
	}
	start, both := time.Now(), spec
	both.Epsilon *= spec.Epsilon
	p, err := adaptive.BuildPair(m, o.Low, both, pool)
	if err != nil {
		return s, nil, nil, err
	}
	return describe(m, string(p.High().Layout()), spec, p.Bytes(), start), p.High().Apply, p.Apply, nil
}

// productsOf returns the requested products of a stored matrix.
func productsOf(a adaptive.Matrix, opt OptionsDD) (double func(y, x []float64), extended func(y, x dd.Vec), err error) {
	with := a.DD
	if opt.Normal {
		with = a.DDRenormalised
	}
	p, err := with()
	if err != nil {
		return nil, nil, err
	}
	if !opt.Transposed {
		return a.Apply, p.Apply, nil
	}
	if double, err = a.Transposed(); err != nil {
		return nil, nil, err
	}
	return double, p.(linop.Transposer[dd.Vec, dd.DD]).ApplyT, nil
}

// randomDD returns a vector of numbers uniform in [-1, 1) with low parts.
func randomDD(n int, seed uint64) dd.Vec {
	x, low := dd.VecOf(generate.RandomVector(n, seed)), generate.RandomVector(n, seed+1)
	for i, v := range low {
		x.Hi[i], x.Lo[i] = dd.TwoSum(x.Hi[i], 0x1p-54*v*x.Hi[i])
	}
	return x
}

const (
	errorElements = 100_000 // about the number of elements in the rows whose errors are computed
	errorBits     = 300
)

// largestError compares some rows of y with A x in 300 bits. If x has no low parts they are zero; low, if not nil,
// has the low parts of A.
func largestError(m, low *csr.Matrix, x, y dd.Vec) (largest float64) {
	step := 1 + m.NNZ()/errorElements
	number := func(v dd.DD) *big.Float {
		s := new(big.Float).SetPrec(errorBits).SetFloat64(v.Hi)
		return s.Add(s, new(big.Float).SetFloat64(v.Lo))
	}
	for i := 0; i < m.Rows; i += step {
		sum, size := number(dd.DD{}), 0.0
		add := func(cols []int32, vals []float64) {
			for k, j := range cols {
				v := dd.DD{Hi: x.Hi[j]}
				if len(x.Lo) > 0 {
					v.Lo = x.Lo[j]
				}
				p := number(v)
				sum.Add(sum, p.Mul(p, new(big.Float).SetFloat64(vals[k])))
				size += math.Abs(vals[k] * x.Hi[j])
			}
		}
		add(m.Row(i))
		if low != nil {
			add(low.Row(i))
		}
		difference, _ := sum.Sub(sum, number(y.At(i))).Float64()
		if size > 0 {
			largest = max(largest, math.Abs(difference)/size)
		}
	}
	return largest
}
