package gputest

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// lineBytes is the size of a memory line.
const lineBytes = 64

// GCN runs the instructions of AMD's GPUs on the host, for tests. It reads the output of llvm-objdump and supports
// the part of GCN, CDNA and RDNA that LLVM generates for kernels with exchanges between lanes, barriers, LDS and
// global memory.
//
// Each access to memory is checked. Besides the faults that the package comment lists, there are:
//
//   - an s_load of what the launch has written: the scalar cache is not coherent;
//   - ds_bpermute from an inactive lane, and s_barrier by a part of a wave.
//
// Waves of 64 or 32 lanes run in lockstep, for the lanes in EXEC: branches are taken by whole waves, and LLVM
// expresses divergence by masks. Unwritten registers hold garbage. After Shuffle, waves and blocks run in random
// order. Kernels must not have scratch memory.
//
// Executions are counted for each instruction, see [Counts]. Memory lines have 64 bytes.
//
// The semantics follow AMD's ISA manuals, except that the approximations v_rcp_f64 and v_rsq_f64 are wrong here in
// their last bits, up to 30, so that no result can depend on them. Waiting (s_waitcnt) has no effect: each
// instruction is complete when the next one begins. NaNs keep their payload.
//
// A GCN must not be used by several goroutines at a time.
type GCN struct {
	*Device
	counts map[*GCNKernel]*Counts
	idle   map[*GCNKernel]*gcnBlock // of earlier launches
}

// NewGCN returns a device whose waves run in order.
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

// Launch runs a kernel on so many blocks of so many threads, with the bytes of each argument. After a fault the
// device executes nothing more and returns the fault.
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

// packetBytes is the size of the packet of a launch, hsa_kernel_dispatch_packet_t.
const packetBytes = 64

// gcnBlock is a block of threads in execution.
type gcnBlock struct {
	Block
	d                 *GCN
	k                 *GCNKernel
	waves             []wave
	all               []Warp // the waves
	arguments, packet uint64 // addresses
	counts            *Counts
}

// block returns the block that all blocks of a kernel run as, one after the other.
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
		address := base + (uint64(lo[l]) | uint64(hi[l])<<32) // before registers change, which may include the address
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

// extended returns a loaded element, extended to a register.
func (m *memory) extended(v, bytes uint64) uint32 {
	if m.signed {
		above := 32 - 8*bytes
		return uint32(int32(uint32(v)<<above) >> above)
	}
	return uint32(v)
}

// loadScalar loads scalar registers; the lanes of the mask share the request.
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
