package gputest

import (
	"fmt"
	"strconv"
	"strings"
)

// body reads the statements of a kernel.
type body struct {
	k         *PTXKernel
	registers map[string]int
	declared  map[string]int // number of registers for a prefix such as %rd
	constants map[uint64]int
	symbols   map[string]uint64 // addresses of parameters and shared memory
	labels    map[string]int
	branches  map[int]string // labels of branches, by the index of the instruction
}

func newBody(k *PTXKernel) *body {
	return &body{
		k: k, registers: map[string]int{}, declared: map[string]int{}, constants: map[uint64]int{},
		symbols: map[string]uint64{}, labels: map[string]int{}, branches: map[int]string{},
	}
}

// statement reads one line: a label, declarations, an instruction, or a scope of its own.
func (b *body) statement(s string, line int) error {
	if label, ok := strings.CutSuffix(s, ":"); ok {
		if _, twice := b.labels[label]; twice {
			return fmt.Errorf("a second label %s", label)
		}
		b.labels[label] = len(b.k.code)
		return nil
	}
	if strings.HasPrefix(s, "{ .reg") { // LLVM's sequence for taking half of a register
		s = strings.TrimSuffix(strings.TrimPrefix(s, "{ "), "}")
	}
	for one := range strings.SplitSeq(s, ";") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		if err := b.one(one, line); err != nil {
			return err
		}
	}
	return nil
}

// one reads a declaration or an instruction.
func (b *body) one(s string, line int) error {
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case ".reg":
		return b.declare(rest)
	case ".shared":
		name, size, align, err := declaration(s, ".shared")
		if err != nil {
			return err
		}
		at := (b.k.shared + align - 1) / align * align
		if b.symbols[name], b.k.shared = at, at+size; b.k.shared > mostShared {
			return fmt.Errorf("more than %d bytes of shared memory", mostShared)
		}
		return nil
	case ".pragma":
		return nil
	}
	in, err := b.instruction(s)
	if err != nil {
		return err
	}
	in.line, in.text = line, s
	b.k.code = append(b.k.code, in)
	return nil
}

// declare reads "b64 %rd<12>" or "b32 tmp".
func (b *body) declare(s string) error {
	kind, name, _ := strings.Cut(s, " ")
	if _, ok := types[strings.TrimPrefix(kind, ".")]; !ok {
		return fmt.Errorf("registers of type %s", quoted(kind))
	}
	prefix, count, many := strings.Cut(name, "<")
	n := 1
	if many {
		var err error
		if n, err = strconv.Atoi(strings.TrimSuffix(count, ">")); err != nil || n < 1 || n > mostRegisters {
			return fmt.Errorf("%s registers", quoted(count))
		}
	} else {
		b.register(name)
	}
	b.declared[prefix] = n
	return nil
}

// finish resolves the branches and splits the instructions into basic blocks.
func (b *body) finish() error {
	k := b.k
	if n := len(k.code); n == 0 || k.code[n-1].kind != exit && k.code[n-1].kind != unreachable && !k.code[n-1].always() {
		return fmt.Errorf("PTX: %s does not end with ret", k.Name)
	}
	for at, label := range b.branches {
		target, ok := b.labels[label]
		if !ok || target >= len(k.code) {
			return fmt.Errorf("PTX, line %d: there is no label %s", k.code[at].line, quoted(label))
		}
		k.code[at].target = target
	}
	for value, register := range b.constants {
		k.constants = append(k.constants, constant{register, value})
	}
	k.meet()
	return nil
}

// always reports whether control never falls through the instruction.
func (in *instruction) always() bool { return in.kind == branch && in.guard == none }

// register returns the register of a name, which it allocates when the name is new.
func (b *body) register(name string) int {
	i, ok := b.registers[name]
	if !ok {
		i = b.k.registers
		b.registers[name] = i
		b.k.registers++
	}
	return i
}

// operand returns the register of an operand; for a constant, a register that holds it.
func (b *body) operand(s string) (int, error) {
	if _, ok := specialRegisters[s]; ok {
		i := b.register(s)
		b.k.special[s] = i
		return i, nil
	}
	if i, ok := b.registers[s]; ok {
		return i, nil
	}
	if strings.HasPrefix(s, "%") {
		digits := len(strings.TrimRight(s, "0123456789"))
		n, err := strconv.Atoi(s[digits:])
		if err != nil || n >= b.declared[s[:digits]] {
			return 0, fmt.Errorf("register %s is not declared", quoted(s))
		}
		return b.register(s), nil
	}
	v, err := b.constantValue(s)
	if err != nil {
		return 0, err
	}
	i, ok := b.constants[v]
	if !ok {
		i = b.k.registers
		b.constants[v] = i
		b.k.registers++
	}
	return i, nil
}

