// Package spmvbench measures products y = A x: with the matrix in ordinary and in
// tuned FP64 CSR, and stored in adaptive precision in one way or several. All ways
// take turns, so that whatever else the machine does falls on each alike.
package spmvbench

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/turns"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Layouts of the two products that all others are compared with.
const (
	OrdinaryCSR = "csr-ordinary" // a loop over each row with one sum, in Go
	TunedCSR    = "csr-tuned"    // linop.CSR
)

// Product is one way to compute y = A x. Measure fills in times and errors.
type Product struct {
	Name      string // for people
	Layout    string
	Formats   string
	Epsilon   float64 // accuracy of the stored matrix
	Criterion string  // "none" for one format alone
	Bytes     int64   // of the stored matrix
	Build     float64 // seconds to store it, 0 for CSR

	Min, Median float64 // seconds of one product
	Errors      adaptive.ProductErrors

	apply func(y, x []float64)
}

// BytesPerSecond counts the stored matrix of that size and both vectors, once.
func (p Product) BytesPerSecond(rows, cols int) float64 {
	return float64(p.Bytes+8*int64(rows)+8*int64(cols)) / p.Min
}

// Baselines returns the products with m in ordinary and in tuned CSR, in this
// order.
func Baselines(m *csr.Matrix, pool *linop.Pool) []Product {
	p := Product{Formats: "FP64", Epsilon: adaptive.MinEpsilon, Criterion: "none", Bytes: m.Bytes()}
	ordinary, tuned := p, p
	ordinary.Name, tuned.Name = "ordinary CSR", "tuned CSR"
	ordinary.Layout, tuned.Layout = OrdinaryCSR, TunedCSR
	tuned.apply = linop.NewCSR(m, pool).Apply
	panels := csr.Panels(m)
	ordinary.apply = func(y, x []float64) {
		pool.RunRanges(panels, func(_, lo, hi int) {
			kernels.CSRMulVecOrdinary(y, lo, hi, m.RowPtr, m.Col, m.Val, x)
		})
	}
	return []Product{ordinary, tuned}
}

// Stored returns the product with m stored as the spec says, and the matrix. The
// error is that of adaptive.Build.
func Stored(m *csr.Matrix, spec adaptive.Spec, pool *linop.Pool) (Product, *adaptive.Matrix, error) {
	start := time.Now()
	a, err := adaptive.Build(m, spec, pool)
	if err != nil {
		return Product{}, nil, err
	}
	p := Product{
		Name: fmt.Sprintf("%s, %s", spec, a.Layout()), Layout: string(a.Layout()), Formats: spec.Set.Name, Epsilon: spec.Epsilon, Criterion: string(spec.Criterion),
		Bytes: a.Bytes(), Build: time.Since(start).Seconds(), apply: a.Apply,
	}
	if spec.Set.Uniform {
		p.Epsilon, p.Criterion = spec.Set.Formats[0].UnitRoundoff(), "none"
	}
	return p, a, nil
}

// Turns says how long to measure.
type Turns = turns.Turns

// Measure times the products of m with x in turns: each product, then each again.
// As in a solver, a matrix that fits into the cache is there. The first product of
// each gives its errors against double-double arithmetic. Measure returns early with
// the error of ctx.
func Measure(ctx context.Context, m *csr.Matrix, x []float64, products []Product, pool *linop.Pool, turns Turns) error {
	y := make([]float64, m.Rows)
	for k := range products {
		if err := ctx.Err(); err != nil {
			return err
		}
		products[k].apply(y, x)
		products[k].Errors = adaptive.MeasureProduct(m, x, y, pool)
	}
	ways := make([]func(), len(products))
	for k := range products {
		ways[k] = func() { products[k].apply(y, x) }
	}
	times, err := turns.Measure(ctx, ways...)
	for k, t := range times {
		products[k].Min, products[k].Median = t.Min, t.Median
	}
	return err
}
