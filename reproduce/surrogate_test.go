package reproduce

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/surrogates.md")

// replaced lists the matrices that have a surrogate.
func replaced() []matrixio.Paper {
	return slices.DeleteFunc(slices.Clone(matrixio.Papers()), func(p matrixio.Paper) bool { return p.Surrogate == nil })
}

// generatedAs returns the surrogate of a matrix with about so many nonzeros.
func generatedAs(t *testing.T, p matrixio.Paper, nnz int64) *csr.Matrix {
	t.Helper()
	params, err := sized(p.Surrogate, nnz)
	if err != nil {
		t.Fatal(err)
	}
	return generated(t, p.Surrogate.Generator, params)
}

// TestFindSurrogate: every matrix in the thesis' tables has a surrogate.
func TestFindSurrogate(t *testing.T) {
	groups, err := records.Groups()
	if err != nil {
		t.Fatal(err)
	}
	for group, names := range groups {
		for _, name := range names {
			if !strings.HasPrefix(group, "thesis") {
				continue
			}
			if p, ok := matrixio.FindPaper(name); !ok || p.Surrogate == nil {
				t.Errorf("%s: no surrogate of %s", group, name)
			}
		}
	}
}

// TestFitted: the surrogates that were fitted to what the normwise criterion drops do not count in verdicts on it.
func TestFitted(t *testing.T) {
	groups, err := records.Groups()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range replaced() {
		if got, want := slices.Contains(groups["fitted-dropping"], p.Name), strings.Contains(p.Surrogate.Lacks, "guess from the share of elements"); got != want {
			t.Errorf("%s is in the group fitted-dropping: %t, but it lacks %s", p.Name, got, p.Surrogate.Lacks)
		}
	}
}

// TestSurrogates: surrogates are described and have about the requested size, and two surrogates of one generator
// differ by more than the seed.
func TestSurrogates(t *testing.T) {
	seen := map[string]string{}
	for _, p := range replaced() {
		s := p.Surrogate
		for _, nnz := range []int64{5e4, 7e4, 1e5, 1.6e5, 3e5, 1e6, 3e7, 1e8} {
			params, err := sized(s, nnz)
			if err != nil {
				t.Fatal(err)
			}
			kind, _ := generate.Find(s.Generator)
			_, got, err := kind.Estimate(params)
			if ratio := float64(got) / float64(nnz); err != nil || ratio < 0.7 || ratio > 1.3 {
				t.Errorf("%s: %d nonzeros, want %d, %v", p.Name, got, nnz, err)
			}
		}
		class := generate.Params(maps.Clone(s.Params))
		delete(class, "seed")
		key := s.Generator + class.String()
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s are the same", other, p.Name)
		}
		seen[key] = p.Name
		if s.Imitates == "" || s.Lacks == "" {
			t.Errorf("%s is not described", p.Name)
		}
	}
}

// TestSurrogateValues: the diagonal has no zeros, significands are full, and matrices are exactly symmetric where the
// kind promises it.
func TestSurrogateValues(t *testing.T) {
	for _, p := range replaced() {
		m := generatedAs(t, p, 6e4)
		beside, full := 0, 0
		for i := range m.Rows {
			col, val := m.Row(i)
			for k, j := range col {
				if int(j) == i {
					continue
				}
				beside++
				if math.Float64bits(val[k])&(1<<24-1) != 0 {
					full++
				}
			}
			if d := m.At(i, i); d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
				t.Fatalf("%s: diagonal %d is %g", p.Name, i, d)
			}
		}
		if float64(full) < 0.9*float64(beside) {
			t.Errorf("%s: only %d of %d values have full significands", p.Name, full, beside)
		}
		if kind, _ := generate.Find(p.Surrogate.Generator); kind.Symmetric != csr.Examine(m, nil).Symmetric {
			t.Errorf("%s: symmetric %t, declared %t", p.Name, !kind.Symmetric, kind.Symmetric)
		}
	}
}

// TestPage keeps docs/surrogates.md current.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("stores all surrogates")
	}
	path := filepath.Join("..", "docs", "surrogates.md")
	for name, text := range map[string]string{"matrices": surrogateTable(), "storage": storageTable(t)} {
		begin, end := "<!-- "+name+" -->", "<!-- end of "+name+" -->"
		if *update {
			if err := records.ReplaceSection(path, begin, end, text); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(got, []byte(begin+"\n\n"+text+end)) {
			t.Errorf("%s is not current in %s; run this test with -update", name, path)
		}
	}
}

func surrogateTable() string {
	var b strings.Builder
	b.WriteString("| matrix | group | n | nonzeros | generator and parameters | imitates | lacks |\n")
	b.WriteString("| --- | --- | ---:| ---:| --- | --- | --- |\n")
	for _, p := range replaced() {
		s, name := p.Surrogate, p.Name
		if p.Alias != "" {
			name += ", " + p.Alias
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | `%s,%s` | %s | %s |\n",
			name, cmp.Or(p.Group, "industrial"), p.N, p.NNZ, s.Generator, generate.Params(s.Params), s.Imitates, s.Lacks)
	}
	return b.String() + "\n"
}

