package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConstantsAreExplained: each constant says what it is, and has its unit, its source, and the command that fits it or why there is none. The
// command exists, and so do the pages and sections that are named.
func TestConstantsAreExplained(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "constants.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		count++
		text := strings.Join(strings.Fields(doc.Text()), " ")
		m := explained.FindStringSubmatch(text)
		switch {
		case !strings.HasPrefix(text, name.Name+" "):
			t.Errorf("%s: the comment does not say what it is", name)
		case m == nil:
			t.Errorf("%s: the comment does not end in Unit, Source and Fit: %q", name, text)
		case !strings.HasPrefix(m[1], "not fitted: "):
			checkCommand(t, name.Name, m[1])
		}
		checkPages(t, name.Name, text)
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST && g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			doc := v.Doc
			if !g.Lparen.IsValid() {
				doc = g.Doc
			}
			for _, name := range v.Names {
				check(name, doc)
			}
		}
	}
	if count < 90 {
		t.Errorf("%d constants are found", count)
	}
}

var explained = regexp.MustCompile(`\. Unit: .+\. Source: .+\. Fit: (.+)\.$`)

var section = regexp.MustCompile(`(docs/[\w-]+\.md)(?:, "([^"]+)")?`)

// checkPages reports a page that does not exist, or that has no section of the name after it.
func checkPages(t *testing.T, name, text string) {
	for _, m := range section.FindAllStringSubmatch(text, -1) {
		page, err := os.ReadFile(filepath.Join("../../..", m[1]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if m[2] != "" && !strings.Contains(string(page), "# "+m[2]+"\n") {
			t.Errorf("%s: %s has no section %q", name, m[1], m[2])
		}
	}
}

// checkCommand reports a command whose make target, script, package or test does not exist.
func checkCommand(t *testing.T, name, command string) {
	const root = "../../.."
	exists := func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return err == nil
	}
	command, _, _ = strings.Cut(command, ", ")
	words := strings.Fields(command)
	switch {
	case words[0] == "make" && len(words) > 1:
		text, err := os.ReadFile(filepath.Join(root, "Makefile"))
		if err != nil || !strings.Contains(string(text), "\n"+words[1]+":") {
			t.Errorf("%s: there is no %q (%v)", name, command, err)
		}
	case words[0] == "go" && len(words) > 2:
		at := strings.TrimSuffix(words[2], "/...")
		if !exists(at) {
			t.Errorf("%s: there is no %q", name, command)
		}
		if f := regexp.MustCompile(`(Test|Benchmark)\w+`).FindString(command); f != "" && !declares(t, filepath.Join(root, at), f) {
			t.Errorf("%s: there is no %s in %s", name, f, at)
		}
	default:
		if !exists(words[0]) {
			t.Errorf("%s: there is no %q", name, command)
		}
	}
}

// declares reports whether a test file below a folder declares a function.
func declares(t *testing.T, folder, function string) (found bool) {
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || found || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		found = strings.Contains(string(text), "func "+function+"(")
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return found
}
