package gcnemu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// start has the addresses of the buffers in s[8:9] and s[10:11], and 8 times the thread in v1.
const start = `s_load_dwordx4 s[8:11], s[4:5], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32_e32 v1, 3, v0
`

// inWaves are instructions of waves of 64, as they are for a wave of some size.
func inWaves(wave int, body string) string {
	if wave == 64 {
		return body
	}
	return strings.NewReplacer("saveexec_b64 s[20:21]", "saveexec_b32 s20", "_b64 exec, exec, s[20:21]", "_b32 exec_lo, exec_lo, s20", "vcc,", "vcc_lo,", "vcc\n", "vcc_lo\n").Replace(body)
}

// Lanes that are switched off keep their registers, and blocks pass numbers through LDS and between
// lanes, in all orders.
func TestRun(t *testing.T) {
	const body = start + `v_cmp_gt_u32_e32 vcc, 8, v0
v_mov_b32_e32 v2, 5
s_and_saveexec_b64 s[20:21], vcc
s_cbranch_execz 3
v_lshl_add_u32 v2, s6, 10, v0
ds_write_b32 v1, v2
v_mov_b32_e32 v2, 7
s_or_b64 exec, exec, s[20:21]
s_barrier
v_and_b32_e32 v3, 7, v0
v_xor_b32_e32 v3, 1, v3
v_lshlrev_b32_e32 v3, 3, v3
ds_read_b32 v4, v3
v_lshlrev_b32_e32 v5, 2, v0
v_xor_b32_e32 v5, 4, v5
v_add_u32_e32 v6, v2, v4
ds_bpermute_b32 v4, v5, v6
s_mul_i32 s7, s6, 0x600
v_add_u32_e32 v7, s7, v1
v_mov_b32_e32 v5, v2
global_store_dwordx2 v7, v[4:5], s[8:9]
s_barrier`
	const blocks, threads = 3, 192
	eachOrder(t, func(t *testing.T, d *Device, wave int) {
		k := parsed(t, wave, inWaves(wave, body))
		out := buffer(t, d, make([]uint64, blocks*threads)...)
		for range 2 { // the second launch finds what the first one left
			if err := d.Launch(k, blocks, threads, [][]byte{words(out), words(0), words(0)}); err != nil {
				t.Fatal(err)
			}
			for i, v := range contents(t, d, out, blocks*threads) {
				of := func(t int) uint64 {
					if t < 8 {
						return 7
					}
					return 5
				}
				thread := i % threads
				low := of(thread^1) + uint64(i/threads<<10+thread%8)
				if want := of(thread)<<32 | low; v != want {
					t.Fatalf("thread %d of block %d has %#x, want %#x", thread, i/threads, v, want)
				}
			}
		}
	})
}

// What is executed is known by class: requests to memory, and the lines of 64 bytes that they touch.
func TestCounts(t *testing.T) {
	k := parsed(t, 64, start+`global_load_dwordx2 v[2:3], v1, s[10:11]
v_add_f64 v[2:3], v[2:3], 1.0
v_cmp_gt_u32_e32 vcc, 8, v0
s_and_saveexec_b64 s[20:21], vcc
global_store_dwordx2 v1, v[2:3], s[8:9]`)
	d := New()
	out, in := buffer(t, d, make([]uint64, 64)...), buffer(t, d, make([]uint64, 64)...)
	for range 3 {
		if err := d.Launch(k, 1, 64, [][]byte{words(out), words(in), words(0)}); err != nil {
			t.Fatal(err)
		}
	}
	want := simt.Total{
		Instructions: 3 * 9, Threads: 3 * (7*64 + 8 + 8), LoadRequests: 3, LoadSectors: 3 * 8, StoreRequests: 3, StoreSectors: 3, Unique: 3 * 9,
		ByClass: map[string]uint64{"smem": 3, "wait": 3, "valu": 6, "vmem": 6, "fp64": 3, "salu": 3, "branch": 3},
	}
	if g, w := fmt.Sprint(d.Counts(k).Total()), fmt.Sprint(want); g != w {
		t.Errorf("%s, want\n%s", g, w)
	}
}

