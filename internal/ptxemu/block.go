package ptxemu

import "fmt"

// block is a block of threads that runs.
type block struct {
	d      *Device
	k      *Kernel
	warps  []warp
	shared *memory
	params *memory
	counts *Counts
	number uint32
	phase  uint32 // how many barriers there were
	left   uint64 // instructions of the launch
}

// block returns the block that all those of a kernel run as, one after the other.
func (d *Device) block(k *Kernel, threads int) *block {
	b := d.idle[k]
	if b == nil || len(b.warps) != threads/Warp {
		b = &block{d: d, k: k, shared: newMemory(0, k.shared), params: newMemory(0, k.paramBytes()), counts: d.Counts(k)}
		b.warps = make([]warp, threads/Warp)
		for i := range b.warps {
			b.warps[i].start(b, i)
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
	b.number, b.phase = i, 0
	clear(b.shared.words)
	b.broadcast("%ctaid.x", uint64(i))
	for i := range b.warps {
		b.warps[i].reset()
	}
	for {
		if err := b.toBarrier(); err != nil {
			return err
		}
		waiting, at := 0, none
		for i := range b.warps {
			w := &b.warps[i]
			if !w.waiting() {
				continue
			}
			if pc := w.fragments[0].pc; at != none && at != pc {
				return fmt.Errorf("warps wait at %s and %s", b.k.code[at].where(), b.k.code[pc].where())
			}
			waiting, at = waiting+1, w.fragments[0].pc
		}
		switch waiting {
		case 0:
			return nil
		case len(b.warps):
			b.phase++
			for i := range b.warps {
				b.warps[i].fragments[0].pc++
			}
		default:
			return fmt.Errorf("%d of %d warps wait at %s, the others have ended", waiting, len(b.warps), b.k.code[at].where())
		}
	}
}

// toBarrier runs all warps until they wait at a barrier or have ended.
func (b *block) toBarrier() error {
	for i := range b.d.order(len(b.warps)) {
		if err := b.warps[i].toBarrier(); err != nil {
			return err
		}
	}
	return nil
}

// where names an instruction.
func (in *instruction) where() string { return fmt.Sprintf("line %d, %s", in.line, in.text) }
