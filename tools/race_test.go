package main

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// concurrent matches the names of the tests that `make race` runs under the race detector: tests that run code on
// several goroutines.
const concurrent = `Thread|Concurrent|Interrupt`

// alone lists packages that start goroutines but have no such test, with the reason.
var alone = map[string]string{
	"internal/solver/backend":  "run under the race detector by the tests of internal/solver",
	"internal/solver/features": "run under the race detector by the tests of internal/solver",
	"internal/solver/special":  "run under the race detector by the tests of internal/solver",

	"tools/measure": "hands pools to the packages that it measures",
	"tools":         "runs compilers, one for each target",
}

// TestRaceDetectorSeesGoroutines requires a test for the race detector in every package that
// starts goroutines or uses the thread pool.
func TestRaceDetectorSeesGoroutines(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), "RACE_TESTS := "+concurrent+"\n") {
		t.Errorf("the Makefile's RACE_TESTS is not %s", concurrent)
	}
	test := regexp.MustCompile(`^Test\w*(` + concurrent + `)`)
	tested := map[string]bool{}
	for pkg, files := range sources(t, "..", isTest) {
		for _, f := range files {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && test.MatchString(fn.Name.Name) {
					tested[pkg] = true
				}
			}
		}
	}
	found := sources(t, "..", isSource)
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		if slices.ContainsFunc(found[pkg], startsGoroutines) && !tested[pkg] && alone[pkg] == "" {
			t.Errorf("%s runs on several goroutines, but has no test whose name matches %s, so that the race detector does not see it", pkg, concurrent)
		}
	}
}

// startsGoroutines reports whether a file has a go statement or imports the thread pool.
func startsGoroutines(f file) (found bool) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		_, is := n.(*ast.GoStmt)
		found = found || is
		return !found
	})
	return found || slices.Contains(f.imports, module+"/pkg/parallel")
}