// storageTable returns the bytes of bucketed CSR in AP7 relative to FP64 CSR.
func storageTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| matrix | n | nonzeros | nw 2^-53 | nw 2^-37 | nw 2^-24 | cw 2^-53 | cw 2^-37 | cw 2^-24 |\n")
	b.WriteString("| --- | ---:| ---:| ---:| ---:| ---:| ---:| ---:| ---:|\n")
	for _, p := range replaced() {
		m := generatedAs(t, p, 3e5)
		fmt.Fprintf(&b, "| %s | %d | %d |", p.Name, m.Rows, m.NNZ())
		for _, share := range sharesOf(t, m, "AP7") {
			fmt.Fprintf(&b, " %.0f %% |", 100*share)
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// sharesOf returns the bytes of bucketed CSR relative to FP64 CSR, by criterion and target.
func sharesOf(t *testing.T, m *csr.Matrix, name string) (shares []float64) {
	t.Helper()
	set, err := adaptive.LookupSet(name)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.New(0)
	defer pool.Close()
	for _, criterion := range adaptive.Criteria {
		for _, e := range []int{-53, -37, -24} {
			stats, err := adaptive.Predict(m, adaptive.Spec{
				Set: set, Epsilon: math.Ldexp(1, e), Criterion: criterion, PaperExact: true,
			}, pool)
			if err != nil {
				t.Fatal(err)
			}
			shares = append(shares, float64(stats.Bytes)/float64(m.Bytes()))
		}
	}
	return shares
}

// TestClassAtAnySize: surrogates take about the same share of FP64 CSR at any size, to 15 % and half a percent of
// FP64, for all sets, criteria and targets.
func TestClassAtAnySize(t *testing.T) {
	if testing.Short() {
		t.Skip("stores all surrogates, large ones")
	}
	for _, p := range replaced() {
		small, large := generatedAs(t, p, 2e5), generatedAs(t, p, 5e5)
		for _, set := range []string{"AP2", "AP7"} {
			a, b := sharesOf(t, small, set), sharesOf(t, large, set)
			for k := range a {
				if math.Abs(a[k]-b[k]) > 0.15*max(a[k], b[k])+0.005 {
					t.Errorf("%s, %s, measurement %d: share %.3f of %d nonzeros, %.3f of %d", p.Name, set, k, a[k], small.NNZ(), b[k], large.NNZ())
				}
			}
		}
	}
}

// productLabels returns the sets of the papers and ours, at each target and criterion.
func productLabels(t *testing.T) map[string]records.Words {
	t.Helper()
	g := records.Grid{Kind: "product", Matrices: records.Words{"Serena"}, Labels: map[string]records.Words{
		formatsLabel:   {"AP2", "AP3", "AP4", "AP7", "AP7RE", "AP7REU", "AFX"},
		epsilonLabel:   {"2^-53", "2^-37", "2^-24"},
		criterionLabel: {"nw", "cw"},
	}}
	if err := complete(&g, []int{2}); err != nil {
		t.Fatal(err)
	}
	return g.Labels
}

// TestStoredSurrogates stores a surrogate of each generator in every way: it takes the bytes predicted, and the error
// of a product is of order epsilon.
func TestStoredSurrogates(t *testing.T) {
	first := map[string]string{} // matrix of each generator
	for _, p := range replaced() {
		if g := p.Surrogate.Generator; first[g] == "" {
			first[g] = p.Name
		}
	}
	names := slices.Sorted(maps.Values(first))
	if testing.Short() {
		names = names[:4]
	}
	labels := productLabels(t)
	pool := parallel.New(2)
	defer pool.Close()
	for _, name := range names {
		s, ok, err := Options{}.source(name, 1e4)
		if err != nil || !ok {
			t.Fatalf("%s: no surrogate, %v", name, err)
		}
		m, err := s.load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		points, made := product().points(labels), 0
		in := input{matrix: m, name: name, pool: pool, quick: true, progress: func(string) {}, late: func() bool { return false }}
		in.emit = func(p point, r result) error {
			made++
			checkStored(t, name, p, r)
			return nil
		}
		if err := product().run(t.Context(), in, points); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if made != len(points) || made < 30 {
			t.Errorf("%s: %d of %d products", name, made, len(points))
		}
	}
}

func checkStored(t *testing.T, name string, p point, r result) {
	t.Helper()
	if len(r.values) == 0 {
		t.Errorf("%s %s: %v", name, p.text(), r.notes)
		return
	}
	v := r.values
	if p[formatsLabel] != "AFX" && r.notes["layout"] != string(adaptive.Bucketed) {
		t.Errorf("%s %s: layout %s", name, p.text(), r.notes["layout"])
	}
	if r.notes["layout"] == string(adaptive.Bucketed) && v["bytes"] != v["predicted"] {
		t.Errorf("%s %s: %.0f bytes, %.0f were predicted", name, p.text(), v["bytes"], v["predicted"])
	}
	epsilon, err := packed.ParseEpsilon(p[epsilonLabel])
	if err != nil {
		t.Fatal(err)
	}
	e := v["error_nw"]
	if p[criterionLabel] == "cw" {
		e = v["error_row"]
	}
	if e > v["bound"] {
		t.Errorf("%s %s: error %.2g is above the bound %.2g", name, p.text(), e, v["bound"])
	}
	const some = 0.01 // of the elements in fewer bits, from which on the error shows
	if e < epsilon/100 && v[records.Share+"FP64"] < 1-some {
		t.Errorf("%s %s: error %.2g is far below epsilon %.2g", name, p.text(), e, epsilon)
	}
}
