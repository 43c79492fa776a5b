package simt

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

// sector says who was the last to touch what memory delivers at least.
type sector struct {
	request uint64
	launch  uint32
}

func newMemory(base, n uint64) *Memory {
	return &Memory{base: base, bytes: make([]byte, n), words: make([]word, (n+grain-1)/grain)}
}

// has says whether n bytes from an address on are in the memory.
func (m *Memory) has(address, n uint64) bool {
	at := address - m.base
	return address >= m.base && at+n <= uint64(len(m.bytes)) && at+n >= at
}

// written notes that the host has written n bytes.
func (m *Memory) written(at, n uint64) {
	for i := at / grain; i < (at+n+grain-1)/grain; i++ {
		m.words[i] = word{writeEra: hostEra}
	}
}

// Element is the number that the first n bytes are: 1, 2, 4 or 8.
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

// put writes an element and says whether that changed anything.
func (m *Memory) put(at, v, bytes uint64) (changed bool) {
	b := m.bytes[at : at+bytes]
	var now [8]byte
	binary.LittleEndian.PutUint64(now[:], v)
	changed = string(b) != string(now[:bytes])
	copy(b, now[:])
	return changed
}

// grain is how many bytes a word has: no kernel stores fewer.
const grain = 2

// word keeps, for some bytes, who used them last. Eras are launches, so that nothing has to be
// cleared between them, and phases of a block are what barriers separate.
type word struct {
	writeEra, writer, writePhase uint32
	readEra, reader, readPhase   uint32
}

// The eras before the first launch: nobody has written, and the host has.
const hostEra, firstEra = 1, 2

// MostThreads is how many a block may have.
const MostThreads = 1024

// user is who accesses memory: a thread in a phase of its block, in a launch.
type user struct{ thread, era, phase uint32 }

// Path is the way to memory of a load.
type Path uint8

const (
	Coherent Path = iota
	ReadOnly      // a cache for what nobody writes in the whole launch, ld.global.nc
	Scalar        // a cache that sees no write of the launch that is before the load, s_load
)

var pathNames = [...]string{ReadOnly: ".nc", Scalar: "s_load"}

// A thread is numbered by block and place within it. The last place stands for several of the
// block, the last two blocks for several blocks and for a read through ReadOnly.
const (
	placeBits     = 11
	severalPlaces = 1<<placeBits - 1
	severalBlocks = 1<<32 - 1
	readConstant  = 1<<32 - 2
	mostBlocks    = 1<<(32-placeBits) - 2
)

// after says whether a thread's access in a phase is over when u's is made.
func (u user) after(thread, phase uint32) bool {
	return thread == u.thread || thread>>placeBits == u.thread>>placeBits && phase < u.phase
}

// load notes that u reads the word, or says what is wrong with it.
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
			w.reader = u.thread // no earlier phase matters: a barrier is after it
		}
	default:
		w.reader = severalBlocks
	}
	w.readEra, w.readPhase = u.era, u.phase
	return nil
}

// store notes that u writes the word, where changed says whether it then has another value.
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
