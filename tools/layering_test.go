package main

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

// A layer says what the files of one package, except tests, may import.
type layer struct {
	pkg     string
	imports []string // packages of this module; "*" for any
	reason  string
	pure    bool // standard library only, nothing of the terminal, files or the network
}

// layers has a row for every package.
var layers = []layer{
	{pkg: "cmd/mpsolve", imports: []string{"internal/cli"}, reason: "main and an exit code, nothing else"},
	{pkg: ".", imports: []string{"internal/matrixio", "internal/solver", "internal/solver/checkpoint", "pkg/csr", "pkg/solve"}, reason: "what one reads first: thin over the solver"},
	{pkg: "tools", imports: []string{"gputest"}, reason: "makes, checks and tests parts of the repository, builds without the solver"},
	{pkg: "internal/cli", imports: []string{"*"}, reason: "wires everything, knows no mathematics"},
	{pkg: "tools/measure", imports: []string{"*"}, reason: "runs the solver for the documentation"},
	{pkg: "reproduce", imports: []string{"*"}, reason: "puts experiments, matrices and measurements together, knows no terminal"},
	{pkg: "cmd/libmpsolve", imports: []string{"internal/cli", "internal/solver", "pkg/csr"}, reason: "the C library: codes and pointers, nothing else"},
	{pkg: "examples/sequence", imports: []string{"internal/solver", "pkg/linop", "pkg/matrixmarket", "pkg/solve", "pkg/csr"}, reason: "an example: sequences of systems"},
	{pkg: "examples/service", imports: []string{"pkg/csr", "pkg/matrixmarket", "pkg/solve"}, reason: "an example: systems of many clients over HTTP"},
	{pkg: "lab", imports: []string{"*"}, reason: "measures, searches formats and options, attacks the solver; knows no terminal"},
	{pkg: "reproduce/records", imports: []string{"internal/host"}, reason: "experiments, what they measured, and the form of figures; measures nothing"},
	{pkg: "reproduce/agata", imports: []string{"internal/solver", "pkg/csr", "pkg/krylov", "pkg/parallel", "pkg/solve", "lab"}, reason: "simulates a detector and searches in its signals, knows no terminal"},
	{pkg: "internal/host", reason: "files, limits and processors of the system alone"},
	{pkg: "internal/matrixio", imports: []string{"internal/host", "internal/kernels", "pkg/csr", "pkg/matrixmarket"}, reason: "reads and writes other formats of files, finds the papers' matrices, knows no precision and no solver"},
	{pkg: "internal/fetch", imports: []string{}, reason: "downloads files, does not know what is in them"},
	{pkg: "internal/testsupport", imports: []string{"internal/host", "internal/kernels", "internal/dd", "internal/dist", "internal/matrixio", "pkg/csr", "pkg/linop", "pkg/matrixmarket"}, reason: "matrices, vectors and programs for tests"},
	{pkg: "internal/report", imports: []string{"internal/solver", "internal/solver/choice", "internal/solver/features", "internal/solver/rules", "reproduce/records", "internal/matrixio", "lab", "internal/host", "internal/dist", "pkg/gpu", "pkg/solve", "pkg/verify", "pkg/krylov", "pkg/linop", "pkg/csr", "pkg/adaptive"}, reason: "prints results, does not know how to run"},

	{pkg: "internal/solver", imports: []string{"internal/dist", "pkg/parallel", "internal/solver/choice", "internal/solver/backend", "internal/solver/checkpoint", "internal/solver/digits", "internal/solver/features", "internal/solver/rules", "internal/solver/ranks", "internal/solver/refine", "internal/solver/special", "pkg/adaptive", "pkg/csr", "pkg/gpu", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve", "pkg/verify", "internal/dd"}, reason: "takes a matrix and one or several right-hand sides to a verified result; knows no files and no terminal"},
	{pkg: "internal/solver/checkpoint", imports: []string{"internal/dist", "internal/kernels", "internal/solver/choice", "internal/solver/ranks", "internal/solver/refine", "pkg/adaptive", "pkg/csr", "pkg/krylov", "pkg/linop", "pkg/solve"}, reason: "how far a solve has come, in a file"},
	{pkg: "internal/solver/special", imports: []string{"internal/dd", "internal/dist", "pkg/parallel", "internal/solver/backend", "internal/solver/choice", "internal/solver/digits", "internal/solver/features", "internal/solver/rules", "internal/solver/ranks", "internal/solver/refine", "pkg/csr", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve", "pkg/verify"}, reason: "matrices of a special kind: triangular, singular, not square; and evidence of no solution"},
	{pkg: "internal/solver/digits", imports: []string{"internal/dd", "internal/mp", "internal/solver/backend", "internal/solver/choice", "internal/solver/rules", "internal/solver/refine", "pkg/csr", "pkg/krylov", "pkg/solve", "pkg/verify"}, reason: "how many digits of x can be believed, and x of multiple precision"},
	{pkg: "internal/solver/refine", imports: []string{"internal/mp", "internal/packed", "internal/solver/choice", "internal/solver/backend", "internal/solver/rules", "pkg/adaptive", "pkg/csr", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve", "pkg/verify"}, reason: "iterative refinement and its corrections, on any backend"},
	{pkg: "internal/solver/choice", imports: []string{"internal/dd", "internal/direct/order", "internal/solver/backend", "internal/solver/rules", "internal/solver/ranks", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve", "internal/kernels", "internal/mp", "internal/solver/features", "pkg/adaptive", "pkg/csr", "pkg/gpu"}, reason: "the rules of choice, what memory and time a choice takes, and the fallbacks that are tried one after the other; solves nothing"},
	{pkg: "internal/solver/features", imports: []string{"internal/dist", "pkg/parallel", "internal/solver/rules", "internal/solver/ranks", "pkg/csr", "pkg/gpu", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve", "pkg/verify"}, reason: "what a matrix is like; knows no method"},
	{pkg: "internal/solver/rules", imports: []string{"internal/kernels", "internal/mp", "pkg/adaptive", "pkg/csr", "pkg/gpu", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve", "pkg/verify"}, reason: "values, defaults and faults of options, and the constants of the rules of choice, with unit, source and the command that fits each; chooses nothing"},
	{pkg: "internal/solver/backend", imports: []string{"internal/dd", "internal/dist", "internal/host", "internal/kernels", "pkg/parallel", "internal/packed", "internal/solver/rules", "internal/solver/ranks", "pkg/adaptive", "pkg/csr", "pkg/gpu", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/solve"}, reason: "where vectors and stored matrices live: host, device, ranks, double-double; chooses nothing"},
	{pkg: "internal/solver/ranks", imports: []string{"internal/direct/order", "internal/dist", "internal/kernels", "pkg/parallel", "internal/solver/rules", "pkg/adaptive", "pkg/csr", "pkg/generate", "pkg/krylov", "pkg/precond", "pkg/solve"}, reason: "what ranks agree on, the cut into domains by the graph, and right-hand sides over ranks; knows no method"},
	{pkg: "pkg/solve", imports: []string{"pkg/adaptive", "pkg/csr", "pkg/gpu", "pkg/krylov", "pkg/linop", "pkg/precond", "pkg/verify"}, reason: "what a caller sees of a solve: options, results and their checks; solves nothing"},
	{pkg: "internal/dist", imports: []string{"internal/dd", "pkg/csr", "pkg/linop", "pkg/parallel", "internal/kernels"}, reason: "spreads matrices and vectors over ranks, knows no method, format or MPI"},
	{pkg: "internal/direct/order", imports: []string{"pkg/csr", "pkg/parallel"}, reason: "orders of a graph for elimination, and what elimination takes in an order; knows no values and no factors"},
	{pkg: "internal/direct/factor", imports: []string{"internal/direct/order", "pkg/csr", "pkg/linop", "internal/kernels", "pkg/parallel", "internal/host"}, reason: "complete factors of a tree of fronts, and solves with them; knows no scaling, no limits and no choice"},
	{pkg: "pkg/precond", imports: []string{"internal/direct/order", "internal/direct/factor", "internal/dd", "pkg/csr", "internal/dist", "pkg/adaptive", "pkg/formats", "pkg/linop", "pkg/krylov", "internal/kernels", "pkg/parallel", "internal/host"}, reason: "operators made from a matrix, knows no files and no terminal"},
	{pkg: "pkg/krylov", imports: []string{"pkg/linop"}, reason: "methods know operators, never matrices, formats, files, devices or the terminal", pure: true},
	{pkg: "pkg/verify", imports: []string{"pkg/csr", "internal/dist", "pkg/parallel", "internal/dd"}, reason: "judges an x by the matrix alone, whatever made it"},
	{pkg: "pkg/linop", imports: []string{"pkg/csr", "internal/packed", "internal/kernels", "pkg/parallel", "internal/dd"}, reason: "the seam knows no algorithm, format or device", pure: true},
	{pkg: "internal/packed", imports: []string{"internal/dd", "pkg/csr", "pkg/formats", "pkg/parallel", "internal/kernels", "internal/host"}, reason: "decides the format of each element, arranges integers in lanes, stores vectors; knows no product and no device"},
	{pkg: "pkg/adaptive", imports: []string{"pkg/csr", "pkg/formats", "pkg/linop", "pkg/parallel", "internal/packed", "internal/dd", "internal/kernels", "internal/host"}, reason: "chooses a layout, packs and multiplies, knows no algorithm and no device"},
	{pkg: "pkg/gpu", imports: []string{"internal/dd", "pkg/csr", "pkg/adaptive", "pkg/formats", "pkg/linop", "internal/packed", "pkg/parallel"}, reason: "devices, and what lies on them; knows no method and no terminal"},
	{pkg: "pkg/formats", imports: []string{"internal/kernels", "internal/host"}, reason: "codecs alone, does not know why a format was chosen"},
	{pkg: "pkg/generate", imports: []string{"pkg/csr", "internal/dist", "pkg/parallel"}, reason: "makes matrices, knows no files and no solver"},
	{pkg: "pkg/matrixmarket", imports: []string{"pkg/csr", "internal/dist", "pkg/parallel", "internal/host"}, reason: "reads and writes, knows no precision and no solver"},
	{pkg: "pkg/csr", imports: []string{"pkg/parallel", "internal/dd", "internal/kernels"}, reason: "structure and norms, knows no precision"},

	{pkg: "gputest", reason: "runs the code of GPUs for tests, knows no kernel, matrix or driver"},
	{pkg: "internal/kernels/simd", imports: []string{"internal/dd"}, reason: "generated assembly, and its declarations in Go"},
	{pkg: "internal/kernels", imports: []string{"internal/dd", "internal/kernels/simd"}, reason: "plain slices, no solver and no goroutine"},
	{pkg: "internal/mpi", imports: []string{"internal/dist"}, reason: "ranks of MPI, knows nothing that is sent"},
	{pkg: "pkg/parallel", reason: "goroutines alone"},
	{pkg: "internal/dd", reason: "arithmetic alone"},
	{pkg: "internal/mp", imports: []string{"internal/kernels", "pkg/csr", "pkg/parallel"}, reason: "multiple precision, by limbs and by residues: vectors and products, knows no method and no terminal", pure: true},
}

// confined lists external packages that few packages may import.
var confined = map[string][]string{
	"github.com/james-bowman/sparse":    {"pkg/csr", "examples/sequence"},
	"github.com/guptarohit/asciigraph":  {"internal/cli"},
	"github.com/schollz/progressbar/v3": {"internal/cli", "tools/measure"},
	"github.com/spf13/cobra":            {"internal/cli", "tools/measure"},
	"github.com/spf13/pflag":            {"internal/cli"},
}

// unclean lists what a pure package must not import.
var unclean = []string{"log", "log/slog", "net", "net/http", "os", "os/exec", "os/signal", "syscall"}

// TestLayering reads the sources itself instead of asking go list: this way it sees the files of all platforms and
// build tags, and the test cache notices when one of them changes.
func TestLayering(t *testing.T) {
	found := sources(t, "..", isSource)
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		i := slices.IndexFunc(layers, func(l layer) bool { return l.pkg == pkg })
		if i < 0 {
			t.Errorf("%s is not in the table: add a row to layers in tools that says what it may import, and why", pkg)
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

// outside lists the folders that are not the solver; the product imports them only in starts.
var outside = []string{"lab", "reproduce", "gputest", "examples", "tools"}

// starts lists the files of internal/cli and internal/report that start, or print the results of, what is outside.
var starts = []string{
	"internal/cli/bench.go",
	"internal/cli/benchgpu.go",
	"internal/cli/benchmp.go",
	"internal/cli/benchmpi.go",
	"internal/cli/benchstream.go",
	"internal/cli/calibrate.go",
	"internal/cli/config.go",
	"internal/cli/formatsearch.go",
	"internal/cli/infosets.go",
	"internal/cli/plot.go",
	"internal/cli/reproduce.go",
	"internal/cli/roofline.go",
	"internal/cli/spmv.go",
	"internal/cli/spmvdd.go",
	"internal/cli/stochastic.go",
	"internal/cli/tune.go",
	"internal/report/benchmpi.go",
	"internal/report/experiments.go",
	"internal/report/formatsearch.go",
	"internal/report/gpu.go",
	"internal/report/mp.go",
	"internal/report/machine.go",
	"internal/report/spmv.go",
	"internal/report/stochastic.go",
	"internal/report/tune.go",
}

// TestProductStandsAlone: the product imports nothing of the folders outside except in the files of starts, and
// nothing imports an example.
func TestProductStandsAlone(t *testing.T) {
	used := map[string]bool{}
	for pkg, files := range sources(t, "..", isSource) {
		top, _, _ := strings.Cut(pkg, "/")
		for _, f := range files {
			name := strings.TrimPrefix(f.name, "../")
			for _, p := range f.imports {
				ours, _ := strings.CutPrefix(p, module+"/")
				folder, _, _ := strings.Cut(ours, "/")
				switch {
				case ours == p || !slices.Contains(outside, folder):
				case folder == "examples":
					t.Errorf("%s imports %s", name, ours)
				case slices.Contains(outside, top):
				case slices.Contains(starts, name):
					used[name] = true
				default:
					t.Errorf("%s imports %s: only the files of starts may", name, ours)
				}
			}
		}
	}
	for _, name := range starts {
		if !used[name] {
			t.Errorf("%s imports nothing of the folders outside: it need not be in starts", name)
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
		{"pkg/solve", `import "github.com/spf13/cobra"`, "only internal/cli and tools/measure may import"},
		{"cmd/mpsolve", `import "github.com/mpsolve/mpsolve/pkg/solve"`, "must not import pkg/solve"},
		{"internal/cli", `import "github.com/mpsolve/mpsolve/pkg/solve"`, ""},
	} {
		name := filepath.Join(t.TempDir(), "file.go")
		if err := os.WriteFile(name, []byte("package p; "+c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := parseSource(name)
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

// faults returns the violations of a file against the rules of its layer.
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

// prints reports whether n is a call that writes to standard output or standard error, and its name.
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

// sources parses the selected files below root, by package. It leaves out nested modules and what the go command
// leaves out.
func sources(t *testing.T, root string, selected func(name string) bool) map[string][]file {
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
		f, err := parseSource(name)
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

// ignored reports whether a folder holds no package of this module.
func ignored(dir string) bool {
	base := filepath.Base(dir)
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func parseSource(name string) (file, error) {
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
