package lab

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// MPProduct is the measurement of y = A x with a sparse matrix in FP64 and a vector in multiple precision, or in FP64
// with tuned CSR.
type MPProduct struct {
	Implementation string // TunedCSR: in FP64
	Bits           int
	Bytes          int64 // of the matrix
	Build          float64
	Time
	Error float64 // the largest |y_i - y*_i| / sum_j |a_ij| |x_j| of sampled rows
}

// SpMVImplementations lists the implementations of sparse products.
var SpMVImplementations = []string{Limbs, Residues, MPRES}

// mpProduct is a product that is ready to run.
type mpProduct struct {
	bytes int64
	run   func()
	at    func(i int) *big.Float
}

// MPSpMVOptions configure a measurement of sparse products.
type MPSpMVOptions struct {
	Bits            []int
	Implementations []string // of SpMVImplementations
	Seed            uint64   // of x
	MaxMemory       int64    // 0: no limit
	Timing          Timing
}

// MPSpMV measures products of m with a random x. The products of one precision are interleaved with the FP64 product,
// which comes first for each precision. It returns early with the cause of ctx.
func MPSpMV(ctx context.Context, m *csr.Matrix, pool *parallel.Pool, opt MPSpMVOptions) (list []MPProduct, err error) {
	if facts := csr.Examine(m, pool); facts.NonFinite > 0 { // numbers of multiple precision are finite
		return nil, rules.Invalid("the matrix has %s not finite: multiple precision has no NaN and no Inf", english.Plural(facts.NonFinite, "value", ""))
	}
	for _, bits := range opt.Bits {
		d := newMPData(m.Cols, bits, bits)
		if opt.Seed != 0 {
			d.x = d.vector(1<<41 + opt.Seed)
		}
		products := []MPProduct{{Implementation: TunedCSR, Bits: 53, Bytes: m.Bytes()}}
		ready := []mpProduct{doubleProduct(d, m, pool)}
		for _, name := range opt.Implementations {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if need := mpSpMVBytes(name, m, bits); opt.MaxMemory > 0 && need > opt.MaxMemory {
				return nil, fmt.Errorf("the matrix takes %d MB as %s of %d bits, more than the memory limit", need>>20, name, bits)
			}
			start := time.Now()
			p, err := mpSpMVMakers[name](d, m, pool)
			if err != nil {
				return nil, err
			}
			products = append(products, MPProduct{Implementation: name, Bits: bits, Bytes: p.bytes, Build: time.Since(start).Seconds()})
			ready = append(ready, p)
		}
		var cases []Case
		counts := make([]int, len(ready))
		for k, p := range ready {
			p.run()
			products[k].Error = rowErrors(m, d, p.at)
			run := func() {
				for range counts[k] {
					p.run()
				}
			}
			for counts[k] = 1; ; counts[k] *= 2 {
				start := time.Now()
				if run(); time.Since(start) >= timedLeast {
					break
				}
			}
			cases = append(cases, Warm(run))
		}
		times, err := opt.Timing.Measure(ctx, cases...)
		if err != nil {
			return nil, err
		}
		for k, t := range times {
			products[k].Time = t.per(counts[k])
		}
		list = append(list, products...)
	}
	return list, nil
}

var mpSpMVMakers = map[string]func(d *mpData, m *csr.Matrix, pool *parallel.Pool) (mpProduct, error){
	Limbs: limbProduct, Residues: residuesProduct, MPRES: mpresProduct,
}

// mpSpMVBytes returns the bytes of a matrix besides its structure.
func mpSpMVBytes(name string, m *csr.Matrix, bits int) int64 {
	switch name {
	case Limbs:
		return mp.MatrixBytes(int64(m.Rows), int64(m.NNZ())) + mp.Bytes(m.Rows+m.Cols, bits)
	case Residues:
		return mp.ResidueSparseBytes(m.NNZ(), m.Cols, m.Cols, bits)
	case MPRES:
		return mpresBytes(m.NNZ()+m.Rows+m.Cols, 1, bits)
	}
	return 0
}

func doubleProduct(d *mpData, m *csr.Matrix, pool *parallel.Pool) mpProduct {
	x, y := make([]float64, m.Cols), make([]float64, m.Rows)
	for j := range x {
		x[j], _ = d.x[j].Float64()
	}
	a := linop.NewCSR(m, pool)
	kernels.Use(a, kernels.Default())
	return mpProduct{m.Bytes(), func() { a.Apply(y, x) }, func(i int) *big.Float { return big.NewFloat(y[i]) }}
}

func residuesProduct(d *mpData, m *csr.Matrix, pool *parallel.Pool) (mpProduct, error) {
	a, err := mp.NewResidueSparse(m, d.bits, pool)
	if err != nil {
		return mpProduct{}, err
	}
	y := make([]big.Float, m.Rows)
	return mpProduct{a.Bytes(), func() { a.MulVec(y, d.x, pool) }, func(i int) *big.Float { return &y[i] }}, nil
}

func mpresProduct(d *mpData, m *csr.Matrix, pool *parallel.Pool) (mpProduct, error) {
	b, err := mp.ResidueBaseFor(d.bits)
	if err != nil {
		return mpProduct{}, err
	}
	a, x, y := b.NewCSR(m, pool), b.NewArray(m.Cols), b.NewArray(m.Rows)
	for j := range d.x {
		x.Set(j, &d.x[j])
	}
	return mpProduct{b.ArrayBytes(m.NNZ()), func() { a.MulVec(y, x, pool) }, y.At}, nil
}

// sampledRows is the number of rows that are compared with exact sums.
const sampledRows = 100

// rowErrors returns the largest error of sampled rows, relative to sum_j |a_ij| |x_j|.
func rowErrors(m *csr.Matrix, d *mpData, at func(i int) *big.Float) (largest float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	var exact, size, a, t big.Float
	for k := range min(sampledRows, m.Rows) {
		i := k
		if m.Rows > sampledRows {
			i = rng.IntN(m.Rows)
		}
		// Sums of exact products round at 2^-2p of the largest one.
		exact.SetPrec(uint(2*d.bits + 256)).SetInt64(0)
		size.SetPrec(64).SetInt64(0)
		cols, vals := m.Row(i)
		for k, j := range cols {
			t.SetPrec(uint(d.bits+53)).Mul(a.SetFloat64(vals[k]), &d.x[j])
			exact.Add(&exact, &t)
			size.Add(&size, t.Abs(&t))
		}
		if size.Sign() == 0 {
			continue
		}
		e, _ := t.Quo(t.Abs(t.SetPrec(64).Sub(&exact, at(i))), &size).Float64()
		largest = math.Max(largest, e)
	}
	return largest
}
