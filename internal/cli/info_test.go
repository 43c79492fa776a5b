package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// seconds matches the times, which differ between two runs.
var seconds = regexp.MustCompile(`set up in [0-9.]+ s`)

// inJSON runs a command and decodes the JSON that it prints.
func inJSON(t *testing.T, to any, args ...string) (text string) {
	t.Helper()
	var out, errOut bytes.Buffer
	code := Main(args, strings.NewReader(""), &out, &errOut)
	if err := json.Unmarshal(out.Bytes(), to); err != nil {
		t.Fatalf("%q: exit code %d, %s%v", args, code, errOut.String(), err)
	}
	return out.String()
}

// info describes what solve chooses, and what the report of solve has if the first choice sufficed. The JSON follows its schema.
func TestInfoAgreesWithSolve(t *testing.T) {
	validate := validator(t, "info.schema.json")
	dir := t.TempDir()
	generated := func(args ...string) string {
		path := filepath.Join(dir, strings.Join(args, "")+".mtx")
		var errOut bytes.Buffer
		if code := Main(slices.Concat([]string{"generate"}, args, []string{"--output", path}), nil, nil, &errOut); code != 0 {
			t.Fatal(errOut.String())
		}
		return path
	}
	data := filepath.Join("..", "..", "testdata")
	kept, reduced := 0, 0
	for _, file := range []string{
		filepath.Join(data, "poisson2d_20.mtx"), filepath.Join(data, "convdiff2d_20.mtx"), filepath.Join(data, "elasticity3d_4.mtx.gz"),
		filepath.Join(data, "bad", "complex.mtx"), filepath.Join(data, "bad", "rectangular.mtx"),
		generated("elasticity3d", "--n", "9"), generated("poisson3d", "--n", "27"), generated("convdiff2d", "--n", "60"),
	} {
		var info report.Info
		text := inJSON(t, &info, "info", "--json", file)
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if info.Choice == nil || info.Command != "mpsolve solve "+file {
			t.Errorf("%s: %s", file, text)
			continue
		}
		var solved report.Report
		inJSON(t, &solved, "solve", "--json", file)
		c := info.Choice
		for k, line := range c.Events {
			if k >= len(solved.Events) || seconds.ReplaceAllString(line, "") != seconds.ReplaceAllString(solved.Events[k], "") {
				t.Errorf("%s: info says %q, solve %q", file, line, solved.Events[k:])
				break
			}
		}
		if first := solved.Attempts[0]; first.Method != c.Method || first.Preconditioner != c.Preconditioner.Text {
			t.Errorf("%s: info says %s with %s, solve %+v", file, c.Method, c.Preconditioner.Text, first)
		}
		if len(solved.Attempts) > 1 || len(solved.Events) > len(c.Events) {
			continue
		}
		kept++
		if c.Layout != "csr" {
			reduced++
		}
		if c.Layout != solved.Layout || c.Bytes != solved.Bytes.Stored || !slices.Equal(c.Stored, solved.Stored) || !slices.Equal(c.Formats, solved.Formats) ||
			c.Epsilon != solved.Epsilon || c.Criterion != solved.Criterion || c.Scale != solved.Scale || c.Method != solved.Method ||
			c.Preconditioner.Text != solved.Preconditioner.Text || c.Preconditioner.Bytes != solved.Preconditioner.Bytes || c.PerNonzero != float64(solved.Bytes.Stored)/float64(solved.Matrix.NNZ) {
			t.Errorf("%s: info says %+v, solve %+v", file, c, solved)
		}
	}
	if kept < 4 || reduced < 1 {
		t.Errorf("only %d were solved with what they began with, %d of them stored in less than FP64 CSR", kept, reduced)
	}
}

