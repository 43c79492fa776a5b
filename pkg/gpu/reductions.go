package gpu

import (
	"math"
	"unsafe"
)

// Sizes of the reduction buffer, as in source/scalar.h.
const (
	cells    = 65535
	areas    = 64
	maxParts = 2048

	faultAt        = 0
	firstCell      = 1
	firstArea      = 1 + cells
	reductionBytes = 8 * (firstArea + areas*maxParts)
	noCell         = math.MaxUint32
	isRoot         = 1
	isPositive     = 2
)

// LongestRestart is how long cycles of GMRES may be: two steps leave two inner products
// with each vector of the basis, and then the host has fetched them.
const LongestRestart = cells/4 - 100

// reductions is the reduction buffer of a device, which holds sums, see source/scalar.h, and
// what the host knows of them. Sums are numbered in the order of their launches; number k is
// in cell k mod cells, until number k + cells takes its place.
type reductions struct {
	d    *Device
	mem  buffer
	next uint64        // number of the next sum
	raw  [cells]uint16 // partial sums in its area; 0: the sum is in the cell
	area [cells]uint16
	last [areas]uint64 // 1 + the number of the sum that has the area
	free int           // area to use next

	host    []float64 // the fault and the cells on the host, as far as they have been fetched
	sent    uint64    // sums below this number are on their way to the host
	arrived uint64    // and have arrived
}

// fetched is the event of the last fetch.
const fetched = 0

func newReductions(d *Device) (*reductions, error) {
	r := &reductions{d: d, mem: d.alloc(reductionBytes)}
	if d.err != nil {
		return nil, d.err
	}
	host, err := d.drv.allocHost(8 * (firstCell + cells))
	if err != nil {
		return r, d.because("taking memory of the host", err)
	}
	r.host = unsafe.Slice((*float64)(host), firstCell+cells)
	clear(r.host)
	d.note("clearing its memory", d.drv.zero(r.mem.handle, reductionBytes))
	return r, d.err
}

func (r *reductions) release() {
	if r == nil {
		return
	}
	r.d.release(&r.mem)
	if r.host != nil {
		r.d.drv.releaseHost(unsafe.Pointer(unsafe.SliceData(r.host)))
		r.host = nil
	}
}

// reserve returns the number of the first of m new sums. Their cells follow each other,
// modulo cells.
func (r *reductions) reserve(m int) uint64 {
	first := r.next
	for k := range uint64(m) {
		r.settle((first + k) % cells)
	}
	r.next += uint64(m)
	return first
}

// settle gives up the area of a cell.
func (r *reductions) settle(cell uint64) {
	if r.raw[cell] > 0 {
		r.last[r.area[cell]] = 0
		r.raw[cell] = 0
	}
}

// sum returns a new sum of so many parts as a Scalar, and the area for these. It comes
// before the coefficients of the same launch, since it may add up what has the area.
func (r *reductions) sum(parts uint32) (v Scalar, area uint32) {
	number := r.reserve(1)
	return r.scalar(number), r.leave(number, parts)
}

// scalar is a sum.
func (r *reductions) scalar(number uint64) Scalar {
	return Scalar{sums: r, scale: 1, q: [2]quotient{{n: factor{sum: number + 1}}}}
}

// leave returns the area for the partial sums of a new sum, one for each block. What
// still has the area is added up first.
func (r *reductions) leave(number uint64, parts uint32) (area uint32) {
	r.free = (r.free + 1) % areas
	r.total(r.free)
	s := number % cells
	r.area[s], r.raw[s], r.last[r.free] = uint16(r.free), uint16(parts), number+1
	return uint32(r.free)
}

// total adds up the sum that has an area.
func (r *reductions) total(area int) {
	if r.last[area] == 0 {
		return
	}
	s := (r.last[area] - 1) % cells
	launch(r.d, 1, vectorTotals{cell: uint32(s), first: uint32(area), parts: uint32(r.raw[s]), reductions: r.mem})
	r.settle(s)
}

// fetch starts to copy the fault, and all sums that have not been copied, to the host.
func (r *reductions) fetch() {
	for a := range areas {
		r.total(a)
	}
	d := r.d
	if d.err != nil {
		return
	}
	r.download(faultAt, 1)
	from := max(r.sent, r.next-min(r.next, cells))
	for from < r.next {
		at := from % cells
		n := min(r.next-from, cells-at)
		r.download(firstCell+at, n)
		from += n
	}
	r.sent = r.next
	d.note("marking an event", d.drv.record(fetched))
}

// download starts to copy n numbers of the buffer to the host, in the order of the launches.
func (r *reductions) download(at, n uint64) {
	d := r.d
	d.note("copying from the device", d.drv.download(unsafe.Pointer(&r.host[at]), r.mem.handle, 8*int64(at), 8*int64(n), true))
}

// await waits for the last fetch; sound is whether there was no fault by then.
func (r *reductions) await() (sound bool) {
	d := r.d
	if d.err == nil {
		d.note("waiting for the device", d.drv.wait(fetched))
	}
	if d.err != nil {
		return false
	}
	r.arrived = r.sent
	return r.host[faultAt] == 0
}

// value returns a sum, waiting for it if it has not arrived.
func (r *reductions) value(number uint64) float64 {
	if number >= r.arrived {
		r.fetch()
		r.await()
	}
	if r.d.err != nil {
		return math.NaN()
	}
	return r.host[firstCell+r.cell(number)]
}

// cell returns where a sum is.
func (r *reductions) cell(number uint64) uint64 {
	if number+cells < r.next {
		panic("gpu: a scalar outlived its sum")
	}
	return number % cells
}

// put makes values sums, and returns the number of the first.
func (r *reductions) put(values []float64) uint64 {
	first := r.reserve(len(values))
	for at, rest := first%cells, values; len(rest) > 0; at = 0 {
		n := copy(r.host[firstCell+at:], rest)
		if d := r.d; d.err == nil {
			from := &r.host[firstCell+at]
			d.note("copying to the device", d.drv.upload(r.mem.handle, 8*int64(firstCell+at), unsafe.Pointer(from), 8*int64(n), true))
		}
		rest = rest[n:]
	}
	return first
}

// clearFault clears the fault.
func (r *reductions) clearFault() {
	if d := r.d; d.err == nil {
		d.note("clearing its memory", d.drv.zero(r.mem.handle, 8))
	}
}
