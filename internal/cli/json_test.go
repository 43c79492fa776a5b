package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/reproduce"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validator checks a JSON text against a schema of docs.
func validator(t *testing.T, schema string) func(text string) error {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", schema))
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}
}

// wantAll leaves out each field of an object in turn, except the optional ones. The schema must reject what remains.
func wantAll(t *testing.T, validate func(text string) error, whole map[string]any, optional ...string) {
	t.Helper()
	for key, value := range whole {
		if slices.Contains(optional, key) {
			continue
		}
		delete(whole, key)
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if validate(string(text)) == nil {
			t.Errorf("the schema does not ask for %q", key)
		}
		whole[key] = value
	}
}

// The output of digits, formats and devices follows their schemas, which ask for every field that is always there.
func TestJSONSchemas(t *testing.T) {
	poisson := filepath.Join("..", "..", "testdata", "poisson2d_20.mtx")
	for _, c := range []struct {
		schema, args string
		optional     []string
	}{
		{"digits", "digits --json --precond none " + poisson, nil},
		{"formats", "formats --json --precond jacobi " + poisson, []string{"digits", "command", "remark"}},
		{"devices", "devices --json --bandwidth=false", nil},
	} {
		p := runJob(t, 1, func(int) []string { return strings.Fields(c.args) })[0]
		validate := validator(t, c.schema+".schema.json")
		if err := validate(p.out.String()); err != nil || p.code != 0 {
			t.Errorf("%s: exit code %d, %v\n%s%s", c.args, p.code, err, &p.out, &p.err)
			continue
		}
		var whole map[string]any
		if err := json.Unmarshal(p.out.Bytes(), &whole); err != nil {
			t.Fatal(err)
		}
		wantAll(t, validate, whole, c.optional...)
	}
}

// The output of `solve --json` follows the published schema, and the schema rejects damaged output.
func TestJSONSchema(t *testing.T) {
	validate := validator(t, "report.schema.json")
	data := filepath.Join("..", "..", "testdata")
	for _, c := range []struct {
		args string
		code int
	}{
		{"poisson2d_20.mtx", 0},
		{"convdiff2d_20.mtx --method bicgstab --threads 1 --stop rel --output " + filepath.Join(t.TempDir(), "x.mtx"), 0},
		{"convdiff2d_20.mtx --precond none --max-iter 3 --quiet", 3},
		{"convdiff2d_20.mtx --reorder rcm", 0},
		{"poisson2d_20.mtx --method minres --precond none", 0},
		{"poisson2d_20.mtx --precond amg --rhs " + filepath.Join(data, "rhs_400.mtx"), 0},
		{"elasticity3d_4.mtx.gz --refine=false --scale none --max-iter 1 --precond none", 3},
		{"poisson2d_20.mtx --rhs random:1 --tol 1e-18 --verbose", 3},
		{"poisson2d_20.mtx --device emulate", 0},
		{"poisson2d_20.mtx --device auto", 0},
		{"poisson2d_20.mtx --formats AFX24", 0},
		{"convdiff2d_20.mtx --vectors dd --precond jacobi", 0},
		{"convdiff2d_20.mtx --method bicg --vectors dq:2,1e9 --precond none", 0},
	} {
		if strings.Contains(c.args, "emulate") && !emulated(t) {
			continue
		}
		var out, errOut bytes.Buffer
		args := append([]string{"solve", "--json"}, strings.Fields(c.args)...)
		args[2] = filepath.Join(data, args[2])
		if code := Main(args, nil, &out, &errOut); code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.args, code, c.code, errOut.String())
		}
		if err := validate(out.String()); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		var whole map[string]any
		if err := json.Unmarshal(out.Bytes(), &whole); err != nil {
			t.Fatal(err)
		}
		if whole["converged"] != (c.code == 0) {
			t.Errorf("%s: converged %v with exit code %d", c.args, whole["converged"], c.code)
		}
		wantAll(t, validate, whole, "advice", "output")
		if validate(strings.Replace(out.String(), `"rhs":`, `"rhs_":`, 1)) == nil {
			t.Error("the schema lets unknown fields pass")
		}
	}
}

