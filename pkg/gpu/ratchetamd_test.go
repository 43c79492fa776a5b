package gpu

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

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
