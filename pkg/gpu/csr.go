package gpu

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// csrStorage is CSR with values in FP64 or FP32: 4-byte row offsets and columns.
type csrStorage struct {
	ptr, col, val Buffer
	rows          int
	shift         uint32 // 2^shift threads a row
	single        bool   // FP32
}

// NewCSR copies m to a device in FP64: 12 bytes a nonzero and 4 a row.
func NewCSR(d *Device, m *csr.Matrix) (*Matrix, error) {
	return newCSR(d, m, &csrStorage{val: put(d, m.Val)})
}

// NewCSR32 is NewCSR with the values rounded to FP32: 8 bytes a nonzero.
func NewCSR32(d *Device, m *csr.Matrix) (*Matrix, error) {
	val := make([]float32, len(m.Val))
	for k, v := range m.Val {
		val[k] = float32(v)
	}
	return newCSR(d, m, &csrStorage{val: put(d, val), single: true})
}

func newCSR(d *Device, m *csr.Matrix, s *csrStorage) (*Matrix, error) {
	if m.NNZ() > math.MaxUint32 {
		d.release(s.buffers()...)
		return nil, fmt.Errorf("gpu: %d nonzeros; at most 2^32-1 fit a row offset", m.NNZ())
	}
	ptr := make([]uint32, len(m.RowPtr))
	for i, p := range m.RowPtr {
		ptr[i] = uint32(p)
	}
	s.ptr, s.col, s.rows = put(d, ptr), put(d, m.Col), m.Rows
	s.shift = threadsFor(float64(m.NNZ()) / float64(max(m.Rows, 1)))
	return made(d, m.Rows, m.Cols, s)
}

func (s *csrStorage) buffers() []*Buffer { return []*Buffer{&s.ptr, &s.col, &s.val} }

func (s *csrStorage) blocks() uint32 { return blocksFor(s.rows<<s.shift, productBlocks) }

func (s *csrStorage) multiply(d *Device, p *product) {
	launch := d.spmvCsr
	if s.single {
		launch = d.spmvCsr32
	}
	launch(s.blocks(), uint32(s.rows), s.shift, math.MaxUint32, s.ptr, s.col, s.val, p.what, p.x, p.dst, p.b, p.w, p.omega, p.area, p.area2, p.pad)
}
