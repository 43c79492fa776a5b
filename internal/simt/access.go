package simt

import "fmt"

// Request is an instruction of a warp that accesses memory.
type Request struct {
	Sectors, First uint64 // that it touches, and those that nobody in the launch has touched before

	d     *Device
	b     *Block
	local bool
	m     *Memory
	user  user
}

// Request begins one of a block's warp: to its shared memory, or to buffers.
func (d *Device) Request(b *Block, shared bool) Request {
	d.request++
	return Request{d: d, b: b, local: shared, user: user{era: d.era, phase: b.Phase}}
}

// By says which thread of the block accesses memory next, or that several do, of which this is one.
func (r *Request) By(thread int, several bool) {
	r.user.thread = r.b.Number<<placeBits | uint32(thread)
	if several {
		r.user.thread |= severalPlaces
	}
}

// At finds the n bytes at an address, which is to be a multiple of align, and counts their sectors:
// the memory that they are in, and where.
func (r *Request) At(address, n, align uint64) (m *Memory, at uint64, err error) {
	if r.local {
		r.m = r.b.Shared
	} else if r.m == nil || !r.m.has(address, 1) {
		r.m = r.d.find(address)
	}
	m = r.m
	switch {
	case m == nil || !m.has(address, n):
		if m == nil {
			m = r.d.below(address)
		}
		return nil, 0, fmt.Errorf("thread %s: %s is outside of %s", threadName(r.user.thread), place(m, address), r.container())
	case address%align != 0:
		return nil, 0, fmt.Errorf("thread %s: %s is not aligned to %d bytes", threadName(r.user.thread), place(m, address), align)
	}
	at = address - m.base
	if !r.local {
		r.touch(at, n)
	}
	return m, at, nil
}

func (r *Request) container() string {
	if r.local {
		return "shared memory"
	}
	return "all buffers"
}

// touch counts the sectors that the request touches for the first time, and those that the
// launch does.
func (r *Request) touch(at, n uint64) {
	for s := at / r.d.sector; s <= (at+n-1)/r.d.sector; s++ {
		t := &r.m.sectors[s]
		if t.request == r.d.request {
			continue
		}
		r.Sectors++
		if t.launch != r.d.era {
			r.First++
		}
		t.request, t.launch = r.d.request, r.d.era
	}
}

// Load returns the n bytes that At has found.
func (r *Request) Load(m *Memory, at, n uint64, through Path) (uint64, error) {
	words := m.words[at/grain : (at+n+grain-1)/grain]
	for i := range words {
		if err := words[i].load(r.user, through); err != nil {
			return 0, r.fault(err, m, at)
		}
	}
	return Element(m.bytes[at:], n), nil
}

// Store writes the n bytes that At has found.
func (r *Request) Store(m *Memory, at, n, v uint64) error {
	changed := m.put(at, v, n)
	words := m.words[at/grain : (at+n+grain-1)/grain]
	for i := range words {
		if err := words[i].store(r.user, changed); err != nil {
			return r.fault(err, m, at)
		}
	}
	return nil
}

func (r *Request) fault(err error, m *Memory, at uint64) error {
	return fmt.Errorf("thread %s %w, %s", threadName(r.user.thread), err, place(m, m.base+at))
}

// place describes an address.
func place(m *Memory, address uint64) string {
	if m == nil {
		return fmt.Sprintf("address %#x", address)
	}
	return fmt.Sprintf("byte %d of %d", address-m.base, len(m.bytes))
}
