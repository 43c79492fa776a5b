package gputest

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// execute runs one instruction in lane 5 of a wave alone, and returns its result and mask. Operands are in v[10:11],
// v[12:13] and v[14:15], or s[10:11] and s[12:13]; masks in s[20:21].
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
	k := gcnParsed(t, 64, text)
	w := &wave{b: NewGCN().block(k, 64), v: make([]gcnRegister, k.Vector)}
	w.b.Left = 100
	w.reset(0)
	w.setMask(gcnExec, 1<<lane)
	for i, x := range values {
		for half := range 2 {
			w.v[10+2*i+half][lane] = uint32(x >> (32 * half))
			w.s[10+2*i+half] = uint32(x >> (32 * half))
		}
	}
	if i := strings.IndexByte(sources, 'm'); i >= 0 {
		w.write(20, 2, values[i]<<lane)
	}
	if i := strings.IndexByte(sources, '+'); i >= 0 { // the result is also an operand
		w.write(16, 2, values[i])
		w.v[16][lane], w.v[17][lane] = uint32(values[i]), uint32(values[i]>>32)
	}
	w.scc = scc
	if name == "v_div_fmas_f64" {
		w.write(vcc, 2, gcnTruth(scc)<<lane)
	}
	if err := w.ToBarrier(); err != nil {
		t.Fatal(err)
	}
	if file == "s" {
		return w.read(16, max(1, k.code[0].to.words)), w.mask(gcnExec), w.scc
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
		return v, w.mask(gcnExec) >> lane, w.scc
	}
	return v, w.mask(22) >> lane, w.scc
}

const f32one, all32, all64 = 0x3f800000, 1<<32 - 1, 1<<64 - 1

func d(v float64) uint64 { return math.Float64bits(v) }

// vectorExamples are operations worked out by hand from the manuals: operands, the result, and the bit in the mask.
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

// elsewhere lists operations without an example that other tests cover: divisions, comparisons and exchanges.
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

// TestComparisons compares special and random operands with exact arithmetic.
func TestComparisons(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	special := []uint64{0, 1, all32, all64, 1 << 31, 1 << 63, d(1), d(-1), d(math.Inf(1)), d(math.Inf(-1)), d(math.NaN())}
	for _, name := range slices.Sorted(maps.Keys(vectors)) {
		op, typ, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "v_cmpx_"), "v_cmp_"), "_")
		if !strings.HasPrefix(name, "v_cmp") || !ok || op == "class" {
			continue
		}
		for range 40 {
			a, b := special[random.IntN(len(special))], special[random.IntN(len(special))]
			if _, bit, _ := execute(t, name, vectors[name].types, a, b, 0, false); bit != gcnTruth(holds(op, typ, a, b)) {
				t.Errorf("%s of %#x and %#x is %d", name, a, b, bit)
			}
		}
	}
}

// holds reports whether a comparison is true.
func holds(op, typ string, a, b uint64) bool {
	number := func(v uint64) *big.Float {
		switch typ {
		case "u32":
			v &= all32
		case "i32":
			return big.NewFloat(float64(int32(v)))
		case "i64":
			return new(big.Float).SetInt64(int64(v))
		case "f64":
			return big.NewFloat(math.Float64frombits(v))
		}
		return new(big.Float).SetUint64(v)
	}
	if nan := func(v uint64) bool { return typ == "f64" && v&^(1<<63) > 0x7ff<<52 }; nan(a) || nan(b) {
		return op[0] == 'n' || op == "u"
	}
	c := number(a).Cmp(number(b))
	switch op {
	case "lt", "nge":
		return c < 0
	case "le", "ngt":
		return c <= 0
	case "gt", "nle":
		return c > 0
	case "ge", "nlt":
		return c >= 0
	case "eq", "nlg":
		return c == 0
	case "ne", "lg", "neq":
		return c != 0
	}
	return op == "o"
}

// divided returns c / b by LLVM's sequence for a division in FP64.
func divided(c, b uint64) uint64 {
	const sign = 1 << 63
	one := d(1)
	den := divideScale(b, b, c)
	r := rough(1 / of(den))
	r = fma(r, fma(den^sign, r, one), r)
	r = fma(r, fma(den^sign, r, one), r)
	num := divideScale(c, b, c)
	q := bitsOf(of(num) * of(r))
	rest := fma(den^sign, q, num)
	if divideScaled(c, b, c) == 1 {
		q = divideFMA(rest, r, q)
	} else {
		q = fma(rest, r, q)
	}
	return divideFixup(q, b, c)
}

// Divisions round correctly although reciprocals are wrong in 30 bits, except for the case that gcnvectors.go
// describes.
func TestDivision(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	special := []float64{0, 1, -1, 3, 0x1p-1074, 0x1p-1050, 0x1p-1022, 0x1p-1000, 0x1p1000, math.MaxFloat64, math.Inf(1), math.NaN(), 1 / 3., 0x1p52, 2 - 0x1p-52}
	pick := func() float64 {
		switch random.IntN(4) {
		case 0:
			return special[random.IntN(len(special))]
		case 1:
			return math.Float64frombits(random.Uint64())
		}
		return (1 + random.Float64()) * math.Ldexp(1, random.IntN(100)-50)
	}
	const fraction = 1<<52 - 1
	for range 100_000 {
		c, b := pick(), pick()
		got, want := of(divided(bitsOf(c), bitsOf(b))), c/b
		known := bitsOf(b)&fraction == fraction && bitsOf(c)&fraction == 0 && math.Abs(got) == math.Nextafter(math.Abs(want), 0)
		if bitsOf(got) != bitsOf(want) && !(got != got && want != want) && !known {
			t.Fatalf("%x / %x is %x, want %x", c, b, got, want)
		}
	}
	if v := of(rough(1. / 3)); v == 1./3 || math.Abs(v*3-1) > 0x1p-22 {
		t.Errorf("1/3 is about %x", v)
	}
	if v := math.Float32frombits(uint32(rough32(1. / 3))); math.Abs(float64(v)*3-1) > 0x1p-22 {
		t.Errorf("1/3 is about %x in FP32", v)
	}
}

