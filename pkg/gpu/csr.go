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

// longRows are the rows, or block rows, of a matrix that have more than longRow elements,
// cut into segments of that many: one kernel adds up the segments, spmv_long those of each
// row.
type longRows struct {
	rows, segments uint32
	size           uint32 // of block rows, otherwise 1
	most           uint32 // elements of a row that is not long
	row, start     buffer // the rows, and the first segment of each
	cut            buffer // of CSR: first element of each segment, and the first after it
	sums           buffer // of the segments; for CSR room for two numbers each
}

const (
	longRow = 4096
	// longBlocks is the number of blocks at most that put long rows together: those that
	// rowBlocks leaves.
	longBlocks = productBlocks - 1944
)

// newLongRows finds them in the row offsets.
func newLongRows(d *Device, ptr []uint32) (l longRows) {
	var row, start, cut []uint32
	for i, from := range ptr[:max(len(ptr), 1)-1] {
		if to := ptr[i+1]; to-from > longRow {
			row, start = append(row, uint32(i)), append(start, uint32(len(cut)/2))
			for ; to-from > longRow; from += longRow {
				cut = append(cut, from, from+longRow)
			}
			cut = append(cut, from, to)
		}
	}
	l = longRows{rows: uint32(len(row)), segments: uint32(len(cut) / 2), size: 1, most: longRow}
	if l.rows > 0 {
		l.row, l.start, l.cut = put(d, row), put(d, append(start, l.segments)), put(d, cut)
		l.sums = d.alloc(16 * int64(l.segments))
	}
	return l
}

func (l *longRows) buffers() []*buffer { return []*buffer{&l.row, &l.start, &l.cut, &l.sums} }

// blocks is the number of blocks of spmv_long, which has a warp for each row.
func (l *longRows) blocks() uint32 {
	if l.rows == 0 {
		return 0
	}
	return blocksFor(32*int(l.rows)*int(l.size), longBlocks)
}

// segmentBlocks is the number of blocks of the kernel before it.
func (l *longRows) segmentBlocks() uint32 { return min(l.segments, productBlocks) }

// What the sum of a row is multiplied by, as in source/long.c.
const (
	noUnit   = 0
	oneUnit  = 1
	rowsUnit = 2
)

// finish adds up the segments' sums of each row and finishes it; the unit of row i, if
// there is one, is 2^exps_i. Parts of inner products stand behind `from` others.
func (l *longRows) finish(d *Device, unit uint32, exps buffer, from uint32, p *product) {
	launchParts(d, l.blocks(), spmvLong{
		count: l.rows, size: l.size, row: l.row, start: l.start, sums: l.sums, unit: unit, exps: exps, from: from, product: *p,
	})
}

// NewDense copies a dense n x n matrix to a device, row after row in a, in FP64 CSR: a product takes about as long as
// one without columns, since matrices of some hundred rows stay in the caches of a device and keep it busy for
// less than a launch takes.
func NewDense(d *Device, n int, a []float64) (Matrix, error) {
	if len(a) != n*n {
		return nil, fmt.Errorf("gpu: a dense matrix of %d rows and %d numbers", n, len(a))
	}
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1), Col: make([]int32, n*n), Val: a}
	for i := range n {
		m.RowPtr[i+1] = int64((i + 1) * n)
	}
	for k := range m.Col {
		m.Col[k] = int32(k % n)
	}
	return NewCSR(d, m)
}
