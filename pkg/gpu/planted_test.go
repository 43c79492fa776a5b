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

// TestPlantedFaults makes errors in the PTX of kernels that vectors and a product with a matrix
// run. Each is found: as a fault of the device, or by other bits of the result, in any order of
// threads, warps and blocks.
func TestPlantedFaults(t *testing.T) {
	const anyBits = "other bits"
	right := vectorsAndProduct(plantedPTX(t, 0, nil))
	if right.err != nil || len(right.bits) < 3000 {
		t.Fatalf("%d numbers, %v", len(right.bits), right.err)
	}
	for name, c := range map[string]struct{ kernel, find, replace, want string }{
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
	} {
		t.Run(name, func(t *testing.T) {
			find := regexp.MustCompile(c.find)
			plant := func(text string) string {
				at := strings.Index(text, ".entry "+c.kernel+"(")
				end := at + strings.Index(text[at:], "\n}\n")
				changed := find.ReplaceAllString(text[at:end], c.replace)
				if changed == text[at:end] && c.want != "" {
					t.Fatalf("%s has nothing like %s", c.kernel, c.find)
				}
				return text[:at] + changed + text[end:]
			}
			for seed := range uint64(3) {
				got := vectorsAndProduct(plantedPTX(t, seed, plant))
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
	s := NewSpace(d, m.Rows)
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
	s := NewSpace(d, 257)
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
