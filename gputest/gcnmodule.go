package gputest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// GCNModule is the code of a code object.
type GCNModule struct {
	kernels map[string]*GCNKernel
}

// GCNKernel is a kernel of a module.
type GCNKernel struct {
	CodeKernel
	code      []gcnInstruction
	constants map[uint64]*[2]gcnRegister
}

// Kernel returns a kernel of the module, or nil.
func (m *GCNModule) Kernel(name string) *GCNKernel { return m.kernels[name] }

// Kernels returns the names of all kernels, sorted.
func (m *GCNModule) Kernels() []string { return slices.Sorted(maps.Keys(m.kernels)) }

// ParseGCN reads the output of llvm-objdump -d for a code object with these kernels. Errors name the line and are one
// line long.
func ParseGCN(kernels map[string]*CodeKernel, text string) (*GCNModule, error) {
	m := &GCNModule{kernels: map[string]*GCNKernel{}}
	var k *GCNKernel
	for i, line := range strings.Split(text, "\n") {
		s, comment, _ := strings.Cut(line, "//")
		s = strings.Join(strings.Fields(s), " ")
		if name, ok := symbol(s); ok {
			if k = nil; kernels[name] != nil {
				k = &GCNKernel{CodeKernel: *kernels[name], constants: map[uint64]*[2]gcnRegister{}}
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

// nearestAndSubnormals is the mode that kernels must have: rounding to nearest, with subnormal numbers.
const nearestAndSubnormals = 0xf0

// The registers that a launch sets, in order, by the bits of Properties, with their numbers.
const (
	privateBuffer = iota
	dispatchPointer
	queuePointer
	argumentPointer
	mostPointers
)

var pointerRegisters = [mostPointers]int{privateBuffer: 4, dispatchPointer: 2, queuePointer: 2, argumentPointer: 2}

// supported returns an error if the interpreter does not support the kernel's description.
func (k *GCNKernel) supported() error {
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

// add reads an instruction, or a pair that starts together.
func (k *GCNKernel) add(s, comment string, line int) error {
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
	all := []gcnInstruction{in}
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
			all = []gcnInstruction{other, in}
		default:
			return errGCNUnknown
		}
	}
	k.code = append(k.code, all...)
	return nil
}

// finish resolves the targets of branches.
func (k *GCNKernel) finish() error {
	for len(k.code) > 0 && k.code[len(k.code)-1].kind == nothing { // padding of the last lines
		k.code = k.code[:len(k.code)-1]
	}
	if n := len(k.code); n == 0 || k.code[0].address != k.Entry || k.code[n-1].kind != end && k.code[n-1].name != "s_branch" {
		return fmt.Errorf("%s does not begin at %#x, or does not end with s_endpgm", k.Name, k.Entry)
	}
	for i := range k.code {
		in := &k.code[i]
		if in.kind != gcnBranch {
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

// gcnInstruction is an instruction of a kernel.
type gcnInstruction struct {
	line    int // of the text
	text    string
	address uint64
	name    string // without _e32 or _e64
	kind    gcnKind

	f      gcnOperation // of vector registers
	bit    gcnOperation // of each lane's bit in mask
	scalar scalarOperation
	to     operand
	mask   operand
	from   []operand
	narrow bool // all operands and the result have 32 bits

	memory memory
	target int                // of a branch, the index of an instruction
	jumps  func(w *wave) bool // whether the branch is taken
}

// gcnKind says how an instruction is executed.
type gcnKind uint8

const (
	nothing gcnKind = iota
	vector
	fmas // of two operations, f where VCC has a 0 bit, bit where it has a 1
	scalar
	saveExec
	gcnBranch
	gcnBarrier
	end
	gcnPermute
	access
	loadScalar
)

// gcnOperation computes one lane's result from up to three operands.
type gcnOperation func(a, b, c uint64) uint64

// scalarOperation computes a result and SCC from up to two operands and SCC.
type scalarOperation func(a, b uint64, scc bool) (uint64, bool)

// memory is the access of an instruction.
type memory struct {
	store, shared bool
	signed        bool    // loaded elements are sign-extended
	base          operand // scalar address, if there is one
	pieces        []piece
}

// piece is a part of an access: 8 bytes for two registers, or fewer for one.
type piece struct {
	offset, bytes uint64
	register      int // relative to the first one
}

var errGCNUnknown = errors.New("this instruction is not known")

// older maps the instruction names of later GPUs to the names on the first of these GPUs.
var older = map[string]string{
	"ds_load_b32": "ds_read_b32", "ds_load_b64": "ds_read_b64", "ds_load_2addr_b32": "ds_read2_b32", "ds_store_b32": "ds_write_b32", "ds_store_b64": "ds_write_b64",
	"global_load_b32": "global_load_dword", "global_load_b64": "global_load_dwordx2", "global_load_b96": "global_load_dwordx3", "global_load_b128": "global_load_dwordx4",
	"global_load_u16": "global_load_ushort", "global_load_u8": "global_load_ubyte",
	"global_store_b16": "global_store_short", "global_store_b32": "global_store_dword", "global_store_b64": "global_store_dwordx2", "global_store_b128": "global_store_dwordx4",
	"s_load_b32": "s_load_dword", "s_load_b64": "s_load_dwordx2", "s_load_b96": "s_load_dwordx3", "s_load_b128": "s_load_dwordx4", "s_load_b256": "s_load_dwordx8",
	"s_and_not1_b32": "s_andn2_b32", "s_or_not1_b32": "s_orn2_b32", "s_and_not1_saveexec_b32": "s_andn2_saveexec_b32",
	"s_add_co_i32": "s_add_i32", "s_addk_co_i32": "s_addk_i32", "s_sub_co_i32": "s_sub_i32",
	"v_add_nc_u32": "v_add_u32", "v_sub_nc_u32": "v_sub_u32", "v_subrev_nc_u32": "v_subrev_u32",
	"v_add_co_ci_u32": "v_addc_co_u32", "v_sub_co_ci_u32": "v_subb_co_u32", "v_subrev_co_ci_u32": "v_subbrev_co_u32", "v_mad_co_u64_u32": "v_mad_u64_u32",
	"v_clz_i32_u32":  "v_ffbh_u32",
	"s_barrier_wait": "s_barrier",
}

// idle lists prefixes of the names of instructions that wait or give hints.
var idle = []string{"s_nop", "s_wait", "s_clause", "s_delay_alu", "s_inst_prefetch", "s_set_inst_prefetch", "buffer_gl0_inv", "global_inv", "global_wb", "s_sendmsg", "s_barrier_signal"}

// instruction reads an instruction and finds what executes it.
func (k *GCNKernel) instruction(s string) (in gcnInstruction, err error) {
	name, rest, _ := strings.Cut(s, " ")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_e32"), "_e64")
	name, dual := strings.CutPrefix(name, "v_dual_")
	if dual {
		name = "v_" + name
	}
	if was, ok := older[name]; ok {
		name = was
	}
	in.name = name
	r := gcnReader{k: k, in: &in, operands: gcnSplit(rest)}
	if dual && name == "v_cndmask_b32" {
		r.operands = append(r.operands, "vcc_lo")
	}
	switch {
	case name == "s_endpgm" || name == "s_code_end":
		in.kind = end
	case name == "s_barrier":
		in.kind = gcnBarrier
	case slices.ContainsFunc(idle, func(start string) bool { return strings.HasPrefix(name, start) }):
	case strings.HasPrefix(name, "s_branch") || strings.HasPrefix(name, "s_cbranch_"):
		err = r.branch()
	case strings.HasPrefix(name, "s_load_"):
		err = r.loadScalar()
	case strings.HasPrefix(name, "global_") || strings.HasPrefix(name, "ds_"):
		err = r.memory()
	case strings.HasPrefix(name, "s_"):
		err = r.scalar()
	default:
		err = r.vector()
	}
	return in, err
}

// reads reports whether the instruction reads a register, in whole or in part.
func (in *gcnInstruction) reads(to operand) bool {
	return slices.ContainsFunc(in.from, func(o operand) bool {
		return o.file == to.file && o.file != gcnConstant && o.at < to.at+to.words && to.at < o.at+o.words
	})
}

// where names an instruction.
func (in *gcnInstruction) where() string { return fmt.Sprintf("line %d, %s", in.line, in.text) }

// counted returns the kind of the instruction for counts: valu, fp64 (which is also a valu), salu, branch, vmem,
// smem, lds (with the exchange between lanes), barrier, or none for waiting.
func (in *gcnInstruction) counted() Kind {
	switch in.kind {
	case vector, fmas:
		if strings.HasSuffix(in.name, "_f64") || strings.HasPrefix(in.name, "v_cvt_f64") || strings.HasSuffix(in.name, "_f64_f32") {
			return Kind{Class: "fp64"}
		}
		return Kind{Class: "valu"}
	case scalar, saveExec:
		return Kind{Class: "salu"}
	case gcnBranch, end:
		return Kind{Class: "branch"}
	case gcnBarrier:
		return Kind{Class: "barrier"}
	case gcnPermute:
		return Kind{Class: "lds"}
	case access:
		if in.memory.shared {
			return Kind{Class: "lds"}
		}
		return Kind{Class: "vmem", Load: !in.memory.store, Store: in.memory.store}
	case loadScalar:
		return Kind{Class: "smem"}
	}
	return Kind{Class: "wait"}
}
