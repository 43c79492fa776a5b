package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Printable escapes every character that is not printable, such as control characters that a terminal obeys. File names may
// contain them.
func Printable(text string) string {
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		c, width := utf8.DecodeRuneInString(rest)
		if unprintable(c) {
			quoted := strconv.Quote(rest[:width])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(rest[:width])
		}
		rest = rest[width:]
	}
	return b.String()
}

// unprintable reports whether a character is not printable. Bytes that are not UTF-8 count as not printable.
func unprintable(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }

// Facts writes the properties of a matrix.
func Facts(w io.Writer, f csr.Facts) {
	Line(w, "matrix", "%d x %d, %d %s, %.1f per row, at most %d", f.Rows, f.Cols, f.NNZ, english.PluralWord(f.NNZ, "nonzero", "nonzeros"),
		float64(f.NNZ)/float64(max(f.Rows, 1)), f.LongestRow)
	if f.Rows == f.Cols {
		symmetric := "no"
		if f.Symmetric {
			symmetric = "yes"
		}
		Line(w, "symmetric", "%s (asymmetry %.1e, tolerance %.0e)", symmetric, f.Asymmetry, csr.SymmetryTol)
		Line(w, "diagonal", "%d positive, %d negative, %d zero", f.DiagonalPositive, f.DiagonalNegative, f.DiagonalZero)
	}
	Line(w, "values", "|a| from %.3g to %.3g, %.1f decades", f.MinAbs, f.MaxAbs, decades(f))
	Line(w, "storage", "%s as FP64 CSR", bytes(csr.Bytes(int64(f.Rows), int64(f.NNZ))))
}

// stopNames has the names of the stopping criteria in words.
var stopNames = map[string]string{
	"row": "row-wise backward error", "nw": "normwise backward error",
	"cw": "componentwise backward error", "rel": "||r||/||b||",
}

// ErrorName returns what a stopping criterion bounds, in words; "error" for a criterion that is not known.
func ErrorName(stop string) string { return cmp.Or(stopNames[stop], "error") }

// Error returns the error of an outcome that the stopping criterion bounds.
func (r *Report) Error(o Outcome) Number {
	return map[string]Number{
		"row": o.BackwardError.Row, "nw": o.BackwardError.Normwise,
		"cw": o.BackwardError.Componentwise, "rel": o.RelativeResidual,
	}[r.Stop]
}

// Verdict returns the outcome in one line.
func (r *Report) Verdict(o Outcome) string {
	e, stop := r.Error(o), stopNames[r.Stop]
	if o.LeastSquares != nil {
		e, stop = o.RelativeResidual, stopNames["rel"]
	}
	measure := stop + " " + Compared(float64(e), r.Tolerance)
	if o.Why == krylov.LeastSquares {
		text := "largest cosine of the residual and a column " + Compared(float64(o.LeastSquares.Columns), r.Tolerance)
		if r.Stop == "nw" {
			text = "||A'r||/(||A|| ||r||) " + Compared(float64(o.LeastSquares.Normal), r.Tolerance)
		}
		return fmt.Sprintf("least squares: x minimises ||b - A x||_2, %s", text)
	}
	if o.Converged {
		return fmt.Sprintf("%s, %s", o.Reason, measure)
	}
	if float64(e) <= r.Tolerance { // something else is wrong
		return fmt.Sprintf("NOT converged (%s); %s", o.Reason, o.Advice)
	}
	text := fmt.Sprintf("NOT converged (%s), %s", o.Reason, measure)
	if o.Advice != "" {
		text += "; " + o.Advice
	}
	return text
}

// Compared compares an error with a tolerance, such as 2.2e-12 <= 1e-10, in so many digits that the relation is true of what is read.
func Compared(e, tol float64) string {
	relation, text := ">", fmt.Sprintf("%.1e", e)
	if e <= tol {
		relation = "<="
	}
	if read, _ := strconv.ParseFloat(text, 64); (read <= tol) != (e <= tol) {
		text = strconv.FormatFloat(e, 'e', -1, 64)
	}
	return fmt.Sprintf("%s %s %s", text, relation, strconv.FormatFloat(tol, 'e', -1, 64))
}

// Quiet writes the verdict and a line for each caution.
func (r *Report) Quiet(w io.Writer) {
	fmt.Fprintln(w, r.Verdict(r.Outcome))
	for _, line := range r.Cautions {
		Line(w, "caution", "%s", line)
	}
}

// Text returns the evidence in words.
func (v *Evidence) Text() string {
	of := "the equations"
	if len(v.Rows) > 0 {
		of = numbered("row", v.Rows)
		if len(v.Lines) > 0 {
			of += fmt.Sprintf(" (%s of the file)", numbered("line", v.Lines))
		}
	}
	if v.Null == 0 {
		return fmt.Sprintf("a combination of %s, y'A x = y'b, is 0 = y'b with |y'b| = %.2g |y|'|b|", of, v.Product)
	}
	return fmt.Sprintf("a combination of %s, y'A x = y'b, has |y'A| <= %.0e |y|'|A| and |y'b| = %.2g |y|'|b|", of, v.Null, v.Product)
}

