package reproduce

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/records"
)

// TestKinds: each kind measures the values that it lists, and no others; defaults
// are words that the labels may have. What needs rights or long is left out.
func TestKinds(t *testing.T) {
	for _, k := range kinds() {
		for _, v := range k.values {
			if _, ok := records.LookupValue(v); !ok {
				t.Errorf("%s: there is no value %q", k.name, v)
			}
		}
		if slices.Contains([]string{"energy", "roofline"}, k.name) {
			continue
		}
		g := "{kind: " + k.name
		if k.matrix {
			g += ", matrices: [Serena], nonzeros: {quick: 2e4, full: 2e4}"
		}
		e, err := experiments.Parse("mine.yaml", []byte("paper: P\nsource: S\ntitle: T\nshows: S\ncomparable: ["+k.values[0]+"]\n"+
			"measure: ["+g+"}]\nviews: [{name: v, values: ["+k.values[0]+"]}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if e, err = Complete(e, 2); err != nil {
			t.Error(err)
			continue
		}
		store, err := records.Open(filepath.Join(t.TempDir(), "m.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{Quick: true}
		opt.Environment.Cores = 2
		err = Run(context.Background(), []experiments.Experiment{e}, opt, store)
		if err != nil || len(store.Records()) == 0 {
			t.Errorf("%s: %d records, %v", k.name, len(store.Records()), err)
		}
		for _, r := range store.Records() {
			for v := range r.Values {
				if !k.has(v) {
					t.Errorf("%s does not list %s", k.name, v)
				}
			}
			for _, v := range k.values {
				if _, ok := r.Values[v]; !ok && !strings.HasSuffix(v, "*") {
					t.Errorf("%s lists %s and does not measure it", k.name, v)
				}
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
