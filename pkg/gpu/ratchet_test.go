package gpu

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/gputest"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// ratchetFile has what the kernels' PTX executes; docs/gpu.md shows it, see tools/measure.
const ratchetFile = "testdata/ratchet.txt"

const ratchetHead = `# What y = A x executes for 32 nonzeros, by the interpreter of PTX: instructions of warps, those
# of FP64 among them, requests to global memory, sectors of 32 bytes for these, and bytes that memory
# has to deliver at least. Warps are as few as a large matrix has for as many rows. Few units: as on
# devices with few units for doubles.
# TestRatchet -update writes this file.
`

// ratchetRows is how many rows a warp has at least where a million are on the 528 blocks that
// an H100 has room for.
const ratchetRows = 1_000_000 / (528 * threads / warp)

// TestRatchet wants products to execute no more than they did: instructions, requests and
// sectors. With -v it prints what kernels execute by class.
func TestRatchet(t *testing.T) {
	if testing.Short() {
		t.Skip("interprets products")
	}
	var text strings.Builder
	text.WriteString(ratchetHead)
	for _, m := range []struct {
		kind string
		n    float64
	}{{"poisson3d", 20}, {"stencil27", 16}, {"elasticity3d", 11}, {"convdiff3d", 20}, {"powerlaw", 8000}} {
		a := generated(t, m.kind, generate.Params{"n": m.n})
		fmt.Fprintf(&text, "%s: CSR FP64: %s\n", m.kind, counted(t, a, adaptive.Spec{Layout: adaptive.CSR}))
		for _, bits := range []int{24, 37, 53} {
			fmt.Fprintf(&text, "%s: slots 2^-%d: %s\n", m.kind, bits, counted(t, a, afx(t, adaptive.NW, math.Ldexp(1, -bits))))
		}
	}
	ratchet(t, ratchetFile, text.String())
}

// ratchet compares with a golden file, or with -update writes it.
func ratchet(t *testing.T, file, text string) {
	path := filepath.FromSlash(file)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compareRatchet(t, file, string(old), text)
}

// counted is what one product executes for 32 nonzeros.
func counted(t *testing.T, m *csr.Matrix, s adaptive.Spec) string {
	sum := executed(t, ptx(t, 0), m, s, 0)
	per := func(n uint64) float64 { return 32 * float64(n) / float64(m.NNZ()) }
	text := fmt.Sprintf("instructions %.2f, FP64 %.2f, requests %.2f, sectors %.2f, bytes %.2f",
		per(sum.Instructions), per(sum.ByClass["fp64"]), per(sum.LoadRequests+sum.StoreRequests),
		per(sum.LoadSectors+sum.StoreSectors), 32*per(sum.Unique))
	if s.Layout == adaptive.CSR {
		return text
	}
	sum = executed(t, ptx(t, 0), m, s, packed.MaxWidth)
	return text + fmt.Sprintf(", few units: instructions %.2f, FP64 %.2f", per(sum.Instructions), per(sum.ByClass["fp64"]))
}

// executed is what one product executes on an interpreter with as many blocks as a large matrix
// would have for as many rows. Of slots it makes integers of so many bits doubles without operations
// of doubles.
func executed(t *testing.T, d *Device, m *csr.Matrix, s adaptive.Spec, narrow uint32) (sum gputest.Total) {
	resident := max(1, m.Rows/(ratchetRows*threads/warp))
	for k := range d.kernels {
		d.kernels[k].resident = resident
	}
	a := slotted(t, d, m, s, 1)
	if slots, ok := a.(*deviceMatrix).stored.(*slotStorage); ok {
		slots.narrow = narrow
	}
	in, out := newSpace(d, m.Cols), newSpace(d, m.Rows)
	defer in.Close()
	defer out.Close()
	x, y := in.New(), out.New()
	in.Zero(x)
	p := d.drv.(*interpreter)
	for _, k := range p.programs {
		k.counts.Reset()
	}
	a.Apply(y, x)
	if err := d.Wait(); err != nil {
		t.Fatal(err)
	}
	per := func(n uint64) float64 { return 32 * float64(n) / float64(m.NNZ()) }
	for _, k := range p.programs {
		c := k.counts
		if c.Launches == 0 {
			continue
		}
		one := c.Total()
		var classes []string
		for _, class := range slices.Sorted(maps.Keys(one.ByClass)) {
			classes = append(classes, fmt.Sprintf("%s %.2f", class, per(one.ByClass[class])))
		}
		t.Logf("%s: %s: %.2f instructions: %s", a.LayoutText(), k.name, per(one.Instructions), strings.Join(classes, ", "))
		sum.Add(one)
	}
	return sum
}

