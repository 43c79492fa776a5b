package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Real output of `solve --json` against the published schema, and that the
// schema rejects what is not such output.
func TestJSONSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
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
	} {
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
		for key := range whole {
			if key == "advice" || key == "output" {
				continue
			}
			less := map[string]any{}
			for k, v := range whole {
				if k != key {
					less[k] = v
				}
			}
			text, err := json.Marshal(less)
			if err != nil {
				t.Fatal(err)
			}
			if validate(string(text)) == nil {
				t.Errorf("the schema does not ask for %q", key)
			}
		}
		if validate(strings.Replace(out.String(), `"rhs":`, `"rhs_":`, 1)) == nil {
			t.Error("the schema lets unknown fields pass")
		}
	}
}