// Every fault is found, in every order and for both sizes of waves.
func TestFaults(t *testing.T) {
	const (
		own   = "global_store_dwordx2 v1, v[0:1], s[8:9]\n"
		other = "v_xor_b32_e32 v3, 0x200, v1\n" // another wave's element
		first = "v_cmp_eq_u32_e32 vcc, 0, v0\ns_and_saveexec_b64 s[20:21], vcc\n"
	)
	for name, c := range map[string]struct {
		body string
		want string // of two with | between them one
	}{
		"none":               {own + "global_load_dwordx2 v[2:3], v1, s[8:9]", ""},
		"beyond the end":     {"global_load_dwordx2 v[2:3], v1, s[8:9] offset:8", "thread 127 of block 0: byte 1024 of 1024 is outside of all buffers"},
		"before the start":   {"global_load_dword v2, v1, s[8:9] offset:-4", "outside of all buffers"},
		"misaligned":         {"global_load_dwordx2 v[2:3], v1, s[8:9] offset:2", "not aligned to 4 bytes"},
		"not written":        {"s_load_dwordx2 s[12:13], s[4:5], 0x10\nglobal_load_dword v2, v1, s[12:13]", "never written"},
		"two write":          {"v_mov_b32_e32 v2, 0\nglobal_store_dword v2, v0, s[8:9]", "race: writes what thread"},
		"two write one":      {"v_mov_b32_e32 v2, 0\nglobal_store_dword v2, v2, s[8:9]", ""},
		"another's":          {own + other + "global_load_dwordx2 v[4:5], v3, s[8:9]", "race: "},
		"after a barrier":    {own + "s_barrier\n" + other + "global_load_dwordx2 v[4:5], v3, s[8:9]", ""},
		"by s_load":          {own + "s_barrier\ns_load_dword s12, s[8:9], 0x8", "reads by s_load what thread"},
		"by s_load before":   {"s_load_dword s12, s[8:9], 0x8\ns_barrier\n" + own, ""},
		"LDS outside":        {"ds_write_b32 v1, v0", "outside of shared memory"},
		"LDS, not written":   {"v_and_b32_e32 v2, 56, v1\nds_read_b32 v3, v2", "never written"},
		"LDS, two write":     {"v_mov_b32_e32 v2, 0\nds_write_b32 v2, v0", "race"},
		"LDS, no barrier":    {"v_mov_b32_e32 v2, 0\n" + first + "ds_write_b32 v2, v0\ns_or_b64 exec, exec, s[20:21]\nds_read_b32 v3, v2", "race: |never written"},
		"lane switched off":  {"v_mov_b32_e32 v2, 4\n" + first + "ds_bpermute_b32 v3, v2, v0", "lane 0 asks lane 1, which is switched off"},
		"barrier of a part":  {"v_cmp_eq_u32_e32 vcc, 5, v0\ns_and_saveexec_b64 s[20:21], vcc\ns_barrier", "by a part of the wave"},
		"barrier of a wave":  {"v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz 1\ns_barrier", "of 2 warps wait at|of 4 warps wait at"},
		"does not end":       {"s_branch 65535", "more than 10000 instructions"},
		"registers at start": {"global_load_dword v2, v9, s[8:9]", "outside of all buffers"},
	} {
		t.Run(name, func(t *testing.T) {
			eachOrder(t, func(t *testing.T, d *Device, wave int) {
				d.Limit(10_000)
				k := parsed(t, wave, inWaves(wave, start+c.body))
				err := d.Launch(k, 1, 128, [][]byte{words(buffer(t, d, make([]uint64, 128)...)), words(buffer(t, d, 1)), words(d.Alloc(1024))})
				if c.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				a, b, either := strings.Cut(c.want, "|")
				if either && err != nil && strings.Contains(err.Error(), b) {
					a = b
				}
				wantFault(t, err, "test, block 0: ", a)
				if again := d.Launch(k, 1, 128, nil); again == nil || again.Error() != fmt.Sprint(err) {
					t.Errorf("after the fault: %v", again)
				}
			})
		})
	}
}

