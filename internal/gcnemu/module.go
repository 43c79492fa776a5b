package gcnemu

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/codeobject"
)

// Module is the code of a code object.
type Module struct {
	kernels map[string]*Kernel
}

// Kernel is a kernel of a module.
type Kernel struct {
	codeobject.Kernel
	code      []instruction
	constants map[uint64]*[2]register
}

// Kernel returns a kernel of the module, or nil.
func (m *Module) Kernel(name string) *Kernel { return m.kernels[name] }

// Kernels returns the names of all kernels, sorted.
func (m *Module) Kernels() []string { return slices.Sorted(maps.Keys(m.kernels)) }

// Parse reads what llvm-objdump -d writes of a code object with these kernels. Errors name the
// line and are one line.
func Parse(kernels map[string]*codeobject.Kernel, text string) (*Module, error) {
	m := &Module{kernels: map[string]*Kernel{}}
	var k *Kernel
	for i, line := range strings.Split(text, "\n") {
		s, comment, _ := strings.Cut(line, "//")
		s = strings.Join(strings.Fields(s), " ")
		if name, ok := symbol(s); ok {
			if k = nil; kernels[name] != nil {
				k = &Kernel{Kernel: *kernels[name], constants: map[uint64]*[2]register{}}
				if err := k.supported(); err != nil {
					return nil, err
				}
				m.kernels[name] = k
			}
			continue
		}
		if s == "" || k == nil {
			continue
		}
		if err := k.add(s, comment, i+1); err != nil {
			return nil, fmt.Errorf("%s, line %d: %s: %w", k.Name, i+1, strconv.Quote(s), err)
		}
	}
	for name := range kernels {
		k := m.kernels[name]
		if k == nil {
			return nil, fmt.Errorf("there is no code of %s", name)
		}
		if err := k.finish(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// symbol reads "0000000000012f00 <name>:".
func symbol(s string) (name string, ok bool) {
	address, rest, _ := strings.Cut(s, " <")
	name, ok = strings.CutSuffix(rest, ">:")
	_, err := strconv.ParseUint(address, 16, 64)
	return name, ok && err == nil
}

// Modes that kernels are to have: rounding to nearest, and subnormal numbers.
const nearestAndSubnormals = 0xf0

// The registers that a launch sets, in order, by the bits of Properties and how many they are.
const (
	privateBuffer = iota
	dispatchPointer
	queuePointer
	argumentPointer
	mostPointers
)

var pointerRegisters = [mostPointers]int{privateBuffer: 4, dispatchPointer: 2, queuePointer: 2, argumentPointer: 2}

// supported says what of a kernel's description is not known here.
func (k *Kernel) supported() error {
	const wave32, above = 1 << 10, 1<<10 - 1<<mostPointers
	switch {
	case k.Private != 0:
		return fmt.Errorf("%s has %d bytes of scratch", k.Name, k.Private)
	case k.Float != nearestAndSubnormals:
		return fmt.Errorf("%s has mode %#x of rounding and subnormal numbers", k.Name, k.Float)
	case k.Preloaded != 0 || !k.BlockID || k.Properties&above != 0:
		return fmt.Errorf("%s wants other scalar registers: %#x", k.Name, k.Properties)
	case k.Wave != 64 && k.Wave != 32 || k.Properties&wave32 != 0 != (k.Wave == 32):
		return fmt.Errorf("%s has waves of %d", k.Name, k.Wave)
	}
	return nil
}

// add reads an instruction, or two that begin together.
func (k *Kernel) add(s, comment string, line int) error {
	at := uint64(0)
	if n := len(k.code); n > 0 {
		at = k.code[n-1].address
	}
	if address, _, ok := strings.Cut(strings.TrimSpace(comment), ":"); ok {
		var err error
		if at, err = strconv.ParseUint(address, 16, 64); err != nil {
			return err
		}
	}
	first, second, two := strings.Cut(s, " :: ")
	in, err := k.instruction(first)
	if err != nil {
		return err
	}
	in.address, in.line, in.text = at, line, s
	all := []instruction{in}
	if two {
		other, err := k.instruction(second)
		if err != nil {
			return err
		}
		other.address, other.line, other.text = at, line, s
		switch { // both read before either writes
		case !other.reads(in.to):
			all = append(all, other)
		case !in.reads(other.to):
			all = []instruction{other, in}
		default:
			return errUnknown
		}
	}
	k.code = append(k.code, all...)
	return nil
}

// finish finds where branches go.
func (k *Kernel) finish() error {
	for len(k.code) > 0 && k.code[len(k.code)-1].kind == nothing { // what fills the last lines
		k.code = k.code[:len(k.code)-1]
	}
	if n := len(k.code); n == 0 || k.code[0].address != k.Entry || k.code[n-1].kind != end && k.code[n-1].name != "s_branch" {
		return fmt.Errorf("%s does not begin at %#x, or does not end with s_endpgm", k.Name, k.Entry)
	}
	for i := range k.code {
		in := &k.code[i]
		if in.kind != branch {
			continue
		}
		to := in.address + 4 + uint64(int64(int16(in.from[0].value)))*4
		in.target = sort.Search(len(k.code), func(i int) bool { return k.code[i].address >= to })
		if to < k.Entry || in.target == len(k.code) {
			return fmt.Errorf("%s, line %d: %s leaves the kernel", k.Name, in.line, in.text)
		}
	}
	return nil
}
