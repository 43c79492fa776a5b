package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Printable escapes the characters that a terminal obeys, and leaves printable ones as they are.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a·b ‖r‖ naïve":  "a·b ‖r‖ naïve",
		"\x1b[2J":        `\x1b[2J`,
		"a\nb\tc":        `a\nb\tc`,
		"\x7f\u009b\xff": `\x7f\u009b\xff`,
		"\u202e":         `\u202e`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		var b strings.Builder
		Line(&b, "x", "written to %s", text)
		if want := "x          written to " + want + "\n"; b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}

func TestFlags(t *testing.T) {
	for text, want := range map[string]string{
		"allow more iterations (Options.MaxIter = 200), or try Options.Precond.Kind = auto": "allow more iterations (--max-iter 200), or try --precond auto",
		"try Options.Precond = {Kind: ilut, DropTol: 1e-8, Fill: 100}":                      "try --precond ilut --drop-tol 1e-8 --fill 100",
		"try Options.Device = nil: the host has more preconditioners":                       "try --device cpu: the host has more preconditioners",
		"leave them out (Options.Digits = NoDigits)":                                        "leave them out (--digits none)",
		"try Options.NoRefine = false":                                                      "try --refine",
		"allow more time; x is the best found so far and can be used as initial guess":      "allow more time (--max-time); x is the best found so far and can be used as initial guess (--guess)",
		"; Options.Restart = 30 leaves it more, Options.Precond.Kind = none takes none":     "; --restart 30 leaves it more, --precond none takes none",
		"there is no reordering over several domains":                                       "there is no reordering over several domains (--domains 1)",
		"no text of the library":                                                            "no text of the library",
	} {
		if got := Flags(text); got != want || Flags(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Texts of the library do not name flags, and every option that they name has a flag.
func TestTextsOfTheLibrary(t *testing.T) {
	spelled := regexp.MustCompile(`(^|[ (])--[a-z]`)
	for _, dir := range []string{"pkg/krylov", "pkg/precond", "pkg/solve", "internal/solver"} {
		err := filepath.WalkDir(filepath.Join("..", "..", filepath.FromSlash(dir)), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					text, _ := strconv.Unquote(l.Value)
					if spelled.MatchString(text) {
						t.Errorf("%s: %q names a flag", name, text)
					}
					if with := Flags(text); strings.Contains(with, "Options.") {
						t.Errorf("%s: %q names an option that has no flag", name, with)
					}
				}
				return true
			})
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line            string
		indent, columns int
		want            string
	}{
		{"", 3, 10, ""},
		{"no limit at all, however long", 3, 0, "no limit at all, however long"},
		{"it fits", 3, 7, "it fits"},
		{"rhs     b = A·ones, which is a long text", 8, 28, "rhs     b = A·ones, which is\n        a long text"},
		{"a    b     c", 0, 20, "a    b     c"},
		{"averyveryverylongwordthatfitsnowhere at all", 2, 22, "averyveryverylongwordthatfitsnowhere\n  at all"},
		{"narrower than text can be", 4, 5, "narrower than text can\n    be"},
	} {
		if got := Wrap(c.line, c.indent, c.columns); got != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.line, c.columns, got, c.want)
		}
	}
}

