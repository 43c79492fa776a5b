package dossier

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/exhibit"
	"github.com/mpsolve/mpsolve/internal/records"
	"github.com/mpsolve/mpsolve/internal/reproduce"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata/golden")

// stored puts the page together from testdata/measurements.jsonl: lines of a quick
// run of all experiments, of few matrices, with short histories.
func stored(t *testing.T) Dossier {
	t.Helper()
	list, err := experiments.All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i], err = reproduce.Complete(list[i], 2); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open("testdata/measurements.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	measured, err := records.Read(f, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(list, measured, func(e experiments.Experiment) ([]string, error) {
		if e.ID == "energy" {
			return []string{"no meter"}, nil
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGolden compares every table and figure of every experiment, and the Markdown
// page, with the files in testdata/golden. `go test ./internal/dossier -update`
// rewrites them.
func TestGolden(t *testing.T) {
	d := stored(t)
	files := map[string][]byte{}
	for _, e := range d.Experiments {
		if len(e.Exhibits) < len(e.Views) && e.ID != "energy" {
			t.Errorf("%s: %d exhibits of %d views", e.ID, len(e.Exhibits), len(e.Views))
		}
		for _, x := range e.Exhibits {
			for _, s := range []*exhibit.Sheet{x.Sheet, x.Published} {
				if s == nil {
					continue
				}
				for _, format := range []string{exhibit.Text, exhibit.CSV, exhibit.LaTeX, exhibit.Markdown} {
					var b bytes.Buffer
					if err := s.Write(&b, format); err != nil {
						t.Fatal(err)
					}
					files[s.Name+"."+format] = b.Bytes()
				}
			}
			if x.Figure != "" {
				files[x.FigureFile] = []byte(x.Figure)
			}
		}
	}
	var report bytes.Buffer
	if err := d.Markdown(&report); err != nil {
		t.Fatal(err)
	}
	files["report.md"] = report.Bytes()
	compareAll(t, filepath.Join("testdata", "golden"), files)
}

// compareAll wants exactly these files in dir. Coordinates in SVG may differ in
// the last digit where the compiler fuses operations.
func compareAll(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	expected, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range expected {
		if files[entry.Name()] == nil {
			t.Errorf("%s is not made any more", entry.Name())
		}
	}
	for name, got := range files {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if strings.HasSuffix(name, "."+exhibit.SVG) && runtime.GOARCH != "amd64" {
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the one in testdata/golden; if that is meant, run this test with -update", name)
		}
	}
}

var loads = regexp.MustCompile(`(?i)<(link|script|iframe|img|image|object)\b|\b(src|href|xlink:href)="[^#"]|url\(|@import`)

// TestHTML wants one file that loads no other, in which every tag is closed and
// every experiment, figure and claim is found.
func TestHTML(t *testing.T) {
	d := stored(t)
	var b bytes.Buffer
	if err := d.HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if at := loads.FindStringIndex(page); at != nil {
		t.Errorf("the page loads something: %q", page[at[0]:min(at[1]+60, len(page))])
	}
	wellFormed(t, page)
	for _, e := range d.Experiments {
		if !strings.Contains(page, ` id="`+e.ID+`"`) || !strings.Contains(page, `href="#`+e.ID+`"`) {
			t.Errorf("%s is not on the page, or not in its contents", e.ID)
		}
	}
	figures := 0
	for _, e := range d.Experiments {
		for _, x := range e.Exhibits {
			if x.Figure != "" {
				figures++
			}
		}
	}
	if got := strings.Count(page, "<svg"); got != figures || figures < 20 {
		t.Errorf("%d figures on the page, want %d", got, figures)
	}
	words := html.UnescapeString(page)
	for _, c := range d.Claims {
		if !strings.Contains(words, c.Statement) || !strings.Contains(page, string(c.Verdict)) {
			t.Errorf("the claim %s or its verdict is not on the page", c.ID)
		}
	}
	if !strings.Contains(page, "no meter") {
		t.Error("the page does not tell why there is no energy")
	}
}

// wellFormed reads HTML as lenient XML.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	r := xml.NewDecoder(strings.NewReader(page))
	r.Strict, r.Entity = false, xml.HTMLEntity
	r.AutoClose = xml.HTMLAutoClose
	var open []string
	for {
		token, err := r.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tag := token.(type) {
		case xml.StartElement:
			open = append(open, tag.Name.Local)
		case xml.EndElement:
			if last := len(open) - 1; last < 0 || open[last] != tag.Name.Local {
				t.Fatalf("</%s> ends %v", tag.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v is left open", open)
	}
}

// TestClaimsMarkdown wants a line for each claim.
func TestClaimsMarkdown(t *testing.T) {
	d := stored(t)
	var b bytes.Buffer
	if err := d.ClaimsMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for _, c := range d.Claims {
		if !slices.ContainsFunc(lines, func(l string) bool {
			return strings.Contains(l, string(c.Verdict)) && strings.Contains(l, c.Source)
		}) {
			t.Errorf("no line has the verdict of %s, %s", c.ID, c.Verdict)
		}
	}
}

func TestLackingFails(t *testing.T) {
	list, err := experiments.All()
	if err != nil {
		t.Fatal(err)
	}
	want := errors.New("no")
	_, err = New(list[:1], nil, func(experiments.Experiment) ([]string, error) { return nil, want })
	if !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}
