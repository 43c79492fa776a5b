package gpu

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Eight vectors at once take less than half of the instructions of eight products, and what decoding takes less of the more of
// it there is. With -v it prints the warp instructions for 32 nonzeros and a vector.
func TestApplyMultiInstructions(t *testing.T) {
	if testing.Short() {
		t.Skip("interprets products")
	}
	for _, c := range []struct {
		kind string
		n    float64
		spec adaptive.Spec
		most float64 // of 8 vectors, relative to one
	}{
		{"poisson3d", 12, adaptive.Spec{Layout: adaptive.CSR}, 0.5},
		{"poisson3d", 12, afx(t, adaptive.NW, 0x1p-37), 0.5},
		{"elasticity3d", 6, afx(t, adaptive.NW, 0x1p-24), 0.5},
		{"elasticity3d", 6, afx(t, adaptive.NW, 0x1p-53), 0.4},
	} {
		m := generated(t, c.kind, generate.Params{"n": c.n})
		one := manyInstructions(t, m, c.spec, 1)
		for _, k := range []int{2, 4, 8} {
			many := manyInstructions(t, m, c.spec, k)
			t.Logf("%s, accuracy %g: one %.1f, %d together %.1f each", c.kind, c.spec.Epsilon, one, k, many)
			if many >= one || k == 8 && many > c.most*one {
				t.Errorf("%s: %d vectors take %.1f instructions each, one alone %.1f", c.kind, k, many, one)
			}
		}
	}
}

// manyInstructions is the number of warp instructions for 32 nonzeros and each of k vectors.
func manyInstructions(t *testing.T, m *csr.Matrix, s adaptive.Spec, k int) float64 {
	was := interpreterBlocks
	interpreterBlocks = max(1, m.Rows/(ratchetRows*threads/warp))
	defer func() { interpreterBlocks = was }()
	d := ptx(t, 0)
	a, err := NewMatrix(d, m, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	x, err := NewMultiVector(d, m.Cols, k)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	y, err := NewMultiVector(d, m.Rows, k)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	p := d.drv.(*interpreter)
	for _, kernel := range p.programs {
		kernel.counts.Reset()
	}
	a.ApplyMulti(y, x)
	if err := d.Wait(); err != nil {
		t.Fatal(err)
	}
	var sum uint64
	for _, kernel := range p.programs {
		sum += kernel.counts.Total().Instructions
	}
	return 32 * float64(sum) / float64(m.NNZ()*k)
}
