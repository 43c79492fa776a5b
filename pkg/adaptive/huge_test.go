//go:build linux

package adaptive

import (
	"math"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// untouchable returns n values that fault when they are looked at.
func untouchable(t *testing.T, n int) []float64 {
	t.Helper()
	memory, err := syscall.Mmap(-1, 0, 8*n, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no address space for %d values: %v", n, err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	return unsafe.Slice((*float64)(unsafe.Pointer(&memory[0])), n)
}

// huge is a matrix of rows of so many elements each, without columns.
func huge(t *testing.T, rows, cols, length int) *csr.Matrix {
	m := &csr.Matrix{
		Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1),
		Val: untouchable(t, rows*length),
	}
	for i := range m.RowPtr {
		m.RowPtr[i] = int64(i) * int64(length)
	}
	return m
}

// checkPanels demands ranges that cover all rows and have few enough elements.
func checkPanels(t *testing.T, m *csr.Matrix, panels []int) {
	t.Helper()
	if panels[0] != 0 || panels[len(panels)-1] != m.Rows {
		t.Fatalf("panels from %d to %d of %d rows", panels[0], panels[len(panels)-1], m.Rows)
	}
	for k, hi := range panels[1:] {
		if lo := panels[k]; hi <= lo || m.RowPtr[hi]-m.RowPtr[lo] > math.MaxInt32 {
			t.Errorf("rows %d to %d have %d elements", lo, hi, m.RowPtr[hi]-m.RowPtr[lo])
		}
	}
}

// More than 2^31 nonzeros, in many short rows or in few long ones: what is decided
// by their number alone.
func TestHugePanels(t *testing.T) {
	for _, c := range []struct {
		name               string
		rows, cols, length int
		most               int // panels of tiles
	}{
		{"short", 100_000_020, 100_000_020, 30, 1 << 11},
		{"long", 180_000, 180_000, 20_000, 1 << 6},
		{"longer", 60_000, 1 << 20, 60_000, 1 << 6},
		{"few", 12, math.MaxInt32, 360_000_000, 3},
		{"longest", 2, math.MaxInt32, math.MaxInt32, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.rows > 1<<24 && testing.Short() {
				t.Skip("offsets of many rows")
			}
			m := huge(t, c.rows, c.cols, c.length)
			b := &builder{m: m}
			for _, p := range b.plans() {
				panels, err := slotPanels(m, p.slotPlan, leastPanels)
				if err != nil {
					if p.block < 2 || p.block*c.length <= math.MaxInt32 {
						t.Error(err)
					}
					continue
				}
				checkPanels(t, m, panels)
				for _, lo := range panels {
					if lo%p.block != 0 {
						t.Errorf("a panel begins at row %d, within a block of %d", lo, p.block)
						break
					}
				}
				if n := len(panels) - 1; p.layout == Tiles && n > c.most {
					t.Errorf("%d panels of tiles, want %d at most", n, c.most)
				}
			}
			for _, r := range b.sampleRanges() {
				n := m.RowPtr[r[1]] - m.RowPtr[r[0]]
				if n <= 0 || n > math.MaxInt32 || n > sampleMost+sampleRows*int64(c.length) {
					t.Errorf("%d elements in a sample of rows %v", n, r)
				}
			}
		})
	}
}

// Offsets of rows in buckets are 32-bit: more elements are counted right, so that
// they can be refused, and the bytes of as many as fit are.
func TestHugeBuckets(t *testing.T) {
	if sum := addUp([]uint32{0, math.MaxInt32, math.MaxInt32, 5}); sum != 1<<32+3 {
		t.Errorf("the sum is %d", sum)
	}
	p := []uint32{0, math.MaxInt32, math.MaxInt32, 1}
	if sum := addUp(p); sum != math.MaxUint32 || p[2] != math.MaxUint32-1 || p[3] != math.MaxUint32 {
		t.Errorf("the offsets are %d", p)
	}
	b := &builder{
		m:    &csr.Matrix{Rows: 3},
		part: &packed.Partition{Tol: &packed.Tolerances{}, Codecs: []formats.Codec{{Format: formats.MustLookup("FP64")}}},
	}
	s := bucketStats(b, assigned{ptr: [][]uint32{p}, nnz: 1 << 32})
	if want := int64(4*4 + 12*math.MaxUint32 + formats.Padding); s.Bytes != want || s.Dropped != 1 {
		t.Errorf("%d bytes, %d dropped, want %d and 1", s.Bytes, s.Dropped, want)
	}
}