// What is not known is an error that names the line and the instruction.
func TestParseErrors(t *testing.T) {
	for body, want := range map[string]string{
		"v_frobnicate_b32 v1, v2":                        "not known",
		"s_frobnicate_b32 s1, s2":                        "not known",
		"global_atomic_add v1, v2, s[8:9]":               "not known",
		"v_add_f64 v[2:3], v[4:5]":                       "operands are missing",
		"v_add_f64 v[2:3], v[4:5], v6":                   "1 registers where there should be 2",
		"v_add_u32_e32 s2, v1, v2":                       "not such a register",
		"v_add_u32_e32 v2, v1, v40":                      "register \"40\" is not known",
		"v_add_u32_e32 v2, v1, banana":                   "operand \"banana\" is not known",
		"v_add_u32_e32 v2, v1, v2 clamp":                 "\"clamp\" is not known",
		"v_add_f64 v[2:3], v[4:5], v[6:7] mul:2":         "\"mul:2\" is not known",
		"s_add_u32 s1, s2, v3":                           "not known",
		"s_load_dwordx2 s1, s[4:5], 0x0":                 "1 registers for 2 elements",
		"global_load_dwordx2 v[2:3], v[4:5], off glc":    "\"glc\" is not known",
		"global_load_dwordx2 v2, v[4:5], off":            "1 registers for 2 elements",
		"s_branch 7":                                     "leaves the kernel",
		"s_cbranch_cdbgsys 1":                            "not known",
		"v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1": "not known",
		"v_pk_mov_b32 v[2:3], v[4:5], v[6:7]":            "not known",
		"s_mov_b64 s[2:3], 0x80000000":                   "constant 0x80000000 is not known",
	} {
		_, err := Parse(kernelOf(64), listing(body+"\ns_endpgm"))
		wantFault(t, err, "test, line ", want)
	}
	for what, change := range map[string]func(k *Kernel){
		"8 bytes of scratch":           func(k *Kernel) { k.Private = 8 },
		"mode 0xc0":                    func(k *Kernel) { k.Float = 0xc0 },
		"wants other scalar registers": func(k *Kernel) { k.Preloaded = 2 },
		"waves of 16":                  func(k *Kernel) { k.Wave = 16 },
		"does not begin at 0x100":      func(k *Kernel) { k.Entry = 0x100 },
	} {
		of := kernelOf(64)
		k := Kernel{Kernel: *of["test"]}
		change(&k)
		*of["test"] = k.Kernel
		_, err := Parse(of, listing("s_endpgm"))
		wantFault(t, err, what)
	}
	_, err := Parse(kernelOf(64), "hello\n")
	wantFault(t, err, "there is no code of test")
}

// What the host does wrong is an error, but no fault of the device.
func TestHostErrors(t *testing.T) {
	d, k := New(), parsed(t, 64, "s_nop 0")
	three := [][]byte{words(1), words(2), words(3)}
	for want, err := range map[string]error{
		"32 threads":                     d.Launch(k, 1, 32, three),
		"has 3 arguments, not 2":         d.Launch(k, 1, 64, three[:2]),
		"argument 2 has 8 bytes, not 16": d.Launch(k, 1, 64, [][]byte{words(1), words(2), words(3, 4)}),
	} {
		wantFault(t, err, want)
	}
	if err := d.Launch(k, 1, 64, three); err != nil {
		t.Error(err)
	}
	if !slices.Equal((&Module{kernels: map[string]*Kernel{"b": k, "a": k}}).Kernels(), []string{"a", "b"}) {
		t.Error("kernels are not sorted")
	}
}
