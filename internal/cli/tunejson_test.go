package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/internal/report"
)

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
		wantAll(t, validate, whole, "command", "threads")
	}
}
