// Package gputest interprets the code of GPUs on the host, for tests: kernels run as compiled, without a GPU and
// without cgo. [PTX] runs the assembly of NVIDIA's GPUs, [GCN] the instructions of AMD's; CodeKernels reads what is
// needed from code objects.
//
// The interpreters share buffers, shared memory and the checks of each access, blocks whose warps meet at barriers,
// the orders of execution, and counts. After one of these faults a Device executes nothing more:
//
//   - an address outside of all buffers, or not aligned;
//   - a read of memory that was never written;
//   - a race: two threads use a word, one of them writes, and no barrier of their block separates the
//     accesses. Writing the same value twice is no race;
//   - a write to what the launch reads through a non-coherent cache, or the reverse;
//   - a barrier that some warps miss.
package gputest

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
)

// Device has buffers, on which kernels run. It must not be used by several goroutines at a time.
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

// New returns a device whose warps run in order and whose memory delivers sectors of so many bytes.
func New(sector uint64) *Device {
	return &Device{limit: 1 << 40, sector: sector, next: 0x7f0000000000, era: firstEra}
}

// Shuffle makes the order of threads, warps and blocks random from now on.
func (d *Device) Shuffle(seed uint64) { d.random = rand.New(rand.NewPCG(seed, 0)) }

// Random returns the source of the random order, nil if there is none.
func (d *Device) Random() *rand.Rand { return d.random }

// Limit makes it a fault if a launch takes more warp instructions.
func (d *Device) Limit(instructions uint64) { d.limit = instructions }

// Limited returns the limit set by Limit.
func (d *Device) Limited() uint64 { return d.limit }

// gap separates buffers, so that reads beyond the end of one do not hit the next.
const gap = 256

// Alloc returns the address of an unwritten buffer of n bytes.
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

// Release frees a buffer.
func (d *Device) Release(address uint64) {
	d.buffers = slices.DeleteFunc(d.buffers, func(m *Memory) bool { return m.base == address })
	d.last = nil
}

// find returns the buffer that contains an address, or nil.
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

// below returns the last buffer that begins at or before an address, or nil.
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

// Write copies from the host to the device; Read copies back.
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

// Ready returns the earlier fault of the device, or an error if a launch of so many blocks of so many threads is not
// valid. most is the largest number of threads in a block of the kernel, 0 for no limit, and warp the size of a warp.
func (d *Device) Ready(name string, blocks, threads, most, warp int) error {
	switch {
	case d.fault != nil:
		return d.fault
	case blocks < 0 || blocks > mostBlocks || threads < warp || threads > MostThreads || threads%warp != 0 || most > 0 && threads > most:
		return fmt.Errorf("%s: %d blocks of %d threads", name, blocks, threads)
	}
	return nil
}

// Launch runs the blocks of a kernel, one after the other. After a fault the device executes nothing more and returns
// the fault.
func (d *Device) Launch(name string, blocks int, run func(block uint32) error) error {
	d.era++
	for i := range d.order(blocks) {
		if err := run(uint32(i)); err != nil {
			d.fault = fmt.Errorf("%s, block %d: %w", name, i, err)
			return d.fault
		}
	}
	return nil
}

// order iterates over the numbers below n, at random if the device is shuffled.
func (d *Device) order(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		var at []int
		if d.random != nil {
			at = d.random.Perm(n)
		}
		for i := range n {
			if at != nil {
				i = at[i]
			}
			if !yield(i) {
				return
			}
		}
	}
}

// Block is a block of threads in execution.
type Block struct {
	Shared *Memory
	Number uint32
	Phase  uint32 // number of barriers so far
	Left   uint64 // instructions that the launch may take
}

// NewBlock returns a block with so many bytes of shared memory.
func NewBlock(shared uint64) Block { return Block{Shared: newMemory(0, shared)} }

