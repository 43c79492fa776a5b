package gpu

import (
	"testing"

	"github.com/mpsolve/mpsolve/internal/sell"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// On devices with few units for doubles an element takes one operation of theirs, whatever its width.
func TestFewOperationsOfDoubles(t *testing.T) {
	d := ptx(t, 0)
	p := d.drv.(*interpreter)
	counts := p.find("spmv_slots3").counts
	m := generated(t, "elasticity3d", generate.Params{"n": 5})
	s := newSpace(d, m.Rows)
	defer s.Close()
	x, y := onDevice(s, normal(m.Rows, 1))[0], s.New()
	for _, eps := range []float64{0x1p-24, 0x1p-37} {
		a := slotted(t, d, m, afx(t, adaptive.NW, eps), 1)
		operations := func(narrow uint32) float64 {
			counts.Reset()
			a.(*deviceMatrix).stored.(*slotStorage).narrow = narrow
			a.Apply(y, x)
			return 32 * float64(counts.Total().ByClass["fp64"]) / float64(m.NNZ())
		}
		many, few := operations(0), operations(sell.MaxWidth)
		if !(few > 1 && few < 0.58*many) {
			t.Errorf("%g: %.2f operations for a nonzero, %.2f where they are few", eps, many, few)
		}
	}
}
