package gputest

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// reader reads instructions that are not computations.
type reader struct {
	operands int
	read     func(b *body, in *instruction, parts, operands []string) error
}

var readers = map[string]reader{
	"bra":      {1, (*body).branch},
	"ret":      {0, only(exit, "ret")},
	"exit":     {0, only(unreachable, "exit")},
	"trap":     {0, only(unreachable, "trap")},
	"bar":      {1, (*body).barrier},
	"barrier":  {1, (*body).barrier},
	"shfl":     {5, (*body).shuffle},
	"ld":       {2, (*body).load},
	"st":       {2, (*body).store},
	"prefetch": {1, (*body).prefetch},
}

// instruction reads an instruction and finds what executes it.
func (b *body) instruction(s string) (in instruction, err error) {
	in.guard = none
	if guard, ok := strings.CutPrefix(s, "@"); ok {
		guard, s, _ = strings.Cut(guard, " ")
		guard, in.unless = strings.CutPrefix(guard, "!")
		if in.guard, err = b.operand(guard); err != nil {
			return in, err
		}
	}
	opcode, rest, _ := strings.Cut(s, " ")
	in.opcode = opcode
	parts, operands := strings.Split(opcode, "."), split(rest)
	r, ok := readers[parts[0]]
	if !ok {
		return in, b.compute(&in, parts, operands)
	}
	if len(operands) != r.operands {
		return in, fmt.Errorf("%d operands, want %d", len(operands), r.operands)
	}
	return in, r.read(b, &in, parts, operands)
}

var errUnknown = fmt.Errorf("this instruction is not known")

// only returns the reader of an opcode without operands.
func only(what kind, opcode string) func(*body, *instruction, []string, []string) error {
	return func(_ *body, in *instruction, _, _ []string) error {
		if in.kind = what; in.opcode != opcode || in.guard != none {
			return errUnknown
		}
		return nil
	}
}

func (b *body) branch(in *instruction, parts, operands []string) error {
	in.kind = branch
	if len(parts) > 2 || len(parts) == 2 && parts[1] != "uni" {
		return errUnknown
	}
	b.branches[len(b.k.code)] = operands[0]
	return nil
}

func (b *body) barrier(in *instruction, _, operands []string) error {
	in.kind = barrier
	if in.opcode != "bar.sync" && in.opcode != "barrier.sync" && in.opcode != "barrier.sync.aligned" || operands[0] != "0" || in.guard != none {
		return errUnknown
	}
	return nil
}

// shuffle reads "shfl.sync.bfly.b32 to, from, apart, 31, -1", with all lanes of the warp.
func (b *body) shuffle(in *instruction, _, operands []string) (err error) {
	in.kind = shuffle
	if in.opcode != "shfl.sync.bfly.b32" || operands[3] != "31" || operands[4] != "-1" || in.guard != none {
		return errUnknown
	}
	return b.operands(in, operands[:3])
}

// operands reads the result and up to three operands.
func (b *body) operands(in *instruction, operands []string) (err error) {
	if in.to, err = b.destination(operands[0]); err != nil {
		return err
	}
	for i, o := range operands[1:] {
		if in.from[i], err = b.operand(o); err != nil {
			return err
		}
	}
	for i := len(operands) - 1; i < len(in.from); i++ {
		in.from[i] = in.from[0]
	}
	return nil
}

func (b *body) prefetch(in *instruction, _, operands []string) error {
	in.kind = prefetch
	if in.opcode != "prefetch.L2" && in.opcode != "prefetch.global.L2" && in.opcode != "prefetch.global.L1" {
		return errUnknown
	}
	in.address.elements, in.address.bytes = 1, 1
	return b.at(in, operands[0])
}

func (b *body) load(in *instruction, parts, operands []string) error {
	in.kind = load
	if err := b.memory(in, parts, operands[1]); err != nil {
		return err
	}
	return b.elements(in, operands[0], b.destination)
}

func (b *body) store(in *instruction, parts, operands []string) error {
	in.kind = store
	if err := b.memory(in, parts, operands[0]); err != nil {
		return err
	}
	if in.address.constant || in.kind != store {
		return errUnknown
	}
	return b.elements(in, operands[1], b.operand)
}