// TestVerifySchema: the output of verify follows docs/verify.schema.json.
func TestVerifySchema(t *testing.T) {
	validate := validator(t, "verify.schema.json")
	data, x := filepath.Join("..", "..", "testdata"), filepath.Join(t.TempDir(), "x.mtx")
	for _, c := range []struct {
		matrix, rhs string
		args        []string
		code        int
	}{
		{"poisson2d_20.mtx", "ones", []string{"--digits"}, 0},
		{"poisson2d_20.mtx", "random:1", []string{"--stop", "nw"}, 3},
		{"bad/complex.mtx", "ones", nil, 0},
		{"bad/rectangular.mtx", "ones", nil, 0},
	} {
		var out, errOut bytes.Buffer
		matrix := filepath.Join(data, c.matrix)
		if code := Main([]string{"solve", matrix, "--output", x, "--quiet"}, nil, &out, &errOut); code != 0 {
			t.Fatal(errOut.String())
		}
		out.Reset()
		if code := Main(append([]string{"verify", "--json", matrix, c.rhs, x}, c.args...), nil, &out, &errOut); code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.matrix, code, c.code, errOut.String())
		}
		if err := validate(out.String()); err != nil {
			t.Errorf("%s: %v", c.matrix, err)
		}
		var whole map[string]any
		if err := json.Unmarshal(out.Bytes(), &whole); err != nil {
			t.Fatal(err)
		}
		wantAll(t, validate, whole)
	}
}

// TestMeasurementsSchema: measurements of every kind that is fast and needs no special rights follow
// docs/measurements.schema.json.
func TestMeasurementsSchema(t *testing.T) {
	validate := validator(t, "measurements.schema.json")
	dir := t.TempDir()
	experiment := filepath.Join(dir, "mine.yaml")
	err := os.WriteFile(experiment, []byte(`paper: P
source: Table 1
title: T
shows: S
comparable: [storage]
measure:
  - {kind: matrix, matrices: nv1, nonzeros: {quick: 2e4}}
  - {kind: product, matrices: nv1, nonzeros: {quick: 2e4}}
  - {kind: scaling, matrices: nv1, nonzeros: {quick: 2e4}, labels: {threads: 2}}
  - {kind: solve, matrices: nv1, nonzeros: {quick: 2e4}, labels: {formats: [FP32, RPRE16], epsilon: [2^-24, 2^-13], max_iter: 40}}
  - {kind: ell, matrices: nv1, nonzeros: {quick: 2e4}}
  - {kind: accessor}
  - {kind: format}
views: [{name: v, rows: [matrix], values: [storage]}]
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	if code := Main([]string{"reproduce", experiment, "--quick", "--output", dir}, nil, &out, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, measurementsFile))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if err := validate(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		var whole map[string]any
		if err := json.Unmarshal([]byte(line), &whole); err != nil {
			t.Fatal(err)
		}
		kinds[whole["kind"].(string)] = true
		wantAll(t, validate, whole, "quick", "matrix", "series", "notes")
		if validate(strings.Replace(line, `"labels":`, `"label":`, 1)) == nil {
			t.Error("the schema lets unknown fields pass")
		}
	}
	if len(kinds) != 7 {
		t.Errorf("measured only %v", kinds)
	}
	for _, k := range reproduce.Kinds() {
		line := strings.SplitAfter(string(text), "\n")[0]
		if err := validate(strings.Replace(line, `"kind":"matrix"`, `"kind":"`+k.Name+`"`, 1)); err != nil {
			t.Errorf("the schema does not have the kind %s: %v", k.Name, err)
		}
	}
}

// jsonErrorOf returns an object in the form of other errors.
func TestJSONErrorOfText(t *testing.T) {
	var e jsonError
	text := `a "b".mpx: the file has been cut off`
	if err := json.Unmarshal([]byte(jsonErrorOf(text)), &e); err != nil || e != (jsonError{Version, text, exitFailure}) {
		t.Errorf("%+v, %v", e, err)
	}
}

// The output of `tune --json` follows its schema, with and without a trial that passes. The schema demands every field.
func TestTuneJSON(t *testing.T) {
	validate := validator(t, "tune.schema.json")
	file := filepath.Join("..", "..", "testdata", "poisson2d_20.mtx")
	for _, c := range []struct {
		args   []string
		passes bool
	}{
		{[]string{"--precond", "jacobi"}, true},
		{[]string{"--precond", "none", "--max-iter", "1"}, false},
	} {
		var found report.Tune
		text := inJSON(t, &found, append([]string{"tune", file, "--json", "--method", "cg", "--budget", "20s"}, c.args...)...)
		if err := validate(text); err != nil {
			t.Fatalf("%v: %v\n%s", c.args, err, text)
		}
		if (found.Best >= 0) != c.passes || (found.Command != "") != c.passes || len(found.Trials) == 0 {
			t.Errorf("%v: best %d, command %q, %d trials", c.args, found.Best, found.Command, len(found.Trials))
		}
		var whole map[string]any
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			t.Fatal(err)
		}
		wantAll(t, validate, whole, "command", "threads", "rival")
	}
}
