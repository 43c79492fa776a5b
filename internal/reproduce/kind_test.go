package reproduce

import (
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
		e, err := completed(t, k.values[0], g+"}", "{name: v, values: ["+k.values[0]+"]}", "")
		if err != nil {
			t.Error(err)
			continue
		}
		store, opt := newStore(t), quick()
		opt.Environment.Cores = 2
		err = Run(t.Context(), []experiments.Experiment{e}, opt, store)
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
	}
}
