package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/tools/page"
)

// large is the number of nonzeros above which only few variants are solved with; the
// others are stored and multiplied with.
const large = 5_000_000

var (
	precisionMatrices = []string{"G3_circuit", "bcsstk15", "bcsstk19", "1138_bus", "memplus", "ScaleMicrogrid_Jacobian_N1000_01"}
	setNames          = []string{"AP2", "AP7", "AP7RE", "AP7REU", "AFX"}
	epsilons          = []string{"2^-53", "2^-37", "2^-24", "2^-16"}
)

// writePrecision measures what storage in adaptive precision takes and costs, and
// draws what an element takes.
func writePrecision(o options) error {
	if err := draw(o.figure); err != nil {
		return err
	}
	var text strings.Builder
	err := o.named(precisionMatrices, func(_ collection.Source, p problem) error { return measureVariants(&text, p) })
	if err != nil {
		return err
	}
	return page.Replace(o.page, "<!-- measured: make precision-table -->", "<!-- end of measured -->", text.String())
}

// variant is one way to store a matrix, with what was measured.
type variant struct {
	storage    solve.Storage
	name       string
	epsilon    string // "" for one format alone
	stats      adaptive.Stats
	error      float64
	perNonzero float64 // bytes
	solved     bool    // a solve was tried
	result     solve.Result
}

// variants lists what is measured of a matrix, FP64 first.
func variants() ([]variant, error) {
	list := []variant{{name: "FP64"}, {name: "FP32"}}
	for _, epsilon := range epsilons {
		for _, set := range setNames {
			list = append(list, variant{name: set, epsilon: epsilon})
		}
	}
	for k := range list {
		v := &list[k]
		set, err := adaptive.LookupSet(v.name)
		if err != nil {
			return nil, err
		}
		v.storage = solve.Storage{Set: set, Layout: adaptive.Bucketed}
		if v.epsilon != "" {
			if v.storage.Epsilon, err = adaptive.ParseEpsilon(v.epsilon); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// measureVariants stores, multiplies and solves with every variant.
func measureVariants(text *strings.Builder, p problem) error {
	list, err := variants()
	if err != nil {
		return err
	}
	m := p.m
	pool := parallel.New(0)
	defer pool.Close()
	symmetric := csr.Examine(m, pool).Symmetric
	scaled, err := scale(m, symmetric, pool)
	if err != nil {
		return err
	}
	x := generate.RandomVector(m.Cols, 1)
	b, y := make([]float64, m.Rows), make([]float64, m.Rows)
	m.MulVec(b, x)
	for k := range list {
		v := &list[k]
		a, err := adaptive.Build(scaled, v.storage.Spec(symmetric), pool)
		if err != nil {
			return err
		}
		a.Apply(y, x)
		v.error = adaptive.MeasureProduct(scaled, x, y, pool).Row
		v.stats, v.perNonzero = a.Stats(), a.Stats().PerNonzero()
		if k == 0 {
			v.perNonzero = float64(m.Bytes()) / float64(v.stats.NNZ)
		}
		v.solved = m.NNZ() < large || v.epsilon == "" || v.name == "AFX" && v.epsilon != "2^-16"
		if v.solved {
			if err := v.solve(m, b); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "%-12s %-7s %-6s %6.2f B/nz  error %.1e  %d iterations\n",
			p.name, v.name, v.epsilon, v.perNonzero, v.error, v.result.Iterations)
	}
	writeVariants(text, p, symmetric, list)
	return nil
}

// scale scales m as solve does by default.
func scale(m *csr.Matrix, symmetric bool, pool *parallel.Pool) (*csr.Matrix, error) {
	if !symmetric {
		return csr.BothScaling(m, pool).Apply(m, pool), nil
	}
	s, err := csr.SymmetricScaling(m, pool)
	return s.Apply(m, pool), err
}

func (v *variant) solve(m *csr.Matrix, b []float64) error {
	s, err := solve.New(context.Background(), m, solve.Options{Storage: v.storage, Digits: solve.NoDigits, Precond: solve.Precond{Kind: precond.None}})
	if err != nil {
		return err
	}
	defer s.Close()
	v.result, err = s.Solve(context.Background(), b, nil)
	return err
}
