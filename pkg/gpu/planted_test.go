package gpu

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// anyBits is what a planted fault may be found by.
const anyBits = "other bits"

// plantedFault is an error in a kernel's text: what is replaced, and the fault that is wanted, or of two one.
type plantedFault struct{ kernel, find, replace, want string }

// TestPlantedFaults makes errors in the PTX of kernels that vectors and a product with a matrix
// run. Each is found: as a fault of the device, or by other bits of the result, in any order of
// threads, warps and blocks.
func TestPlantedFaults(t *testing.T) {
	testPlantedFaults(t, plantedPTX, func(kernel string) (begin, end string) { return ".entry " + kernel + "(", "\n}\n" }, map[string]plantedFault{
		"nothing":                    {"vector_dot", `ret;`, `ret;`, ""},
		"first barrier of a sum":     {"vector_dot", `bar\.sync[^\n]*\n`, "", "race: |never written"},
		"second barrier of a sum":    {"vector_xpay", `(ld\.shared\.f64[^\n]*\n[^\n]*)bar\.sync[^\n]*\n`, "$1", "race: "},
		"barrier of a half":          {"vector_dot", `(?s)bar\.sync(.*)$`, "@%p1 bra $$planted;\nbar.sync 0;\n$$planted:\nbar.sync$1", "bar.sync"},
		"distance of a shuffle":      {"vector_dot", `(shfl\.sync\.bfly\.b32\s*%r\d+, %r\d+), 16,`, "$1, 8,", anyBits},
		"sum of a product":           {"spmv_csr", `(shfl\.sync\.bfly\.b32\s*%r\d+, %r\d+), (%r\d+|1),`, "$1, 2,", anyBits},
		"stored beyond the end":      {"vector_axpy", `(st\.global\.f64[ \t]*\[%rd\d+)\]`, "$1+8192]", "outside of all buffers"},
		"read beyond the end":        {"spmv_csr", `(ld\.global(?:\.nc)?\.u32[^\n]*\[%rd\d+)\]`, "$1+65536]", "outside of all buffers"},
		"misaligned":                 {"vector_axpy", `(ld\.global\.f64[^\n]*\[%rd\d+)\]`, "$1+4]", "not aligned"},
		"two threads for an element": {"vector_axpy", `mov\.u32([ \t]*%r\d+), %tid\.x;`, "and.b32 $1, %tid.x, 127;", "race: |never written"},
		"two blocks for an element":  {"vector_axpy", `mov\.u32([ \t]*%r\d+), %ctaid\.x;`, "and.b32 $1, %ctaid.x, 1;", "race: "},
		"read as constant":           {"vector_axpy", `ld\.global\.f64`, "ld.global.nc.f64", ".nc"},
	})
}

// TestPlantedFaultsInAMDCode does the same with a code object for waves of 64.
func TestPlantedFaultsInAMDCode(t *testing.T) {
	open := func(t testing.TB, seed uint64, plant planting) *Device { return plantedAMD(t, "gfx90a", seed, plant) }
	testPlantedFaults(t, open, func(kernel string) (begin, end string) { return "<" + kernel + ">:", "\n\n" }, map[string]plantedFault{
		"nothing":                    {"vector_dot", `s_endpgm`, `s_endpgm`, ""},
		"first barrier of a sum":     {"vector_dot", `s_barrier`, "s_nop 0", "race: |never written"},
		"second barrier of a sum":    {"vector_xpay", `(ds_read_b64[^\n]*\n(?:[^\n]*\n){1,3}[^\n]*)s_barrier`, "${1}s_nop 0", "race: "},
		"barrier of a part":          {"vector_dot", `(?s)\ts_barrier(.*)$`, "\ts_mov_b32 exec_lo, 1\n\ts_barrier$1", "by a part of the wave"},
		"lanes switched on too late": {"vector_dot", `s_or_b64 exec, exec, s\[10:11\]`, "s_nop 0", "switched off|by a part of the wave"},
		"distance of an exchange":    {"vector_dot", `v_xor_b32_e32 (v\d+), 64,`, "v_xor_b32_e32 $1, 32,", anyBits},
		"sum of a product":           {"spmv_csr", `(?m)(ds_bpermute_b32 (v\d+), (v\d+), v\d+)`, "v_mov_b32_e32 $3, 0\n\t$1", anyBits},
		"stored beyond the end":      {"vector_axpy", `(global_store_dwordx2 [^/\n]*?) +//`, "$1 offset:4095 //", "outside of all buffers|not aligned"},
		"read beyond the end":        {"spmv_csr", `(s_load_dwordx\d+ s\[\d+:\d+\], s\[\d+:\d+\]), 0x`, "$1, 0xff", "outside of all buffers"},
		"misaligned":                 {"vector_axpy", `(global_load_dwordx2 [^/\n]*?) +//`, "$1 offset:2 //", "not aligned"},
		"two threads for an element": {"vector_axpy", `(v_lshl_or_b32 v\d+), s(\d+), 8, v0`, "$1, s$2, 7, v0", "race: |never written"},
		"two blocks for an element":  {"vector_axpy", `(v_lshl_or_b32 v\d+), s(\d+), 8, v0`, "$1, 0, 8, v0", "race: "},
	})
}