// constantValue returns the value of a number or a symbol.
func (b *body) constantValue(s string) (uint64, error) {
	if at, ok := b.symbols[s]; ok {
		return at, nil
	}
	switch {
	case len(s) == 18 && strings.HasPrefix(s, "0d"):
		return strconv.ParseUint(s[2:], 16, 64)
	case len(s) == 10 && strings.HasPrefix(s, "0f"):
		return strconv.ParseUint(s[2:], 16, 32)
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(v), nil
	}
	v, err := strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64)
	if err != nil {
		return 0, fmt.Errorf("operand %s", quoted(s))
	}
	return v, nil
}

// destination is operand for a register that is written.
func (b *body) destination(s string) (int, error) {
	if _, special := specialRegisters[s]; special || !strings.HasPrefix(s, "%") && s != "tmp" {
		return 0, fmt.Errorf("%s is not a register that can be written", quoted(s))
	}
	return b.operand(s)
}

// vector returns the operands of "{a, b}", or of "a".
func (b *body) vector(s string, one func(string) (int, error)) (all []int, err error) {
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		s = strings.TrimSuffix(inner, "}")
	}
	for e := range strings.SplitSeq(s, ",") {
		i, err := one(strings.TrimSpace(e))
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// split splits operands at the commas outside of braces and brackets.
func split(s string) (all []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if s = strings.TrimSpace(s[from:]); s != "" {
		all = append(all, s)
	}
	return all
}

// meet finds where threads that diverge at a branch reconverge: at the immediate post-dominator, the first
// instruction on all paths from the branch to the end.
func (k *PTXKernel) meet() {
	n := len(k.code)
	starts, block := k.blocks()
	end := len(starts) // the node after all basic blocks
	next := make([][]int, end)
	for b := range starts {
		last := n - 1
		if b+1 < end {
			last = starts[b+1] - 1
		}
		next[b] = k.successors(last, b, block)
	}
	// after[b] holds the basic blocks on all paths from b to the end.
	after := make([]bitset, end+1)
	for b := range end {
		after[b] = full(end + 1)
	}
	after[end] = make(bitset, len(full(end+1)))
	after[end].add(end)
	for changed := true; changed; {
		changed = false
		for b := end - 1; b >= 0; b-- {
			s := full(end + 1)
			for _, to := range next[b] {
				s.intersect(after[to])
			}
			s.add(b)
			if !s.equal(after[b]) {
				after[b], changed = s, true
			}
		}
	}
	for i := range k.code {
		in := &k.code[i]
		if in.join = n; in.kind != branch || in.guard == none {
			continue
		}
		// Of the blocks after the branch, the first one has all others after it.
		b, most := block[i], -1
		for c := range end {
			if c != b && after[b].has(c) && after[c].count() > most {
				most, in.join = after[c].count(), starts[c]
			}
		}
	}
}

// blocks returns the starts of the basic blocks, and the basic block of each instruction.
func (k *PTXKernel) blocks() (starts, block []int) {
	leads := make([]bool, len(k.code)+1)
	leads[0] = true
	for i, in := range k.code {
		switch in.kind {
		case branch:
			leads[in.target], leads[i+1] = true, true
		case exit, unreachable:
			leads[i+1] = true
		}
	}
	block = make([]int, len(k.code))
	for i := range k.code {
		if leads[i] {
			starts = append(starts, i)
		}
		block[i] = len(starts) - 1
	}
	return starts, block
}

// successors returns the basic blocks after block b, which ends with the given instruction. It returns none for what
// cannot be reached, which does not affect reconvergence.
func (k *PTXKernel) successors(last, b int, block []int) []int {
	switch in := &k.code[last]; {
	case in.kind == exit:
		return []int{block[len(block)-1] + 1}
	case in.kind == unreachable:
		return nil
	case in.always():
		return []int{block[in.target]}
	case in.kind == branch:
		return []int{block[in.target], b + 1}
	}
	return []int{b + 1}
}
