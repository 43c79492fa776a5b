package gputest

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// operand is a register, several consecutive registers, or a constant.
type operand struct {
	file  file
	at    int
	words int
	kind  byte            // its type, see operations
	value uint64          // of a constant
	lanes *[2]gcnRegister // that hold it
	abs   bool            // without its sign
	minus bool            // negated, after abs
}

// file says where an operand is.
type file uint8

const (
	gcnConstant file = iota
	scalarFile
	vectorFile
	laneNumber // each lane's own number
)

// Scalar registers with names.
const (
	vcc        = 106
	ttmp       = 108
	m0         = 124
	null       = 125
	gcnExec    = 126
	mostScalar = 128
)

var named = map[string]operand{
	"vcc": {at: vcc, words: 2}, "vcc_lo": {at: vcc, words: 1}, "vcc_hi": {at: vcc + 1, words: 1},
	"exec": {at: gcnExec, words: 2}, "exec_lo": {at: gcnExec, words: 1}, "exec_hi": {at: gcnExec + 1, words: 1},
	"m0": {at: m0, words: 1}, "null": {at: null, words: 1},
}

// wordsOf returns the number of registers of a type; m has a bit for each lane of a wave.
func (k *GCNKernel) wordsOf(kind byte) int {
	switch kind {
	case 'd', 'l', 'p':
		return 2
	case 'm', 'x':
		return k.Wave / 32
	}
	return 1
}

// operand reads an operand of a type: i and f for integers and floats of 32 bits, l and d of 64, p for two floats of
// 32 bits, m for a mask, k and u for 16 bits in the instruction with and without sign, w for any number of registers.
func (k *GCNKernel) operand(s string, kind byte) (o operand, err error) {
	o.kind = kind
	if kind == 'd' || kind == 'f' {
		s, o.minus = strings.CutPrefix(s, "-")
		if inner, ok := strings.CutPrefix(s, "|"); ok {
			s, o.abs = strings.TrimSuffix(inner, "|"), true
		}
		if s == "" || s[0] >= '0' && s[0] <= '9' && o.minus {
			s, o.minus = "-"+s, false
		}
	}
	switch r, ok := named[s]; {
	case ok:
		o.file, o.at, o.words = scalarFile, r.at, r.words
	case strings.HasPrefix(s, "ttmp"):
		o.file = scalarFile
		o.at, o.words, err = registers(s[4:], 16)
		o.at += ttmp
	case strings.HasPrefix(s, "s"):
		o.file = scalarFile
		o.at, o.words, err = registers(s[1:], vcc)
	case strings.HasPrefix(s, "v"):
		o.file = vectorFile
		o.at, o.words, err = registers(s[1:], k.Vector)
	default:
		return k.constant(s, o)
	}
	if want := k.wordsOf(kind); err == nil && kind != 'w' && o.words != want && o.at != null {
		err = fmt.Errorf("%d registers where there should be %d", o.words, want)
	}
	return o, err
}

// registers reads "7" or "[4:5]".
func registers(s string, most int) (at, words int, err error) {
	first, last, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ":")
	if !strings.HasPrefix(s, "[") {
		last = first
	}
	at, err = strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || at < 0 || to < at || to >= most {
		return 0, 0, fmt.Errorf("register %s is not known", strconv.Quote(s))
	}
	return at, to - at + 1, nil
}

// constant reads a number. In 64-bit instructions it is sign-extended; a hexadecimal constant of an FP64 number gives
// the upper half.
func (k *GCNKernel) constant(s string, o operand) (operand, error) {
	o.words = k.wordsOf(o.kind)
	wide := o.words == 2
	n, err := strconv.ParseInt(s, 0, 64)
	switch x, notNumber := strconv.ParseFloat(s, 64); {
	case err == nil && o.kind == 'u':
		o.value = uint64(uint16(n))
	case err == nil && o.kind == 'k':
		o.value = uint64(uint32(int16(n)))
	case err == nil && (n < math.MinInt32 || n > math.MaxUint32 || o.kind == 'l' && n > math.MaxInt32 || o.kind == 'p' && n != 0):
		return o, fmt.Errorf("constant %s is not known", s)
	case err == nil && o.kind == 'd' && strings.Contains(s, "0x"):
		o.value = uint64(n) << 32
	case err == nil && (wide || o.kind == 'm'):
		o.value = uint64(n)
	case err == nil:
		o.value = uint64(uint32(n))
	case notNumber != nil || !strings.Contains(s, ".") || strings.ContainsAny(s, "eE"):
		return o, fmt.Errorf("operand %s is not known", strconv.Quote(s))
	case wide:
		o.value = math.Float64bits(x)
	default:
		o.value = uint64(math.Float32bits(float32(x)))
	}
	if o.lanes = k.constants[o.value]; o.lanes == nil {
		o.lanes = &[2]gcnRegister{}
		o.lanes[0].fill(uint32(o.value))
		o.lanes[1].fill(uint32(o.value >> 32))
		k.constants[o.value] = o.lanes
	}
	return o, nil
}

// gcnSplit splits operands at commas and spaces.
func gcnSplit(s string) (all []string) {
	for one := range strings.SplitSeq(s, ",") {
		all = append(all, strings.Fields(one)...)
	}
	return all
}

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
	"s_addc_u32":    {"i:ii", carry(func(a, b uint64, scc bool) uint64 { return a + b + gcnTruth(scc) })},
	"s_sub_u32":     {"i:ii", carry(func(a, b uint64, _ bool) uint64 { return a - b })},
	"s_subb_u32":    {"i:ii", carry(func(a, b uint64, scc bool) uint64 { return a - b - gcnTruth(scc) })},
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

func gcnTruth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// keep, notZero, compare and carry make operations that leave SCC unchanged, set SCC if the result is not 0, set
// nothing but SCC, or set SCC on a carry out of 32 bits.
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

// addSigned and subSigned set SCC on overflow.
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

// orders are comparisons of integers by name: whether the comparison is true if the first operand is smaller than,
// equal to or larger than the second.
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

// conditions are the conditions of branches.
var conditions = map[string]func(w *wave) bool{
	"s_branch":         func(*wave) bool { return true },
	"s_cbranch_scc0":   func(w *wave) bool { return !w.scc },
	"s_cbranch_scc1":   func(w *wave) bool { return w.scc },
	"s_cbranch_vccz":   func(w *wave) bool { return w.mask(vcc) == 0 },
	"s_cbranch_vccnz":  func(w *wave) bool { return w.mask(vcc) != 0 },
	"s_cbranch_execz":  func(w *wave) bool { return w.mask(gcnExec) == 0 },
	"s_cbranch_execnz": func(w *wave) bool { return w.mask(gcnExec) != 0 },
}
