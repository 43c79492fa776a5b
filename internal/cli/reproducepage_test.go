package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestExperimentOfPage: docs/reproduction.md shows the experiment and the output that the script ownexperiment.txtar tests.
func TestExperimentOfPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reproduction.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile(filepath.Join("testdata", "script", "ownexperiment.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "wrong.yaml" {
			continue
		}
		var block strings.Builder
		for line := range strings.Lines(strings.TrimRight(string(f.Data), "\n")) {
			if line != "\n" {
				block.WriteString("    ")
			}
			block.WriteString(line)
		}
		if !strings.Contains(string(page), "\n"+block.String()+"\n") {
			t.Errorf("docs/reproduction.md lacks %s as it is in the script, four spaces deep:\n%s", f.Name, block.String())
		}
	}
}
