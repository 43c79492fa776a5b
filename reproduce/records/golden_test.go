package records

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the one in testdata; if that is intended, run this test with -update", name)
	}
}

// sameFigures reports whether figures have the same bytes as in testdata: on other processors compilers fuse
// operations, and coordinates differ in the last digit.
func sameFigures() bool { return runtime.GOARCH == "amd64" }

func readRecords(t *testing.T, name string) []Record {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := Read(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFormats compares all files that Write writes for a small experiment, except PNG: each format of tables, and
// each kind of figure.
func TestFormats(t *testing.T) {
	text, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Parse("small.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	list := readRecords(t, "small.jsonl")
	paths, err := Write(t.TempDir(), e, list)
	if err != nil {
		t.Fatal(err)
	}
	var tables txtar.Archive
	for _, path := range paths {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch name := filepath.Base(path); filepath.Ext(name) {
		case "." + PNG:
			if !bytes.HasPrefix(got, []byte("\x89PNG")) {
				t.Errorf("%s is no PNG", name)
			}
		case "." + SVG:
			if sameFigures() {
				golden(t, name, got)
			}
		default:
			tables.Files = append(tables.Files, txtar.File{Name: name, Data: got})
		}
	}
	var b bytes.Buffer
	last := newTable(e, e.Views[4], list)
	s := last.sheet()
	if err := s.html(&b); err != nil {
		t.Fatal(err)
	}
	tables.Files = append(tables.Files, txtar.File{Name: s.Name + ".html", Data: b.Bytes()})
	golden(t, "small.txtar", txtar.Format(&tables))
	if want := 6*4 + 5*2 + 3*4; len(paths) != want {
		t.Errorf("got %d files, want %d: %v", len(paths), want, paths)
	}
}

// report makes the report from testdata/measurements.jsonl: some lines of a quick run of all experiments, of few
// matrices, with short histories.
func report(t *testing.T) *Report {
	t.Helper()
	r, err := NewReport(completed(t), readRecords(t, "measurements.jsonl"), map[string][]string{"energy": {"no meter"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Expected = map[string]Expected{"all": {3 * time.Minute, 2 * time.Hour}}
	return r
}

// Complete is reproduce.Complete, which tests of this package itself cannot import.
var Complete func(Experiment, ...int) (Experiment, error)

// completed returns all experiments, for machines of two cores.
func completed(t *testing.T) []Experiment {
	t.Helper()
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i], err = Complete(list[i], 2); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestReport compares the Markdown page, with every table of every experiment and the verdicts, with
// testdata/report.md, and every figure with its checksum.
func TestReport(t *testing.T) {
	r := report(t)
	var page bytes.Buffer
	if err := r.Markdown(&page); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", page.Bytes())
	var sums strings.Builder
	for _, e := range r.Experiments {
		if len(e.Views) < len(e.Experiment.Views) && e.ID != "energy" {
			t.Errorf("%s: %d of %d views", e.ID, len(e.Views), len(e.Experiment.Views))
		}
		for _, v := range e.Views {
			if v.Figure != "" {
				fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(v.Figure)), v.FigureFile)
			}
		}
	}
	if sameFigures() {
		golden(t, "figures.sha256", []byte(sums.String()))
	}
}
