package gcnemu

import (
	"strings"
	"testing"
)

// examples of scalar operations: the result, and SCC before and after.
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
		case parts[2] == "saveexec": // by 5 of lanes 5 alone
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
