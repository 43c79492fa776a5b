package ptxemu

import "math/bits"

// register is what the threads of a warp have in a register. Where it is the same in all of
// them, as in much of a kernel, it is computed once.
type register struct {
	v       [Warp]uint64
	uniform bool // v[0] is the value of all
	spread  bool // and it is in all of v
}

// set gives all threads a value.
func (r *register) set(v uint64) { r.v[0], r.uniform, r.spread = v, true, false }

// read returns the values of all threads.
func (r *register) read() *[Warp]uint64 {
	if r.uniform && !r.spread {
		for l := range r.v {
			r.v[l] = r.v[0]
		}
		r.spread = true
	}
	return &r.v
}

// lanes returns the values to be written by the threads of a mask; the others keep theirs.
func (r *register) lanes(mask uint32) *[Warp]uint64 {
	if mask != everyLane {
		r.read()
	}
	r.uniform = false
	return &r.v
}

// guarded is the part of the threads in which an instruction is executed.
func (w *warp) guarded(in *instruction, mask uint32) (active uint32) {
	r := &w.registers[in.guard]
	if r.uniform {
		if (r.v[0] != 0) != in.unless {
			return mask
		}
		return 0
	}
	for m := mask; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); (r.v[l] != 0) != in.unless {
			active |= 1 << l
		}
	}
	return active
}

func (w *warp) compute(in *instruction, mask uint32) {
	r, f := w.registers, in.f
	to, x, y, z := &r[in.to], &r[in.from[0]], &r[in.from[1]], &r[in.from[2]]
	if mask == everyLane && x.uniform && y.uniform && z.uniform {
		to.set(f(x.v[0], y.v[0], z.v[0]))
		return
	}
	a, b, c := x.read(), y.read(), z.read()
	v := to.lanes(mask)
	if mask == everyLane {
		for l := range v {
			v[l] = f(a[l], b[l], c[l])
		}
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		v[l] = f(a[l], b[l], c[l])
	}
}

// unpack splits 64 bits into two registers.
func (w *warp) unpack(in *instruction, mask uint32) {
	from := &w.registers[in.from[0]]
	low, high := &w.registers[in.more[0]], &w.registers[in.more[1]]
	if mask == everyLane && from.uniform {
		low.set(uint64(uint32(from.v[0])))
		high.set(from.v[0] >> 32)
		return
	}
	v, lo, hi := from.read(), low.lanes(mask), high.lanes(mask)
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		lo[l], hi[l] = uint64(uint32(v[l])), v[l]>>32
	}
}

// shuffle exchanges between all threads of the warp.
func (w *warp) shuffle(f *fragment) {
	in := &w.b.k.code[f.pc]
	w.b.counts.Executed(f.pc, everyLane)
	f.pc++
	from := w.registers[in.from[0]] // a copy: it may be the result too
	if from.uniform {
		w.registers[in.to].set(from.v[0])
		return
	}
	v, to := w.registers[in.from[1]].read(), w.registers[in.to].lanes(everyLane)
	for l := range Warp {
		to[l] = uint64(uint32(from.v[uint32(l)^uint32(v[l])&(Warp-1)]))
	}
}
