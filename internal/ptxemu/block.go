package ptxemu

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// block is a block of threads that runs.
type block struct {
	simt.Block
	d      *Device
	k      *Kernel
	warps  []warp
	all    []simt.Warp // the same
	params []byte
	counts *simt.Counts
}

// block returns the block that all those of a kernel run as, one after the other.
func (d *Device) block(k *Kernel, threads int) *block {
	b := d.idle[k]
	if b == nil || len(b.warps) != threads/Warp {
		b = &block{Block: simt.NewBlock(k.shared), d: d, k: k, params: make([]byte, k.paramBytes()), counts: d.Counts(k)}
		b.warps = make([]warp, threads/Warp)
		for i := range b.warps {
			b.warps[i].start(b, i)
			b.all = append(b.all, &b.warps[i])
		}
		b.broadcast("%ntid.x", uint64(threads))
		d.idle[k] = b
	}
	return b
}

// paramBytes is the size of all parameters.
func (k *Kernel) paramBytes() uint64 {
	if n := len(k.params); n > 0 {
		return k.params[n-1].at + k.params[n-1].size
	}
	return 0
}

// broadcast gives a special register a value that all threads of the block have.
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
