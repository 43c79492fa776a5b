package gputest

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// lineBytes is what memory delivers at least.
const lineBytes = 64

// GCN runs the instructions of AMD's GPUs on the host, as llvm-objdump writes them: as
// much of GCN, CDNA and RDNA as LLVM makes of kernels that exchange between lanes, and use barriers,
// LDS and global memory. It is for tests.
//
// Each access to memory is checked. Faults are, besides those that the package comment lists:
//
//   - an s_load of what the launch has written: the scalar cache is not told;
//   - ds_bpermute of a lane that is switched off, and s_barrier by a part of a wave.
//
// Waves of 64 or 32 lanes run in lockstep, those that EXEC has: branches are of whole waves, and
// what LLVM made of threads that part is masks. Registers that nobody has written hold garbage. With
// a Seed waves and blocks run in random order. Kernels must not have scratch memory.
//
// What is executed is counted for each instruction, see [Counts]. Memory lines are 64 bytes.
//
// Semantics are those of AMD's ISA manuals, but that v_rcp_f64 and v_rsq_f64, which are approximations,
// are wrong here in their last 30 bits, so that no result can depend on these. Waiting (s_waitcnt)
// does nothing: each instruction is over when the next one begins. NaNs keep their payload.
//
// Use it from one goroutine at a time.
type GCN struct {
	*Device
	counts map[*GCNKernel]*Counts
	idle   map[*GCNKernel]*gcnBlock // of earlier launches
}

// NewGCN returns a device, whose waves run in order.
func NewGCN() *GCN {
	return &GCN{New(lineBytes), map[*GCNKernel]*Counts{}, map[*GCNKernel]*gcnBlock{}}
}

// Counts returns what a kernel has executed so far.
func (d *GCN) Counts(k *GCNKernel) *Counts {
	c := d.counts[k]
	if c == nil {
		kinds := make([]Kind, len(k.code))
		for i := range k.code {
			kinds[i] = k.code[i].counted()
		}
		c = NewCounts(kinds)
		d.counts[k] = c
	}
	return c
}

// Launch runs a kernel on so many blocks of so many threads, with the bytes of each argument.
// After a fault the device does nothing more and returns it.
func (d *GCN) Launch(k *GCNKernel, blocks, threads int, arguments [][]byte) error {
	if err := d.Ready(k.Name, blocks, threads, k.Threads, k.Wave); err != nil {
		return err
	}
	b := d.block(k, threads)
	if len(arguments) != len(k.Arguments) {
		return fmt.Errorf("%s has %d arguments, not %d", k.Name, len(k.Arguments), len(arguments))
	}
	all := make([]byte, k.ArgBytes)
	for i, a := range k.Arguments {
		if len(arguments[i]) != a.Size {
			return fmt.Errorf("%s: argument %d has %d bytes, not %d", k.Name, i, a.Size, len(arguments[i]))
		}
		copy(all[a.At:], arguments[i])
	}
	packet := make([]byte, packetBytes)
	binary.LittleEndian.PutUint16(packet[4:], uint16(threads))
	binary.LittleEndian.PutUint32(packet[12:], uint32(blocks*threads))
	if err := d.Write(b.arguments, all); err != nil {
		return err
	}
	if err := d.Write(b.packet, packet); err != nil {
		return err
	}
	b.counts.Launches++
	b.Left = d.Limited()
	return d.Device.Launch(k.Name, blocks, b.run)
}

// packetBytes is the size of the packet that a launch is asked for by, hsa_kernel_dispatch_packet_t.
const packetBytes = 64

// gcnBlock is a block of threads that runs.
type gcnBlock struct {
	Block
	d                 *GCN
	k                 *GCNKernel
	waves             []wave
	all               []Warp // the same
	arguments, packet uint64 // addresses
	counts            *Counts
}

// gcnBlock returns the block that all those of a kernel run as, one after the other.
func (d *GCN) block(k *GCNKernel, threads int) *gcnBlock {
	b := d.idle[k]
	if b == nil || len(b.waves) != threads/k.Wave {
		b = &gcnBlock{Block: NewBlock(uint64(k.Shared)), d: d, k: k, counts: d.Counts(k)}
		b.arguments, b.packet = d.Alloc(uint64(k.ArgBytes)), d.Alloc(packetBytes)
		b.waves = make([]wave, threads/k.Wave)
		for i := range b.waves {
			b.waves[i] = wave{b: b, first: i * k.Wave, v: make([]gcnRegister, k.Vector)}
			b.all = append(b.all, &b.waves[i])
		}
		d.idle[k] = b
	}
	return b
}

// run runs block i to its end.
func (b *gcnBlock) run(i uint32) error {
	for w := range b.waves {
		b.waves[w].reset(i)
	}
	return b.Run(b.d.Device, i, b.all)
}

// access loads or stores vector registers, for the lanes of a mask.
func (w *wave) access(in *gcnInstruction, mask uint64) error {
	m := &in.memory
	lo, hi := w.operand(&in.from[0], 0)
	var base uint64
	if m.base.words > 0 {
		base = w.value(&m.base)
	}
	registers := w.v[in.to.at:]
	request := w.b.d.Request(&w.b.Block, m.shared)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		request.By(w.first+l, false)
		address := base + (uint64(lo[l]) | uint64(hi[l])<<32) // before registers change: it may be in them
		for _, p := range m.pieces {
			if err := m.move(&request, p, address, registers[p.register:], l); err != nil {
				return err
			}
		}
	}
	if !m.shared {
		w.b.counts.Requested(w.pc, &request)
	}
	return nil
}

// move loads or stores a piece, in registers of a lane.
func (m *memory) move(request *Request, p piece, address uint64, r []gcnRegister, l int) error {
	place, at, err := request.At(address+p.offset, p.bytes, min(p.bytes, 4))
	if err != nil {
		return err
	}
	if m.store {
		v := uint64(r[0][l])
		if p.bytes == 8 {
			v |= uint64(r[1][l]) << 32
		}
		return request.Store(place, at, p.bytes, v)
	}
	v, err := request.Load(place, at, p.bytes, Coherent)
	if err != nil {
		return err
	}
	r[0][l] = m.extended(v, p.bytes)
	if p.bytes == 8 {
		r[1][l] = uint32(v >> 32)
	}
	return nil
}

// extended is a loaded element in a register.
func (m *memory) extended(v, bytes uint64) uint32 {
	if m.signed {
		above := 32 - 8*bytes
		return uint32(int32(uint32(v)<<above) >> above)
	}
	return uint32(v)
}

// loadScalar loads scalar registers, for all lanes of the mask.
func (w *wave) loadScalar(in *gcnInstruction, mask uint64) error {
	m := &in.memory
	address := w.value(&m.base) + w.value(&in.from[0])
	request := w.b.d.Request(&w.b.Block, false)
	request.By(w.first+bits.TrailingZeros64(mask)%mostLanes, mask&(mask-1) != 0)
	for _, p := range m.pieces {
		place, at, err := request.At(address+p.offset, p.bytes, 4)
		if err != nil {
			return err
		}
		v, err := request.Load(place, at, p.bytes, Scalar)
		if err != nil {
			return err
		}
		w.write(in.to.at+p.register, int(p.bytes/4), v)
	}
	return nil
}
