package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mpsolve/mpsolve"

// A layer says what the files of one package, tests left out, may import.
type layer struct {
	pkg     string
	imports []string // packages of this module; "*" for any
	reason  string
	pure    bool // standard library only, nothing of the terminal, files or the network
}

// layers has a row for every package.
var layers = []layer{
	{pkg: "cmd/mpsolve", imports: []string{"internal/cli"}, reason: "main and an exit code, nothing else"},
	{pkg: "internal/arch", reason: "a test only"},
	{pkg: "internal/cli", imports: []string{"*"}, reason: "wires everything, knows no mathematics"},
	{pkg: "tools/tables", imports: []string{"*"}, reason: "a program that measures for the documentation"},
	{pkg: "bench/multigrid", imports: []string{"pkg/csr", "pkg/generate", "pkg/krylov", "pkg/linop", "pkg/matrixmarket", "pkg/parallel", "pkg/precond"}, reason: "a program that measures multigrid for the documentation"},
	{pkg: "tools/digits", imports: []string{"*"}, reason: "a program that compares digits said with right ones"},
	{pkg: "tools/precisedigits", imports: []string{"*"}, reason: "a program that checks digits beyond float64"},
	{pkg: "tools/digitsfigure", imports: []string{"*"}, reason: "a program that measures for the documentation"},
	{pkg: "tools/reproductionpage", imports: []string{"examples/experiments", "internal/figure", "internal/present", "internal/records", "internal/reproduce", "internal/atomicfile", "tools/page"}, reason: "a program that writes measurements into the documentation"},
	{pkg: "internal/collection", imports: []string{"pkg/matrixmarket", "pkg/csr"}, reason: "finds and reads matrices, knows those of the papers"},
	{pkg: "internal/stress", imports: []string{"*"}, reason: "attacks the solver and judges it by arithmetic of its own"},
	{pkg: "tools/stress", imports: []string{"internal/stress", "tools/page"}, reason: "a program that runs the attacks"},
	{pkg: "tools/volume", imports: []string{"internal/atomicfile", "internal/figure", "tools/page"}, reason: "a program that writes a model into the documentation"},
	{pkg: "tools/mutants", reason: "a program that runs the tests"},
	{pkg: "tools/platforms", reason: "a program that reads sources"},
	{pkg: "tools/page", reason: "pages of the documentation alone"},
	{pkg: "internal/reproduce", imports: []string{"*"}, reason: "puts experiments, matrices and measurements together, knows no terminal"},
	{pkg: "packaging", reason: "a test only"},
	{pkg: "tools/site", reason: "a program that makes HTML of the pages"},
	{pkg: "docs", reason: "pages of the documentation that programs show parts of"},
	{pkg: "cmd/libmpsolve", imports: []string{"internal/cli", "pkg/csr"}, reason: "the C library: codes and pointers, nothing else"},
	{pkg: "internal/present", imports: []string{"docs", "examples/experiments", "internal/figure", "internal/records", "internal/machine", "internal/atomicfile"}, reason: "tables, figures, verdicts and a report of records, measures nothing"},
	{pkg: "internal/records", imports: []string{"internal/machine"}, reason: "a file of measurements alone"},
	{pkg: "internal/figure", reason: "draws points, knows no measurements"},
	{pkg: "internal/atomicfile", imports: []string{"internal/outlet"}, reason: "files alone"},
	{pkg: "internal/outlet", reason: "writes that may be given up"},
	{pkg: "examples/agata", imports: []string{"examples/agata/crystal", "examples/agata/gridsearch", "pkg/parallel"}, reason: "an example: flags and output"},
	{pkg: "examples/agata/crystal", imports: []string{"examples/agata/gridsearch", "pkg/csr", "pkg/krylov", "pkg/parallel", "pkg/solve"}, reason: "an example: simulates a detector, knows no terminal"},
	{pkg: "examples/agata/gridsearch", imports: []string{"pkg/parallel", "pkg/stochastic"}, reason: "an example: searches signals, whatever made them"},
	{pkg: "examples/heat", imports: []string{"pkg/csr", "pkg/solve"}, reason: "an example: a sequence of systems"},
	{pkg: "examples/circuit", imports: []string{"pkg/csr", "pkg/solve"}, reason: "an example: assembles with james-bowman/sparse"},
	{pkg: "examples/service", imports: []string{"pkg/matrixmarket", "pkg/solve"}, reason: "an example: right-hand sides one at a time"},
	{pkg: "examples/experiments", imports: []string{"internal/figure"}, reason: "data, and its form"},
	{pkg: "internal/report", imports: []string{"examples/experiments", "internal/collection", "internal/bench", "internal/machine", "pkg/dist", "pkg/formatsearch", "pkg/gpu", "pkg/solve", "pkg/stochastic", "pkg/tune", "pkg/verify", "pkg/krylov", "pkg/linop", "pkg/csr", "pkg/adaptive"}, reason: "prints results, does not know how to run"},

	{pkg: "internal/bench", imports: []string{"pkg/csr", "pkg/dist", "pkg/generate", "pkg/packed", "pkg/formats", "pkg/adaptive", "pkg/linop", "pkg/krylov", "pkg/gpu", "pkg/parallel", "internal/kernels", "internal/nearest", "pkg/dd", "pkg/mp", "pkg/mp/rns"}, reason: "measures speed, knows no files of matrices and no terminal"},

	{pkg: "pkg/solve", imports: []string{"pkg/gpudist", "pkg/dd", "pkg/mp", "pkg/csr", "pkg/dist", "pkg/adaptive", "pkg/linop", "pkg/parallel", "pkg/krylov", "pkg/precond", "pkg/verify", "pkg/gpu", "pkg/stochastic", "internal/kernels"}, reason: "puts method and matrix together, knows no files and no terminal"},
	{pkg: "pkg/dist", imports: []string{"pkg/csr", "pkg/linop", "pkg/parallel", "internal/kernels"}, reason: "spreads matrices and vectors over ranks, knows no method, format or MPI"},
	{pkg: "pkg/precond", imports: []string{"pkg/csr", "pkg/dist", "pkg/adaptive", "pkg/formats", "pkg/linop", "pkg/krylov", "internal/kernels", "pkg/parallel"}, reason: "operators made from a matrix, knows no files and no terminal"},
	{pkg: "pkg/krylov", imports: []string{"pkg/linop"}, reason: "methods know operators, never matrices, formats, files, devices or the terminal", pure: true},
	{pkg: "pkg/verify", imports: []string{"pkg/csr", "pkg/dist", "pkg/parallel", "pkg/dd"}, reason: "judges an x by the matrix alone, whatever made it"},
	{pkg: "pkg/formatsearch", imports: []string{"pkg/adaptive", "pkg/csr", "pkg/formats", "pkg/krylov", "pkg/linop", "pkg/parallel", "pkg/precond", "pkg/verify"}, reason: "solves in other and other formats, knows no terminal"},
	{pkg: "pkg/tune", imports: []string{"pkg/adaptive", "pkg/csr", "pkg/precond", "pkg/solve"}, reason: "solves in other and other ways, knows no terminal"},
	{pkg: "pkg/stochastic", imports: []string{"pkg/dd", "pkg/csr", "pkg/linop", "pkg/parallel"}, reason: "arithmetic that rounds at random, and vectors of it; knows no method", pure: true},
	{pkg: "pkg/linop", imports: []string{"pkg/csr", "pkg/packed", "internal/kernels", "pkg/parallel", "pkg/dd"}, reason: "the seam knows no algorithm, format or device", pure: true},
	{pkg: "pkg/quantize", imports: []string{"pkg/csr", "pkg/formats", "pkg/parallel", "pkg/sell", "internal/kernels", "internal/nearest"}, reason: "decides the format of each element, knows no layout and no product"},
	{pkg: "pkg/adaptive", imports: []string{"pkg/csr", "pkg/formats", "pkg/linop", "pkg/parallel", "pkg/quantize", "pkg/sell", "pkg/dd", "internal/kernels"}, reason: "chooses a layout, packs and multiplies, knows no algorithm and no device"},
	{pkg: "pkg/packed", imports: []string{"pkg/parallel", "internal/kernels"}, reason: "stores vectors, knows no matrix and no algorithm"},
	{pkg: "pkg/sell", imports: []string{"internal/kernels"}, reason: "arranges integers in lanes, knows no matrix, format or device"},
	{pkg: "pkg/gpudist", imports: []string{"pkg/csr", "pkg/dist", "pkg/gpu", "pkg/linop"}, reason: "what ranks share on devices; knows no method and no format"},
	{pkg: "pkg/gpu", imports: []string{"pkg/csr", "pkg/adaptive", "pkg/formats", "pkg/linop", "pkg/packed", "pkg/parallel", "pkg/sell"}, reason: "devices, and what lies on them; knows no method and no terminal"},
	{pkg: "internal/child", reason: "programs that tests start"},
	{pkg: "internal/testmatrix", imports: []string{"internal/collection", "pkg/csr", "pkg/matrixmarket"}, reason: "matrices for tests"},
	{pkg: "tools/gpugen", reason: "a program that reads the kernels' declarations"},
	{pkg: "tools/gputable", imports: []string{"tools/page"}, reason: "a program that writes measurements into the documentation"},
	{pkg: "tools/simdgen", reason: "a program that compiles the kernels in C and writes them as assembly of Go"},
	{pkg: "tools/gpucode", imports: []string{"internal/codeobject"}, reason: "a program that compiles the kernels and reads what comes out"},
	{pkg: "tools/gpuptxas", reason: "a program that assembles the kernels and reads what comes out"},
	{pkg: "pkg/formats", imports: []string{"internal/kernels", "internal/nearest"}, reason: "codecs alone, does not know why a format was chosen"},
	{pkg: "pkg/generate", imports: []string{"pkg/csr", "pkg/dist", "pkg/parallel"}, reason: "makes matrices, knows no files and no solver"},
	{pkg: "pkg/matrixmarket", imports: []string{"pkg/csr", "pkg/dist", "pkg/parallel", "internal/nearest"}, reason: "reads and writes, knows no precision and no solver"},
	{pkg: "pkg/realform", imports: []string{"pkg/csr"}, reason: "rearranges numbers, knows no files and no solver"},
	{pkg: "pkg/matrixio", imports: []string{"internal/kernels", "internal/mapping", "pkg/csr", "pkg/matrixmarket"}, reason: "reads and writes other formats of files, knows no precision and no solver"},
	{pkg: "pkg/csr", imports: []string{"pkg/parallel", "pkg/dd", "internal/kernels"}, reason: "structure and norms, knows no precision"},

	{pkg: "internal/ptxemu", imports: []string{"internal/simt"}, reason: "runs PTX for tests, knows no kernel, matrix or driver", pure: true},
	{pkg: "internal/gcnemu", imports: []string{"internal/simt", "internal/codeobject"}, reason: "runs AMD's instructions for tests, knows no kernel, matrix or driver", pure: true},
	{pkg: "internal/simt", reason: "memory and threads of GPUs that are interpreted, knows no instruction", pure: true},
	{pkg: "internal/codeobject", reason: "reads AMD's code objects, knows no kernel"},
	{pkg: "internal/kernels", imports: []string{"pkg/dd"}, reason: "plain slices, no solver and no goroutine"},
	{pkg: "internal/guard", reason: "memory for tests"},
	{pkg: "internal/machine", reason: "files of the system alone"},
	{pkg: "internal/mpi", imports: []string{"pkg/dist"}, reason: "ranks of MPI, knows nothing that is sent"},
	{pkg: "internal/supervise", reason: "a process that waits for another, in C"},
	{pkg: "internal/mapping", reason: "files in memory, and a signal, in C"},
	{pkg: "internal/nearest", reason: "words alone"},
	{pkg: "pkg/parallel", reason: "goroutines alone"},
	{pkg: "internal/ddspace", imports: []string{"pkg/dd", "pkg/csr", "pkg/linop"}, reason: "a space of vectors for tests"},
	{pkg: "pkg/dd", reason: "arithmetic alone"},
	{pkg: "pkg/mp", imports: []string{"internal/kernels", "pkg/csr", "pkg/parallel"}, reason: "multiple precision: vectors and products, knows no method and no terminal", pure: true},
	{pkg: "pkg/mp/rns", imports: []string{"internal/kernels", "pkg/csr", "pkg/parallel"}, reason: "multiple precision by residues, knows no other representation", pure: true},
}

