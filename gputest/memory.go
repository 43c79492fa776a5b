package gputest

import (
	"encoding/binary"
	"fmt"
)

// Memory is a buffer of the device, or the shared memory of a block.
type Memory struct {
	base    uint64
	bytes   []byte
	words   []word
	sectors []sector // nil for shared memory
}

// sector records who touched a sector last; memory delivers at least a sector.
type sector struct {
	request uint64
	launch  uint32
}

func newMemory(base, n uint64) *Memory {
	return &Memory{base: base, bytes: make([]byte, n), words: make([]word, (n+grain-1)/grain)}
}

// has reports whether n bytes from an address on are in the memory.
func (m *Memory) has(address, n uint64) bool {
	at := address - m.base
	return address >= m.base && at+n <= uint64(len(m.bytes)) && at+n >= at
}

// written records that the host has written n bytes.
func (m *Memory) written(at, n uint64) {
	for i := at / grain; i < (at+n+grain-1)/grain; i++ {
		m.words[i] = word{writeEra: hostEra}
	}
}

// Element returns the number in the first n bytes of b: n is 1, 2, 4 or 8.
func Element(b []byte, n uint64) uint64 {
	switch n {
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	}
	return uint64(b[0])
}

// put writes an element and reports whether that changed anything.
func (m *Memory) put(at, v, bytes uint64) (changed bool) {
	b := m.bytes[at : at+bytes]
	var now [8]byte
	binary.LittleEndian.PutUint64(now[:], v)
	changed = string(b) != string(now[:bytes])
	copy(b, now[:])
	return changed
}

// grain is the number of bytes of a word: no kernel stores fewer.
const grain = 2

// word records who used some bytes last. Eras count launches, so that nothing must be cleared between launches;
// barriers separate the phases of a block.
type word struct {
	writeEra, writer, writePhase uint32
	readEra, reader, readPhase   uint32
}

// The eras before the first launch: 0 if nobody has written, hostEra if the host has.
const hostEra, firstEra = 1, 2

// MostThreads is the largest number of threads in a block.
const MostThreads = 1024

// user identifies who accesses memory: a thread in a phase of its block, in a launch.
type user struct{ thread, era, phase uint32 }

// Path is the path of a load to memory.
type Path uint8

const (
	Coherent Path = iota
	ReadOnly      // a cache for what nobody writes during the whole launch, ld.global.nc
	Scalar        // a cache that misses earlier writes of the same launch, s_load
)

var pathNames = [...]string{ReadOnly: ".nc", Scalar: "s_load"}

// A thread is numbered by its block and its position in the block. The last position stands for several threads of
// the block; the last two blocks stand for several blocks and for a read through ReadOnly.
const (
	placeBits     = 11
	severalPlaces = 1<<placeBits - 1
	severalBlocks = 1<<32 - 1
	readConstant  = 1<<32 - 2
	mostBlocks    = 1<<(32-placeBits) - 2
)

// after reports whether a thread's access in a phase is complete when u accesses.
func (u user) after(thread, phase uint32) bool {
	return thread == u.thread || thread>>placeBits == u.thread>>placeBits && phase < u.phase
}

// load records that u reads the word, or returns the fault.
func (w *word) load(u user, through Path) error {
	switch {
	case w.writeEra == 0:
		return fmt.Errorf("reads what was never written")
	case w.writeEra == u.era && through != Coherent:
		return fmt.Errorf("reads by %s what thread %s wrote", pathNames[through], threadName(w.writer))
	case w.writeEra == u.era && !u.after(w.writer, w.writePhase):
		return fmt.Errorf("race: reads what thread %s wrote", threadName(w.writer))
	}
	switch {
	case through == ReadOnly || w.readEra == u.era && w.reader == readConstant:
		w.reader = readConstant
	case w.readEra != u.era || w.reader == u.thread:
		w.reader = u.thread
	case w.reader>>placeBits == u.thread>>placeBits:
		if w.readPhase == u.phase {
			w.reader |= severalPlaces
		} else {
			w.reader = u.thread // earlier phases do not matter: a barrier separates them
		}
	default:
		w.reader = severalBlocks
	}
	w.readEra, w.readPhase = u.era, u.phase
	return nil
}

// store records that u writes the word, or returns the fault; changed says whether the value changes.
func (w *word) store(u user, changed bool) error {
	switch {
	case w.readEra == u.era && w.reader == readConstant:
		return fmt.Errorf("writes what the launch reads by .nc")
	case w.writeEra == u.era && !u.after(w.writer, w.writePhase):
		if changed {
			return fmt.Errorf("race: writes what thread %s wrote", threadName(w.writer))
		}
	case w.readEra == u.era && !u.after(w.reader, w.readPhase):
		return fmt.Errorf("race: writes what thread %s reads", threadName(w.reader))
	}
	w.writeEra, w.writer, w.writePhase = u.era, u.thread, u.phase
	return nil
}

func threadName(t uint32) string {
	block, place := t>>placeBits, t&severalPlaces
	switch {
	case t == severalBlocks:
		return "several blocks"
	case place == severalPlaces:
		return fmt.Sprintf("several of block %d", block)
	}
	return fmt.Sprintf("%d of block %d", place, block)
}

// Request is the memory access of a warp instruction.
type Request struct {
	Sectors, First uint64 // sectors touched, and sectors that nobody in the launch has touched before

	d     *Device
	b     *Block
	local bool
	m     *Memory
	user  user
}

// Request begins a request of a warp of the block, to its shared memory or to buffers.
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

// At finds the n bytes at an address, which must be a multiple of align, and counts their sectors. It returns the
// memory and the offset in it.
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

// touch counts the sectors that the request touches for the first time, and those that the launch does.
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