// memory reads the modifiers of a load or store, and its address.
func (b *body) memory(in *instruction, parts []string, address string) error {
	a := &in.address
	a.elements = 1
	spaces := 0
	for _, p := range parts[1:max(1, len(parts)-1)] {
		switch p {
		case "global":
			a.global = true
			spaces++
		case "shared":
			spaces++
		case "param":
			in.kind = loadParam
			spaces++
		case "nc":
			a.constant = true
		case "v2":
			a.elements = 2
		case "v4":
			a.elements = 4
		case "L1::no_allocate", "L1::evict_last": // hints
		default:
			return errUnknown
		}
	}
	t := types[parts[len(parts)-1]]
	if a.bytes, a.signed = t.bytes, t.signed; t.bytes == 0 || spaces != 1 || in.kind == loadParam && parts[0] != "ld" {
		return errUnknown
	}
	return b.at(in, address)
}

// at reads an address, "[register+offset]".
func (b *body) at(in *instruction, s string) (err error) {
	inner, ok := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !ok || !closed {
		return fmt.Errorf("address %s", quoted(s))
	}
	base, offset, has := strings.Cut(inner, "+")
	if has {
		n, err := strconv.ParseInt(offset, 0, 64)
		if err != nil {
			return fmt.Errorf("offset in %s", quoted(s))
		}
		in.address.offset = uint64(n)
	}
	in.address.base, err = b.operand(base)
	return err
}

// elements reads the registers that are loaded or stored.
func (b *body) elements(in *instruction, s string, one func(string) (int, error)) error {
	all, err := b.vector(s, one)
	if err != nil {
		return err
	}
	if len(all) != in.address.elements {
		return fmt.Errorf("%d registers for %d elements", len(all), in.address.elements)
	}
	in.to, in.more = all[0], all
	return nil
}

// compute reads an instruction from the tables of operations.
func (b *body) compute(in *instruction, parts, operands []string) (err error) {
	name := strings.Join(slices.DeleteFunc(parts[1:], func(p string) bool { return p == "uni" }), ".")
	name = parts[0] + "." + name
	op, ok := lookup(name)
	switch {
	case !ok:
		return errUnknown
	case name == "mov.b64" && len(operands) == 2 && strings.HasPrefix(operands[0], "{"):
		in.kind = unpack
		if in.more, err = b.vector(operands[0], b.destination); err != nil {
			return err
		}
		if in.from[0], err = b.operand(operands[1]); err == nil && len(in.more) != 2 {
			err = fmt.Errorf("%d registers for two halves", len(in.more))
		}
		return err
	case name == "mov.b64" && len(operands) == 2 && strings.HasPrefix(operands[1], "{"):
		halves := split(strings.TrimSuffix(operands[1][1:], "}"))
		operands, op = append(operands[:1], halves...), pack
	}
	if len(operands) != op.operands+1 {
		return fmt.Errorf("%d operands, want %d", len(operands), op.operands+1)
	}
	in.kind, in.f = compute, op.f
	return b.operands(in, operands)
}

// register holds the values of a register in the threads of a warp. A value that is the same in all threads, as many
// are, is computed once.
type register struct {
	v       [PTXWarp]uint64
	uniform bool // v[0] is the value of all threads
	spread  bool // and all of v has it
}

// set gives all threads a value.
func (r *register) set(v uint64) { r.v[0], r.uniform, r.spread = v, true, false }

// read returns the values of all threads.
func (r *register) read() *[PTXWarp]uint64 {
	if r.uniform && !r.spread {
		for l := range r.v {
			r.v[l] = r.v[0]
		}
		r.spread = true
	}
	return &r.v
}

// lanes returns the values for the threads of a mask to overwrite; the other threads keep theirs.
func (r *register) lanes(mask uint32) *[PTXWarp]uint64 {
	if mask != everyLane {
		r.read()
	}
	r.uniform = false
	return &r.v
}

// guarded returns the threads of the mask that execute the instruction.
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

// shuffle exchanges values between all threads of the warp.
func (w *warp) shuffle(f *fragment) {
	in := &w.b.k.code[f.pc]
	w.b.counts.Executed(f.pc, everyLane)
	f.pc++
	from := w.registers[in.from[0]] // a copy: it may also be the result
	if from.uniform {
		w.registers[in.to].set(from.v[0])
		return
	}
	v, to := w.registers[in.from[1]].read(), w.registers[in.to].lanes(everyLane)
	for l := range PTXWarp {
		to[l] = uint64(uint32(from.v[uint32(l)^uint32(v[l])&(PTXWarp-1)]))
	}
}