// testPlantedFaults runs some kernels with each fault, in order and at random. A kernel's text is between
// the words that of says.
func testPlantedFaults(t *testing.T, open func(t testing.TB, seed uint64, plant planting) *Device, of func(kernel string) (begin, end string), faults map[string]plantedFault) {
	if testing.Short() {
		t.Skip("interprets kernels")
	}
	right := vectorsAndProduct(open(t, 0, nil))
	if right.err != nil || len(right.bits) < 3000 {
		t.Fatalf("%d numbers, %v", len(right.bits), right.err)
	}
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			find := regexp.MustCompile(c.find)
			plant := func(text string) string {
				begin, last := of(c.kernel)
				at := strings.Index(text, begin)
				end := at + strings.Index(text[at:], last)
				changed := find.ReplaceAllString(text[at:end], c.replace)
				if changed == text[at:end] && c.want != "" {
					t.Fatalf("%s has nothing like %s", c.kernel, c.find)
				}
				return text[:at] + changed + text[end:]
			}
			for seed := range uint64(3) {
				got := vectorsAndProduct(open(t, seed, plant))
				same := slices.Equal(got.bits, right.bits)
				a, b, either := strings.Cut(c.want, "|")
				switch said := fmt.Sprint(got.err); {
				case c.want == "" || c.want == anyBits:
					if got.err != nil || same != (c.want == "") {
						t.Errorf("seed %d: same bits %v, %v", seed, same, got.err)
					}
				case got.err == nil || !strings.Contains(said, a) && !(either && strings.Contains(said, b)) || !strings.Contains(said, c.kernel):
					t.Errorf("seed %d: want %q, got %v", seed, c.want, got.err)
				}
			}
		})
	}
}

type outcome struct {
	bits []float64
	err  error
}

// vectorsAndProduct runs some kernels on a device and closes it.
func vectorsAndProduct(d *Device) (o outcome) {
	defer d.Close()
	m := sparse(1000, 1000, func(i int) int { return i % 40 })
	a, err := NewCSR(d, m)
	if err != nil {
		return outcome{nil, err}
	}
	s := newSpace(d, m.Rows)
	s.blocks = 4
	v := onDevice(s, normal(m.Rows, 1), normal(m.Rows, 2), normal(m.Rows, 3))
	a.Apply(v[0], v[1])
	s.Axpy(s.Dot(v[0], v[1]), v[0], v[1])
	s.Xpay(v[1], s.Dot(v[0], v[1]).Div(s.Dot(v[1], v[1])), v[2])
	for _, x := range v {
		o.bits = append(o.bits, s.fetched(x)...)
	}
	o.err = d.Err()
	return o
}

// Whole kernels in random order give the bits that they give in order, and no fault: products of
// every layout, vectors and sums.
func TestRandomOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("interprets kernels")
	}
	d := ptx(t, 1)
	s := newSpace(d, 257)
	defer s.Close()
	s.blocks = 2
	testVectors(t, s, rand.New(rand.NewPCG(1, 257)))
	testScalars(t, d)
	for _, name := range []string{"poisson3d", "elasticity3d", "powerlaw", "dense row"} {
		m := slotMatrices(t)[name]
		exact := newExact(m, normal(m.Cols, 3))
		for _, eps := range []float64{0x1p-24, 0x1p-53} {
			spec := afx(t, adaptive.NW, eps)
			checkSlots(t, slotted(t, d, m, spec, 1), exact, spec)
		}
		checkCSR(t, d, name, m, exact)
	}
}
