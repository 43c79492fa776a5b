package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/solve"
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
	fl.StringVar(&f.formats, "formats", "auto", "storage formats: a set (AFX, AP1 ... AP7REU), a single format (FP32, FP16, ...), FP64, or a list such as FP64,FP32,FP16,FP8E5M2,drop")
	fl.StringVar(&f.epsilon, "epsilon", "auto", "accuracy of the stored matrix, such as 1e-7 or 2^-24; auto: 2^-24, or 2^-53 where few iterations are expected, and higher if that is not enough")
	fl.StringVar(&f.criterion, "criterion", "auto", "errors of the stored matrix are relative to: nw, the norm of the matrix; cw, the norm of the row")
	fl.BoolVar(&f.noDrop, "no-drop", false, "keep entries smaller than the accuracy")
	fl.BoolVar(&f.paperExact, "paper-exact", false, "formats as the papers print them: with their intervals, truncation, and every entry dropped that is at most the accuracy")
	fl.IntVar(&f.guardBits, "guard-bits", 0, "extra bits in AFX; each one halves the error")
	fl.StringVar(&f.layout, "layout", "auto", "layout of the stored matrix: "+adaptive.LayoutHelp())
	fl.StringVar(&f.arith, "arith", "fp64", "arithmetic: fp64, or storage (FP32 for formats with the exponent range of FP32)")
	completeWords(c, "formats", append([]string{"auto"}, quantize.Names()...))
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

// storage turns the flags into solve.Storage.
func (f *storageFlags) storage() (t solve.Storage, err error) {
	if err := oneOf("criterion", &f.criterion, criteria()); err != nil {
		return t, err
	}
	if err := oneOf("layout", &f.layout, layouts); err != nil {
		return t, err
	}
	if err := oneOf("arith", &f.arith, ariths); err != nil {
		return t, err
	}
	if t.Model, err = model(); err != nil {
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
		if t.Epsilon, err = quantize.ParseEpsilon(f.epsilon); err != nil {
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
