package gpu

import (
	"math"
	"unsafe"
)

// Sizes of the pad, as in source/scalar.h.
const (
	slots    = 65535
	areas    = 64
	maxParts = 2048

	faultAt    = 0
	firstSlot  = 1
	firstArea  = 1 + slots
	padBytes   = 8 * (firstArea + areas*maxParts)
	noSlot     = math.MaxUint32
	isRoot     = 1
	isPositive = 2
)

// LongestRestart is how long cycles of GMRES may be: two steps leave two inner products
// with each vector of the basis, and then the host has fetched them.
const LongestRestart = slots/4 - 100

// pad is where sums live on the device, see source/scalar.h, and what the host knows of
// them. Sums are numbered as they are asked for; number k is in slot k mod slots, until
// number k + slots takes its place.
type pad struct {
	d    *Device
	mem  Buffer
	next uint64        // number of the next sum
	raw  [slots]uint16 // partial sums in its area; 0: the sum is in the slot
	area [slots]uint16
	last [areas]uint64 // 1 + the number of the sum that has the area
	free int           // area to use next

	home    []float64 // the fault and the slots, as far as they have been fetched
	sent    uint64    // sums below this number have been asked for
	arrived uint64    // and have arrived
}

// fetched is the event of the last fetch.
const fetched = 0

func newPad(d *Device) (*pad, error) {
	p := &pad{d: d, mem: d.alloc(padBytes)}
	if d.err != nil {
		return nil, d.err
	}
	home, err := d.drv.allocHost(8 * (firstSlot + slots))
	if err != nil {
		return p, d.because("taking memory of the host", err)
	}
	p.home = unsafe.Slice((*float64)(home), firstSlot+slots)
	clear(p.home)
	d.note("clearing its memory", d.drv.zero(p.mem.handle, padBytes))
	return p, d.err
}

func (p *pad) release() {
	if p == nil {
		return
	}
	p.d.release(&p.mem)
	if p.home != nil {
		p.d.drv.releaseHost(unsafe.Pointer(unsafe.SliceData(p.home)))
		p.home = nil
	}
}

// reserve returns the number of the first of m new sums. Their slots follow each other,
// modulo slots.
func (p *pad) reserve(m int) uint64 {
	first := p.next
	for k := range uint64(m) {
		p.settle((first + k) % slots)
	}
	p.next += uint64(m)
	return first
}

// settle gives up the area of a slot.
func (p *pad) settle(slot uint64) {
	if p.raw[slot] > 0 {
		p.last[p.area[slot]] = 0
		p.raw[slot] = 0
	}
}

// sum returns a new sum of so many parts as a Scalar, and the area for these. It comes
// before the coefficients of the same launch, since it may add up what has the area.
func (p *pad) sum(parts uint32) (v Scalar, area uint32) {
	number := p.reserve(1)
	return p.scalar(number), p.leave(number, parts)
}

// scalar is a sum.
func (p *pad) scalar(number uint64) Scalar {
	return Scalar{pad: p, scale: 1, q: [2]quotient{{n: factor{sum: number + 1}}}}
}

// leave returns the area for the partial sums of a new sum, one for each block. What
// still has the area is added up first.
func (p *pad) leave(number uint64, parts uint32) (area uint32) {
	p.free = (p.free + 1) % areas
	p.total(p.free)
	s := number % slots
	p.area[s], p.raw[s], p.last[p.free] = uint16(p.free), uint16(parts), number+1
	return uint32(p.free)
}

// total adds up the sum that has an area.
func (p *pad) total(area int) {
	if p.last[area] == 0 {
		return
	}
	s := (p.last[area] - 1) % slots
	p.d.vectorTotals(1, uint32(s), uint32(area), uint32(p.raw[s]), p.mem)
	p.settle(s)
}

// fetch begins to bring home the fault and all sums that have not been.
func (p *pad) fetch() {
	for a := range areas {
		p.total(a)
	}
	d := p.d
	if d.err != nil {
		return
	}
	p.bring(faultAt, 1)
	from := max(p.sent, p.next-min(p.next, slots))
	for from < p.next {
		at := from % slots
		n := min(p.next-from, slots-at)
		p.bring(firstSlot+at, n)
		from += n
	}
	p.sent = p.next
	d.note("marking an event", d.drv.record(fetched))
}

// bring copies n numbers of the pad home, in the order of the launches.
func (p *pad) bring(at, n uint64) {
	d := p.d
	d.note("copying from the device", d.drv.download(unsafe.Pointer(&p.home[at]), p.mem.handle, 8*int64(at), 8*int64(n), true))
}

// await waits for what was fetched; sound tells that there was no fault by then.
func (p *pad) await() (sound bool) {
	d := p.d
	if d.err == nil {
		d.note("waiting for the device", d.drv.wait(fetched))
	}
	if d.err != nil {
		return false
	}
	p.arrived = p.sent
	return p.home[faultAt] == 0
}

// value returns a sum, waiting for it if it has not arrived.
func (p *pad) value(number uint64) float64 {
	if number >= p.arrived {
		p.fetch()
		p.await()
	}
	if p.d.err != nil {
		return math.NaN()
	}
	return p.home[firstSlot+p.slot(number)]
}

// slot returns where a sum is.
func (p *pad) slot(number uint64) uint64 {
	if number+slots < p.next {
		panic("gpu: a scalar outlived the pad")
	}
	return number % slots
}

// put makes values sums, and returns the number of the first.
func (p *pad) put(values []float64) uint64 {
	first := p.reserve(len(values))
	for at, rest := first%slots, values; len(rest) > 0; at = 0 {
		n := copy(p.home[firstSlot+at:], rest)
		if d := p.d; d.err == nil {
			from := &p.home[firstSlot+at]
			d.note("copying to the device", d.drv.upload(p.mem.handle, 8*int64(firstSlot+at), unsafe.Pointer(from), 8*int64(n), true))
		}
		rest = rest[n:]
	}
	return first
}

// clearFault takes note of nothing that happened so far.
func (p *pad) clearFault() {
	if d := p.d; d.err == nil {
		d.note("clearing its memory", d.drv.zero(p.mem.handle, 8))
	}
}
