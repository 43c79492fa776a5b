package gputest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// PTXModule is a text of PTX.
type PTXModule struct {
	Version string // of PTX, such as "7.8"
	Target  string // such as "sm_90"
	kernels map[string]*PTXKernel
}

// PTXKernel is a kernel of a module.
type PTXKernel struct {
	Name    string
	Threads int // largest number in a block, .maxntid; 0 if the text gives none

	params    []param
	shared    uint64 // bytes
	code      []instruction
	registers int // of a thread, including constants
	constants []constant
	special   map[string]int // registers such as %tid.x
}

// param is the offset and the size of a parameter, in bytes.
type param struct{ at, size uint64 }

// constant is a register that holds a constant.
type constant struct {
	register int
	value    uint64
}

// Kernel returns a kernel of the module, or nil.
func (m *PTXModule) Kernel(name string) *PTXKernel { return m.kernels[name] }

// Kernels returns the names of all kernels, sorted.
func (m *PTXModule) Kernels() []string { return slices.Sorted(maps.Keys(m.kernels)) }

// ParsePTX reads PTX text. Errors name the line and are one line long.
func ParsePTX(text string) (*PTXModule, error) {
	p := &parser{lines: strings.Split(text, "\n")}
	m := &PTXModule{kernels: map[string]*PTXKernel{}}
	for p.next() {
		word, rest, _ := strings.Cut(p.line, " ")
		switch word {
		case ".version":
			m.Version = rest
		case ".target":
			m.Target = rest
		case ".address_size":
			if rest != "64" {
				return nil, p.errorf("addresses of %s bits", quoted(rest))
			}
		case ".visible", ".entry":
			k, err := p.entry()
			if err != nil {
				return nil, err
			}
			if m.kernels[k.Name] != nil {
				return nil, p.errorf("a second kernel %s", k.Name)
			}
			m.kernels[k.Name] = k
		default:
			return nil, p.errorf("%s is not known here", quoted(p.line))
		}
	}
	if len(m.kernels) == 0 {
		return nil, fmt.Errorf("PTX without a kernel")
	}
	return m, nil
}

// parser goes through the lines of a text.
type parser struct {
	lines  []string
	number int    // of the line, from 1
	line   string // without comment and surrounding space
}

// next goes to the next line that is not empty.
func (p *parser) next() bool {
	for p.number < len(p.lines) {
		p.line = strings.TrimRight(p.lines[p.number], "\x00")
		p.number++
		if i := strings.Index(p.line, "//"); i >= 0 {
			p.line = p.line[:i]
		}
		p.line = strings.Join(strings.Fields(p.line), " ")
		if p.line != "" {
			return true
		}
	}
	return false
}

func (p *parser) errorf(format string, a ...any) error {
	return fmt.Errorf("PTX, line %d: %s", p.number, fmt.Sprintf(format, a...))
}

// quoted quotes a piece of the text for a message.
func quoted(s string) string {
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return strconv.Quote(s)
}

// entry reads a kernel from its name to its closing brace.
func (p *parser) entry() (*PTXKernel, error) {
	_, head, ok := strings.Cut(p.line, ".entry ")
	name, rest, open := strings.Cut(head, "(")
	name = strings.TrimSpace(name)
	if !ok || !open || name == "" {
		return nil, p.errorf("want .entry NAME(, got %s", quoted(p.line))
	}
	b := newBody(&PTXKernel{Name: name, special: map[string]int{}})
	if err := p.params(b, rest); err != nil {
		return nil, err
	}
	for p.next() && p.line != "{" {
		word, rest, _ := strings.Cut(p.line, " ")
		switch word {
		case ".maxntid":
			n, err := strconv.Atoi(strings.TrimSpace(strings.Split(rest, ",")[0]))
			if err != nil || n < 1 || n > MostThreads {
				return nil, p.errorf("%s threads a block", quoted(rest))
			}
			b.k.Threads = n
		case ".minnctapersm", ".maxnreg", ".reqntid":
		default:
			return nil, p.errorf("%s is not known before a kernel's body", quoted(p.line))
		}
	}
	for p.next() {
		if p.line == "}" {
			return b.k, b.finish()
		}
		if err := b.statement(p.line, p.number); err != nil {
			return nil, p.errorf("%s: %v", quoted(p.line), err)
		}
	}
	return nil, p.errorf("%s does not end", name)
}

