package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkVersionFlag checks that the linker sets an existing variable.
func checkVersionFlag(t *testing.T, flags string) {
	t.Helper()
	if !strings.Contains(flags, "-X github.com/mpsolve/mpsolve/internal/cli.Version=") {
		t.Errorf("flags of the linker %q do not set the version", flags)
	}
	if !strings.Contains(readText(t, "internal/cli/root.go"), "\nvar Version = ") {
		t.Error("internal/cli has no Version")
	}
}

// The files of the packages are there, or made by `make packages`.
func TestPackages(t *testing.T) {
	var c struct {
		Contents []struct{ Src, Dst string }
	}
	if err := yaml.Unmarshal([]byte(readText(t, "packaging/nfpm.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{"/man1": false, "bash-completion": false, "zsh": false, "fish": false, "copyright": false}
	for _, c := range c.Contents {
		if _, err := os.Stat(filepath.Join("..", c.Src)); err != nil && !strings.HasPrefix(c.Src, "bin/packages/") {
			t.Errorf("%s: %v", c.Src, err)
		}
		for part := range wanted {
			wanted[part] = wanted[part] || strings.Contains(c.Dst, part)
		}
	}
	for part, there := range wanted {
		if !there {
			t.Errorf("nothing goes to %s", part)
		}
	}
}

// The image is built with the version of Go in go.mod, and from existing files.
func TestContainerfile(t *testing.T) {
	file := readText(t, "packaging/Containerfile")
	image := regexp.MustCompile(`golang:(\d+\.\d+)-`).FindStringSubmatch(file)
	module := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readText(t, "go.mod"))
	if image == nil || module == nil || image[1] != module[1] {
		t.Errorf("the image has Go %q, go.mod %q", image, module)
	}
	checkVersionFlag(t, file)
	for _, m := range regexp.MustCompile(`(?m)^COPY ([^-\n]+) \S+$`).FindAllStringSubmatch(file, -1) {
		for name := range strings.FieldsSeq(m[1]) {
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// dockerInstruction is an instruction of a Containerfile, with continued lines joined.
type dockerInstruction struct{ name, rest string }

// instructions reads a Containerfile as far as ours needs it: comments, continued lines, a word and the rest.
func instructions(file string) (list []dockerInstruction) {
	file = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(file, "")
	for line := range strings.Lines(strings.ReplaceAll(file, "\\\n", "")) {
		if name, rest, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			list = append(list, dockerInstruction{name, strings.TrimSpace(rest)})
		}
	}
	return list
}

// TestContainerInstructions checks that the instructions of the image fit together, as far as possible without an
// engine: names and syntax of commands are right, copied files come from an existing stage that has put them there,
// and the program that is started is one of them.
func TestContainerInstructions(t *testing.T) {
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "ENTRYPOINT"}
	var stages, built, copied, entry []string
	for _, i := range instructions(readText(t, "packaging/Containerfile")) {
		words := strings.Fields(i.rest)
		switch {
		case !slices.Contains(known, i.name) || len(words) == 0:
			t.Errorf("%s %s: no instruction of ours", i.name, i.rest)
		case i.name == "FROM":
			if copied = nil; len(words) == 3 && words[1] == "AS" {
				stages = append(stages, words[2])
			} else if len(words) != 1 {
				t.Errorf("FROM %s", i.rest)
			}
		case i.name == "RUN":
			if out, err := exec.Command("sh", "-n", "-c", i.rest).CombinedOutput(); err != nil {
				t.Errorf("RUN %s: %s", i.rest, out)
			}
			if k := slices.Index(words, "-o"); k >= 0 && k+1 < len(words) {
				built = append(built, words[k+1])
			}
		case i.name == "COPY":
			if from, yes := strings.CutPrefix(words[0], "--from="); yes && (!slices.Contains(stages, from) || !slices.Contains(built, words[1])) {
				t.Errorf("COPY %s: of stages %q that build %q", i.rest, stages, built)
			}
			copied = append(copied, words[len(words)-1])
		case i.name == "ENTRYPOINT":
			if err := json.Unmarshal([]byte(i.rest), &entry); err != nil {
				t.Errorf("ENTRYPOINT %s: %v", i.rest, err)
			}
		}
	}
	if len(entry) != 1 || !slices.Contains(copied, entry[0]) {
		t.Errorf("the image starts %q, and has %q", entry, copied)
	}
}

// The recipes for package managers and the files for citations say the same: one version, the licence, the program's folder, how its version is set.
func TestRecipes(t *testing.T) {
	version := regexp.MustCompile(`\b\d+\.\d+\.\d+\b`)
	recipes := []string{"packaging/spack/package.py", "packaging/conda/meta.yaml", "packaging/homebrew/mpsolve-sparse.rb", "packaging/julia/build_tarballs.jl"}
	for _, path := range append(recipes, "CITATION.cff", "codemeta.json") {
		text := readText(t, path)
		for _, v := range version.FindAllString(text, -1) {
			if v != "0.1.0" && v != "1.2.0" { // the latter is of the form of CITATION.cff
				t.Errorf("%s has version %s", path, v)
			}
		}
		if !strings.Contains(text, "BSD-3-Clause") || !strings.Contains(text, "https://github.com/mpsolve/mpsolve") {
			t.Errorf("%s lacks the licence or the address", path)
		}
		if slices.Contains(recipes, path) {
			for _, part := range []string{"./cmd/mpsolve", "internal/cli.Version=", "man", "SHA256_OF_THE_RELEASE"} {
				if !strings.Contains(text, part) && (part != "man" || !strings.HasSuffix(path, ".jl")) { // Julia's packages have no manual pages
					t.Errorf("%s lacks %q", path, part)
				}
			}
		}
	}
	var citation struct {
		CFF   string `yaml:"cff-version"`
		Title string
	}
	if err := yaml.Unmarshal([]byte(readText(t, "CITATION.cff")), &citation); err != nil || citation.CFF != "1.2.0" || citation.Title != "mpsolve" {
		t.Errorf("CITATION.cff: %v, %+v", err, citation)
	}
	var meta map[string]any
	if err := json.Unmarshal([]byte(readText(t, "codemeta.json")), &meta); err != nil || meta["name"] != "mpsolve" {
		t.Errorf("codemeta.json: %v, %v", err, meta["name"])
	}
	var conda struct{ Package struct{ Name string } }
	if err := yaml.Unmarshal([]byte(readText(t, "packaging/conda/meta.yaml")), &conda); err != nil || conda.Package.Name != "mpsolve-sparse" {
		t.Errorf("packaging/conda/meta.yaml: %v, %+v", err, conda)
	}
	if python, err := exec.LookPath("python3"); err == nil {
		if out, err := exec.Command(python, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", "../packaging/spack/package.py").CombinedOutput(); err != nil {
			t.Errorf("packaging/spack/package.py: %s", out)
		}
	}
}
