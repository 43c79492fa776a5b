package ptxemu

import (
	"math/bits"
	"strings"
)

// Counts are what the launches of a kernel on a device executed.
type Counts struct {
	Launches int
	k        *Kernel
	each     []executions // of each instruction
}

type executions struct {
	warps, threads  uint64
	requests        uint64
	sectors, unique uint64
}

// Counts returns what a kernel has executed so far.
func (d *Device) Counts(k *Kernel) *Counts {
	c := d.counts[k]
	if c == nil {
		c = &Counts{k: k, each: make([]executions, len(k.code))}
		d.counts[k] = c
	}
	return c
}

// Reset sets them to zero.
func (c *Counts) Reset() {
	clear(c.each)
	c.Launches = 0
}

func (c *Counts) executed(pc int, mask uint32) {
	e := &c.each[pc]
	e.warps++
	e.threads += uint64(bits.OnesCount32(mask))
}

func (c *Counts) touched(pc int, sectors, unique uint64) {
	e := &c.each[pc]
	e.requests++
	e.sectors += sectors
	e.unique += unique
}

// Total is what a kernel has executed.
type Total struct {
	Instructions  uint64 // of warps
	Threads       uint64 // instructions of threads: 32 a warp instruction if all take part
	LoadRequests  uint64 // of warps to global memory
	LoadSectors   uint64 // of 32 bytes, for all these
	StoreRequests uint64
	StoreSectors  uint64
	Unique        uint64            // sectors, each counted once a launch, for loads and stores
	ByClass       map[string]uint64 // warp instructions by class, see Class
}

// Total adds up the instructions.
func (c *Counts) Total() Total {
	t := Total{ByClass: map[string]uint64{}}
	for pc, e := range c.each {
		in := &c.k.code[pc]
		t.Instructions += e.warps
		t.Threads += e.threads
		t.Unique += e.unique
		t.ByClass[Class(in.opcode)] += e.warps
		switch in.kind {
		case load:
			t.LoadRequests += e.requests
			t.LoadSectors += e.sectors
		case store:
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

// Class is the class of an opcode: "fp64", "fp32", "integer" and "logic" for arithmetic,
// "select" for comparisons and selections, "move" for what only moves and converts between
// registers, much of which costs nothing, "control", "shuffle", "global", "shared" and "param".
func Class(opcode string) string {
	parts := strings.Split(opcode, ".")
	last := parts[len(parts)-1]
	switch parts[0] {
	case "bra", "ret", "exit", "trap", "bar", "barrier":
		return "control"
	case "shfl":
		return "shuffle"
	case "prefetch":
		return "global"
	case "ld", "st":
		return parts[1]
	case "setp", "selp":
		return "select"
	case "mov", "cvta":
		return "move"
	case "cvt":
		if strings.Contains(opcode, "f64") {
			return "fp64"
		}
		return "move"
	case "and", "or", "xor", "not", "shl", "shr", "bfe", "shf", "prmt", "popc", "clz", "brev":
		return "logic"
	}
	switch last {
	case "f64":
		return "fp64"
	case "f32":
		return "fp32"
	}
	return "integer"
}
