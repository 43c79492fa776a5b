package gputest

import (
	"fmt"
	"strconv"
	"strings"
)

// gcnReader reads the operands of an instruction.
type gcnReader struct {
	k        *GCNKernel
	in       *gcnInstruction
	operands []string
}

// next reads the next operand, of a type.
func (r *gcnReader) next(kind byte) (o operand, err error) {
	if len(r.operands) == 0 {
		return o, fmt.Errorf("operands are missing")
	}
	o, err = r.k.operand(r.operands[0], kind)
	r.operands = r.operands[1:]
	return o, err
}

// register is next for an operand in a register file, which is written or holds an address.
func (r *gcnReader) register(kind byte, f file) (o operand, err error) {
	if o, err = r.next(kind); err == nil && o.file != f {
		err = fmt.Errorf("an operand is not such a register")
	}
	return o, err
}

// done returns an error if unknown text follows the operands.
func (r *gcnReader) done() error {
	if len(r.operands) > 0 {
		return fmt.Errorf("%s is not known", strconv.Quote(r.operands[0]))
	}
	return nil
}

func (r *gcnReader) branch() (err error) {
	r.in.kind = gcnBranch
	if r.in.jumps = conditions[r.in.name]; r.in.jumps == nil {
		return errGCNUnknown
	}
	o, err := r.next('u')
	r.in.from = []operand{o}
	if err == nil && o.file != gcnConstant {
		err = errGCNUnknown
	}
	return err
}

// signature reads the operands of a type string from the tables of operations: the result, a colon, and the other
// operands. + stands for the result again, # for the number of the lane.
func (r *gcnReader) signature(s string, f file) (err error) {
	results, operands, _ := strings.Cut(s, ":")
	for _, kind := range []byte(results) {
		switch kind {
		case 'm':
			r.in.mask, err = r.register(kind, scalarFile)
		case 'x':
			r.in.mask = operand{file: scalarFile, at: gcnExec, words: r.k.wordsOf('m')}
		default:
			r.in.to, err = r.register(kind, f)
		}
		if err != nil {
			return err
		}
	}
	for _, kind := range []byte(operands) {
		var o operand
		switch kind {
		case '+':
			o = r.in.to
		case '#':
			o = operand{file: laneNumber, words: 1}
		default:
			o, err = r.next(kind)
		}
		if err != nil {
			return err
		}
		r.in.from = append(r.in.from, o)
	}
	return nil
}

func (r *gcnReader) scalar() error {
	op, ok := scalars[r.in.name]
	if !ok {
		return errGCNUnknown
	}
	r.in.kind, r.in.scalar = scalar, op.f
	if strings.Contains(r.in.name, "saveexec") {
		r.in.kind = saveExec
	}
	if err := r.signature(op.types, scalarFile); err != nil {
		return err
	}
	for _, o := range r.in.from {
		if o.file == vectorFile {
			return errGCNUnknown
		}
	}
	return r.done()
}

func (r *gcnReader) vector() error {
	op, ok := vectors[r.in.name]
	if !ok {
		return errGCNUnknown
	}
	in := r.in
	in.kind, in.f, in.bit = vector, op.f, op.bit
	if in.name == "v_div_fmas_f64" {
		in.kind = fmas
	}
	if in.name == "ds_bpermute_b32" {
		in.kind = gcnPermute
	}
	file := vectorFile
	if in.name == "v_readfirstlane_b32" {
		file = scalarFile
	}
	if err := r.signature(op.types, file); err != nil {
		return err
	}
	if in.name == "v_pk_mov_b32" && len(r.operands) > 0 {
		if r.operands[0] != "op_sel:[0" || len(r.operands) != 2 || r.operands[1] != "1]" {
			return errGCNUnknown
		}
		r.operands = nil
	} else if in.name == "v_pk_mov_b32" && (in.from[0].file != gcnConstant || in.from[1].file != gcnConstant) {
		return errGCNUnknown
	}
	in.narrow = in.to.words == 1 && in.f != nil
	for i, o := range in.from {
		in.narrow = in.narrow && o.words == 1 && o.kind != 'm'
		if o.abs || o.minus {
			in.f, in.bit = signed(in.f, i, o), signed(in.bit, i, o)
		}
	}
	for len(in.from) < 3 {
		in.from = append(in.from, operand{file: laneNumber, words: 1}) // which f ignores
	}
	return r.done()
}

// signed returns an operation whose operand i is negated or has no sign.
func signed(f gcnOperation, i int, o operand) gcnOperation {
	if f == nil {
		return nil
	}
	sign := uint64(1) << (32*o.words - 1)
	change := func(v uint64) uint64 {
		if o.abs {
			v &^= sign
		}
		if o.minus {
			v ^= sign
		}
		return v
	}
	switch i {
	case 0:
		return func(a, b, c uint64) uint64 { return f(change(a), b, c) }
	case 1:
		return func(a, b, c uint64) uint64 { return f(a, change(b), c) }
	}
	return func(a, b, c uint64) uint64 { return f(a, b, change(c)) }
}

