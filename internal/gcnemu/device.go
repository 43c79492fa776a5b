package gcnemu

import (
	"encoding/binary"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// lineBytes is what memory delivers at least.
const lineBytes = 64

// Device has buffers, and runs kernels on them. Use it from one goroutine at a time.
type Device struct {
	*simt.Device
	counts map[*Kernel]*simt.Counts
	idle   map[*Kernel]*block // of earlier launches
}

// New returns a device, whose waves run in order.
func New() *Device {
	return &Device{simt.New(lineBytes), map[*Kernel]*simt.Counts{}, map[*Kernel]*block{}}
}

// Counts returns what a kernel has executed so far.
func (d *Device) Counts(k *Kernel) *simt.Counts {
	c := d.counts[k]
	if c == nil {
		kinds := make([]simt.Kind, len(k.code))
		for i := range k.code {
			kinds[i] = k.code[i].counted()
		}
		c = simt.NewCounts(kinds)
		d.counts[k] = c
	}
	return c
}

// Launch runs a kernel on so many blocks of so many threads, with the bytes of each argument.
// After a fault the device does nothing more and returns it.
func (d *Device) Launch(k *Kernel, blocks, threads int, arguments [][]byte) error {
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

// block is a block of threads that runs.
type block struct {
	simt.Block
	d                 *Device
	k                 *Kernel
	waves             []wave
	all               []simt.Warp // the same
	arguments, packet uint64      // addresses
	counts            *simt.Counts
}

// block returns the block that all those of a kernel run as, one after the other.
func (d *Device) block(k *Kernel, threads int) *block {
	b := d.idle[k]
	if b == nil || len(b.waves) != threads/k.Wave {
		b = &block{Block: simt.NewBlock(uint64(k.Shared)), d: d, k: k, counts: d.Counts(k)}
		b.arguments, b.packet = d.Alloc(uint64(k.ArgBytes)), d.Alloc(packetBytes)
		b.waves = make([]wave, threads/k.Wave)
		for i := range b.waves {
			b.waves[i] = wave{b: b, first: i * k.Wave, v: make([]register, k.Vector)}
			b.all = append(b.all, &b.waves[i])
		}
		d.idle[k] = b
	}
	return b
}

// run runs block i to its end.
func (b *block) run(i uint32) error {
	for w := range b.waves {
		b.waves[w].reset(i)
	}
	return b.Run(b.d.Device, i, b.all)
}
