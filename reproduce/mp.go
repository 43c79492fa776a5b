package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// The labels of multiple precision.
const (
	operationLabel      = "operation"
	implementationLabel = "implementation"
	bitsLabel           = "bits"
	significandLabel    = "significand"
	stepLabel           = "step"

	allBits = "all" // significand: every bit of the precision
)

// precisionOf returns the label of a number of bits.
func precisionOf(value string) label {
	return label{bitsLabel, value, domain{"53 to 1696", func(w string) error {
		if n, err := strconv.Atoi(w); err != nil || n < 53 || n > 1696 {
			return fmt.Errorf("%q is not a number from 53 to 1696", w)
		}
		return nil
	}}}
}

// number returns the value of a label that was checked to be a number.
func (p point) number(label string) int {
	n, _ := strconv.Atoi(p[label])
	return n
}

// multiplePrecision is the kind of measurement of dense products and vectors in multiple precision.
func multiplePrecision() kind {
	return kind{
		name: "mp", text: "dense products and vectors in multiple precision, beside math/big",
		labels: []label{
			{operationLabel, lab.MPGEMV, oneOf(lab.MPOperations...)},
			{implementationLabel, lab.Limbs, oneOf(lab.MPImplementations...)},
			precisionOf("106"),
			{significandLabel, allBits, domain{"bits of the random elements, at most the bits of the precision, or all of these", func(w string) error {
				if w == allBits {
					return nil
				}
				return positive.check(w)
			}}},
			{sizeLabel, "1000", positive},
			threads("all"),
		},
		values: []string{"term_ns", "whole_ms", "over_big", "error_sum"},
		exists: func(p point) bool {
			matrix := p[operationLabel] == lab.MPGEMV || p[operationLabel] == lab.MPGEMVTransposed
			if p.number(significandLabel) > p.number(bitsLabel) {
				return false
			}
			switch p[implementationLabel] {
			case lab.Residues:
				return p[operationLabel] == lab.MPGEMV
			case lab.MPRESByNumber:
				return matrix
			}
			return true
		},
		cost: func(p point, _ float64) float64 {
			bits := float64(p.number(bitsLabel))
			if strings.HasPrefix(p[implementationLabel], lab.MPRES) {
				return 4e-6 * bits * bits
			}
			return 0.2 + 3e-9*bits*float64(p.number(sizeLabel))
		},
		together: func(p point) string {
			return p[bitsLabel] + "\t" + p[significandLabel] + "\t" + p[sizeLabel] + "\t" + p[threadsLabel]
		},
		measure: measureMultiplePrecision,
	}
}