// With the memory that info says a method needs, solve runs; with less, it refuses.
func TestInfoForecastsMemory(t *testing.T) {
	file := filepath.Join("..", "..", "testdata", "convdiff2d_20.mtx")
	var info report.Info
	inJSON(t, &info, "info", "--json", file)
	if len(info.Memory.Methods) < 5 {
		t.Fatalf("%+v", info.Memory)
	}
	for _, m := range info.Memory.Methods {
		for _, less := range []int64{0, 1} {
			limit := fmt.Sprintf("%dB", m.Alone-less)
			c := testsupport.Command(t, "mpsolve", "solve", file, "--precond", "none", "--method", m.Method, "--max-memory", limit, "--quiet") // --max-memory limits the process
			out, err := c.CombinedOutput()
			if refused := c.ProcessState.ExitCode() == exitFailure && strings.Contains(string(out), "memory"); refused != (less == 1) {
				t.Errorf("%s with %s: %v, %s", m.Method, limit, err, out)
			}
		}
		if m.Preconditioned < m.Alone {
			t.Errorf("%+v", m)
		}
	}
}

// info with all sections, and for a matrix that solve refuses.
func TestInfoJSON(t *testing.T) {
	validate := validator(t, "info.schema.json")
	data := filepath.Join("..", "..", "testdata")
	var info report.Info
	text := inJSON(t, &info, "info", "--json", "--condition", "--sets", "--spy", "--output", filepath.Join(t.TempDir(), "p.svg"), filepath.Join(data, "poisson2d_20.mtx"))
	if err := validate(text); err != nil {
		t.Error(err)
	}
	c := info.Condition
	if c == nil || c.Ritz == nil || c.Ritz.Low < c.Gershgorin.Low || c.Ritz.High > c.Gershgorin.High || c.Ritz.High < 7.9 || c.Estimate < 100 || len(info.Sets) < 5 {
		t.Error(text)
	}
	for file, want := range map[string]string{"rhs_400.mtx": "", "bad/infinite.mtx": "Inf"} {
		var refused report.Info
		text := inJSON(t, &refused, "info", "--json", filepath.Join(data, file))
		if err := validate(text); err != nil || refused.Choice != nil || refused.Command != "" || !strings.Contains(refused.Refused, want) {
			t.Errorf("%s: %v %s", file, err, text)
		}
	}
}

// Bounds of eigenvalues that are not finite are null.
func TestInfoBeyondRange(t *testing.T) {
	validate := validator(t, "info.schema.json")
	for _, entries := range []string{"2 2 3\n1 1 1.7e308\n2 1 1e308\n2 2 1.7e308\n", "0 0 0\n"} {
		file := filepath.Join(t.TempDir(), "a.mtx")
		if err := os.WriteFile(file, []byte("%%MatrixMarket matrix coordinate real symmetric\n"+entries), 0o666); err != nil {
			t.Fatal(err)
		}
		var info report.Info
		if text := inJSON(t, &info, "info", "--json", "--condition", file); validate(text) != nil || !strings.Contains(text, `"high":null`) {
			t.Errorf("%v: %s", validate(text), text)
		}
	}
}

// departures has the files of the conformance collection whose verdict `info` does not follow, with the reason
// (docs/matrix-market.md).
var departures = map[string]string{
	"eye3_str.mtx": "the file as it is stored is legal",
}

// The exit codes of `mpsolve info` agree with the verdicts of the conformance collection: ACCEPT 0, REJECT 4, PERMISSIVE 0 with
// a warning, CHOICE any of these.
func TestConformance(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "conformance")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Skip("no conformance files beside this checkout")
	}
	files := 0
	for line := range strings.Lines(string(index)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, "\t", 3)
		file, verdict := fields[0], fields[1]
		files++
		var out, errOut bytes.Buffer
		code := Main([]string{"info", filepath.Join(dir, file)}, nil, &out, &errOut)
		warned := strings.Contains(errOut.String(), "warning")
		ok := false
		switch verdict {
		case "ACCEPT":
			ok = code == 0
		case "REJECT":
			ok = code == exitInput
		case "PERMISSIVE":
			ok = code == 0 && warned
		case "CHOICE":
			ok = code == 0 || code == exitInput
		}
		if _, departs := departures[filepath.Base(file)]; ok == departs {
			t.Errorf("%s: verdict %s, exit code %d, %q (departs: %v)", file, verdict, code, errOut.String(), departs)
		}
		if n := strings.Count(errOut.String(), "\n"); code != 0 && n != 1 {
			t.Errorf("%s: %d lines of error: %q", file, n, errOut.String())
		}
	}
	if files < 120 {
		t.Errorf("only %d files", files)
	}
}
