package gputest

import (
	"fmt"
	"math/bits"
	"slices"
)

// PTXWarp is the number of threads that run together.
const PTXWarp = 32

const everyLane = 1<<PTXWarp - 1

// fragment is a part of a warp that runs together.
type fragment struct {
	mask uint32
	pc   int
	join int // where it ends; the fragment below it continues with its threads
}

// warp runs as a stack of fragments, of which the last runs; or in random order, as fragments of which any may run.
type warp struct {
	b         *block
	first     int // thread
	registers []register
	fragments []fragment
}

// start sets the registers that stay the same in all blocks.
func (w *warp) start(b *block, i int) {
	w.b, w.first = b, i*PTXWarp
	w.registers = make([]register, b.k.registers)
	for _, c := range b.k.constants {
		w.registers[c.register].set(c.value)
	}
	for name, of := range specialRegisters {
		if r, ok := b.k.special[name]; ok {
			for l := range PTXWarp {
				w.registers[r].lanes(everyLane)[l] = uint64(of(w.first + l))
			}
		}
	}
}

// specialRegisters are the registers that only the hardware writes, by thread; blocks set the others.
var specialRegisters = map[string]func(thread int) int{
	"%tid.x":    func(thread int) int { return thread },
	"%laneid":   func(thread int) int { return thread % PTXWarp },
	"%ntid.x":   func(int) int { return 0 },
	"%ctaid.x":  func(int) int { return 0 },
	"%nctaid.x": func(int) int { return 0 },
}

// reset goes to the beginning of the kernel.
func (w *warp) reset() {
	w.fragments = append(w.fragments[:0], fragment{mask: everyLane, join: none})
}

// Waiting and the methods below implement Warp.
func (w *warp) Waiting() bool { return len(w.fragments) > 0 }
func (w *warp) Where() string { return w.b.k.code[w.fragments[0].pc].where() }
func (w *warp) Pass()         { w.fragments[0].pc++ }

// event is the reason why a fragment stopped.
type event int

const (
	paused event = iota
	joined
	parted  // at a branch: the fragment keeps the threads that jump; the others are returned
	arrived // at a barrier or a shuffle
	ended
)

// ToBarrier runs the warp until all of it waits at a barrier or has ended.
func (w *warp) ToBarrier() error {
	if w.b.d.Random() != nil {
		return w.shuffled()
	}
	for len(w.fragments) > 0 {
		f := &w.fragments[len(w.fragments)-1]
		what, stay, err := w.run(f, 1<<62)
		if err != nil {
			return err
		}
		switch what {
		case joined, ended:
			w.fragments = w.fragments[:len(w.fragments)-1]
		case parted:
			in := &w.b.k.code[f.pc]
			jump := fragment{f.mask &^ stay, in.target, in.join}
			fall := fragment{stay, f.pc + 1, in.join}
			f.pc = in.join
			w.fragments = append(w.fragments, fall, jump)
		case arrived:
			if f.mask != everyLane {
				return w.fault(f, "by a part of the warp, threads %08x of it", f.mask)
			}
			if w.b.k.code[f.pc].kind == barrier {
				return nil
			}
			w.shuffle(f)
		}
	}
	return nil
}

// shuffled runs the warp in random order: fragments also split at random, and wait for the others at the next shuffle
// or barrier.
func (w *warp) shuffled() error {
	random := w.b.d.Random()
	var there []fragment // the fragments that have arrived
	for {
		if len(w.fragments) == 0 {
			if len(there) == 0 {
				return nil
			}
			all := there[0]
			for _, f := range there[1:] {
				if all.mask |= f.mask; f.pc != all.pc {
					return w.fault(&f, "where others of the warp are at %s", w.b.k.code[all.pc].where())
				}
			}
			if all.mask != everyLane {
				return w.fault(&all, "by a part of the warp, threads %08x of it", all.mask)
			}
			w.fragments, there = append(w.fragments, all), there[:0]
			if w.b.k.code[all.pc].kind == barrier {
				return nil
			}
			w.shuffle(&w.fragments[0])
		}
		i := random.IntN(len(w.fragments))
		f := &w.fragments[i]
		if part := f.mask & random.Uint32(); len(w.fragments) < 3 && part != 0 && part != f.mask && random.IntN(4) == 0 {
			f.mask &^= part
			w.fragments = append(w.fragments, fragment{part, f.pc, none})
			continue
		}
		what, stay, err := w.run(f, 1+random.IntN(64))
		if err != nil {
			return err
		}
		switch what {
		case parted:
			jump := fragment{f.mask &^ stay, w.b.k.code[f.pc].target, none}
			f.mask, f.pc = stay, f.pc+1
			w.fragments = append(w.fragments, jump)
		case arrived:
			there = append(there, *f)
			fallthrough
		case ended:
			w.fragments[i] = w.fragments[len(w.fragments)-1]
			w.fragments = w.fragments[:len(w.fragments)-1]
		}
	}
}

// run runs a fragment for at most so many instructions and returns why it stopped; at a divergent branch, also which
// threads do not jump.
func (w *warp) run(f *fragment, steps int) (what event, stay uint32, err error) {
	code, counts := w.b.k.code, w.b.counts
	for ; steps > 0; steps-- {
		if f.pc == f.join {
			return joined, 0, nil
		}
		if w.b.Left--; w.b.Left == 0 {
			return 0, 0, w.fault(f, "is reached after more than %d instructions", w.b.d.Limited())
		}
		in := &code[f.pc]
		mask := f.mask
		if in.guard != none {
			mask = w.guarded(in, mask)
		}
		if in.kind != shuffle {
			counts.Executed(f.pc, uint64(mask))
		}
		switch in.kind {
		case compute:
			w.compute(in, mask)
		case load, store:
			if err := w.access(in, f.pc, mask); err != nil {
				return 0, 0, w.fault(f, "%w", err)
			}
		case loadParam:
			if err := w.loadParam(in, mask); err != nil {
				return 0, 0, w.fault(f, "%w", err)
			}
		case unpack:
			w.unpack(in, mask)
		case prefetch:
		case branch:
			switch mask {
			case f.mask:
				f.pc = in.target
				continue
			case 0:
			default:
				return parted, f.mask &^ mask, nil
			}
		case barrier, shuffle:
			return arrived, 0, nil
		case exit:
			return ended, 0, nil
		case unreachable:
			return 0, 0, w.fault(f, "is reached, which the compiler takes for impossible")
		}
		f.pc++
	}
	return paused, 0, nil
}

// fault is the error of an instruction.
func (w *warp) fault(f *fragment, format string, a ...any) error {
	in := &w.b.k.code[f.pc]
	return fmt.Errorf("warp %d, %s: %w", w.first/PTXWarp, in.where(), fmt.Errorf(format, a...))
}

// bitset is a set of small numbers.
type bitset []uint64

// full returns a set of all numbers below n, and some above.
func full(n int) bitset {
	s := make(bitset, (n+63)/64)
	for i := range s {
		s[i] = ^uint64(0)
	}
	return s
}

func (s bitset) add(i int)           { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int) bool      { return s[i/64]>>(i%64)&1 != 0 }
func (s bitset) equal(t bitset) bool { return slices.Equal(s, t) }

func (s bitset) intersect(t bitset) {
	for i := range s {
		s[i] &= t[i]
	}
}

func (s bitset) count() (n int) {
	for _, v := range s {
		n += bits.OnesCount64(v)
	}
	return n
}