// Warp is a warp of a block, as Run needs it.
type Warp interface {
	ToBarrier() error // runs the warp until all of it waits at a barrier or has ended
	Waiting() bool    // whether it waits
	Where() string    // the instruction at which it waits
	Pass()            // lets it continue
}

// Run runs block i to its end; its warps are at their beginning.
func (b *Block) Run(d *Device, i uint32, warps []Warp) error {
	b.Number, b.Phase = i, 0
	clear(b.Shared.words)
	for {
		for i := range d.order(len(warps)) {
			if err := warps[i].ToBarrier(); err != nil {
				return err
			}
		}
		waiting, at := 0, ""
		for _, w := range warps {
			if !w.Waiting() {
				continue
			}
			if here := w.Where(); at != "" && at != here {
				return fmt.Errorf("warps wait at %s and %s", at, here)
			} else if waiting++; at == "" {
				at = here
			}
		}
		switch waiting {
		case 0:
			return nil
		case len(warps):
			b.Phase++
			for _, w := range warps {
				w.Pass()
			}
		default:
			return fmt.Errorf("%d of %d warps wait at %s, the others have ended", waiting, len(warps), at)
		}
	}
}

// Counts holds what the launches of a kernel on a device have executed.
type Counts struct {
	Launches     int
	Instructions uint64 // of warps
	kinds        []Kind
	each         []executions // of each instruction
}

// Kind is the kind of an instruction, as counts distinguish it.
type Kind struct {
	Class       string
	Load, Store bool // of buffers
}

type executions struct {
	warps, threads  uint64
	requests        uint64
	sectors, unique uint64
}

// NewCounts returns zero counts of a kernel with these instructions.
func NewCounts(kinds []Kind) *Counts {
	return &Counts{kinds: kinds, each: make([]executions, len(kinds))}
}

// Reset sets the counts to zero.
func (c *Counts) Reset() {
	clear(c.each)
	c.Launches, c.Instructions = 0, 0
}

// Executed counts an instruction executed by the threads of a mask.
func (c *Counts) Executed(pc int, mask uint64) {
	e := &c.each[pc]
	c.Instructions++
	e.warps++
	e.threads += uint64(bits.OnesCount64(mask))
}

// Requested counts the memory request of an instruction.
func (c *Counts) Requested(pc int, r *Request) {
	e := &c.each[pc]
	e.requests++
	e.sectors += r.Sectors
	e.unique += r.First
}

// Total sums up what a kernel has executed.
type Total struct {
	Instructions  uint64 // of warps
	Threads       uint64 // instructions of threads: each warp instruction counts its active threads
	LoadRequests  uint64 // of warps to global memory
	LoadSectors   uint64 // for all LoadRequests
	StoreRequests uint64
	StoreSectors  uint64
	Unique        uint64            // sectors, each counted once per launch, of loads and stores
	ByClass       map[string]uint64 // warp instructions by class
}

// Total sums up the counts of all instructions.
func (c *Counts) Total() Total {
	t := Total{ByClass: map[string]uint64{}}
	for pc, e := range c.each {
		k := &c.kinds[pc]
		t.Instructions += e.warps
		t.Threads += e.threads
		t.Unique += e.unique
		t.ByClass[k.Class] += e.warps
		switch {
		case k.Load:
			t.LoadRequests += e.requests
			t.LoadSectors += e.sectors
		case k.Store:
			t.StoreRequests += e.requests
			t.StoreSectors += e.sectors
		}
	}
	return t
}

// Add adds the counts of another kernel.
func (t *Total) Add(o Total) {
	t.Instructions += o.Instructions
	t.Threads += o.Threads
	t.LoadRequests += o.LoadRequests
	t.LoadSectors += o.LoadSectors
	t.StoreRequests += o.StoreRequests
	t.StoreSectors += o.StoreSectors
	t.Unique += o.Unique
	if t.ByClass == nil {
		t.ByClass = map[string]uint64{}
	}
	for class, n := range o.ByClass {
		t.ByClass[class] += n
	}
}
