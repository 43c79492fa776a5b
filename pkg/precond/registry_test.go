package precond

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The JSON schema of reports and the page on preconditioners list all kinds.
func TestRegistryIsDocumented(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	file, err := os.ReadFile(filepath.Join(docs, "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Preconditioner struct {
				Properties struct{ Kind struct{ Enum []Kind } }
			}
		}
	}
	if err := json.Unmarshal(file, &schema); err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties.Preconditioner.Properties.Kind.Enum; !slices.Equal(got, Kinds()) {
		t.Errorf("docs/report.schema.json has the kinds %v, want %v", got, Kinds())
	}
	page, err := os.ReadFile(filepath.Join(docs, "solvers.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range registry[1:] {
		if !strings.Contains(string(page), "`"+string(d.Kind)+"`") {
			t.Errorf("docs/solvers.md does not describe %s", d.Kind)
		}
		if got, ok := Lookup(d.Kind); !ok || got.Summary != d.Summary || d.Summary == "" {
			t.Errorf("Lookup(%s) is %+v", d.Kind, got)
		}
	}
}

func TestNewRejects(t *testing.T) {
	m := laplace(t, 4)
	if _, err := New(t.Context(), "ilu7", m, Options{}, nil); err == nil || !strings.Contains(err.Error(), `"ilu7"`) {
		t.Errorf("unknown kind: %v", err)
	}
	if _, err := New(t.Context(), None, m, Options{}, nil); err == nil {
		t.Error("None can be set up")
	}
	for _, d := range registry[1:] {
		if _, err := New(t.Context(), d.Kind, m, Options{}, nil); (d.Definite || d.Symmetric) != (err != nil) || errors.Is(err, ErrNotDefinite) {
			t.Errorf("%s of an unsymmetric matrix: %v", d.Kind, err)
		}
	}
}
