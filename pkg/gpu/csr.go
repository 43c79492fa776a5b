package gpu

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// csrStorage is CSR with values in FP64 or FP32: 4-byte row offsets and columns.
type csrStorage struct {
	ptr, col, val buffer
	rows          int
	shift         uint32 // 2^shift threads a row
	single        bool   // FP32
	long          longRows
}

// MostNonzeros is the largest number of nonzeros of a matrix: 4-byte row offsets count them, and the offset to which a block of threads
// goes on does not overflow.
const MostNonzeros = math.MaxUint32 - 4*threads

// NewCSR copies m to a device in FP64: 12 bytes per nonzero and 4 a row.
func NewCSR(d *Device, m *csr.Matrix) (Matrix, error) {
	return newCSR(d, m, &csrStorage{val: put(d, m.Val)})
}

// NewCSR32 is NewCSR with the values rounded to FP32: 8 bytes per nonzero.
func NewCSR32(d *Device, m *csr.Matrix) (Matrix, error) {
	val := make([]float32, len(m.Val))
	for k, v := range m.Val {
		val[k] = float32(v)
	}
	return newCSR(d, m, &csrStorage{val: put(d, val), single: true})
}

func newCSR(d *Device, m *csr.Matrix, s *csrStorage) (Matrix, error) {
	if m.NNZ() > MostNonzeros {
		d.release(s.buffers()...)
		return nil, fmt.Errorf("gpu: %d nonzeros; at most %d fit 4-byte row offsets", m.NNZ(), MostNonzeros)
	}
	ptr := make([]uint32, len(m.RowPtr))
	for i, p := range m.RowPtr {
		ptr[i] = uint32(p)
	}
	s.ptr, s.col, s.rows = put(d, ptr), put(d, m.Col), m.Rows
	s.shift = threadsFor(float64(m.NNZ()) / float64(max(m.Rows, 1)))
	s.long = newLongRows(d, ptr)
	return made(d, m.Rows, m.Cols, s)
}

func (s *csrStorage) describe() (adaptive.Stats, string) { return adaptive.Stats{}, "csr" }

func (s *csrStorage) buffers() []*buffer {
	return append(s.long.buffers(), &s.ptr, &s.col, &s.val)
}

// shortBlocks is the number of blocks for the rows that are not long.
func (s *csrStorage) shortBlocks() uint32 {
	return blocksFor(s.rows<<s.shift, rowBlocks)
}

func (s *csrStorage) blocks() uint32 { return s.shortBlocks() + s.long.blocks() }

func (s *csrStorage) multiply(d *Device, p *product) {
	l, abs := &s.long, p.what == magnitudes
	if abs {
		p.what = plain
	}
	rows := spmvCsr{rows: uint32(s.rows), shift: s.shift, most: l.most, ptr: s.ptr, col: s.col, val: s.val, product: *p}
	segments := spmvCsrSegments{segments: l.segments, cut: l.cut, col: s.col, val: s.val, x: p.x, sums: l.sums}
	switch {
	case s.single:
		launchParts(d, s.shortBlocks(), spmvCsr32(rows))
		launch(d, l.segmentBlocks(), spmvCsr32Segments(segments))
	case abs:
		launchParts(d, s.shortBlocks(), spmvCsrAbs(rows))
		launch(d, l.segmentBlocks(), spmvCsrAbsSegments(segments))
	default:
		launchParts(d, s.shortBlocks(), rows)
		launch(d, l.segmentBlocks(), segments)
	}
	l.finish(d, noUnit, buffer{}, s.shortBlocks(), p)
}

// magnitudes is plain, but |A||x|.
const magnitudes = math.MaxUint32

// AbsApply implements Matrix.
func (a *deviceMatrix) AbsApply(dst, x *Vector) {
	a.double("AbsApply")
	a.run(product{what: magnitudes, x: x.mem, dst: dst.mem})
}

// double returns the storage of a matrix of NewCSR.
func (a *deviceMatrix) double(what string) *csrStorage {
	s, ok := a.stored.(*csrStorage)
	if !ok || s.single {
		panic("gpu: " + what + " of a matrix that is not of NewCSR")
	}
	return s
}

// Accurate is a Matrix of NewCSR whose Residual accumulates in double-double, as in
// linop.Accurate: r is right to working precision however much b - A x cancels.
type Accurate struct{ Matrix }

// Residual computes r = b - A x, rounded once per element. It panics if NewCSR did not make the matrix.
func (a Accurate) Residual(r, b, x *Vector) { a.accurate(r, b, x) }

func (a *deviceMatrix) accurate(r, b, x *Vector) {
	s := a.double("Accurate.Residual")
	l := &s.long
	launch(a.d, s.shortBlocks(), spmvCsrAccurate{
		rows: uint32(s.rows), shift: s.shift, most: l.most, ptr: s.ptr, col: s.col, val: s.val, x: x.mem, r: r.mem, b: b.mem,
	})
	launch(a.d, l.segmentBlocks(), spmvCsrAccurateSegments{segments: l.segments, cut: l.cut, col: s.col, val: s.val, x: x.mem, sums: l.sums})
	launch(a.d, l.blocks(), spmvLongAccurate{count: l.rows, row: l.row, start: l.start, sums: l.sums, r: r.mem, b: b.mem})
}
