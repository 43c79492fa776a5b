package ptxemu

import (
	"fmt"
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

// instruction reads an instruction and finds out what executes it.
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

// only is the reader of an opcode without operands.
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

// shuffle reads "shfl.sync.bfly.b32 to, from, apart, 31, -1": lanes of the whole warp.
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

// elements reads what is loaded or stored.
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

// compute reads an instruction that the tables of operations have.
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
