package gpu

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// layouts has a row for each layout that a matrix may have on a device.
var layouts = []struct {
	name  adaptive.Layout
	store func(d *Device, m *csr.Matrix, s adaptive.Spec, pool *parallel.Pool) (Matrix, error)
}{
	{adaptive.LayoutAuto, newAuto},
	{adaptive.CSR, func(d *Device, m *csr.Matrix, _ adaptive.Spec, _ *parallel.Pool) (Matrix, error) {
		return NewCSR(d, m)
	}},
	{adaptive.Bucketed, storeBucketed},
	{adaptive.Slots, slotKind{}.store},
	{adaptive.Blocks, slotKind{blocks: true, diagonals: true}.store},
	{adaptive.Diagonals, slotKind{diagonals: true}.store},
	{adaptive.COO, storeHybrid("FP64 COO", func(*csr.Matrix) (int, error) { return 0, nil })},
	{adaptive.ELL, storeHybrid("FP64 ELL", adaptive.ELLWidth)},
	{adaptive.Hybrid, storeHybrid("FP64 ELL and COO", func(m *csr.Matrix) (int, error) { return adaptive.HybridWidth(m), nil })},
}

// Layouts lists the layouts that a matrix may have on a device.
func Layouts() (list []adaptive.Layout) {
	for _, l := range layouts {
		list = append(list, l.name)
	}
	return list
}

// NewMatrix stores m as the spec says, on the threads of pool: AFX in slots, other sets
// bucketed, unless the spec asks for another layout of Layouts; CSR is FP64. Arithmetic is
// FP64, too.
//
// It is an error if the spec is faulty or asks for another layout, or if the stream of
// slots exceeds 2^32-1 words.
func NewMatrix(d *Device, m *csr.Matrix, s adaptive.Spec, pool *parallel.Pool) (Matrix, error) {
	for _, l := range layouts {
		if l.name == s.Layout {
			return l.store(d, m, s, pool)
		}
	}
	return nil, fmt.Errorf("gpu: layout %s does not exist on devices; those that do are %v", s.Layout, Layouts()[1:])
}

// newAuto takes slots of blocks for AFX if m has them, otherwise of elements, without
// columns where rows have diagonals in common.
func newAuto(d *Device, m *csr.Matrix, s adaptive.Spec, pool *parallel.Pool) (Matrix, error) {
	if s.Set.Name == "AFX" {
		return slotKind{blocks: true, diagonals: true}.store(d, m, s, pool)
	}
	return storeBucketed(d, m, s, pool)
}
