package gpu

import "github.com/mpsolve/mpsolve/pkg/linop"

// MultiVector is k vectors on a device for products with several at once, interleaved in groups as in linop.MultiVector.
type MultiVector interface {
	Dims() (n, k int)
	Upload(x *linop.MultiVector)   // copies x, of the same dimensions
	Download(x *linop.MultiVector) // copies the vectors to x, of the same dimensions, and waits for it
	Close()

	onDevice() *multiVector
}

// multiVector implements MultiVector.
type multiVector struct {
	d      *Device
	n, k   int
	groups []manyGroup
	column [2]Vector // for vectors that are multiplied one by one; no memory: not needed yet
}

type manyGroup struct {
	width uint32
	mem   buffer
}

// NewMultiVector returns k zero vectors of n elements, which Close releases.
func NewMultiVector(d *Device, n, k int) (MultiVector, error) {
	v := &multiVector{d: d, n: n, k: k}
	for _, g := range linop.NewMultiVector(0, k).Groups() {
		b := d.alloc(8 * int64(g.Width) * int64(n))
		if d.err == nil {
			d.note("clearing a vector", d.drv.zero(b.handle, b.bytes))
		}
		v.groups = append(v.groups, manyGroup{uint32(g.Width), b})
	}
	return ready[MultiVector](d, v)
}

func (v *multiVector) onDevice() *multiVector { return v }

// Dims returns n and k.
func (v *multiVector) Dims() (n, k int) { return v.n, v.k }

// Close releases the vectors.
func (v *multiVector) Close() {
	for k := range v.groups {
		v.d.release(&v.groups[k].mem)
	}
	v.d.release(&v.column[0].mem, &v.column[1].mem)
}

// Upload copies x, of the same dimensions, to v.
func (v *multiVector) Upload(x *linop.MultiVector) {
	for k, g := range x.Groups() {
		upload(v.d, v.groups[k].mem, 0, g.Data)
	}
}

// Download copies v to x, of the same dimensions, and waits for it.
func (v *multiVector) Download(x *linop.MultiVector) {
	for k, g := range x.Groups() {
		download(v.d, g.Data, v.groups[k].mem)
	}
}

// storageMany is a layout that multiplies 2, 4 or 8 vectors at once.
type storageMany interface {
	together(width uint32) bool // whether it does
	multiplyMany(d *Device, width uint32, dst, x buffer)
}

// Together reports whether products with k vectors take fewer passes over the matrix than k.
func (a *deviceMatrix) Together(k int) bool {
	many, ok := a.stored.(storageMany)
	return ok && k > 1 && many.together(uint32(linop.NewMultiVector(0, k).Groups()[0].Width))
}

// ApplyMulti computes dst = A src for each vector, with the bits of Apply: in one pass over the matrix for each group of
// vectors in layouts csr, slots and blocks of 3, if there are no long rows; otherwise vector by vector.
func (a *deviceMatrix) ApplyMulti(to, from MultiVector) {
	dst, src := to.onDevice(), from.onDevice()
	many, ok := a.stored.(storageMany)
	for k, g := range src.groups {
		switch to := dst.groups[k]; {
		case g.width == 1:
			a.Apply(&Vector{to.mem}, &Vector{g.mem})
		case ok && many.together(g.width):
			many.multiplyMany(a.d, g.width, to.mem, g.mem)
		default:
			a.oneByOne(dst, src, k)
		}
	}
}

// oneByOne multiplies the vectors of group k, each by itself.
func (a *deviceMatrix) oneByOne(dst, src *multiVector, k int) {
	from, to := src.groups[k], dst.groups[k]
	x, y := src.vector(0), dst.vector(1)
	for v := range min(from.width, uint32(src.k-k*linop.MostTogether)) {
		launch(a.d, blocksFor(src.n, vectorBlocks), manyTake{n: uint32(src.n), of: from.width, v: v, x: from.mem, y: x.mem})
		a.Apply(y, x)
		launch(a.d, blocksFor(dst.n, vectorBlocks), manyPut{n: uint32(dst.n), of: to.width, v: v, y: y.mem, x: to.mem})
	}
}

// vector is one of those for single products.
func (v *multiVector) vector(k int) *Vector {
	if v.column[k].mem.bytes == 0 {
		v.column[k].mem = v.d.alloc(8 * int64(v.n))
	}
	return &v.column[k]
}

func (s *csrStorage) together(uint32) bool { return s.long.rows == 0 && !s.single }

func (s *csrStorage) multiplyMany(d *Device, width uint32, dst, x buffer) {
	k := spmm2Csr{rows: uint32(s.rows), shift: s.shift, ptr: s.ptr, col: s.col, val: s.val, x: x, dst: dst}
	switch blocks := s.shortBlocks(); width {
	case 2:
		launch(d, blocks, k)
	case 4:
		launch(d, blocks, spmm4Csr(k))
	case 8:
		launch(d, blocks, spmm8Csr(k))
	}
}

func (t *slotStorage) together(uint32) bool {
	return t.long.rows == 0 && (t.block == 1 || t.block == 3)
}

func (t *slotStorage) multiplyMany(d *Device, width uint32, dst, x buffer) {
	k := spmm2Slots1{chunks: uint32(t.slices), ptr: t.ptr, stream: t.stream, unit: t.unit, exps: t.exps, own: t.own, x: x, dst: dst}
	blocks := t.sliceBlocks()
	switch {
	case t.block == 1 && width == 2:
		launch(d, blocks, k)
	case t.block == 1 && width == 4:
		launch(d, blocks, spmm4Slots1(k))
	case t.block == 1:
		launch(d, blocks, spmm8Slots1(k))
	case width == 2:
		launch(d, blocks, spmm2Slots3(k))
	case width == 4:
		launch(d, blocks, spmm4Slots3(k))
	default:
		launch(d, blocks, spmm8Slots3(k))
	}
}
