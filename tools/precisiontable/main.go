// Precisiontable measures what adaptive precision stores and costs on real
// matrices, and writes the tables of docs/precision-formats.md between its
// markers, and its figure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/tools/page"
)

const (
	begin = "<!-- measured: make precision-table -->"
	end   = "<!-- end of measured -->"

	// large is the number of nonzeros above which only few variants are solved
	// with; the others are stored and multiplied with.
	large = 5_000_000
)

var (
	names    = []string{"G3_circuit", "bcsstk15", "bcsstk19", "1138_bus", "memplus", "ScaleMicrogrid_Jacobian_N1000_01"}
	setNames = []string{"AP2", "AP7", "AP7RE", "AP7REU", "AFX"}
	epsilons = []string{"2^-53", "2^-37", "2^-24", "2^-16"}
)

func main() {
	dir := flag.String("dir", "../shared/matrices", "folder with the matrices")
	file := flag.String("page", "docs/precision-formats.md", "page to write into")
	figure := flag.String("figure", "docs/precision-formats.svg", "figure to write")
	only := flag.String("only", "", "the name of the one matrix to measure; empty: all")
	flag.Parse()
	if err := run(*dir, *file, *figure, *only); err != nil {
		fmt.Fprintln(os.Stderr, "precisiontable:", err)
		os.Exit(1)
	}
}

func run(dir, file, figure, only string) error {
	if err := draw(figure); err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range names {
		if only != "" && only != name {
			continue
		}
		m, _, err := collection.Named(dir, name).Read(context.Background(), matrixmarket.Options{})
		if err != nil {
			return err
		}
		if err := measureMatrix(&text, name, m); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return page.Replace(file, begin, end, text.String())
}

// variant is one way to store, and what came of it.
type variant struct {
	storage    solve.Storage
	name       string
	epsilon    string
	stats      adaptive.Stats
	error      float64
	solved     bool // a solve was tried
	result     solve.Result
	fp64       bool
	perNonzero float64
}

// variants lists what is measured of a matrix.
func variants() ([]variant, error) {
	var list []variant
	add := func(set, epsilon string) error {
		s, err := adaptive.LookupSet(set)
		if err != nil {
			return err
		}
		v := variant{name: set, epsilon: epsilon, storage: solve.Storage{Set: s, Layout: adaptive.Bucketed}}
		if epsilon != "" {
			if v.storage.Epsilon, err = adaptive.ParseEpsilon(epsilon); err != nil {
				return err
			}
		}
		list = append(list, v)
		return nil
	}
	for _, uniform := range []string{"FP64", "FP32"} {
		if err := add(uniform, ""); err != nil {
			return nil, err
		}
	}
	list[0].fp64 = true
	for _, epsilon := range epsilons {
		for _, set := range setNames {
			if err := add(set, epsilon); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// measureMatrix stores, multiplies and solves with every variant.
func measureMatrix(text *strings.Builder, name string, m *csr.Matrix) error {
	list, err := variants()
	if err != nil {
		return err
	}
	pool := linop.NewPool(0)
	defer pool.Close()
	symmetric := csr.Examine(m, pool).Symmetric
	scaled, err := scale(m, symmetric, pool)
	if err != nil {
		return err
	}
	x := generate.RandomVector(m.Cols, 1)
	b := make([]float64, m.Rows)
	m.MulVec(b, x)
	for k := range list {
		v := &list[k]
		a, err := adaptive.Build(scaled, v.storage.Spec(symmetric), pool)
		if err != nil {
			return err
		}
		y := make([]float64, m.Rows)
		a.Apply(y, x)
		v.error = adaptive.MeasureProduct(scaled, x, y, pool).Row
		v.stats, v.perNonzero = a.Stats(), a.Stats().PerNonzero()
		if v.fp64 {
			v.perNonzero = float64(m.Bytes()) / float64(v.stats.NNZ)
		}
		v.solved = m.NNZ() < large || v.epsilon == "" || v.name == "AFX" && v.epsilon != "2^-16"
		if v.solved {
			if err := v.solve(m, b); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "%-12s %-7s %-6s %6.2f B/nz  error %.1e  %d iterations\n",
			name, v.name, v.epsilon, v.perNonzero, v.error, v.result.Iterations)
	}
	writeTables(text, name, m, symmetric, list)
	return nil
}

// scale is what solve does by default.
func scale(m *csr.Matrix, symmetric bool, pool *linop.Pool) (*csr.Matrix, error) {
	if !symmetric {
		return csr.BothScaling(m, pool).Apply(m, pool), nil
	}
	s, err := csr.SymmetricScaling(m, pool)
	return s.Apply(m, pool), err
}

func (v *variant) solve(m *csr.Matrix, b []float64) error {
	s, err := solve.New(context.Background(), m, solve.Options{Storage: v.storage, Precond: solve.Precond{Kind: precond.None}})
	if err != nil {
		return err
	}
	defer s.Close()
	v.result, err = s.Solve(context.Background(), b, nil)
	return err
}
