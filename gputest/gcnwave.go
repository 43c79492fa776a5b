package gputest

import (
	"fmt"
	"math/bits"
)

// mostLanes is the largest number of threads of a wave.
const mostLanes = 64

// gcnRegister holds the values of a vector register in the lanes of a wave.
type gcnRegister [mostLanes]uint32

func (r *gcnRegister) fill(v uint32) {
	for l := range r {
		r[l] = v
	}
}

// lanes holds the numbers of the lanes, zeros the upper halves of 32-bit values.
var lanes, zeros = func() (r, z gcnRegister) {
	for l := range r {
		r[l] = uint32(l)
	}
	return
}()

// wave is a wave in execution.
type wave struct {
	b       *gcnBlock
	first   int // thread
	v       []gcnRegister
	s       [mostScalar]uint32
	scc     bool
	pc      int
	waits   bool              // at a barrier
	scratch [3][2]gcnRegister // for operands that are scalar
}

// garbage is the value of unwritten registers.
const garbage = 0xa5a5a5a5

// reset goes to the beginning of the kernel, for a block.
func (w *wave) reset(block uint32) {
	for i := range w.v {
		w.v[i].fill(garbage)
	}
	for l := range w.b.k.Wave {
		w.v[0][l] = uint32(w.first + l)
	}
	for i := range w.s {
		w.s[i] = garbage
	}
	at := 0
	for bit, words := range pointerRegisters {
		if w.b.k.Properties>>bit&1 == 0 {
			continue
		}
		switch bit {
		case dispatchPointer:
			w.write(at, 2, w.b.packet)
		case argumentPointer:
			w.write(at, 2, w.b.arguments)
		}
		at += words
	}
	w.s[w.b.k.UserSGPRs], w.s[ttmp+9] = block, block // later GPUs have it there
	w.setMask(gcnExec, w.everyLane())
	w.scc, w.pc, w.waits = false, 0, false
}

func (w *wave) everyLane() uint64 { return 1<<w.b.k.Wave - 1 }

// mask returns the lane mask that begins at a scalar register.
func (w *wave) mask(at int) uint64 { return w.read(at, w.b.k.Wave/32) }

func (w *wave) setMask(at int, v uint64) { w.write(at, w.b.k.Wave/32, v) }

// read returns one or two scalar registers; write writes them.
func (w *wave) read(at, words int) uint64 {
	switch {
	case at == null:
		return 0
	case words == 1:
		return uint64(w.s[at])
	}
	return uint64(w.s[at]) | uint64(w.s[at+1])<<32
}

func (w *wave) write(at, words int, v uint64) {
	if at == null {
		return
	}
	if w.s[at] = uint32(v); words == 2 {
		w.s[at+1] = uint32(v >> 32)
	}
}

// Waiting and the methods below implement Warp.
func (w *wave) Waiting() bool { return w.waits }
func (w *wave) Where() string { return w.b.k.code[w.pc].where() }
func (w *wave) Pass()         { w.pc, w.waits = w.pc+1, false }

// ToBarrier runs the wave until it waits at a barrier or has ended.
func (w *wave) ToBarrier() error {
	if !w.waits && w.pc < 0 {
		return nil
	}
	for {
		if w.b.Left--; w.b.Left == 0 {
			return w.fault("is reached after more than %d instructions", w.b.d.Limited())
		}
		in, mask := &w.b.k.code[w.pc], w.mask(gcnExec)
		w.b.counts.Executed(w.pc, mask)
		var err error
		switch in.kind {
		case vector:
			w.vector(in, mask)
		case fmas:
			which := w.mask(vcc)
			w.compute(in, in.f, mask&^which)
			w.compute(in, in.bit, mask&which)
		case scalar, saveExec:
			w.scalar(in)
		case gcnBranch:
			if in.jumps(w) {
				w.pc = in.target
				continue
			}
		case gcnPermute:
			err = w.permute(in, mask)
		case access:
			err = w.access(in, mask)
		case loadScalar:
			err = w.loadScalar(in, mask)
		case gcnBarrier:
			if mask != w.everyLane() {
				return w.fault("by a part of the wave, lanes %016x of it", mask)
			}
			w.waits = true
			return nil
		case end:
			w.pc = -1
			return nil
		}
		if err != nil {
			return w.fault("%w", err)
		}
		w.pc++
	}
}

// fault is the error of an instruction.
func (w *wave) fault(format string, a ...any) error {
	return fmt.Errorf("wave %d, %s: %w", w.first/w.b.k.Wave, w.Where(), fmt.Errorf(format, a...))
}

