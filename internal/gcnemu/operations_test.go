package gcnemu

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// execute runs one instruction in lane 5 of a wave alone, and returns its result and mask. Operands
// are in v[10:11], v[12:13] and v[14:15], or s[10:11] and s[12:13]; masks in s[20:21].
func execute(t *testing.T, name, types string, a, b, c uint64, scc bool) (v, mask uint64, sccNow bool) {
	t.Helper()
	const lane = 5
	file := "v"
	if strings.HasPrefix(name, "s_") {
		file = "s"
	}
	results, sources, _ := strings.Cut(types, ":")
	var operands []string
	place := func(kind byte, at int) string {
		switch kind {
		case 'd', 'l', 'p':
			return fmt.Sprintf("%s[%d:%d]", file, at, at+1)
		}
		return fmt.Sprintf("%s%d", file, at)
	}
	for _, kind := range []byte(results) {
		switch kind {
		case 'm':
			operands = append(operands, "s[22:23]")
		case 'x':
		default:
			operands = append(operands, place(kind, 16))
		}
	}
	values := []uint64{a, b, c}
	for i, kind := range []byte(sources) {
		switch kind {
		case 'm':
			operands = append(operands, "s[20:21]")
		case 'k', 'u':
			operands = append(operands, fmt.Sprint(uint16(values[i])))
		case '+', '#':
		default:
			operands = append(operands, place(kind, 10+2*i))
		}
	}
	text := name + " " + strings.Join(operands, ", ")
	if name == "v_pk_mov_b32" {
		text += " op_sel:[0,1]"
	}
	k := parsed(t, 64, text)
	w := &wave{b: New().block(k, 64), v: make([]register, k.Vector)}
	w.b.Left = 100
	w.reset(0)
	w.setMask(exec, 1<<lane)
	for i, x := range values {
		for half := range 2 {
			w.v[10+2*i+half][lane] = uint32(x >> (32 * half))
			w.s[10+2*i+half] = uint32(x >> (32 * half))
		}
	}
	if i := strings.IndexByte(sources, 'm'); i >= 0 {
		w.write(20, 2, values[i]<<lane)
	}
	if i := strings.IndexByte(sources, '+'); i >= 0 { // the result is an operand
		w.write(16, 2, values[i])
		w.v[16][lane], w.v[17][lane] = uint32(values[i]), uint32(values[i]>>32)
	}
	w.scc = scc
	if name == "v_div_fmas_f64" {
		w.write(vcc, 2, truth(scc)<<lane)
	}
	if err := w.ToBarrier(); err != nil {
		t.Fatal(err)
	}
	if file == "s" {
		return w.read(16, max(1, k.code[0].to.words)), w.mask(exec), w.scc
	}
	v = uint64(w.v[16][lane])
	if k.code[0].to.words == 2 {
		v |= uint64(w.v[17][lane]) << 32
	}
	for l := range mostLanes {
		if l != lane && strings.ContainsAny(results, "ildfp") && w.v[16][l] != garbage {
			t.Errorf("%s writes lane %d, which is switched off", name, l)
		}
	}
	if strings.ContainsRune(results, 'x') {
		return v, w.mask(exec) >> lane, w.scc
	}
	return v, w.mask(22) >> lane, w.scc
}

const f32one, all32, all64 = 0x3f800000, 1<<32 - 1, 1<<64 - 1

func d(v float64) uint64 { return math.Float64bits(v) }

