package simt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
)

// Device has buffers, on which kernels run. Use it from one goroutine at a time.
type Device struct {
	random  *rand.Rand // nil: in order
	limit   uint64     // of warp instructions in a launch
	sector  uint64     // bytes
	buffers []*Memory  // by address
	last    *Memory
	next    uint64 // address
	era     uint32
	request uint64
	fault   error
}

// New returns a device whose warps run in order, and whose memory delivers sectors of so many bytes.
func New(sector uint64) *Device {
	return &Device{limit: 1 << 40, sector: sector, next: 0x7f0000000000, era: firstEra}
}

// Shuffle makes the order of threads, warps and blocks random from now on.
func (d *Device) Shuffle(seed uint64) { d.random = rand.New(rand.NewPCG(seed, 0)) }

// Random is where a random order comes from, nil if there is none.
func (d *Device) Random() *rand.Rand { return d.random }

// Limit makes it a fault if a launch takes more warp instructions.
func (d *Device) Limit(instructions uint64) { d.limit = instructions }

// Limited returns that limit.
func (d *Device) Limited() uint64 { return d.limit }

// gap is between buffers, so that what is read beyond the end of one is not in the next.
const gap = 256

// Alloc returns the address of a buffer of n bytes, which nobody has written.
func (d *Device) Alloc(n uint64) uint64 {
	m := newMemory(d.next, n)
	m.sectors = make([]sector, (n+d.sector-1)/d.sector)
	for i := range m.bytes {
		m.bytes[i] = 0xaa
	}
	d.next += (n+gap-1)/gap*gap + gap
	d.buffers = append(d.buffers, m)
	return m.base
}

// Release gives a buffer back.
func (d *Device) Release(address uint64) {
	d.buffers = slices.DeleteFunc(d.buffers, func(m *Memory) bool { return m.base == address })
	d.last = nil
}

// find returns the buffer that an address is in, or nil.
func (d *Device) find(address uint64) *Memory {
	if m := d.last; m != nil && m.has(address, 1) {
		return m
	}
	m := d.below(address)
	if m == nil || !m.has(address, 1) {
		return nil
	}
	d.last = m
	return m
}

// below returns the last buffer that does not begin after an address, or nil.
func (d *Device) below(address uint64) *Memory {
	i := sort.Search(len(d.buffers), func(i int) bool { return d.buffers[i].base > address })
	if i == 0 {
		return nil
	}
	return d.buffers[i-1]
}

// part returns n bytes of a buffer, and the buffer.
func (d *Device) part(address, n uint64) (b []byte, m *Memory, err error) {
	if d.fault != nil {
		return nil, nil, d.fault
	}
	if m = d.find(address); m == nil || !m.has(address, n) {
		return nil, nil, fmt.Errorf("the %d bytes at %#x are not in a buffer", n, address)
	}
	return m.bytes[address-m.base:][:n], m, nil
}

// Write copies from the host to the device, Read back.
func (d *Device) Write(address uint64, from []byte) error {
	return d.write(address, uint64(len(from)), func(to []byte) { copy(to, from) })
}

func (d *Device) Read(to []byte, address uint64) error {
	if len(to) == 0 {
		return d.fault
	}
	from, _, err := d.part(address, uint64(len(to)))
	copy(to, from)
	return err
}

// Zero writes n zeros.
func (d *Device) Zero(address, n uint64) error {
	return d.write(address, n, func(to []byte) { clear(to) })
}

// Copy copies n bytes on the device.
func (d *Device) Copy(to, from, n uint64) error {
	if n == 0 {
		return d.fault
	}
	b, _, err := d.part(from, n)
	if err != nil {
		return err
	}
	return d.write(to, n, func(to []byte) { copy(to, b) })
}

func (d *Device) write(address, n uint64, f func(to []byte)) error {
	if n == 0 {
		return d.fault
	}
	to, m, err := d.part(address, n)
	if err == nil {
		f(to)
		m.written(address-m.base, n)
	}
	return err
}
