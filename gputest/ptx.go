package gputest

import (
	"fmt"
	"math/bits"
	"strings"
)

// Limits of what is read and run.
const (
	mostParams    = 4096
	mostShared    = 48 << 10
	mostRegisters = 1 << 16
)

// sectorBytes is the size of a memory sector.
const sectorBytes = 32

// PTX runs PTX, the assembly of NVIDIA's GPUs, on the host. It supports the part that LLVM generates for kernels with
// shuffles, barriers, shared and global memory.
//
// Each access to memory is checked. Besides the faults that the package comment lists, there are:
//
//   - a write to what the launch reads by ld.global.nc, or the reverse;
//   - shfl.sync or bar.sync by a part of a warp.
//
// Warps run with a stack of masks: where threads diverge, one side runs first, and they reconverge at the immediate
// post-dominator of the branch. After Shuffle the order is random instead: threads of a warp run separately and in
// any order up to the next shuffle or barrier, and so do warps and blocks.
//
// Executions are counted for each instruction, see [Counts]. A warp instruction counts once for its 32 threads,
// however many of them are active. A request is a warp instruction that accesses global memory; a sector is 32 bytes
// of global memory.
//
// The semantics follow the PTX ISA manual. NaNs keep their payload, unlike on GPUs.
//
// A PTX must not be used by several goroutines at a time.
type PTX struct {
	*Device
	counts map[*PTXKernel]*Counts
	idle   map[*PTXKernel]*block // of earlier launches
}

// NewPTX returns a device whose warps run in order.
func NewPTX() *PTX {
	return &PTX{New(sectorBytes), map[*PTXKernel]*Counts{}, map[*PTXKernel]*block{}}
}

// Counts returns what a kernel has executed so far.
func (d *PTX) Counts(k *PTXKernel) *Counts {
	c := d.counts[k]
	if c == nil {
		kinds := make([]Kind, len(k.code))
		for i, in := range k.code {
			kinds[i] = Kind{Class: PTXClass(in.opcode), Load: in.kind == load, Store: in.kind == store}
		}
		c = NewCounts(kinds)
		d.counts[k] = c
	}
	return c
}

// Launch runs a kernel on so many blocks of so many threads, with the bytes of each argument. After a fault the
// device executes nothing more and returns the fault.
func (d *PTX) Launch(k *PTXKernel, blocks, threads int, arguments [][]byte) error {
	if err := d.Ready(k.Name, blocks, threads, k.Threads, PTXWarp); err != nil {
		return err
	}
	b := d.block(k, threads)
	if len(arguments) != len(k.params) {
		return fmt.Errorf("%s has %d parameters, not %d", k.Name, len(k.params), len(arguments))
	}
	for i, p := range k.params {
		if uint64(len(arguments[i])) != p.size {
			return fmt.Errorf("%s: parameter %d has %d bytes, not %d", k.Name, i, p.size, len(arguments[i]))
		}
		copy(b.params[p.at:], arguments[i])
	}
	b.counts.Launches++
	b.broadcast("%nctaid.x", uint64(blocks))
	b.Left = d.Limited()
	return d.Device.Launch(k.Name, blocks, b.run)
}

// access loads or stores, for the threads of a mask.
func (w *warp) access(in *instruction, pc int, mask uint32) error {
	a := &in.address
	same := in.kind == load && mask == everyLane && w.registers[a.base].uniform
	base, n := w.registers[a.base].read(), a.bytes*uint64(a.elements)
	for _, r := range in.more {
		if in.kind == load {
			w.registers[r].lanes(mask)
		} else {
			w.registers[r].read()
		}
	}
	request := w.b.d.Request(&w.b.Block, !a.global)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		request.By(w.first+l, same)
		m, at, err := request.At(base[l]+a.offset, n, n)
		if err == nil {
			err = w.elements(in, l, &request, m, at)
		}
		if err != nil {
			return err
		}
		if same {
			for _, r := range in.more {
				w.registers[r].set(w.registers[r].v[l])
			}
			break
		}
	}
	if a.global {
		w.b.counts.Requested(pc, &request)
	}
	return nil
}

// elements moves the elements that one thread loads or stores.
func (w *warp) elements(in *instruction, l int, request *Request, m *Memory, at uint64) error {
	a, through := &in.address, Coherent
	if a.constant {
		through = ReadOnly
	}
	for _, r := range in.more {
		v := &w.registers[r].v[l]
		if in.kind == store {
			if err := request.Store(m, at, a.bytes, *v); err != nil {
				return err
			}
		} else {
			loaded, err := request.Load(m, at, a.bytes, through)
			if err != nil {
				return err
			}
			*v = a.extended(loaded)
		}
		at += a.bytes
	}
	return nil
}

// extended returns a loaded element, extended to a register.
func (a *address) extended(v uint64) uint64 {
	if a.signed {
		above := 64 - 8*a.bytes
		return uint64(int64(v<<above) >> above)
	}
	return v
}

// loadParam loads from the parameters.
func (w *warp) loadParam(in *instruction, mask uint32) error {
	a, params := &in.address, w.b.params
	base := w.registers[a.base].read()
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		at := base[l] + a.offset
		for _, r := range in.more {
			if size := uint64(len(params)); at%a.bytes != 0 || at >= size || size-at < a.bytes {
				return fmt.Errorf("byte %d of %d of the parameters", at, len(params))
			}
			v := a.extended(Element(params[at:], a.bytes))
			if mask == everyLane && w.registers[a.base].uniform {
				w.registers[r].set(v)
				rest = 1 << l
			} else {
				w.registers[r].lanes(mask)[l] = v
			}
			at += a.bytes
		}
	}
	return nil
}

// PTXClass returns the class of an opcode: "fp64", "fp32", "integer" and "logic" for arithmetic, "select" for
// comparisons and selections, "move" for moves and conversions between registers, many of which cost nothing,
// "control", "shuffle", "global", "shared" and "param".
func PTXClass(opcode string) string {
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

// block is a block of threads in execution.
type block struct {
	Block
	d      *PTX
	k      *PTXKernel
	warps  []warp
	all    []Warp // the warps
	params []byte
	counts *Counts
}

// block returns the block that all blocks of a kernel run as, one after the other.
func (d *PTX) block(k *PTXKernel, threads int) *block {
	b := d.idle[k]
	if b == nil || len(b.warps) != threads/PTXWarp {
		b = &block{Block: NewBlock(k.shared), d: d, k: k, params: make([]byte, k.paramBytes()), counts: d.Counts(k)}
		b.warps = make([]warp, threads/PTXWarp)
		for i := range b.warps {
			b.warps[i].start(b, i)
			b.all = append(b.all, &b.warps[i])
		}
		b.broadcast("%ntid.x", uint64(threads))
		d.idle[k] = b
	}
	return b
}

// paramBytes returns the size of all parameters.
func (k *PTXKernel) paramBytes() uint64 {
	if n := len(k.params); n > 0 {
		return k.params[n-1].at + k.params[n-1].size
	}
	return 0
}

// broadcast sets a special register to a value that all threads of the block share.
func (b *block) broadcast(register string, v uint64) {
	if r, ok := b.k.special[register]; ok {
		for i := range b.warps {
			b.warps[i].registers[r].set(v)
		}
	}
}

// run runs block i to its end.
func (b *block) run(i uint32) error {
	b.broadcast("%ctaid.x", uint64(i))
	for i := range b.warps {
		b.warps[i].reset()
	}
	return b.Run(b.d.Device, i, b.all)
}

// where names an instruction.
func (in *instruction) where() string { return fmt.Sprintf("line %d, %s", in.line, in.text) }
