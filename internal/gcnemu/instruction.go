package gcnemu

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// instruction is one of a kernel.
type instruction struct {
	line    int // of the text
	text    string
	address uint64
	name    string // without _e32 or _e64
	kind    kind

	f      operation // of vector registers
	bit    operation // of each lane's bit in mask
	scalar scalarOperation
	to     operand
	mask   operand
	from   []operand
	narrow bool // all operands and the result have 32 bits

	memory memory
	target int                // of a branch, the index of an instruction
	jumps  func(w *wave) bool // says whether it goes there
}

// kind says how an instruction is executed.
type kind uint8

const (
	nothing kind = iota
	vector
	fmas // of two operations, f where VCC has no bit, bit where it has one
	scalar
	saveExec
	branch
	barrier
	end
	permute
	access
	loadScalar
)

// operation computes one lane's result of up to three operands.
type operation func(a, b, c uint64) uint64

// scalarOperation computes a result and SCC of up to two operands and SCC.
type scalarOperation func(a, b uint64, scc bool) (uint64, bool)

// memory is what an instruction accesses.
type memory struct {
	store, shared bool
	signed        bool    // what is loaded is extended by its sign
	base          operand // scalar address, if there is one
	pieces        []piece
}

// piece is a part of what is accessed: of 8 bytes for two registers, or fewer for one.
type piece struct {
	offset, bytes uint64
	register      int // after the first one
}

var errUnknown = errors.New("this instruction is not known")

// older has the names that instructions had on the first of these GPUs, by those of later ones.
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

// idle are instructions that wait or advise, by the beginning of their names.
var idle = []string{"s_nop", "s_wait", "s_clause", "s_delay_alu", "s_inst_prefetch", "s_set_inst_prefetch", "buffer_gl0_inv", "global_inv", "global_wb", "s_sendmsg", "s_barrier_signal"}

// instruction reads one and finds out what executes it.
func (k *Kernel) instruction(s string) (in instruction, err error) {
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
	r := reader{k: k, in: &in, operands: split(rest)}
	if dual && name == "v_cndmask_b32" {
		r.operands = append(r.operands, "vcc_lo")
	}
	switch {
	case name == "s_endpgm" || name == "s_code_end":
		in.kind = end
	case name == "s_barrier":
		in.kind = barrier
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

// reads says whether the instruction reads a register, whole or in part.
func (in *instruction) reads(to operand) bool {
	return slices.ContainsFunc(in.from, func(o operand) bool {
		return o.file == to.file && o.file != constant && o.at < to.at+to.words && to.at < o.at+o.words
	})
}

// where names an instruction.
func (in *instruction) where() string { return fmt.Sprintf("line %d, %s", in.line, in.text) }

// counted is what counts tell of the instruction: valu, fp64 (of which it is one as well), salu,
// branch, vmem, smem, lds (with the exchange between lanes), barrier, or none for what waits.
func (in *instruction) counted() simt.Kind {
	switch in.kind {
	case vector, fmas:
		if strings.HasSuffix(in.name, "_f64") || strings.HasPrefix(in.name, "v_cvt_f64") || strings.HasSuffix(in.name, "_f64_f32") {
			return simt.Kind{Class: "fp64"}
		}
		return simt.Kind{Class: "valu"}
	case scalar, saveExec:
		return simt.Kind{Class: "salu"}
	case branch, end:
		return simt.Kind{Class: "branch"}
	case barrier:
		return simt.Kind{Class: "barrier"}
	case permute:
		return simt.Kind{Class: "lds"}
	case access:
		if in.memory.shared {
			return simt.Kind{Class: "lds"}
		}
		return simt.Kind{Class: "vmem", Load: !in.memory.store, Store: in.memory.store}
	case loadScalar:
		return simt.Kind{Class: "smem"}
	}
	return simt.Kind{Class: "wait"}
}
