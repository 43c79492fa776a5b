package exhibit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/records"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// small is an experiment with its records.
func small(t *testing.T) (experiments.Experiment, []records.Record) {
	t.Helper()
	text, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiments.Parse("small.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/small.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := records.Read(f, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return e, list
}

// TestFiles compares all that Write writes, PNG left out, with the
// files in testdata.
func TestFiles(t *testing.T) {
	e, list := small(t)
	paths, err := Write(t.TempDir(), e, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "."+PNG) {
			if !bytes.HasPrefix(got, []byte("\x89PNG")) {
				t.Errorf("%s is no PNG", filepath.Base(path))
			}
			continue
		}
		compare(t, filepath.Base(path), got)
	}
	if want := 6*4 + 5*2 + 3*4; len(paths) != want {
		t.Errorf("got %d files, want %d: %v", len(paths), want, paths)
	}
}

func TestHTML(t *testing.T) {
	e, list := small(t)
	table := Pivot(e, e.Views[4], list)
	s := table.Sheet()
	var b bytes.Buffer
	if err := s.Write(&b, HTML); err != nil {
		t.Fatal(err)
	}
	compare(t, s.Name+".html", b.Bytes())
}

// compare compares with a file in testdata. Coordinates in SVG may differ in the
// last digit where the compiler fuses operations.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasSuffix(name, "."+SVG) && runtime.GOARCH != "amd64" {
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the one in testdata; if that is meant, run this test with -update", name)
	}
}
