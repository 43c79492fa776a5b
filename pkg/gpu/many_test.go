package gpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// manyMatrices are matrices of each kind of slots: with diagonals, sorted, of blocks of 3 and of 2, with rows of one to many elements.
func manyMatrices(t testing.TB) map[string]*csr.Matrix {
	return map[string]*csr.Matrix{
		"7-point":  generated(t, "poisson3d", generate.Params{"n": 9}),
		"blocks":   generated(t, "elasticity3d", generate.Params{"n": 4}),
		"powerlaw": generated(t, "powerlaw", generate.Params{"n": 600}),
	}
}

// manySlowly is the one matrix for each layout that interpreters multiply with, and OpenCL on processors, which compiles every kernel again.
var manySlowly = map[adaptive.Layout]string{adaptive.CSR: "7-point", adaptive.ELL: "7-point", adaptive.Blocks: "blocks", adaptive.Slots: "powerlaw"}

// Products with several vectors at once have the bits of as many products, in every layout, and in one pass over the matrix where
// Together says so.
func TestApplyMulti(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		for name, m := range manyMatrices(t) {
			for _, s := range []adaptive.Spec{
				{Layout: adaptive.CSR},
				{Layout: adaptive.Blocks, Epsilon: 0x1p-24},
				{Layout: adaptive.Slots, Epsilon: 0x1p-37},
				{Layout: adaptive.LayoutAuto, Epsilon: 0x1p-53},
				{Layout: adaptive.ELL},
			} {
				if (d.info.Host || isInterpreted(d)) && name != manySlowly[s.Layout] {
					continue
				}
				s.Set, s.Criterion = afx(t, adaptive.NW, 1).Set, adaptive.NW
				a, err := NewMatrix(d, m, s, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range []int{1, 2, 3, 8, 10} {
					testMany(t, fmt.Sprintf("%s, %s, 2^%g, %d vectors", name, s.Layout, s.Epsilon, k), a, m, k)
				}
				a.Close()
			}
		}
	})
}

func testMany(t *testing.T, name string, a Matrix, m *csr.Matrix, k int) {
	x, y := linop.NewMultiVector(m.Cols, k), linop.NewMultiVector(m.Rows, k)
	for v := range k {
		x.Set(v, generate.RandomVector(m.Cols, uint64(v+1)))
	}
	src, err := NewMultiVector(a.(*deviceMatrix).d, m.Cols, k)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := NewMultiVector(a.(*deviceMatrix).d, m.Rows, k)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	src.Upload(x)
	before := a.(*deviceMatrix).d.Launches()
	a.ApplyMulti(dst, src)
	if n := a.(*deviceMatrix).d.Launches() - before; a.Together(k) && n > len(src.onDevice().groups) {
		t.Errorf("%s: %d launches", name, n)
	}
	dst.Download(y)
	space := newSpace(a.(*deviceMatrix).d, m.Rows)
	defer space.Close()
	one, want, got := space.New(), space.New(), make([]float64, m.Rows)
	for v := range k {
		space.Upload(one, generate.RandomVector(m.Cols, uint64(v+1)))
		a.Apply(want, one)
		wanted := make([]float64, m.Rows)
		space.Download(wanted, want)
		if y.Get(v, got); !slices.Equal(got, wanted) {
			t.Errorf("%s: vector %d has other bits than its product", name, v)
		}
	}
}

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
