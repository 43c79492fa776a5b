package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// platformsMain checks the types of all packages and tests for platforms that are not at hand, without cgo. It reads
// only sources, also of imported packages, and compiles nothing: it takes a second for each platform, where a build
// takes a minute.
func platformsMain() {
	flag.Parse()
	failed := false
	for _, platform := range flag.Args() {
		n, err := check(platform, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
			failed = true
			continue
		}
		fmt.Printf("%-14s %d packages\n", platform, n)
	}
	if failed {
		os.Exit(1)
	}
}

// listed is a package as `go list -json` describes it, with its files on a platform.
type listed struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	ImportMap             map[string]string
	Module                *struct {
		Main      bool
		GoVersion string
	}
}

// check checks the packages of a pattern, and their tests, for a platform such as linux/arm64, and returns their
// number.
func check(platform, pattern string) (n int, err error) {
	system, arch, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,Name,GoFiles,ImportMap,Module", pattern)
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := list.Start(); err != nil {
		return 0, err
	}
	done := packages{"unsafe": types.Unsafe}
	var faults []error
	for stream := json.NewDecoder(out); ; { // imported packages come first
		var p listed
		if err := stream.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return n, err
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // go test generates the latter
			continue
		}
		ours := p.Module != nil && p.Module.Main
		if err := done.check(p, types.SizesFor("gc", arch), ours); ours {
			faults = append(faults, err)
			n++
		}
	}
	return n, errors.Join(append(faults, list.Wait())...)
}

// packages are the packages that have been checked, by their paths.
type packages map[string]*types.Package

// check checks a package; of packages other than ours without the bodies of their functions.
func (done packages) check(p listed, sizes types.Sizes, ours bool) error {
	files := token.NewFileSet()
	var sources []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		sources = append(sources, f)
	}
	var faults []error
	config := types.Config{
		Importer:         packageImporter{done, p.ImportMap},
		Sizes:            sizes,
		IgnoreFuncBodies: !ours,
		Error:            func(err error) { faults = append(faults, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	done[p.ImportPath], _ = config.Check(p.ImportPath, files, sources, nil)
	return errors.Join(faults...)
}

// packageImporter finds imported packages; renamed maps paths to the actual paths, for vendored packages and those with
// tests.
type packageImporter struct {
	done    packages
	renamed map[string]string
}

func (i packageImporter) Import(path string) (*types.Package, error) {
	if meant := i.renamed[path]; meant != "" {
		path = meant
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no package %s", path)
}