// confined lists external packages that few packages may import.
var confined = map[string][]string{
	"github.com/james-bowman/sparse":    {"pkg/csr", "examples/circuit"},
	"github.com/guptarohit/asciigraph":  {"internal/cli"},
	"github.com/schollz/progressbar/v3": {"internal/cli", "examples/agata"},
	"github.com/spf13/cobra":            {"internal/cli", "examples/agata"},
	"github.com/spf13/pflag":            {"internal/cli"},
}

// unclean lists what a pure package must not import: it talks to nobody.
var unclean = []string{"log", "log/slog", "net", "net/http", "os", "os/exec", "os/signal", "syscall"}

// TestLayering reads the sources itself instead of asking go list: this way it
// sees the files of all platforms and build tags, and the test cache notices
// when one of them changes.
func TestLayering(t *testing.T) {
	found := packages(t, filepath.Join("..", ".."), isSource)
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		i := slices.IndexFunc(layers, func(l layer) bool { return l.pkg == pkg })
		if i < 0 {
			t.Errorf("%s is not in the table: add a row to layers in internal/arch that says what it may import, and why", pkg)
			continue
		}
		for _, f := range found[pkg] {
			for _, fault := range layers[i].faults(f) {
				t.Errorf("%s: %s", f.name, fault)
			}
		}
	}
}