// transfer is what an instruction moves between a lane's registers and memory.
type transfer struct {
	bytes, elements uint64
	signed          bool
}

var transfers = map[string]transfer{
	"ubyte": {1, 1, false}, "sbyte": {1, 1, true}, "ushort": {2, 1, false}, "sshort": {2, 1, true}, "byte": {1, 1, false}, "short": {2, 1, false},
	"dword": {4, 1, false}, "dwordx2": {4, 2, false}, "dwordx3": {4, 3, false}, "dwordx4": {4, 4, false}, "dwordx8": {4, 8, false},
	"b32": {4, 1, false}, "b64": {4, 2, false}, "2_b32": {4, 2, false},
}

// memory reads a load or store of vector registers, or an exchange between lanes.
func (r *gcnReader) memory() (err error) {
	if _, ok := vectors[r.in.name]; ok {
		return r.vector()
	}
	space, verb, what := cutName(r.in.name)
	t, ok := transfers[what]
	m := &r.in.memory
	m.store, m.shared, m.signed = verb == "store" || verb == "write", space == "ds", t.signed
	if r.in.kind = access; !ok || verb != "load" && verb != "read" && !m.store {
		return errGCNUnknown
	}
	address := byte('i')
	if last := r.operands[min(2, len(r.operands)-1)]; last == "off" {
		address = 'l'
	}
	var at operand
	if !m.store {
		r.in.to, err = r.register('w', vectorFile)
	}
	if err == nil {
		at, err = r.register(address, vectorFile)
	}
	if m.store && err == nil {
		r.in.to, err = r.register('w', vectorFile)
	}
	if err == nil && r.in.to.words != int(t.elements) {
		err = fmt.Errorf("%d registers for %d elements", r.in.to.words, t.elements)
	}
	if err != nil {
		return err
	}
	r.in.from = []operand{at}
	switch {
	case m.shared:
	case address == 'l':
		r.operands = r.operands[1:]
	default:
		if m.base, err = r.register('l', scalarFile); err != nil {
			return err
		}
	}
	m.pieces = t.pieces()
	return r.offsets(what == "2_b32")
}

// cutName splits "global_load_dwordx2" and "ds_read2_b32".
func cutName(name string) (space, verb, what string) {
	space, rest, _ := strings.Cut(name, "_")
	verb, what, _ = strings.Cut(rest, "_")
	if cut, two := strings.CutSuffix(verb, "2"); two {
		verb, what = cut, "2_"+what
	}
	return space, verb, what
}

// pieces splits a transfer into pieces.
func (t transfer) pieces() (all []piece) {
	for i := uint64(0); i < t.elements; i += 2 {
		bytes := t.bytes
		if i+1 < t.elements {
			bytes = 8
		}
		all = append(all, piece{4 * i, bytes, int(i)})
	}
	return all
}

// offsets reads what follows the operands of an access: offset:7, or for two elements offset0:1 offset1:2.
func (r *gcnReader) offsets(two bool) error {
	m := &r.in.memory
	if two {
		m.pieces = []piece{{0, 4, 0}, {0, 4, 1}}
	}
	for _, s := range r.operands {
		name, number, _ := strings.Cut(s, ":")
		n, err := strconv.ParseInt(number, 0, 32)
		switch {
		case err != nil:
			return fmt.Errorf("%s is not known", strconv.Quote(s))
		case two && (name == "offset0" || name == "offset1"):
			m.pieces[name[6]-'0'].offset = 4 * uint64(n)
		case !two && name == "offset":
			for i := range m.pieces {
				m.pieces[i].offset += uint64(n)
			}
		default:
			return fmt.Errorf("%s is not known", strconv.Quote(s))
		}
	}
	return nil
}

// loadScalar reads "s_load_dwordx2 s[0:1], s[4:5], 0x18", or the form with a register, "s7 offset:0x18".
func (r *gcnReader) loadScalar() (err error) {
	t, ok := transfers[strings.TrimPrefix(r.in.name, "s_load_")]
	m := &r.in.memory
	if r.in.kind = loadScalar; !ok || t.bytes != 4 {
		return errGCNUnknown
	}
	if r.in.to, err = r.register('w', scalarFile); err == nil {
		m.base, err = r.register('l', scalarFile)
	}
	if err == nil && r.in.to.words != int(t.elements) {
		err = fmt.Errorf("%d registers for %d elements", r.in.to.words, t.elements)
	}
	if err != nil {
		return err
	}
	offset, err := r.next('i')
	if err != nil || offset.file == vectorFile {
		return errGCNUnknown
	}
	r.in.from = []operand{offset}
	m.pieces = t.pieces()
	return r.offsets(false)
}
