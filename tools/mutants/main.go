// Command mutants measures what the tests notice: it makes one small error at a time in the
// source, as mutants.yaml lists them, runs the package's short tests, and prints the mutants
// that no test kills. The tree stays as it is; the go command's -overlay replaces the file.
//
//	go run ./tools/mutants [-run REGEXP]
//
// It exits with 1 if a mutant survives that the list does not name as a survivor, or the
// reverse, so that the list stays true.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed mutants.yaml
var list []byte

// mutant is an error to make: one occurrence of Old in File becomes New.
type mutant struct {
	File     string `yaml:"file"` // from the root of the module
	Old      string `yaml:"old"`  // occurs exactly once
	New      string `yaml:"new"`
	Survives string `yaml:"survives"` // why no test notices it; empty: the tests must
}

func main() {
	run := flag.String("run", ".", "only mutants whose file matches this regular expression")
	flag.Parse()
	survivors, wrong, err := test(regexp.MustCompile(*run))
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	fmt.Printf("%d survive, %d of them unexpectedly or killed against the list\n", survivors, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
}

func test(selected *regexp.Regexp) (survivors, wrong int, err error) {
	var mutants []mutant
	if err := yaml.Unmarshal(list, &mutants); err != nil {
		return 0, 0, err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	for _, m := range mutants {
		if !selected.MatchString(m.File) {
			continue
		}
		killed, err := m.killed(dir)
		if err != nil {
			return survivors, wrong, fmt.Errorf("%s: %q: %w", m.File, m.Old, err)
		}
		verdict := "killed"
		if !killed {
			verdict = "SURVIVES"
			survivors++
		}
		if killed != (m.Survives == "") {
			wrong++
			verdict += ", against the list"
		}
		fmt.Printf("%-9s %s: %s -> %s %s\n", verdict, m.File, strings.TrimSpace(m.Old), strings.TrimSpace(m.New), m.Survives)
	}
	return survivors, wrong, nil
}

// killed reports whether the short tests of the mutant's package fail. A mutant that does not
// compile is an error.
func (m mutant) killed(dir string) (bool, error) {
	source, err := os.ReadFile(m.File)
	if err != nil {
		return false, err
	}
	if n := bytes.Count(source, []byte(m.Old)); n != 1 {
		return false, fmt.Errorf("occurs %d times, not once", n)
	}
	mutated, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(mutated, bytes.Replace(source, []byte(m.Old), []byte(m.New), 1), 0o600); err != nil {
		return false, err
	}
	original, err := filepath.Abs(m.File)
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return false, err
	}
	pkg := "./" + filepath.ToSlash(filepath.Dir(m.File))
	if out, err := exec.Command("go", "build", "-overlay", overlay, pkg).CombinedOutput(); err != nil {
		return false, fmt.Errorf("does not compile: %s", out)
	}
	err = exec.Command("go", "test", "-short", "-failfast", "-timeout", "120s", "-overlay", overlay, pkg).Run()
	return err != nil, nil
}
