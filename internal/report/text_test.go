package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
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
		"no text of the library":                                                            "no text of the library",
	} {
		if got := Flags(text); got != want {
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

func TestDecades(t *testing.T) {
	if got := decades(csr.Facts{MinAbs: 1e-300, MaxAbs: 1e300}); math.Abs(got-600) > 1e-9 {
		t.Errorf("%g decades", got)
	}
	if got := decades(csr.Facts{}); got != 0 {
		t.Errorf("%g decades of zeros", got)
	}
}
