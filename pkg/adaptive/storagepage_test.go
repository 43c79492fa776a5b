package adaptive

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

var update = flag.Bool("update", false, "rewrite docs/storage.svg, the tables of docs/storage.md, and testdata/golden.txt")

// current compares a file with what it should hold, or rewrites it.
func current(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not up to date (%v); go test -run %s -update rewrites it", path, err, t.Name())
		old := strings.Split(string(got), "\n")
		for k, line := range strings.Split(string(want), "\n") {
			if k >= len(old) || old[k] != line {
				t.Errorf("the first new line is %d: %s", k+1, line)
				break
			}
		}
	}
}

// The drawing and the numbers of docs/storage.md are those of stored matrices.
func TestStoragePage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	f := newTrace(t, 10, 9)
	current(t, filepath.Join(docs, "storage.svg"), []byte(f.draw()))

	path := filepath.Join(docs, "storage.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page = replaced(t, page, "slot", f.sentence())
	if !testing.Short() {
		page = replaced(t, page, "bytes", bytesTable(t))
		page = replaced(t, page, "parts", partsTable(t))
	}
	current(t, path, page)
}

// replaced puts text between the markers of that name.
func replaced(t *testing.T, page []byte, name, text string) []byte {
	t.Helper()
	begin, end := "<!-- "+name+": make storage-figure -->\n", "<!-- end of "+name+" -->\n"
	head, rest, ok := strings.Cut(string(page), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("docs/storage.md lacks the markers %s and %s", begin, end)
	}
	return []byte(head + begin + text + end + tail)
}

// sentence says the drawing in words.
func (f *trace) sentence() string {
	e, o := &f.bits, &f.bytes
	return fmt.Sprintf(`The drawing follows the element a = %.4f in row %d, column %d of the matrix
`+"`generate poisson2d --n 4 --decades 2`"+`, stored at ε = 2^-%d, criterion cw; rows and
columns count from 0. The unit of its row is 2^%d, its quantum 2^%d, so it is the integer
%d. That is in slot %d of its slice, whose widest integer has %d bits: at bits %d to
%d of %d bytes. At ε = 2^-%d the quantum is 2^%d and the integer %d, in a slot of
%d bits, which are rounded up to %d: whole bytes.
`, f.value, f.row, f.col, e.accuracy, e.unit, e.quant, e.integer, e.number, e.needs, e.bit, e.bit+e.width-1, e.width,
		o.accuracy, o.quant, o.integer, o.needs, o.width)
}

// storedIn stores m in a layout; ok is false if m has no blocks, is not symmetric as it would be
// stored, or has rows too long for ELL.
func storedIn(t *testing.T, m *csr.Matrix, c Criterion, l Layout) (a Matrix, ok bool) {
	if l == Symmetric && c != NW {
		return nil, false
	}
	if l == ELL {
		if _, err := ELLWidth(m); err != nil {
			return nil, false
		}
	}
	a = build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Criterion: c, Layout: l})
	return a, a.Layout() == l
}

// bytesTable is the bytes for each nonzero of generated matrices in every layout.
func bytesTable(t *testing.T) string {
	var text strings.Builder
	text.WriteString("| `generate` | nonzeros | csr | coo | ell | hybrid | sell8 | bcrs4x1 | bucketed | slots | blocks | diag | tiles | sym |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		text, kind string
		p          generate.Params
		criterion  Criterion
	}{
		{"elasticity3d --n 20", "elasticity3d", generate.Params{"n": 20}, NW},
		{"poisson3d --n 40", "poisson3d", generate.Params{"n": 40}, NW},
		{"stencil27 --n 30 --window 4096", "stencil27", generate.Params{"n": 30, "window": 4096}, NW},
		{"powerlaw --n 100000", "powerlaw", generate.Params{"n": 100000}, CW},
	} {
		m := generated(t, c.kind, c.p)
		fmt.Fprintf(&text, "| `%s`, %s | %d", c.text, c.criterion, m.NNZ())
		for _, l := range []Layout{CSR, COO, ELL, Hybrid, SELL8, BCRS4x1, Bucketed, Slots, Blocks, Diagonals, Tiles, Symmetric} {
			if a, ok := storedIn(t, m, c.criterion, l); ok {
				fmt.Fprintf(&text, " | %.2f", a.Stats().PerNonzero())
			} else {
				text.WriteString(" | –")
			}
		}
		text.WriteString(" |\n")
	}
	return text.String()
}

// partsTable says which array takes how much, for one matrix.
func partsTable(t *testing.T) string {
	var text strings.Builder
	text.WriteString("| layout | mean w | lanes filled | values | columns | widths | groups | the rest | bytes per nonzero |\n" +
		"|---|---|---|---|---|---|---|---|---|\n")
	m := generated(t, "elasticity3d", generate.Params{"n": 20})
	for _, l := range []Layout{Slots, Blocks, Diagonals, Tiles, Symmetric} {
		a, ok := storedIn(t, m, NW, l)
		if !ok {
			t.Fatalf("elasticity3d is not stored in %s", l)
		}
		var values, columns, widths, groups int
		size := a.(*matrix).choice.block * a.(*matrix).choice.block
		for _, panels := range a.(*matrix).slots().panels {
			for _, p := range panels {
				values += len(p.Values) - kernels.SlotPadding
				columns += 2*len(p.Index) + 4*len(p.Offsets)
				widths += len(p.Widths)
				groups += 8 * len(p.Groups)
			}
		}
		s := a.Stats()
		each := func(n int) float64 { return float64(n) / float64(s.NNZ) }
		fmt.Fprintf(&text, "| %s | %.1f | %.0f %% | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", l,
			float64(values)/float64(size*widths), 100*float64(s.InSlots)/float64(lanes*size*widths),
			each(values), each(columns), each(widths), each(groups),
			each(int(s.Bytes)-values-columns-widths-groups), s.PerNonzero())
	}
	return text.String()
}