// examples of operations, by hand from the manuals: operands, the result, and the bit in the mask.
var vectorExamples = []struct {
	name    string
	a, b, c uint64
	v, bit  uint64
}{
	{"v_mov_b32", 0x1234567890, 0, 0, 0x34567890, 0},
	{"v_mov_b64", 0x1234567890, 0, 0, 0x1234567890, 0},
	{"v_pk_mov_b32", 0x1111111122222222, 0x3333333344444444, 0, 0x3333333322222222, 0},
	{"v_not_b32", 0xf0f0f0f0, 0, 0, 0x0f0f0f0f, 0},
	{"v_and_b32", 0xff00ff00, 0x12345678, 0, 0x12005600, 0},
	{"v_or_b32", 0xff00ff00, 0x12345678, 0, 0xff34ff78, 0},
	{"v_xor_b32", 0xff00ff00, 0x12345678, 0, 0xed34a978, 0},
	{"v_and_or_b32", 0xff, 0x1234, 0x5600, 0x5634, 0},
	{"v_lshl_or_b32", 3, 36, 1, 49, 0},
	{"v_lshl_add_u32", 3, 4, all32, 47, 0},
	{"v_lshl_add_u64", 3, 4, all64, 47, 0},
	{"v_add_lshl_u32", all32, 3, 4, 32, 0},
	{"v_add3_u32", all32, 3, 4, 6, 0},
	{"v_lshlrev_b32", 33, 0x80000001, 0, 2, 0},
	{"v_lshrrev_b32", 33, 0x80000001, 0, 0x40000000, 0},
	{"v_ashrrev_i32", 4, 0x80000000, 0, 0xf8000000, 0},
	{"v_lshlrev_b64", 65, 0x8000000080000001, 0, 0x100000002, 0},
	{"v_ashrrev_i64", 68, 0x8000000080000001, 0, 0xf800000008000000, 0},
	{"v_ffbh_u32", 0, 0, 0, all32, 0},
	{"v_ffbh_u32", 0x00ffffff, 0, 0, 8, 0},
	{"v_lshrrev_b64", 4, 0x8000000080000001, 0, 0x0800000008000000, 0},
	{"v_alignbit_b32", 0x11223344, 0x55667788, 40, 0x44556677, 0},
	{"v_bfe_u32", 0x12345678, 4, 8, 0x67, 0},
	{"v_bfe_u32", 0x12345678, 4, 32, 0, 0},
	{"v_bfe_i32", 0x12345678, 4, 7, 0xffffffe7, 0},
	{"v_bfe_i32", 0x12345678, 8, 6, 0x16, 0},
	{"v_bfe_i32", 0x12345678, 8, 0, 0, 0},
	{"v_add_u32", all32, 3, 0, 2, 0},
	{"v_sub_u32", 2, 3, 0, all32, 0},
	{"v_subrev_u32", 2, 3, 0, 1, 0},
	{"v_add_co_u32", all32, 3, 0, 2, 1},
	{"v_add_co_u32", all32, 0, 0, all32, 0},
	{"v_addc_co_u32", all32, 0, 1, 0, 1},
	{"v_addc_co_u32", 7, 8, 0, 15, 0},
	{"v_sub_co_u32", 2, 3, 0, all32, 1},
	{"v_sub_co_u32", 3, 3, 0, 0, 0},
	{"v_subb_co_u32", 3, 3, 1, all32, 1},
	{"v_subb_co_u32", 3, 2, 1, 0, 0},
	{"v_subbrev_co_u32", 3, 3, 1, all32, 1},
	{"v_subbrev_co_u32", 2, 4, 1, 1, 0},
	{"v_min_u32", all32, 3, 0, 3, 0},
	{"v_max_u32", all32, 3, 0, all32, 0},
	{"v_mul_lo_u32", 0x10001, 0x10001, 0, 0x20001, 0},
	{"v_mul_hi_u32", 0x10001, 0x10001, 0, 1, 0},
	{"v_mul_u32_u24", 0xff000003, 5, 0, 15, 0},
	{"v_mul_hi_u32_u24", 0xffffff, 0xffffff, 0, 0xffff, 0},
	{"v_mad_u32_u24", 0xff000003, 5, 1, 16, 0},
	{"v_mad_u64_u32", all32, all32, 1<<33 - 1, 0, 1},
	{"v_mad_u64_u32", 3, 5, 7, 22, 0},
	{"v_cndmask_b32", 3, 5, 0, 3, 0},
	{"v_cndmask_b32", 3, 5, 1, 5, 0},
	{"v_mbcnt_lo_u32_b32", all32, 7, 0, 12, 0},
	{"v_mbcnt_hi_u32_b32", all32, 7, 0, 7, 0},
	{"v_add_f64", d(1), d(0x1p-53), 0, d(1), 0},
	{"v_mul_f64", d(3), d(-0.5), 0, d(-1.5), 0},
	{"v_fma_f64", d(1 + 0x1p-52), d(1 + 0x1p-52), d(-1), d(0x1p-51 + 0x1p-104), 0},
	{"v_fmac_f64", d(1 + 0x1p-52), d(1 + 0x1p-52), d(-1), d(0x1p-51 + 0x1p-104), 0},
	{"v_ldexp_f64", d(3), all32 - 1073, 0, d(0x1.8p-1073), 0},
	{"v_ldexp_f64", d(1.5), all32 - 1074, 0, d(0x1p-1074), 0},
	{"v_cmp_class_f64", d(math.Inf(-1)), 1 << 2, 0, 0, 1},
	{"v_cmp_class_f64", d(-1), 1 << 3, 0, 0, 1},
	{"v_cmp_class_f64", d(-0x1p-1070), 1 << 4, 0, 0, 1},
	{"v_cmp_class_f64", 1 << 63, 1 << 5, 0, 0, 1},
	{"v_cmp_class_f64", 0, 1 << 6, 0, 0, 1},
	{"v_cmp_class_f64", d(0x1p-1070), 1 << 7, 0, 0, 1},
	{"v_cmp_class_f64", d(1), 1 << 8, 0, 0, 1},
	{"v_cmp_class_f64", d(math.Inf(1)), 1<<9 | 1, 0, 0, 1},
	{"v_cmp_class_f64", 0x7ff8 << 48, 2, 0, 0, 1},
	{"v_cmp_class_f64", 0x7ff4 << 48, 1, 0, 0, 1},
	{"v_cmp_class_f64", d(1), 0x3ff &^ (1 << 8), 0, 0, 0},
	{"v_mul_f32", f32one, 0x40400000, 0, 0x40400000, 0},
	{"v_cvt_f64_f32", 0x40400000, 0, 0, d(3), 0},
	{"v_cvt_f64_i32", all32, 0, 0, d(-1), 0},
	{"v_cvt_f64_u32", all32, 0, 0, d(1<<32 - 1), 0},
	{"v_cvt_f32_i32", all32, 0, 0, 0xbf800000, 0},
	{"v_cvt_f32_u32", all32, 0, 0, 0x4f800000, 0},
	{"v_cvt_f32_f64", d(1 + 0x1p-24), 0, 0, f32one, 0},
	{"v_cvt_u32_f32", 0xbf800000, 0, 0, 0, 0},
	{"v_cvt_u32_f32", 0x7f800000, 0, 0, all32, 0},
	{"v_cvt_u32_f32", 0x40600000, 0, 0, 3, 0},
	{"v_cvt_i32_f64", d(-3.7), 0, 0, all32 - 2, 0},
	{"v_cvt_i32_f64", d(1e10), 0, 0, 1<<31 - 1, 0},
	{"v_cvt_i32_f64", d(math.NaN()), 0, 0, 0, 0},
}

// elsewhere tests what has no example: divisions, comparisons and exchanges.
var elsewhere = []string{"v_rcp_f64", "v_rsq_f64", "v_rcp_iflag_f32", "v_div_scale_f64", "v_div_fmas_f64", "v_div_fixup_f64", "v_readfirstlane_b32", "ds_bpermute_b32"}

func TestVectorOperations(t *testing.T) {
	tested := map[string]bool{}
	for _, x := range vectorExamples {
		tested[x.name] = true
		v, bit, _ := execute(t, x.name, vectors[x.name].types, x.a, x.b, x.c, false)
		result := vectors[x.name].f != nil
		if result && v != x.v || vectors[x.name].bit != nil && bit != x.bit {
			t.Errorf("%s of %#x, %#x, %#x is %#x and %d, want %#x and %d", x.name, x.a, x.b, x.c, v, bit, x.v, x.bit)
		}
	}
	for name := range vectors {
		if !tested[name] && !slices.Contains(elsewhere, name) && !strings.HasPrefix(name, "v_cmp") {
			t.Errorf("%s has no example", name)
		}
	}
}