// numbered names things by their numbers, as in rows 1, 2, and 5.
func numbered[T int | int64](thing string, numbers []T) string {
	names := make([]string, len(numbers))
	for k, i := range numbers {
		names[k] = strconv.FormatInt(int64(i), 10)
	}
	return english.PluralWord(len(names), thing, "") + " " + english.OxfordWordSeries(names, "and")
}

// Brief is Text without the figures behind it.
func (d Digits) Brief() string {
	switch d.State {
	case "believed":
		return fmt.Sprintf("about %d of x", d.Believed)
	case "estimated":
		return fmt.Sprintf("about %d of x, if A is not nearly singular; --digits N checks that", d.Believed)
	}
	return d.Text()
}

// Text says in words what is known about the digits; empty if they were not estimated.
func (d Digits) Text() string {
	switch d.State {
	case "believed":
		if math.IsNaN(float64(d.Step)) {
			return fmt.Sprintf("about %d of x (roundings of A and b may change it by %.1e; condition about %.0e)",
				d.Believed, d.Probe, d.Condition)
		}
		return fmt.Sprintf("about %d of x (the last step changed it by %.1e, roundings of A and b may by %.1e; condition about %.0e)",
			d.Believed, d.Step, d.Probe, d.Condition)
	case "estimated":
		return fmt.Sprintf("about %d of x, if A is not nearly singular; --digits N checks that (roundings of A and b may change it by %.1e; condition about %.0e)",
			d.Believed, d.Probe, d.Condition)
	case "none":
		if math.IsNaN(float64(d.Step)) {
			return fmt.Sprintf("none of x can be believed: roundings of A and b may change it by %.1e; condition about %.0e",
				d.Probe, d.Condition)
		}
		return fmt.Sprintf("none of x can be believed: one more step changes it by %.1e, roundings of A and b may by %.1e; condition about %.0e",
			d.Step, d.Probe, d.Condition)
	case "not confirmed":
		return "not confirmed: what is cheap beside the solve did not suffice; --digits N goes on"
	}
	return ""
}

func bytes(n int64) string { return humanize.Bytes(uint64(n)) }

// flagOf maps each option that texts of the library name to its flag.
var flagOf = map[string]string{
	"Digits": "digits", "MaxIter": "max-iter", "MaxMemory": "max-memory", "Method": "method", "NullSpace": "nullspace",
	"Precond": "precond", "Precond.Kind": "precond", "Precond.DropTol": "drop-tol", "Precond.Fill": "fill", "Reorder": "reorder",
	"Restart": "restart", "Scale": "scale", "Storage.Epsilon": "epsilon", "Storage.Set": "formats", "Tol": "tol", "Vectors.Kind": "vectors",
}

// settingOf maps settings whose value the command line spells in another way to their flags.
var settingOf = map[string]string{"Device = nil": "--device cpu", "Digits = NoDigits": "--digits none", "NoRefine = false": "--refine"}

// phrases adds flags to texts of the library that name something which is not an option there.
var phrases = once(
	"allow more time;", "allow more time (--max-time);",
	"as initial guess", "as initial guess (--guess)",
	"; check b", "; check b (--rhs)",
	"large where it is nearly a null vector", "large where it is nearly a null vector (--output)",
	"over several domains", "over several domains (--domains 1)",
	"a solve on one domain", "--domains 1",
)

// once returns a replacer of pairs that leaves new texts as they are.
func once(pairs ...string) *strings.Replacer {
	var all []string
	for k := 1; k < len(pairs); k += 2 {
		all = append(all, pairs[k], pairs[k])
	}
	return strings.NewReplacer(append(all, pairs...)...)
}

// optionText matches an option in a text of the library: Options.Precond, Options.Tol = 1e-8, or
// Options.Precond = {Kind: ilut, Fill: 100}.
var optionText = regexp.MustCompile(`Options\.(\w+(?:\.\w+)*)(?: = (\{[^}]*\}|[^\s,:;()]+))?`)

// Flags replaces the options that a text of the library names by the flags of the command line. A text in which they have been replaced stays.
func Flags(text string) string {
	text = optionText.ReplaceAllStringFunc(text, func(s string) string {
		parts := optionText.FindStringSubmatch(s)
		option, value := parts[1], parts[2]
		fields, several := strings.CutPrefix(strings.TrimSuffix(value, "}"), "{")
		if !several {
			return flag(s, option, value)
		}
		var flags []string
		for _, f := range strings.Split(fields, ", ") {
			name, value, _ := strings.Cut(f, ": ")
			flags = append(flags, flag(s, option+"."+name, value))
		}
		return strings.Join(flags, " ")
	})
	return phrases.Replace(text)
}

// flag returns the flag for an option with a value, which may be empty; text if there is no such flag.
func flag(text, option, value string) string {
	if spelled, ok := settingOf[option+" = "+value]; ok {
		return spelled
	}
	name, ok := flagOf[option]
	if !ok {
		return text
	}
	return strings.TrimSpace("--" + name + " " + value)
}

// decades returns log10(max|a| / min|a|) over the nonzeros, 0 if there are none.
func decades(f csr.Facts) float64 {
	if f.MinAbs == 0 {
		return 0
	}
	return math.Log10(f.MaxAbs) - math.Log10(f.MinAbs)
}
