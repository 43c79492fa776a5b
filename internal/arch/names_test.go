package arch

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesOfTour: every name of the form package.Name or package.Type.Name that the tour gives as code exists.
func TestNamesOfTour(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared, known := map[string]bool{}, map[string]bool{}
	for pkg, files := range packages(t, root, isSource) {
		known[path.Base(pkg)] = true
		for _, f := range files {
			for _, d := range f.syntax.Decls {
				declare(declared, path.Base(pkg), d)
			}
		}
	}
	count := 0
	for _, m := range regexp.MustCompile("`(([a-z0-9]+)\\.[A-Za-z0-9.]+)`").FindAllStringSubmatch(string(page), -1) {
		name := m[1]
		if !known[m[2]] || path.Ext(name) == ".go" {
			continue
		}
		if count++; !declared[name] {
			t.Errorf("docs/ARCHITECTURE.md names %s, which does not exist", name)
		}
	}
	if count < 40 {
		t.Errorf("only %d names found: the test does not read the page as it is written", count)
	}
}

// TestFilesOfTour: every file that the tour lists for a package exists.
func TestFilesOfTour(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"internal/solver", "internal/cli"} {
		_, list, found := strings.Cut(string(page), "| in "+pkg+" | files |")
		list, _, ended := strings.Cut(list, "\n\n")
		files := regexp.MustCompile(`[a-z/]+\.go`).FindAllString(list, -1)
		if !found || !ended || len(files) < 20 {
			t.Errorf("%s: %d files are listed", pkg, len(files))
		}
		for _, f := range files {
			if _, err := os.Stat(filepath.Join(root, pkg, f)); err != nil {
				t.Error(err)
			}
		}
	}
}

// declare adds the names of a declaration; names of methods and fields follow the name of their type.
func declare(declared map[string]bool, pkg string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		names := []string{pkg, d.Name.Name}
		if d.Recv != nil {
			names = []string{pkg, receiver(d.Recv.List[0].Type), d.Name.Name}
		}
		declared[strings.Join(names, ".")] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					declared[pkg+"."+n.Name] = true
				}
			case *ast.TypeSpec:
				declared[pkg+"."+s.Name.Name] = true
				ast.Inspect(s.Type, func(n ast.Node) bool {
					if f, ok := n.(*ast.Field); ok {
						for _, name := range f.Names {
							declared[pkg+"."+s.Name.Name+"."+name.Name] = true
						}
					}
					return true
				})
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
