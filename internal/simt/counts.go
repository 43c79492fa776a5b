package simt

import "math/bits"

// Counts are what the launches of a kernel on a device executed.
type Counts struct {
	Launches     int
	Instructions uint64 // of warps
	kinds        []Kind
	each         []executions // of each instruction
}

// Kind is what counts tell of an instruction.
type Kind struct {
	Class       string
	Load, Store bool // of buffers
}

type executions struct {
	warps, threads  uint64
	requests        uint64
	sectors, unique uint64
}

// NewCounts returns those of a kernel with these instructions.
func NewCounts(kinds []Kind) *Counts {
	return &Counts{kinds: kinds, each: make([]executions, len(kinds))}
}

// Reset sets them to zero.
func (c *Counts) Reset() {
	clear(c.each)
	c.Launches, c.Instructions = 0, 0
}

// Executed counts an instruction of the threads of a mask.
func (c *Counts) Executed(pc int, mask uint64) {
	e := &c.each[pc]
	c.Instructions++
	e.warps++
	e.threads += uint64(bits.OnesCount64(mask))
}

// Requested counts what an instruction asks of memory.
func (c *Counts) Requested(pc int, r *Request) {
	e := &c.each[pc]
	e.requests++
	e.sectors += r.Sectors
	e.unique += r.First
}

// Total is what a kernel has executed.
type Total struct {
	Instructions  uint64 // of warps
	Threads       uint64 // instructions of threads: as many a warp instruction as take part
	LoadRequests  uint64 // of warps to global memory
	LoadSectors   uint64 // for all these
	StoreRequests uint64
	StoreSectors  uint64
	Unique        uint64            // sectors, each counted once a launch, for loads and stores
	ByClass       map[string]uint64 // warp instructions by class
}

// Total adds up the instructions.
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

// Add adds what another kernel has executed.
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