// params reads the list of parameters, whose first line may begin with rest.
func (p *parser) params(b *body, rest string) error {
	at := uint64(0)
	for {
		list, _, end := strings.Cut(rest, ")")
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimSpace(one); one == "" {
				continue
			}
			name, size, align, err := declaration(one, ".param")
			if err != nil {
				return p.errorf("%v", err)
			}
			at = (at + align - 1) / align * align
			b.symbols[name] = at
			b.k.params = append(b.k.params, param{at, size})
			if at += size; at > mostParams {
				return p.errorf("more than %d bytes of parameters", mostParams)
			}
		}
		if end {
			return nil
		}
		if !p.next() {
			return p.errorf("the parameters of %s do not end", b.k.Name)
		}
		rest = p.line
	}
}

// declaration reads ".param .align 8 .b8 name[72]" or ".shared .u32 name".
func declaration(s, space string) (name string, size, align uint64, err error) {
	words := strings.Fields(s)
	if len(words) == 0 || words[0] != space {
		return "", 0, 0, fmt.Errorf("want %s, got %s", space, quoted(s))
	}
	words = words[1:]
	if len(words) > 2 && words[0] == ".align" {
		align, err = strconv.ParseUint(words[1], 10, 8)
		words = words[2:]
	}
	if len(words) != 2 || err != nil {
		return "", 0, 0, fmt.Errorf("declaration %s", quoted(s))
	}
	t, ok := types[strings.TrimPrefix(words[0], ".")]
	if !ok || t.bytes == 0 {
		return "", 0, 0, fmt.Errorf("type in %s", quoted(s))
	}
	size = t.bytes
	name, length, array := strings.Cut(words[1], "[")
	if array {
		n, err := strconv.ParseUint(strings.TrimSuffix(length, "]"), 10, 20)
		if err != nil {
			return "", 0, 0, fmt.Errorf("length in %s", quoted(s))
		}
		size *= n
	}
	align = max(align, t.bytes)
	if align&(align-1) != 0 {
		return "", 0, 0, fmt.Errorf("alignment in %s", quoted(s))
	}
	return name, size, align, nil
}

// instruction is an instruction of a kernel.
type instruction struct {
	line   int    // of the text
	text   string // for messages
	opcode string
	kind   kind

	guard  int // the register of @%p, or none
	unless bool

	f       operation // of kind compute
	to      int       // register of the result
	from    [3]int    // registers of the operands
	more    []int     // the other registers of a vector, or the second half of an unpacked value
	address address   // of a memory access

	target int // of a branch, the index of an instruction
	join   int // where threads that diverge at a branch reconverge
}

// kind says how an instruction is executed.
type kind uint8

const (
	compute kind = iota
	unpack       // a 64-bit register into two of 32 bits
	branch
	exit
	barrier
	shuffle
	load
	store
	loadParam
	prefetch
	unreachable
)

// operation computes one thread's result from up to three operands. Only the low bits that belong to the type count,
// in operands and results.
type operation func(a, b, c uint64) uint64

// address is the access of a memory instruction.
type address struct {
	global   bool // otherwise shared
	base     int  // register
	offset   uint64
	bytes    uint64 // of one element
	elements int    // 1, 2 or 4
	signed   bool   // loaded elements are sign-extended
	constant bool   // .nc: nobody writes it
}

// none stands for no register.
const none = -1

// A dataType is the type of an instruction, such as u32.
type dataType struct {
	bytes  uint64 // 0: a predicate
	signed bool
}

var types = map[string]dataType{
	"pred": {0, false},
	"b8":   {1, false}, "u8": {1, false}, "s8": {1, true},
	"b16": {2, false}, "u16": {2, false}, "s16": {2, true},
	"b32": {4, false}, "u32": {4, false}, "s32": {4, true}, "f32": {4, false},
	"b64": {8, false}, "u64": {8, false}, "s64": {8, true}, "f64": {8, false},
}
