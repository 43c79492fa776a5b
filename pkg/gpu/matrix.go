package gpu

import (
	"fmt"
	"math/bits"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Matrix is a sparse matrix on a device, in one of the layouts that New... functions make,
// as an operator on vectors of its Spaces.
type Matrix interface {
	linop.Relaxer[*Vector, Scalar]
	AbsApply(dst, x *Vector) // dst = |A||x|, for a matrix of NewCSR; it panics for others

	// ApplyMulti computes dst = A src for each vector, with the bits of Apply: in one pass over the matrix for each group of
	// vectors in layouts csr, slots and blocks of 3, if there are no long rows; otherwise vector by vector.
	ApplyMulti(dst, src MultiVector)
	Together(k int) bool // whether products with k vectors take fewer passes over the matrix than k

	Bytes() int64          // the memory of the device that the matrix takes, indices included
	Stats() adaptive.Stats // what the matrix is made of; for CSR only the bytes
	LayoutText() string    // the layout of the matrix in the device's memory
	Close()                // releases the matrix

	accurate(r, b, x *Vector)
}

// deviceMatrix implements Matrix.
type deviceMatrix struct {
	d          *Device
	rows, cols int
	bytes      int64 // of the device's memory that it takes
	stored     storage
}

var _ linop.Relaxer[*Vector, Scalar] = (*deviceMatrix)(nil)

// storage is a layout.
type storage interface {
	blocks() uint32 // of the kernel, so many partial sums of an inner product
	multiply(d *Device, p *product)
	buffers() []*buffer
	describe() (stats adaptive.Stats, layout string)
}

// What follows a product, product.what, as in source/epilogue.h.
const (
	plain    = uint32(linop.Plain)
	residual = uint32(linop.Residual)
	relax    = uint32(linop.Relax)
	plus     = uint32(linop.Plus)
	withDot  = uint32(linop.WithDot)
	withDots = uint32(linop.WithDots)
)

// productBlocks is the number of blocks of a product at most, the same on all devices.
const productBlocks = maxParts

// rowBlocks is the number without those for long rows, a variable for tests. Of 108
// multiprocessors each gets 18, of 132 14.7: just below a whole number of rounds of 3, 5, 6
// or 9.
var rowBlocks uint32 = 1944

// Dims returns the dimensions.
func (a *deviceMatrix) Dims() (rows, cols int) { return a.rows, a.cols }

// Bytes implements Matrix.
func (a *deviceMatrix) Bytes() int64 { return a.bytes }

// Stats implements Matrix.
func (a *deviceMatrix) Stats() adaptive.Stats {
	s, _ := a.stored.describe()
	s.Bytes = a.bytes
	return s
}

// LayoutText implements Matrix.
func (a *deviceMatrix) LayoutText() string {
	_, text := a.stored.describe()
	return text
}

// Close implements Matrix.
func (a *deviceMatrix) Close() { a.d.release(a.stored.buffers()...) }

// Apply computes dst = A src.
func (a *deviceMatrix) Apply(dst, src *Vector) { a.run(product{what: plain, x: src.mem, dst: dst.mem}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *deviceMatrix) ApplyDot(dst, src, w *Vector) Scalar {
	v, area := a.d.sums.sum(a.stored.blocks())
	a.run(product{what: withDot, x: src.mem, dst: dst.mem, w: w.mem, area: area})
	return v
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *deviceMatrix) ApplyDots(dst, src, w *Vector) (dw, dd Scalar) {
	dw, area := a.d.sums.sum(a.stored.blocks())
	dd, area2 := a.d.sums.sum(a.stored.blocks())
	a.run(product{what: withDots, x: src.mem, dst: dst.mem, w: w.mem, area: area, area2: area2})
	return dw, dd
}

// Residual computes r = b - A x.
func (a *deviceMatrix) Residual(r, b, x *Vector) {
	a.run(product{what: residual, x: x.mem, dst: r.mem, b: b.mem})
}

// Relax computes dst = src + omega w∘(b - A src).
func (a *deviceMatrix) Relax(dst, src, b, w *Vector, omega Scalar) {
	a.run(product{what: relax, x: src.mem, dst: dst.mem, b: b.mem, w: w.mem, omega: omega.coefficient()})
	omega.settle()
}

// ApplyPlus computes dst = b + A src.
func (a *deviceMatrix) ApplyPlus(dst, b, src *Vector) {
	a.run(product{what: plus, x: src.mem, dst: dst.mem, b: b.mem})
}

func (a *deviceMatrix) run(p product) {
	if p.what != relax {
		p.omega = known(0).coefficient()
	}
	p.reductions = a.d.sums.mem
	a.stored.multiply(a.d, &p)
}

// made returns the matrix, or the error of the device.
func made(d *Device, rows, cols int, stored storage) (Matrix, error) {
	a := &deviceMatrix{d: d, rows: rows, cols: cols, stored: stored}
	for _, b := range stored.buffers() {
		a.bytes += b.bytes
	}
	return ready[Matrix](d, a)
}

// threadsFor is the base 2 logarithm of the number of threads for a row of that many
// elements on average, so that a thread has about 2 to 4, which it loads together.
func threadsFor(mean float64) uint32 {
	return uint32(min(bits.Len(uint(mean/6)), 5))
}

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
