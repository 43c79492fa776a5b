package lab

import (
	"cmp"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Setting holds the options of a solve that a trial sets; the others stay as they are in TuneOptions.Solve. Its
// zero value sets nothing.
type Setting struct {
	Method  solve.Method
	Precond precond.Kind
	DropTol float64 // of incomplete factorisations
	Fill    float64
	FP64    bool    // the method's matrix is not stored in reduced precision
	Epsilon float64 // accuracy of the stored matrix
	Layout  adaptive.Layout
}

// Apply returns the options with the setting.
func (s Setting) Apply(opt solve.Options) solve.Options {
	opt.Method = cmp.Or(s.Method, opt.Method)
	opt.Precond.Kind = cmp.Or(s.Precond, opt.Precond.Kind)
	opt.Precond.DropTol = cmp.Or(s.DropTol, opt.Precond.DropTol)
	opt.Precond.Fill = cmp.Or(s.Fill, opt.Precond.Fill)
	opt.Storage.Epsilon = cmp.Or(s.Epsilon, opt.Storage.Epsilon)
	opt.Storage.Layout = cmp.Or(s.Layout, opt.Storage.Layout)
	if s.FP64 {
		opt.Storage.Set, _ = adaptive.LookupSet(fp64)
	}
	return opt
}

const fp64 = "FP64" // the set of formats

// A Flag is a flag of `mpsolve solve`.
type Flag struct{ Name, Value string }

// Flags returns the flags of `mpsolve solve` that give the setting.
func (s Setting) Flags() (list []Flag) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, Flag{name, value})
		}
	}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	add("method", string(s.Method))
	add("precond", string(s.Precond))
	add("drop-tol", number(s.DropTol))
	add("fill", number(s.Fill))
	if s.FP64 {
		add("formats", fp64)
	}
	if s.Epsilon != 0 {
		add("epsilon", quantize.FormatEpsilon(s.Epsilon))
	}
	add("layout", string(s.Layout))
	return list
}

// String returns the flags in a line, "defaults" if there are none.
func (s Setting) String() (text string) {
	for _, f := range s.Flags() {
		if text != "" {
			text += " "
		}
		text += "--" + f.Name + " " + f.Value
	}
	return cmp.Or(text, "defaults")
}