func TestTableIsSound(t *testing.T) {
	known := map[string]bool{"*": true}
	for _, l := range layers {
		if known[l.pkg] {
			t.Errorf("%s has two rows", l.pkg)
		}
		if l.reason == "" {
			t.Errorf("%s has no reason", l.pkg)
		}
		known[l.pkg] = true
	}
	for _, l := range layers {
		for _, p := range l.imports {
			if !known[p] {
				t.Errorf("%s may import %s, which has no row", l.pkg, p)
			}
		}
	}
}

// TestFaults breaks each rule once.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ pkg, source, want string }{
		{"pkg/krylov", `import "github.com/mpsolve/mpsolve/pkg/linop"`, ""},
		{"pkg/krylov", `import "github.com/mpsolve/mpsolve/pkg/csr"`, "must not import pkg/csr"},
		{"pkg/krylov", `import "gonum.org/v1/gonum/mat"`, "must not import gonum.org/v1/gonum/mat"},
		{"pkg/krylov", `import "os"`, "must not import os"},
		{"pkg/krylov", `import "fmt"; func f() { fmt.Println() }`, "must not call fmt.Println"},
		{"pkg/krylov", `import "fmt"; func f() error { return fmt.Errorf("") }`, ""},
		{"pkg/linop", `func f() { println() }`, "must not call println"},
		{"pkg/csr", `import "gonum.org/v1/gonum/mat"`, ""},
		{"pkg/solve", `import "github.com/spf13/cobra"`, "only internal/cli and examples/agata may import"},
		{"cmd/mpsolve", `import "github.com/mpsolve/mpsolve/pkg/solve"`, "must not import pkg/solve"},
		{"internal/cli", `import "github.com/mpsolve/mpsolve/pkg/solve"`, ""},
	} {
		name := filepath.Join(t.TempDir(), "file.go")
		if err := os.WriteFile(name, []byte("package p; "+c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := parse(name)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(layers, func(l layer) bool { return l.pkg == c.pkg })
		got := strings.Join(layers[i].faults(f), "; ")
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s with %s: got %q, want %q", c.pkg, c.source, got, c.want)
		}
	}
}

