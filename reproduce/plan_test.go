package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// completed completes an experiment with these grids, views and published values, which shows one value.
func completed(t *testing.T, value, measure, views, published string) (records.Experiment, error) {
	t.Helper()
	text := "paper: P\nsource: Table 1\ntitle: T\nshows: S\ncomparable: [" + value + "]\nmeasure: [" + measure + "]\nviews: [" + views + "]\npublished: [" + published + "]\n"
	e, err := records.Parse("mine.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Complete(e, 2)
}

const (
	someMeasure = `{kind: product, matrices: [Serena], nonzeros: {quick: 5e4, full: 1e5}, labels: {formats: [FP64, FP32, AP2], epsilon: [2^-53, 2^-24]}}`
	someView    = `{name: v, rows: [matrix], columns: [formats], values: [storage]}`
)

func TestCompleteAll(t *testing.T) {
	list, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		e, err := Complete(e, 2)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, quick := range []bool{true, false} {
			tasks, absent, err := plan(e, Options{Quick: quick})
			if err != nil || len(tasks) == 0 && len(absent) == 0 {
				t.Errorf("%s, quick %t: %d tasks, %v, %v", e.ID, quick, len(tasks), absent, err)
			}
		}
	}
}

// TestPoints counts combinations: formats for all elements have one accuracy only.
func TestPoints(t *testing.T) {
	e, err := completed(t, "storage", someMeasure, someView, "")
	if err != nil {
		t.Fatal(err)
	}
	tasks, _, err := plan(e, Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) != 1 || len(tasks[0].points) != 4 {
		t.Fatalf("got %+v", tasks)
	}
	for _, p := range tasks[0].points {
		if p[threadsLabel] != "2" || p[criterionLabel] != "nw" || p[roundingLabel] != "paper" {
			t.Errorf("%v: want the defaults", p)
		}
	}
}

func TestCompleteFaults(t *testing.T) {
	for _, c := range []struct{ measure, views, published, want string }{
		{strings.Replace(someMeasure, "product", "produkt", 1), someView, "", `unknown kind of measurement "produkt"`},
		{strings.Replace(someMeasure, "formats:", "format:", 1), someView, "", `no label "format"; did you mean formats`},
		{strings.Replace(someMeasure, "AP2", "AP5", 1), someView, "", "label formats"},
		{strings.Replace(someMeasure, "2^-24", "2", 1), someView, "", "label epsilon"},
		{strings.Replace(someMeasure, "matrices: [Serena],", "", 1), someView, "", "matrices are wanted"},
		{someMeasure, strings.Replace(someView, "[matrix]", "[solver]", 1), "", `view v: no measurement has the label "solver"`},
		{someMeasure, someView, "{labels: [solver], values: [storage], rows: [[cg, 1]]}", `published: no measurement has the label "solver"`},
		{someMeasure, someView, "{labels: [matrix], values: [bites], rows: [[Serena, 1]]}", `no measurement has the value "bites"`},
	} {
		if _, err := completed(t, "storage", c.measure, c.views, c.published); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestCountThreads: records of several machines belong to the same experiment.
func TestCountThreads(t *testing.T) {
	for _, c := range []struct {
		words string
		cores []int
		want  string
	}{
		{"all", []int{2}, "2"},
		{"each", []int{1}, "1"},
		{"each", []int{2}, "1 2"},
		{"each", []int{20}, "1 2 3 4 5 6 7 8 16 20"},
		{"1 all", []int{4}, "1 4"},
		{"all", []int{2, 36}, "2 36"},
		{"each", []int{3, 2}, "1 2 3"},
	} {
		if got := strings.Join(countThreads(strings.Fields(c.words), c.cores...), " "); got != c.want {
			t.Errorf("%s of %d: got %s, want %s", c.words, c.cores, got, c.want)
		}
	}
}

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
