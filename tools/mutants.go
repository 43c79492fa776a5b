package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed mutants.yaml
var list []byte

// mutantsGroup is the mutants of some packages that are tested together.
type mutantsGroup struct {
	Source  []string `yaml:"source"` // folders, from the root of the module
	Tests   string   `yaml:"tests"`  // patterns of the packages whose tests must notice
	Mutants []mutant `yaml:"mutants"`
}

// mutant is an error to make: the one occurrence of Old in the source becomes New.
type mutant struct {
	Old      string `yaml:"old"`
	New      string `yaml:"new"`
	Survives string `yaml:"survives"` // why no test notices the mutant; empty: the tests must
}

// mutantsMain measures what the tests notice: it makes one small error at a time in the source, as mutants.yaml lists
// them, runs the short tests of the packages, and prints which errors they kill. The tree stays unchanged; the go
// command's -overlay replaces the file.
//
//	go run ./tools mutants [-run REGEXP] [-j N]
//
// It exits with 1 if a mutant survives that the list does not name as a survivor, or the reverse, so that the list
// stays true. It exits before any test if the old text of a mutant does not occur exactly once, which a test of this
// package checks as well.
func mutantsMain() {
	run := flag.String("run", ".", "only mutants whose tests or old text match this regular expression")
	jobs := flag.Int("j", 1, "mutants to test at a time")
	flag.Parse()
	groups, err := mutants()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	selected, wrong, free := regexp.MustCompile(*run), false, make(chan struct{}, max(*jobs, 1))
	for _, g := range groups {
		wg, mu, count := sync.WaitGroup{}, sync.Mutex{}, map[string]int{}
		for _, m := range g.Mutants {
			if !selected.MatchString(g.Tests) && !selected.MatchString(m.Old) {
				continue
			}
			free <- struct{}{}
			wg.Go(func() {
				verdict := g.try(m)
				<-free
				mu.Lock()
				defer mu.Unlock()
				count[verdict]++
				wrong = wrong || verdict != map[bool]string{true: "killed", false: "survived"}[m.Survives == ""]
				fmt.Printf("%s: %q -> %q %s\n", verdict, m.Old, m.New, m.Survives)
			})
		}
		wg.Wait()
		fmt.Printf("%s: %d killed, %d survived\n", g.Tests, count["killed"], count["survived"])
	}
	if wrong {
		fmt.Println("not as the list says")
		os.Exit(1)
	}
}

// mutants reads the list. It returns an error if the source has changed so that a mutant cannot be made.
func mutants() (groups []mutantsGroup, err error) {
	if err := yaml.Unmarshal(list, &groups); err != nil {
		return nil, err
	}
	var faults []error
	for _, g := range groups {
		for _, m := range g.Mutants {
			if _, _, err := g.mutate(m); err != nil {
				faults = append(faults, fmt.Errorf("%s: %q %w: mend mutants.yaml", strings.Join(g.Source, ", "), m.Old, err))
			}
		}
	}
	return groups, errors.Join(faults...)
}

// try returns "killed" or "survived", or why the mutant cannot be made.
func (g mutantsGroup) try(m mutant) string {
	file, mutated, err := g.mutate(m)
	if err != nil {
		return err.Error()
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	overlay, replacement := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.go")
	text, _ := json.Marshal(map[string]map[string]string{"Replace": {file: replacement}}) // strings can always be encoded
	if err := errors.Join(os.WriteFile(overlay, text, 0o600), os.WriteFile(replacement, mutated, 0o600)); err != nil {
		return err.Error()
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, filepath.Dir(file)).CombinedOutput(); err != nil {
		return "does not compile: " + string(out)
	}
	test := append([]string{"test", "-short", "-failfast", "-vet=off", "-timeout=120s", "-overlay", overlay}, strings.Fields(g.Tests)...)
	if exec.Command("go", test...).Run() != nil {
		return "killed"
	}
	return "survived"
}

// mutate returns the path of the file that holds the old text, and its content with the new text.
func (g mutantsGroup) mutate(m mutant) (file string, mutated []byte, err error) {
	n := 0
	for _, folder := range g.Source {
		sources, _ := filepath.Glob(filepath.Join(folder, "*.go")) // only an invalid pattern gives an error
		for _, path := range sources {
			source, err := os.ReadFile(path)
			if err != nil {
				return "", nil, err
			}
			if k := bytes.Count(source, []byte(m.Old)); k > 0 && !strings.HasSuffix(path, "_test.go") {
				n += k
				file, mutated = path, bytes.Replace(source, []byte(m.Old), []byte(m.New), 1)
			}
		}
	}
	if n != 1 {
		return "", nil, fmt.Errorf("occurs %d times, not once", n)
	}
	file, err = filepath.Abs(file)
	return file, mutated, err
}