func TestWorst(t *testing.T) {
	a, b := verify.Errors{Row: 1, Normwise: 6, Componentwise: 3, RelativeResidual: 8}, verify.Errors{Row: 5, Normwise: 2, Componentwise: 7, RelativeResidual: 4}
	if got, want := worst(a, b), (verify.Errors{Row: 5, Normwise: 6, Componentwise: 7, RelativeResidual: 8}); got != want || worst(b, a) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A comparison is true of the numbers as they are read.
func TestCompared(t *testing.T) {
	for _, c := range []struct {
		e, tol float64
		want   string
	}{
		{2.2e-12, 1e-10, "2.2e-12 <= 1e-10"},
		{2.2e-10, 1e-10, "2.2e-10 > 1e-10"},
		{1e-10, 1e-10, "1.0e-10 <= 1e-10"},
		{1.04e-10, 1e-10, "1.04e-10 > 1e-10"},
		{1.46e-10, 1.5e-10, "1.5e-10 <= 1.5e-10"},
		{1.8e-10, 1.5e-10, "1.8e-10 > 1.5e-10"}, // not 1.8e-10 > 2e-10
		{1.24e-10, 1.23e-10, "1.24e-10 > 1.23e-10"},
		{0, 1e-30, "0.0e+00 <= 1e-30"},
		{math.Inf(1), 1e-10, "+Inf > 1e-10"},
		{math.NaN(), 1e-10, "NaN > 1e-10"},
	} {
		if got := Compared(c.e, c.tol); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		tol := math.Exp(-50 * rng.Float64())
		e := tol * (1 + rng.NormFloat64()*math.Exp(-30*rng.Float64()))
		var left, right float64
		var relation string
		if _, err := fmt.Sscan(Compared(e, tol), &left, &relation, &right); err != nil || (relation == "<=") != (e <= tol) || (left <= right) != (e <= tol) {
			t.Fatalf("%g and %g: %s", e, tol, Compared(e, tol))
		}
	}
}

// The line of the work names what produced x with its own iterations, and what came before it.
func TestAttemptsText(t *testing.T) {
	lu := Attempt{Method: "gmres", Preconditioner: "lu, AMD order, 12 entries in FP64", Iterations: 1, Reason: "converged"}
	jacobi := Attempt{Method: "bicgstab", Preconditioner: "jacobi", Iterations: 56, Reason: "too slow"}
	refused := Attempt{Method: "gmres", Preconditioner: "ilut", Reason: "ilut: setting up takes too long"}
	fine := Attempt{Method: "gmres", Preconditioner: "ilut, drop 1e-05, 34 entries", Iterations: 7, Reason: "stagnation"}
	coarse := Attempt{Method: "gmres", Preconditioner: "ilut, drop 1e-03, 30 entries", Iterations: 9, Reason: "converged"}
	for _, c := range []struct {
		last     string // preconditioner
		all      int
		attempts []Attempt
		want     string
	}{
		{lu.Preconditioner, 1, []Attempt{lu}, "gmres with lu: 1 iteration, 2 steps, 3 threads"},
		{lu.Preconditioner, 57, []Attempt{jacobi, lu}, "gmres with lu: 1 iteration; before it bicgstab with jacobi, 56 iterations, too slow; in all 2 steps, 3 threads"},
		{lu.Preconditioner, 57, []Attempt{refused, jacobi, refused, lu, refused}, "gmres with lu: 1 iteration; before it bicgstab with jacobi, 56 iterations, too slow; in all 2 steps, 3 threads"},
		{
			coarse.Preconditioner, 72,
			[]Attempt{jacobi, fine, coarse},
			"gmres with ilut, drop 1e-03: 9 iterations; before it bicgstab with jacobi, 56 iterations, too slow; gmres with ilut, drop 1e-05, 7 iterations, stagnation; in all 2 steps, 3 threads",
		},
		{lu.Preconditioner, 3, []Attempt{lu, lu}, "gmres with lu: 3 iterations, 2 steps, 3 threads"}, // the rest after the tolerance was met
		{"none", 1234, nil, "gmres: 1,234 iterations, 2 steps, 3 threads"},
		{"", 0, nil, "gmres: 0 iterations, 2 steps, 3 threads"},
	} {
		r := Report{Method: "gmres", Preconditioner: Preconditioner{Text: c.last}}
		r.InnerIterations, r.Attempts = c.all, c.attempts
		var text strings.Builder
		if r.writeAttempts(&text, "2 steps", "3 threads"); text.String() != "work       "+c.want+"\n" {
			t.Errorf("%s\nwant %s", text.String(), c.want)
		}
	}
}

func TestDecades(t *testing.T) {
	if got := decades(csr.Facts{MinAbs: 1e-300, MaxAbs: 1e300}); math.Abs(got-600) > 1e-9 {
		t.Errorf("%g decades", got)
	}
	if got := decades(csr.Facts{}); got != 0 {
		t.Errorf("%g decades of zeros", got)
	}
}
