package gcnemu

import (
	"math/bits"
)

// A scalarOpcode is an operation, and the types of its operands, see reader.signature.
type scalarOpcode struct {
	types string
	f     scalarOperation
}

// scalars has the operations on scalar registers by name.
var scalars = map[string]scalarOpcode{
	"s_movk_i32":    {"i:k", keep(first)},
	"s_addk_i32":    {"i:+k", addSigned},
	"s_mulk_i32":    {"i:+k", keep(func(a, b uint64) uint64 { return low(a * b) })},
	"s_add_i32":     {"i:ii", addSigned},
	"s_sub_i32":     {"i:ii", subSigned},
	"s_add_u32":     {"i:ii", carry(func(a, b uint64, _ bool) uint64 { return a + b })},
	"s_addc_u32":    {"i:ii", carry(func(a, b uint64, scc bool) uint64 { return a + b + truth(scc) })},
	"s_sub_u32":     {"i:ii", carry(func(a, b uint64, _ bool) uint64 { return a - b })},
	"s_subb_u32":    {"i:ii", carry(func(a, b uint64, scc bool) uint64 { return a - b - truth(scc) })},
	"s_mul_i32":     {"i:ii", keep(func(a, b uint64) uint64 { return low(a * b) })},
	"s_mul_hi_u32":  {"i:ii", keep(func(a, b uint64) uint64 { return a * b >> 32 })},
	"s_mul_u64":     {"l:ll", keep(func(a, b uint64) uint64 { return a * b })},
	"s_add_nc_u64":  {"l:ll", keep(func(a, b uint64) uint64 { return a + b })},
	"s_min_u32":     {"i:ii", func(a, b uint64, _ bool) (uint64, bool) { return min(a, b), a < b }},
	"s_max_u32":     {"i:ii", func(a, b uint64, _ bool) (uint64, bool) { return max(a, b), a > b }},
	"s_bfm_b32":     {"i:ii", keep(func(n, at uint64) uint64 { return low((1<<(n&31) - 1) << (at & 31)) })},
	"s_brev_b32":    {"i:i", keep(func(a, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) })},
	"s_bitcmp0_b32": {":ii", compare(func(a, b uint64) bool { return a>>(b&31)&1 == 0 })},
	"s_bitcmp1_b32": {":ii", compare(func(a, b uint64) bool { return a>>(b&31)&1 == 1 })},
	"s_lshl_b32":    {"i:ii", notZero(func(a, n uint64) uint64 { return low(a << (n & 31)) })},
	"s_lshr_b32":    {"i:ii", notZero(func(a, n uint64) uint64 { return a >> (n & 31) })},
	"s_ashr_i32":    {"i:ii", notZero(func(a, n uint64) uint64 { return low(uint64(int32(a) >> (n & 31))) })},
	"s_lshl_b64":    {"l:li", notZero(func(a, n uint64) uint64 { return a << (n & 63) })},
	"s_lshr_b64":    {"l:li", notZero(func(a, n uint64) uint64 { return a >> (n & 63) })},
	"s_cvt_f32_u32": {"f:i", keep(func(a, _ uint64) uint64 { return float32Bits(float32(uint32(a))) })},
	"s_cvt_u32_f32": {"i:f", keep(func(a, _ uint64) uint64 { return unsigned32(float64(float32Of(a))) })},
	"s_mul_f32":     {"f:ff", keep(func(a, b uint64) uint64 { return float32Bits(float32Of(a) * float32Of(b)) })},
}

