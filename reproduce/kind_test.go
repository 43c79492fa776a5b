package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// TestKinds: each kind measures exactly the values that it lists, and the defaults of its labels are valid. Kinds
// that need privileges or a long time are left out. One run measures all kinds, so that the detector is simulated
// once.
func TestKinds(t *testing.T) {
	small := map[string]string{"mp": "100", "dd-band": "1000"} // for kinds that set their own size and take seconds by default
	of := map[string][]string{}
	var list []records.Experiment
	for _, k := range kinds() {
		for _, v := range k.values {
			if _, ok := records.LookupValue(v); !ok {
				t.Errorf("%s: there is no value %q", k.name, v)
			}
		}
		if slices.Contains([]string{"energy", "roofline"}, k.name) {
			continue
		}
		of[k.name] = k.values
		g := "{kind: " + k.name
		if k.matrix {
			g += ", matrices: [Serena], nonzeros: {quick: 2e4, full: 2e4}"
		}
		if n := small[k.name]; n != "" {
			g += ", labels: {" + sizeLabel + ": [" + n + "]}"
		}
		e, err := completed(t, k.values[0], g+"}", "{name: v, values: ["+k.values[0]+"]}", "")
		if err != nil {
			t.Error(err)
			continue
		}
		list = append(list, e)
	}
	store, opt := newStore(t), quick()
	opt.Environment.Cores = 2
	if err := Run(t.Context(), list, opt, store); err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, r := range store.Records() {
		measured[r.Kind] = true
		k := kind{name: r.Kind, values: of[r.Kind]}
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
	for name := range of {
		if !measured[name] {
			t.Errorf("%s: no record", name)
		}
	}
}
