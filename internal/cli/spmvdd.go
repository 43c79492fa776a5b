package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// spmvDDFlags are the flags of `mpsolve spmv` for double-double vectors.
type spmvDDFlags struct {
	vectors   string
	transpose bool
	addition  string
	exact     bool // A has double-double elements
}

// Values of --vectors and --dd-add.
var (
	vectorKinds = []string{"double", "dd"}
	additions   = []string{"deferred", "paper"}
)

func (f *spmvDDFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.vectors, "vectors", "double", "numbers of x and y: double, or dd (double-double), which is measured beside double in each layout of the list --layout")
	fl.BoolVar(&f.transpose, "transpose", false, "with --vectors dd: products with the transpose")
	fl.StringVar(&f.addition, "dd-add", "deferred", "when to renormalise sums of double-double products: deferred (at the end of a row) or paper (at each addition, as in DD-AVX)")
	fl.BoolVar(&f.exact, "exact-input", false, "with --vectors dd: read the elements of A as double-double numbers, and store them as two matrices, each with the accuracy --epsilon")
	completeWords(c, "vectors", vectorKinds)
	completeWords(c, "dd-add", additions)
}

func (f *spmvDDFlags) dd() bool { return f.vectors == "dd" }

func (f *spmvDDFlags) check() error {
	if err := oneOf("vectors", &f.vectors, vectorKinds); err != nil {
		return err
	}
	if err := oneOf("dd-add", &f.addition, additions); err != nil {
		return err
	}
	switch {
	case f.exact && (f.transpose || f.addition != additions[0]):
		return usage("--exact-input cannot be used with --transpose or --dd-add")
	case f.dd():
	case f.exact:
		return usage("--exact-input needs --vectors dd")
	case f.transpose:
		return usage("--transpose needs --vectors dd")
	case f.addition != additions[0]:
		return usage("--dd-add needs --vectors dd")
	}
	return nil
}

// has reports whether a layout offers the products that are asked for.
func (f *spmvDDFlags) has(l adaptive.Layout) bool {
	return l.HasDD(f.addition == "paper", f.transpose)
}

// storages returns how to store the matrix in each layout that is asked for, by default with an accuracy that suits
// double-double vectors.
func (f *spmvDDFlags) storages(s storageFlags, measure bool) (list []solve.Storage, err error) {
	if s.epsilon == "auto" {
		s.epsilon = packed.FormatEpsilon(adaptive.MinEpsilon)
	}
	var all []string
	for _, l := range adaptive.Layouts {
		if f.has(l) {
			all = append(all, string(l))
		}
	}
	names := strings.Split(s.layout, ",")
	if s.layout == "auto" {
		names = slices.DeleteFunc([]string{"csr", "bcrs4x1", "sell8", "slots"}, func(name string) bool { return !slices.Contains(all, name) })
	}
	for _, name := range names {
		if err := oneOf("layout", &name, all); err != nil {
			return nil, err
		}
		s.layout = name
		t, err := s.storage(measure)
		if err != nil {
			return nil, err
		}
		if err := rules.Spec(t, false).Validate(); err != nil { // validity does not depend on the symmetry
			return nil, usage("%s", oneLine(err))
		}
		list = append(list, t)
	}
	return list, nil
}

// double reads a matrix of double-double numbers, m + low. Without --exact-input, m has float64 elements and low is nil.
func (f *spmvFlags) double(ctx context.Context, s streams, path string) (m, low *csr.Matrix, err error) {
	in := f.input(s, path)
	if !f.dd.exact {
		m, err = in.matrix(ctx, path)
		return m, nil, err
	}
	in.parts = 2
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if m, err = matrixOf(path, content); err != nil {
		return nil, nil, err
	}
	parts, err := lowerParts(content)
	if err != nil || len(parts) > 0 {
		return m, parts[0], err
	}
	return m, &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, m.Rows+1)}, nil // float64 holds all elements exactly
}

// runDD measures products with double-double vectors.
func (f *spmvFlags) runDD(c *cobra.Command, s streams, path string) error {
	if f.storage.criterion == string(adaptive.Exact) {
		return usage("--criterion exact needs --vectors double")
	}
	if f.dd.exact && c.Flags().Changed("reorder") {
		return usage("--exact-input cannot be used with --reorder")
	}
	storages, err := f.dd.storages(f.storage, letsMeasure(f.maxMemory))
	if err != nil {
		return err
	}
	m, low, err := f.double(c.Context(), s, path)
	if err != nil {
		return err
	}
	pool := parallel.New(f.threads)
	defer pool.Close()
	facts := csr.Examine(m, pool)
	opt := lab.OptionsDD{Low: low, Transposed: f.dd.transpose, Normal: f.dd.addition == "paper", Seed: f.seed, Timing: lab.Timing{Repeat: f.repeat}}
	for _, t := range storages {
		opt.Specs = append(opt.Specs, rules.Spec(t, facts.Symmetric))
	}
	out := &firstError{w: s.out}
	text := f.text(out)
	report.Facts(text, facts)
	m, order, err := f.reorder.apply(text, m, pool)
	if err != nil {
		return err
	}
	products, err := lab.ProductsDD(c.Context(), m, opt, pool)
	if err != nil {
		return order.InputError(err)
	}
	report.Line(text, "threads", "%d", pool.Threads())
	report.ProductsDD(text, products)
	if f.json {
		out.keep(report.ProductsDDJSON(out, environment(), path, pool.Threads(), products))
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}

// precisionFlags are the flags of products in multiple precision.
type precisionFlags struct {
	bits            []int
	implementations []string
}

func (f *precisionFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.IntSliceVar(&f.bits, "bits", nil, "list of precisions, 53 to 1696 bits: multiply in multiple precision instead")
	fl.StringSliceVar(&f.implementations, "mp", lab.SpMVImplementations, "list of `implementations` of multiple precision")
	completeWords(c, "mp", lab.SpMVImplementations)
}

// check finds every fault before any work.
func (f *precisionFlags) check(c *cobra.Command) error {
	if len(f.bits) == 0 && c.Flags().Changed("mp") {
		return usage("--mp is for products in multiple precision: give --bits as well")
	}
	if len(f.bits) > 0 {
		for _, name := range []string{"epsilon", "formats", "criterion", "layout", "arith"} {
			if c.Flags().Changed(name) {
				return usage("--%s cannot be used with --bits, which keeps the matrix in FP64", name)
			}
		}
	}
	for _, name := range f.implementations {
		if !slices.Contains(lab.SpMVImplementations, name) {
			return usage("--mp %s: not one of %s", name, strings.Join(lab.SpMVImplementations, ", "))
		}
	}
	return checkBits(f.bits)
}

// inBits measures products of m with vectors in multiple precision.
func (f *spmvFlags) inBits(c *cobra.Command, out *firstError, path string, m *csr.Matrix, pool *parallel.Pool) error {
	list, err := lab.MPSpMV(c.Context(), m, pool, lab.MPSpMVOptions{
		Bits: f.precision.bits, Implementations: f.precision.implementations, Seed: f.seed, MaxMemory: f.maxMemory.orInstalled(),
		Timing: lab.Timing{Repeat: f.repeat},
	})
	if err != nil {
		return inFile(path, err)
	}
	report.MPProducts(f.text(out), m.NNZ(), list)
	if f.json {
		out.keep(report.MPProductsJSON(out, environment(), path, pool.Threads(), m.NNZ(), list))
	}
	return out.err
}
