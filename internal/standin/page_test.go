package standin

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/tools/page"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/standins.md")

// TestPage keeps docs/standins.md current.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("stores all stand-ins")
	}
	path := filepath.Join("..", "..", "docs", "standins.md")
	for name, text := range map[string]string{"matrices": matrices(), "storage": storage(t)} {
		begin, end := "<!-- "+name+" -->", "<!-- end of "+name+" -->"
		if *update {
			if err := page.Replace(path, begin, end, text); err != nil {
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

func matrices() string {
	var b strings.Builder
	b.WriteString("| matrix | group | n | nonzeros | generator and parameters | imitates | and not |\n")
	b.WriteString("| --- | --- | ---:| ---:| --- | --- | --- |\n")
	papers := map[string]collection.Paper{}
	for _, p := range collection.Papers() {
		papers[p.Name] = p
	}
	for _, s := range All() {
		name, p := strings.Join(append([]string{s.Matrix}, s.Others...), ", "), papers[s.Matrix]
		fmt.Fprintf(&b, "| %s | %s | %d | %d | `%s,%s` | %s | %s |\n",
			name, cmp.Or(p.Group, "industrial"), p.N, p.NNZ, s.Kind, s.Class(), s.Imitates, s.Not)
	}
	return b.String() + "\n"
}

// storage has the bytes of bucketed CSR in AP7 by those of FP64 CSR.
func storage(t *testing.T) string {
	set, err := adaptive.LookupSet("AP7")
	if err != nil {
		t.Fatal(err)
	}
	pool := linop.NewPool(0)
	defer pool.Close()
	var b strings.Builder
	b.WriteString("| matrix | n | nonzeros | nw 2^-53 | nw 2^-37 | nw 2^-24 | cw 2^-53 | cw 2^-37 | cw 2^-24 |\n")
	b.WriteString("| --- | ---:| ---:| ---:| ---:| ---:| ---:| ---:| ---:|\n")
	for _, s := range All() {
		m := sized(t, s, 3e5)
		fmt.Fprintf(&b, "| %s | %d | %d |", s.Matrix, m.Rows, m.NNZ())
		for _, criterion := range adaptive.Criteria {
			for _, e := range []int{-53, -37, -24} {
				stats, err := adaptive.Predict(m, adaptive.Spec{
					Set: set, Epsilon: math.Ldexp(1, e), Criterion: criterion, PaperExact: true,
				}, pool)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, " %.0f %% |", 100*float64(stats.Bytes)/float64(m.Bytes()))
			}
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}