// scalarExamples are scalar operations: the result, and SCC before and after.
var scalarExamples = []struct {
	name     string
	a, b     uint64
	scc      bool
	v        uint64
	afterSCC bool
}{
	{"s_movk_i32", 0xff80, 0, true, all32 - 127, true},
	{"s_addk_i32", 0x7fffffff, 1, false, 0x80000000, true},
	{"s_mulk_i32", 7, 0xffff, true, all32 - 6, true},
	{"s_add_i32", 0x7fffffff, 1, false, 0x80000000, true},
	{"s_add_i32", all32, 1, true, 0, false},
	{"s_sub_i32", 0x80000000, 1, false, 0x7fffffff, true},
	{"s_sub_i32", 1, 2, true, all32, false},
	{"s_add_u32", all32, 1, false, 0, true},
	{"s_addc_u32", all32, 0, true, 0, true},
	{"s_addc_u32", 1, 2, true, 4, false},
	{"s_sub_u32", 1, 2, false, all32, true},
	{"s_subb_u32", 2, 2, true, all32, true},
	{"s_mul_i32", all32, 3, true, all32 - 2, true},
	{"s_mul_hi_u32", all32, 3, true, 2, true},
	{"s_mul_u64", 1 << 40, 3, true, 3 << 40, true},
	{"s_add_nc_u64", all64, 3, true, 2, true},
	{"s_min_u32", 3, all32, false, 3, true},
	{"s_max_u32", 3, all32, true, all32, false},
	{"s_bfm_b32", 4, 8, true, 0xf00, true},
	{"s_brev_b32", 8, 0, true, 1 << 28, true},
	{"s_bitcmp0_b32", 8, 3, true, garbage, false},
	{"s_bitcmp1_b32", 8, 35, false, garbage, true},
	{"s_lshl_b32", 0x80000001, 33, false, 2, true},
	{"s_lshr_b32", 1, 1, true, 0, false},
	{"s_ashr_i32", 0x80000000, 4, false, 0xf8000000, true},
	{"s_lshl_b64", 1, 40, false, 1 << 40, true},
	{"s_lshr_b64", 1 << 40, 40, false, 1, true},
	{"s_cvt_f32_u32", 1, 0, true, f32one, true},
	{"s_cvt_u32_f32", 0x40600000, 0, true, 3, true},
	{"s_mul_f32", f32one, 0x40400000, true, 0x40400000, true},
	{"s_and_b32", 0xff00, 0x1234, false, 0x1200, true},
	{"s_and_b64", 0xff00 << 32, 0x1234 << 32, false, 0x1200 << 32, true},
	{"s_or_b32", 0, 0, true, 0, false},
	{"s_or_b64", 1 << 40, 1, false, 1<<40 | 1, true},
	{"s_xor_b32", 5, 5, true, 0, false},
	{"s_xor_b64", 5, 4, false, 1, true},
	{"s_andn2_b32", 7, 5, false, 2, true},
	{"s_andn2_b64", 7, 7, true, 0, false},
	{"s_orn2_b32", 0, 5, false, all32 - 5, true},
	{"s_orn2_b64", 0, 5, false, all64 - 5, true},
	{"s_mov_b32", 7, 0, true, 7, true},
	{"s_mov_b64", 7 << 40, 0, true, 7 << 40, true},
	{"s_cselect_b32", 7, 8, true, 7, true},
	{"s_cselect_b64", 7, 8 << 40, false, 8 << 40, false},
}

func TestScalarOperations(t *testing.T) {
	tested := map[string]bool{}
	for _, x := range scalarExamples {
		tested[x.name] = true
		if v, _, scc := execute(t, x.name, scalars[x.name].types, x.a, x.b, 0, x.scc); v != x.v || scc != x.afterSCC {
			t.Errorf("%s of %#x, %#x is %#x and %v, want %#x and %v", x.name, x.a, x.b, v, scc, x.v, x.afterSCC)
		}
	}
	for name, op := range scalars {
		switch parts := strings.Split(name, "_"); {
		case parts[1] == "cmp" || parts[1] == "cmpk":
			for _, x := range [][2]uint64{{3, 5}, {5, 5}, {all32, 5}, {5, 0x7fff}} {
				if _, _, scc := execute(t, name, op.types, x[0], x[1], 0, false); scc != holds(parts[2], parts[3], x[0], x[1]) {
					t.Errorf("%s of %#x and %#x is %v", name, x[0], x[1], scc)
				}
			}
		case parts[2] == "saveexec": // by lane 5 alone
			if strings.HasSuffix(name, "b32") {
				continue
			}
			want := map[string]uint64{"and": 0x20, "or": 0x30 | 0x20, "xor": 0x10, "andn2": 0x10, "orn2": all64 ^ 0x20 | 0x30}[parts[1]]
			if was, now, scc := execute(t, name, op.types, 0x30, 0, 0, false); was != 0x20 || now != want || scc != (want != 0) {
				t.Errorf("%s: %#x, EXEC %#x, SCC %v", name, was, now, scc)
			}
		case !tested[name]:
			t.Errorf("%s has no example", name)
		}
	}
}
