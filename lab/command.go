package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Command returns the command `mpsolve solve` that comes nearest to the formats found, and a remark on the formats
// that it does not use: solve keeps vectors and residuals in FP64.
func (r Result) Command(file string, opt SearchOptions) (command, remark string) {
	best := r.Trials[r.Best]
	words := []string{"mpsolve solve", file, "--method", opt.Method, "--precond", string(opt.Precond), "--tol", fmt.Sprintf("%g", opt.Tol)}
	var classes, unused []string
	var epsilon float64
	for k, p := range r.Parts {
		name := best.Formats[k]
		f := formats.MustLookup(name)
		switch p.Kind {
		case MatrixClass:
			if len(classes) == 0 || classes[len(classes)-1] != name {
				classes = append(classes, name)
			}
			if name != "FP64" {
				epsilon = max(epsilon, f.UnitRoundoff()*largestOf(p.class))
			}
		case Preconditioner:
			if opt.Precond != precond.None {
				words = append(words, "--precond-epsilon", fmt.Sprintf("2^-%d", f.Significand))
			}
		case Vectors, Residual:
			if name != "FP64" {
				unused = append(unused, fmt.Sprintf("%s in %s", p.Name, name))
			}
		}
	}
	switch {
	case len(classes) == 1:
		words = append(words, "--formats", classes[0])
	case distinct(classes): // wide formats for large entries, as a set of formats gives for an accuracy
		words = append(words, "--formats", strings.Join(classes, ","), "--epsilon", fmt.Sprintf("%.1e", epsilon))
	default:
		unused = append(unused, "these classes of entries")
	}
	if len(unused) > 0 {
		remark = "solve has no flag for " + strings.Join(unused, ", ")
	}
	return strings.Join(words, " "), remark
}

// distinct reports whether no name occurs twice.
func distinct(names []string) bool {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) == len(names)
}
