package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
)

// storageFlags say how to store the matrix that the method multiplies with.
type storageFlags struct {
	formats, epsilon, criterion, layout, arith string
	noDrop, paperExact                         bool
	guardBits                                  int
}

var layouts = layoutNames()

var ariths = []string{"fp64", "storage"}

func (f *storageFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.formats, "formats", "auto", "storage formats: a set (AFX, exact, AP1 ... AP7REU), a format (FP64, FP32, ...) or a list such as FP64,FP32,drop")
	fl.StringVar(&f.epsilon, "epsilon", "auto", "accuracy of the stored matrix, such as 1e-7 or 2^-24; auto: 2^-24, or 2^-53 where few iterations are expected or the matrix is small, and more accurate if that is not enough")
	fl.StringVar(&f.criterion, "criterion", "auto", "errors of the stored matrix are relative to: nw, the norm of the matrix; cw, the norm of the row")
	fl.BoolVar(&f.noDrop, "no-drop", false, "keep entries smaller than the accuracy")
	fl.BoolVar(&f.paperExact, "paper-exact", false, "formats as the papers print them: with their intervals, truncation, and every entry dropped that is at most the accuracy")
	fl.IntVar(&f.guardBits, "guard-bits", 0, "extra bits in AFX; each one halves the error")
	fl.StringVar(&f.layout, "layout", "auto", "layout of the stored matrix, which mpsolve help precision describes: "+strings.Join(layouts, ", "))
	fl.StringVar(&f.arith, "arith", "fp64", "arithmetic of products: fp64, or storage (FP32 for formats with the exponent range of FP32)")
	completeWords(c, "formats", append([]string{"auto"}, packed.Names()...))
	completeWords(c, "criterion", criteria())
	completeWords(c, "layout", layouts)
	completeWords(c, "arith", ariths)
}

func layoutNames() (words []string) {
	for _, l := range adaptive.Layouts {
		if l == adaptive.LayoutAuto {
			l = "auto"
		}
		words = append(words, string(l))
	}
	return words
}

func criteria() []string {
	words := []string{"auto"}
	for _, c := range adaptive.Criteria {
		words = append(words, string(c))
	}
	return words
}

// storage turns the flags into solve.Storage, with the model that model returns.
func (f *storageFlags) storage(measure bool) (t solve.Storage, err error) {
	if err := oneOf("criterion", &f.criterion, criteria()); err != nil {
		return t, err
	}
	if err := oneOf("layout", &f.layout, layouts); err != nil {
		return t, err
	}
	if err := oneOf("arith", &f.arith, ariths); err != nil {
		return t, err
	}
	if t.Model, err = model(measure); err != nil {
		return t, err
	}
	if f.layout != "auto" {
		t.Layout = adaptive.Layout(f.layout)
	}
	if f.formats != "auto" {
		if t.Set, err = adaptive.LookupSet(f.formats); err != nil {
			return t, usage("--formats: %v", err)
		}
	}
	if f.epsilon != "auto" {
		if t.Epsilon, err = packed.ParseEpsilon(f.epsilon); err != nil {
			return t, usage("--epsilon: %v", err)
		}
	}
	if f.criterion != "auto" {
		t.Criterion = adaptive.Criterion(f.criterion)
	}
	t.NoDrop, t.GuardBits, t.StorageArithmetic, t.PaperExact = f.noDrop, f.guardBits, f.arith == "storage", f.paperExact
	switch afx := t.Set.Name == "" || strings.EqualFold(t.Set.Name, "AFX"); {
	case f.guardBits < 0:
		return t, usage("--guard-bits %d: want a positive number, or 0", f.guardBits)
	case f.noDrop && afx && f.guardBits == 0:
		return t, usage("--no-drop: AFX, the default of --formats, keeps all entries only with --guard-bits 1 or more")
	case f.paperExact && afx:
		return t, usage("--paper-exact: AFX, the default of --formats, is in no paper")
	case f.noDrop && t.Layout == adaptive.Symmetric:
		return t, usage("--no-drop: --layout %s always drops entries smaller than the accuracy", t.Layout)
	}
	return t, nil
}

// nullSpaceFlags are the flags for the null space of a singular matrix.
type nullSpaceFlags struct{ right, left string }

// nullSpaceWords are the values of --nullspace other than files.
var nullSpaceWords = []string{string(solve.NullSpaceAuto), string(solve.NullSpaceNone), string(solve.NullSpaceConstant)}

func (f *nullSpaceFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.right, "nullspace", "auto", "null space of a singular matrix: auto (constants if every row sums to zero), none, constant (on each connected component) or a `file` whose columns span it; x is orthogonal to it")
	fl.StringVar(&f.left, "left-nullspace", "", "`file` whose columns span the null space of the transpose (default: computed)")
	completeWords(c, "nullspace", nullSpaceWords)
}

// given reports whether the null space is in a file.
func (f *nullSpaceFlags) given() bool { return !slices.Contains(nullSpaceWords, f.right) }

// files returns the input files.
func (f *nullSpaceFlags) files() []string {
	if f.given() {
		return []string{f.right, f.left}
	}
	return []string{f.left}
}

// check returns an error if the flags contradict each other.
func (f *nullSpaceFlags) check() error {
	if f.left != "" && !f.given() && f.right != string(solve.NullSpaceConstant) {
		return usage("--left-nullspace needs --nullspace constant or a file")
	}
	return nil
}

// read reads the null space into opt, with a function that reads the columns of a file.
func (f *nullSpaceFlags) read(opt *solve.Options, columns func(path string) ([][]float64, error)) (err error) {
	opt.NullSpace.Kind = solve.NullSpaceKind(f.right)
	if f.given() {
		opt.NullSpace.Kind = solve.NullSpaceGiven
		if opt.NullSpace.Right, err = columns(f.right); err != nil {
			return err
		}
	}
	if f.left != "" {
		opt.NullSpace.Left, err = columns(f.left)
	}
	return err
}

// nullVectors reads the columns of a file, vectors of n elements.
func nullVectors(ctx context.Context, in input, path string, n int) ([][]float64, error) {
	columns, err := in.columns(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, &exitError{exitInput, fmt.Errorf("%s: the file has no columns", path)}
	}
	for k, v := range columns {
		if err := rules.CheckVector(fmt.Sprintf("vector in column %d", k+1), v, n); err != nil {
			return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
		}
	}
	return columns, nil
}