func first(a, _ uint64) uint64 { return a }
func low(a uint64) uint64      { return uint64(uint32(a)) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// keep, notZero, compare and carry are operations that leave SCC alone, that say there whether the
// result is not 0, that have no other result, and that say whether there was a carry out of 32 bits.
func keep(f func(a, b uint64) uint64) scalarOperation {
	return func(a, b uint64, scc bool) (uint64, bool) { return f(a, b), scc }
}

func notZero(f func(a, b uint64) uint64) scalarOperation {
	return func(a, b uint64, _ bool) (uint64, bool) { v := f(a, b); return v, v != 0 }
}

func compare(f func(a, b uint64) bool) scalarOperation {
	return func(a, b uint64, _ bool) (uint64, bool) { return 0, f(a, b) }
}

func carry(f func(a, b uint64, scc bool) uint64) scalarOperation {
	return func(a, b uint64, scc bool) (uint64, bool) { v := f(a, b, scc); return low(v), v>>32 != 0 }
}

// addSigned and subSigned say in SCC whether the result does not fit.
func addSigned(a, b uint64, _ bool) (uint64, bool) { return fits(int64(int32(a)) + int64(int32(b))) }

func subSigned(a, b uint64, _ bool) (uint64, bool) { return fits(int64(int32(a)) - int64(int32(b))) }
func fits(v int64) (uint64, bool)                  { return low(uint64(v)), v != int64(int32(v)) }

// logic has operations on bits, by the middle of their names.
var logic = map[string]func(a, b uint64) uint64{
	"and":   func(a, b uint64) uint64 { return a & b },
	"or":    func(a, b uint64) uint64 { return a | b },
	"xor":   func(a, b uint64) uint64 { return a ^ b },
	"andn2": func(a, b uint64) uint64 { return a &^ b },
	"orn2":  func(a, b uint64) uint64 { return a | ^b },
}

// orders are comparisons of integers by their names: of the first operand to the second one, whether
// smaller, the same and larger is true.
var orders = map[string][3]bool{
	"lt": {true, false, false}, "eq": {false, true, false}, "le": {true, true, false}, "gt": {false, false, true}, "ge": {false, true, true},
	"lg": {true, false, true}, "ne": {true, false, true},
}

func init() {
	for size, kind := range map[string]string{"32": "i", "64": "l"} {
		cut := func(f func(a, b uint64) uint64) func(a, b uint64) uint64 {
			if size == "32" {
				return func(a, b uint64) uint64 { return low(f(a, b)) }
			}
			return f
		}
		for name, f := range logic {
			scalars["s_"+name+"_b"+size] = scalarOpcode{kind + ":" + kind + kind, notZero(cut(f))}
			scalars["s_"+name+"_saveexec_b"+size] = scalarOpcode{kind + ":" + kind, notZero(cut(f))}
		}
		scalars["s_mov_b"+size] = scalarOpcode{kind + ":" + kind, keep(first)}
		scalars["s_cselect_b"+size] = scalarOpcode{kind + ":" + kind + kind, func(a, b uint64, scc bool) (uint64, bool) {
			if scc {
				return a, scc
			}
			return b, scc
		}}
	}
	for name, is := range orders {
		unsigned := compare(func(a, b uint64) bool { return is[order(a, b)] })
		signed := compare(func(a, b uint64) bool { return is[order(int32(a), int32(b))] })
		scalars["s_cmp_"+name+"_u32"] = scalarOpcode{":ii", unsigned}
		scalars["s_cmp_"+name+"_i32"] = scalarOpcode{":ii", signed}
		scalars["s_cmpk_"+name+"_u32"] = scalarOpcode{":iu", unsigned}
		scalars["s_cmpk_"+name+"_i32"] = scalarOpcode{":ik", signed}
	}
}

// conditions are those of branches.
var conditions = map[string]func(w *wave) bool{
	"s_branch":         func(*wave) bool { return true },
	"s_cbranch_scc0":   func(w *wave) bool { return !w.scc },
	"s_cbranch_scc1":   func(w *wave) bool { return w.scc },
	"s_cbranch_vccz":   func(w *wave) bool { return w.mask(vcc) == 0 },
	"s_cbranch_vccnz":  func(w *wave) bool { return w.mask(vcc) != 0 },
	"s_cbranch_execz":  func(w *wave) bool { return w.mask(exec) == 0 },
	"s_cbranch_execnz": func(w *wave) bool { return w.mask(exec) != 0 },
}
