package simt

import "fmt"

// Ready returns the fault that there was, or the error of a launch on so many blocks of so many
// threads: of a kernel whose blocks have most threads at most, unless that is 0, in warps of some.
func (d *Device) Ready(name string, blocks, threads, most, warp int) error {
	switch {
	case d.fault != nil:
		return d.fault
	case blocks < 0 || blocks > mostBlocks || threads < warp || threads > MostThreads || threads%warp != 0 || most > 0 && threads > most:
		return fmt.Errorf("%s: %d blocks of %d threads", name, blocks, threads)
	}
	return nil
}

// Launch runs the blocks of a kernel, one after the other. After a fault the device does nothing
// more and returns it.
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

// order goes through the numbers below n, at random if the device is.
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

// Block is a block of threads that runs.
type Block struct {
	Shared *Memory
	Number uint32
	Phase  uint32 // how many barriers there were
	Left   uint64 // instructions that the launch may take
}

// NewBlock returns a block with so many bytes of shared memory.
func NewBlock(shared uint64) Block { return Block{Shared: newMemory(0, shared)} }

// Warp is a warp of a block as Run needs it.
type Warp interface {
	ToBarrier() error // runs it until all of it waits at a barrier or has ended
	Waiting() bool    // says that it waits
	Where() string    // names the instruction that it waits at
	Pass()            // lets it go on
}

// Run runs block i, whose warps are at their beginning, to its end.
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