type file struct {
	name    string
	syntax  *ast.File
	imports []string
}

// faults returns what a file does against the rules of its layer.
func (l layer) faults(f file) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, p := range f.imports {
		ours, inModule := strings.CutPrefix(p, module+"/")
		standard := !strings.Contains(strings.Split(p, "/")[0], ".")
		switch {
		case inModule && !slices.Contains(l.imports, "*") && !slices.Contains(l.imports, ours):
			add("%s must not import %s: %s (it may import %s)", l.pkg, ours, l.reason, allowed(l.imports))
		case confined[p] != nil && !slices.Contains(confined[p], l.pkg):
			add("only %s may import %s", strings.Join(confined[p], " and "), p)
		case l.pure && !inModule && (!standard || slices.Contains(unclean, p)):
			add("%s must not import %s: %s", l.pkg, p, l.reason)
		}
	}
	if l.pure {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if name, ok := prints(n); ok {
				add("%s must not call %s: %s", l.pkg, name, l.reason)
			}
			return true
		})
	}
	return faults
}

func allowed(imports []string) string {
	if len(imports) == 0 {
		return "nothing of this module"
	}
	return strings.Join(imports, ", ")
}

// prints recognises a call that writes to standard output or standard error.
func prints(n ast.Node) (name string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name, f.Name == "print" || f.Name == "println"
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return "fmt." + f.Sel.Name, ok && x.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Print")
	}
	return "", false
}

// isSource and isTest select the files of packages.
func isSource(name string) bool { return path.Ext(name) == ".go" && !isTest(name) }
func isTest(name string) bool   { return strings.HasSuffix(name, "_test.go") }

// packages parses the selected files below root, by package. Nested modules and what the go
// command leaves out are left out here too.
func packages(t *testing.T, root string, selected func(name string) bool) map[string][]file {
	found := map[string][]file{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && ignored(name):
			return fs.SkipDir
		case d.IsDir() || !selected(name):
			return nil
		}
		f, err := parse(name)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		found[pkg] = append(found[pkg], f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ignored tells whether a folder holds no package of this module.
func ignored(dir string) bool {
	base := filepath.Base(dir)
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func parse(name string) (file, error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	f := file{name: filepath.ToSlash(name), syntax: syntax}
	for _, spec := range syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return file{}, err
		}
		f.imports = append(f.imports, p)
	}
	return f, nil
}