// scalar executes an operation on scalar registers.
func (w *wave) scalar(in *gcnInstruction) {
	var a, b uint64
	if len(in.from) > 0 {
		a = w.value(&in.from[0])
	}
	if in.kind == saveExec {
		b = w.mask(gcnExec)
		v, scc := in.scalar(a, b, w.scc)
		w.write(in.to.at, in.to.words, b)
		w.setMask(gcnExec, v)
		w.scc = scc
		return
	}
	if len(in.from) > 1 {
		b = w.value(&in.from[1])
	}
	v, scc := in.scalar(a, b, w.scc)
	if w.scc = scc; in.to.words > 0 {
		w.write(in.to.at, in.to.words, v)
	}
}

// value returns the value of a scalar register or a constant.
func (w *wave) value(o *operand) uint64 {
	if o.file == gcnConstant {
		return o.value
	}
	return w.read(o.at, o.words)
}

// operand returns both halves of an operand for all lanes.
func (w *wave) operand(o *operand, i int) (lo, hi *gcnRegister) {
	switch {
	case o.file == laneNumber:
		return &lanes, &zeros
	case o.kind == 'm':
		mask, r := w.value(o), &w.scratch[i][0]
		for l := range r {
			r[l] = uint32(mask>>l) & 1
		}
		return r, &zeros
	case o.file == gcnConstant:
		return &o.lanes[0], &o.lanes[1]
	case o.file == vectorFile && o.words == 2:
		return &w.v[o.at], &w.v[o.at+1]
	case o.file == vectorFile:
		return &w.v[o.at], &zeros
	}
	v, r := w.read(o.at, o.words), &w.scratch[i]
	r[0].fill(uint32(v))
	if o.words == 1 {
		return &r[0], &zeros
	}
	r[1].fill(uint32(v >> 32))
	return &r[0], &r[1]
}

// vector executes an operation for the lanes of a mask.
func (w *wave) vector(in *gcnInstruction, mask uint64) {
	if in.to.file == scalarFile && in.to.words > 0 { // from the first lane alone
		lo, _ := w.operand(&in.from[0], 0)
		w.write(in.to.at, 1, uint64(lo[bits.TrailingZeros64(mask|1<<63)]))
		return
	}
	var bitsOfLanes uint64
	if in.bit != nil {
		bitsOfLanes = w.test(in, mask)
	}
	if in.f != nil {
		w.compute(in, in.f, mask)
	}
	if in.bit != nil {
		w.write(in.mask.at, in.mask.words, bitsOfLanes)
	}
}

// test returns the bits that the active lanes compute; the bits of the others are 0.
func (w *wave) test(in *gcnInstruction, mask uint64) (v uint64) {
	al, ah := w.operand(&in.from[0], 0)
	bl, bh := w.operand(&in.from[1], 1)
	cl, ch := w.operand(&in.from[2], 2)
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		v |= in.bit(uint64(al[l])|uint64(ah[l])<<32, uint64(bl[l])|uint64(bh[l])<<32, uint64(cl[l])|uint64(ch[l])<<32) << l
	}
	return v
}

func (w *wave) compute(in *gcnInstruction, f gcnOperation, mask uint64) {
	al, ah := w.operand(&in.from[0], 0)
	bl, bh := w.operand(&in.from[1], 1)
	cl, ch := w.operand(&in.from[2], 2)
	to := &w.v[in.to.at]
	switch {
	case in.narrow && mask == 1<<mostLanes-1:
		for l := range to {
			to[l] = uint32(f(uint64(al[l]), uint64(bl[l]), uint64(cl[l])))
		}
	case in.to.words == 1:
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			to[l] = uint32(f(uint64(al[l])|uint64(ah[l])<<32, uint64(bl[l])|uint64(bh[l])<<32, uint64(cl[l])|uint64(ch[l])<<32))
		}
	default:
		high := &w.v[in.to.at+1]
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			v := f(uint64(al[l])|uint64(ah[l])<<32, uint64(bl[l])|uint64(bh[l])<<32, uint64(cl[l])|uint64(ch[l])<<32)
			to[l], high[l] = uint32(v), uint32(v>>32)
		}
	}
}

// permute lets each lane read another lane's value: ds_bpermute_b32 to, 4 times the lane, from.
func (w *wave) permute(in *gcnInstruction, mask uint64) error {
	which, _ := w.operand(&in.from[0], 0)
	from, _ := w.operand(&in.from[1], 1)
	was, to := *from, &w.v[in.to.at]
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		other := int(which[l]/4) % w.b.k.Wave
		if mask>>other&1 == 0 {
			return fmt.Errorf("lane %d asks lane %d, which is switched off", l, other)
		}
		to[l] = was[other]
	}
	return nil
}