// compareRatchet compares the numbers of each line.
func compareRatchet(t *testing.T, file, old, now string) {
	was, is := strings.Split(old, "\n"), strings.Split(now, "\n")
	if len(was) != len(is) {
		t.Fatalf("%s has %d lines, want %d: -update writes it", file, len(was), len(is))
	}
	for i := range is {
		if is[i] == was[i] {
			continue
		}
		a, b := strings.Fields(was[i]), strings.Fields(is[i])
		grew := len(a) != len(b)
		for k := range min(len(a), len(b)) {
			var x, y float64
			n, _ := fmt.Sscan(strings.Trim(a[k], ","), &x)
			m, _ := fmt.Sscan(strings.Trim(b[k], ","), &y)
			grew = grew || n != m || n == 0 && a[k] != b[k] || y > x
		}
		if grew {
			t.Errorf("more than before, or other lines:\n  %s\nwas\n  %s", is[i], was[i])
		} else {
			t.Errorf("less than before, which -update records:\n  %s\nwas\n  %s", is[i], was[i])
		}
	}
}

// ratchetFileAMD has what AMD's code executes; docs/gpu.md shows it, see tools/measure.
const ratchetFileAMD = "testdata/ratchet-amd.txt"

const ratchetHeadAMD = `# What y = A x executes for 64 nonzeros in waves of 64 (gfx90a), by the interpreter of AMD's code: vector
# instructions and those of FP64, scalar ones with branches, of LDS, loads of scalars, requests to memory, the
# lines of 64 bytes for these, and bytes that memory has to deliver at least.
# TestRatchetAMD -update writes this file.
`

// TestRatchetAMD is TestRatchet for waves of 64.
func TestRatchetAMD(t *testing.T) {
	if testing.Short() {
		t.Skip("interprets products")
	}
	var text strings.Builder
	text.WriteString(ratchetHeadAMD)
	for _, m := range []struct {
		kind string
		n    float64
	}{{"poisson3d", 16}, {"stencil27", 12}, {"elasticity3d", 9}} {
		a := generated(t, m.kind, generate.Params{"n": m.n})
		count := func(s adaptive.Spec) string {
			sum := executed(t, amd(t, "gfx90a", 0), a, s, 0)
			per := func(n uint64) float64 { return 64 * float64(n) / float64(a.NNZ()) }
			c := sum.ByClass
			return fmt.Sprintf("vector %.2f, FP64 %.2f, scalar %.2f, LDS %.2f, scalar loads %.2f, requests %.2f, lines %.2f, bytes %.2f",
				per(c["valu"]+c["fp64"]), per(c["fp64"]), per(c["salu"]+c["branch"]), per(c["lds"]), per(c["smem"]),
				per(sum.LoadRequests+sum.StoreRequests), per(sum.LoadSectors+sum.StoreSectors), 64*per(sum.Unique))
		}
		fmt.Fprintf(&text, "%s: CSR FP64: %s\n", m.kind, count(adaptive.Spec{Layout: adaptive.CSR}))
		for _, bits := range []int{24, 37, 53} {
			fmt.Fprintf(&text, "%s: slots 2^-%d: %s\n", m.kind, bits, count(afx(t, adaptive.NW, math.Ldexp(1, -bits))))
		}
	}
	ratchet(t, ratchetFileAMD, text.String())
}