func measureMultiplePrecision(ctx context.Context, in input, points []point) error {
	implementations := []string{lab.MathBig}
	for _, p := range points {
		if !slices.Contains(implementations, p[implementationLabel]) {
			implementations = append(implementations, p[implementationLabel])
		}
	}
	timing := in.timing()
	results, err := lab.MP(ctx, lab.MPOptions{
		N: points[0].number(sizeLabel), Bits: []int{points[0].number(bitsLabel)}, Threads: []int{points[0].threads()},
		Significand: points[0].number(significandLabel), Implementations: implementations, Repeat: timing.Repeat, Budget: timing.Budget, Progress: in.progress,
	})
	if err != nil {
		return err
	}
	for _, p := range points {
		for _, r := range results {
			if r.Operation != p[operationLabel] || r.Implementation != p[implementationLabel] {
				continue
			}
			values := map[string]float64{
				"term_ns": 1e9 * r.PerTerm(), "whole_ms": 1e3 * r.Whole(), "over_big": r.OverBig(),
			}
			if r.Error > 0 { // not below the least float64
				values["error_sum"] = r.Error
			}
			if err := in.emit(p, result{values: values}); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps lists the steps of Algorithm 1 of [Isupov20] by the values of their label.
var steps = []struct {
	name string
	of   func(s mp.ResidueSteps) float64
}{
	{"scaling", func(s mp.ResidueSteps) float64 { return s.Scaling.Seconds() }},
	{"bounds", func(s mp.ResidueSteps) float64 { return s.Bounds.Seconds() }},
	{"digits", func(s mp.ResidueSteps) float64 { return s.Digits.Seconds() }},
	{"rounding", func(s mp.ResidueSteps) float64 { return s.Rounding.Seconds() }},
	{"sums", func(s mp.ResidueSteps) float64 { return s.Sums.Seconds() }},
}

// stepsOfMPRES is the kind of measurement of the shares of the steps of MPRES-BLAS.
func stepsOfMPRES() kind {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return kind{
		name: "mpres-steps", text: "steps of y = alpha A x + beta y in the format of MPRES-BLAS: shares of the time",
		labels: []label{
			{stepLabel, "sums", oneOf(names...)},
			precisionOf("424"),
			{significandLabel, "53", domain{"bits of the random elements, at most the bits of the precision", positive.check}},
			{sizeLabel, "1000", positive},
			threads("all"),
		},
		values:   append([]string{"step_share", "term_ns"}, quartiles("step_share")...),
		exists:   func(p point) bool { return p.number(significandLabel) <= p.number(bitsLabel) },
		cost:     func(p point, _ float64) float64 { return 0.02 + 2e-5*float64(p.number(bitsLabel)) },
		together: but(stepLabel),
		measure:  measureSteps,
	}
}

// stepRows is the number of rows of the matrix for each thread; all rows are alike.
const stepRows = 4

func measureSteps(ctx context.Context, in input, points []point) error {
	p := points[0]
	pool := parallel.New(p.threads())
	defer pool.Close()
	n, rows := p.number(sizeLabel), min(p.number(sizeLabel), stepRows*p.threads())
	list, err := lab.MPSteps(ctx, rows, n, p.number(bitsLabel), p.number(significandLabel), pool, in.timing())
	if err != nil {
		return err
	}
	for _, p := range points {
		for _, s := range steps {
			if s.name != p[stepLabel] {
				continue
			}
			var shares, terms []float64
			for _, t := range list {
				shares = append(shares, s.of(t)/t.Total().Seconds())
				terms = append(terms, 1e9*s.of(t)/float64(rows*n))
			}
			values := map[string]float64{"term_ns": slices.Min(terms)}
			values["step_share"+records.FirstQuartile], values["step_share"], values["step_share"+records.ThirdQuartile] = records.Quartiles(shares)
			if err := in.emit(p, result{values: values}); err != nil {
				return err
			}
		}
	}
	return nil
}

// sparseMultiplePrecision is the kind of measurement of sparse products in multiple precision.
func sparseMultiplePrecision() kind {
	return kind{
		name: "mp-spmv", text: "sparse products of FP64 with vectors in multiple precision, beside FP64", matrix: true,
		labels: []label{
			{implementationLabel, lab.Limbs, oneOf(lab.SpMVImplementations...)}, precisionOf("106"), threads("all"),
		},
		values:   []string{"term_ns", "time_csr", "error_sum", "bytes_per_nnz"},
		cost:     func(p point, nnz float64) float64 { return 1e-8 * nnz * float64(p.number(bitsLabel)) },
		together: but(implementationLabel),
		measure:  measureSparseMultiplePrecision,
	}
}

func measureSparseMultiplePrecision(ctx context.Context, in input, points []point) error {
	pool := parallel.New(points[0].threads())
	defer pool.Close()
	for _, p := range points {
		in.progress(p[implementationLabel] + " of " + p[bitsLabel] + " bits")
		list, err := lab.MPSpMV(ctx, in.matrix, pool, lab.MPSpMVOptions{
			Bits: []int{p.number(bitsLabel)}, Implementations: []string{p[implementationLabel]}, MaxMemory: in.maxMemory, Timing: in.timing(),
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // too large
			if err := in.emitReason(err.Error(), p); err != nil {
				return err
			}
			continue
		}
		double, r, nnz := list[0], list[1], float64(max(in.matrix.NNZ(), 1))
		values := map[string]float64{
			"term_ns": 1e9 * r.Min / nnz, "time_csr": r.Min / double.Min, "bytes_per_nnz": float64(r.Bytes) / nnz,
		}
		if r.Error > 0 {
			values["error_sum"] = r.Error
		}
		if err := in.emit(p, result{values: values}); err != nil {
			return err
		}
	}
	return nil
}
