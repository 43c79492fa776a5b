package ptxemu

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// Limits of what is read and run.
const (
	mostParams    = 4096
	mostShared    = 48 << 10
	mostRegisters = 1 << 16
)

// sectorBytes is what memory delivers at least.
const sectorBytes = 32

// Device has buffers, and runs kernels on them. Use it from one goroutine at a time.
type Device struct {
	*simt.Device
	counts map[*Kernel]*simt.Counts
	idle   map[*Kernel]*block // of earlier launches
}

// New returns a device, whose warps run in order.
func New() *Device {
	return &Device{simt.New(sectorBytes), map[*Kernel]*simt.Counts{}, map[*Kernel]*block{}}
}

// Counts returns what a kernel has executed so far.
func (d *Device) Counts(k *Kernel) *simt.Counts {
	c := d.counts[k]
	if c == nil {
		kinds := make([]simt.Kind, len(k.code))
		for i, in := range k.code {
			kinds[i] = simt.Kind{Class: Class(in.opcode), Load: in.kind == load, Store: in.kind == store}
		}
		c = simt.NewCounts(kinds)
		d.counts[k] = c
	}
	return c
}

// Launch runs a kernel on so many blocks of so many threads, with the bytes of each argument.
// After a fault the device does nothing more and returns it.
func (d *Device) Launch(k *Kernel, blocks, threads int, arguments [][]byte) error {
	if err := d.Ready(k.Name, blocks, threads, k.Threads, Warp); err != nil {
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
