package main

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesOfTour wants every name of the form package.Name or package.Type.Name that the
// tour gives as code to exist.
func TestNamesOfTour(t *testing.T) {
	root := ".."
	page, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared, known := map[string]bool{}, map[string]bool{}
	for pkg, files := range sources(t, root, isSource) {
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

// TestFilesOfTour wants the tour to list every file, tests left out, of the two largest packages and the packages below them, each
// once in the rows of its package, and every file that it lists to exist.
func TestFilesOfTour(t *testing.T) {
	root := ".."
	page, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (internal/(?:solver|cli)[a-z/]*): [^|]* \| ([^|]*) \|$`).FindAllStringSubmatch(string(page), -1) {
		for _, name := range regexp.MustCompile(`[a-z0-9_]+\.go\b`).FindAllString(row[2], -1) {
			listed[path.Join(row[1], name)]++
		}
	}
	for _, largest := range []string{"internal/solver", "internal/cli"} {
		count := 0
		err := filepath.WalkDir(filepath.Join(root, largest), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && ignored(name):
				return fs.SkipDir
			case d.IsDir() || !isSource(name):
				return nil
			}
			name, err = filepath.Rel(root, name)
			name = filepath.ToSlash(name)
			if listed[name] != 1 {
				t.Errorf("docs/ARCHITECTURE.md lists %s %d times", name, listed[name])
			}
			delete(listed, name)
			count++
			return err
		})
		if err != nil || count < 40 {
			t.Errorf("%s: %d files, %v", largest, count, err)
		}
	}
	for name := range listed {
		t.Errorf("docs/ARCHITECTURE.md lists %s, which does not exist", name)
	}
}

// TestTourIsShort wants the tour to be read in a quarter of an hour.
func TestTourIsShort(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(page))); words > 2500 {
		t.Errorf("docs/ARCHITECTURE.md has %d words, and may have 2,500", words)
	}
}

// declare adds the names of a declaration, those of methods and fields after their type.
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

// receiver is the name of a method's type.
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
