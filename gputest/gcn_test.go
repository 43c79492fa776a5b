package gputest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kernelOf returns the kernel of described by its name.
func kernelOf(wave int) map[string]*CodeKernel {
	return map[string]*CodeKernel{"test": described(wave)}
}

// described returns a description of a kernel "test" with three buffers as arguments, whose addresses are at s[4:5];
// s6 holds the block's number and v0 the thread's.
func described(wave int) *CodeKernel {
	k := &CodeKernel{
		Name: "test", Shared: 64, ArgBytes: 24, Wave: wave, Threads: 256, Vector: 40, Float: nearestAndSubnormals,
		Arguments: []CodeArgument{{At: 0, Size: 8}, {At: 8, Size: 8}, {At: 16, Size: 8}}, Properties: 1<<privateBuffer | 1<<argumentPointer, UserSGPRs: 6, BlockID: true,
	}
	if wave == 32 {
		k.Properties |= 1 << 10
	}
	return k
}

// listing returns instructions of four bytes each in the format of llvm-objdump.
func listing(body string) string {
	var s strings.Builder
	s.WriteString("0000000000000000 <test>:\n")
	for i, line := range strings.Split(strings.TrimSpace(body), "\n") {
		fmt.Fprintf(&s, "\t%s // %012X: 00000000\n", strings.TrimSpace(line), 4*i)
	}
	return s.String()
}

// gcnParsed returns a kernel of these instructions.
func gcnParsed(t testing.TB, wave int, body string) *GCNKernel {
	t.Helper()
	m, err := ParseGCN(kernelOf(wave), listing(body+"\ns_endpgm"))
	if err != nil {
		t.Fatal(err)
	}
	return m.Kernel("test")
}

// gcnWords returns the bytes of integers.
func gcnWords(v ...uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// gcnBuffer returns the address of a buffer that holds v.
func gcnBuffer(t testing.TB, d *GCN, v ...uint64) uint64 {
	t.Helper()
	at := d.Alloc(uint64(8 * len(v)))
	if err := d.Write(at, gcnWords(v...)); err != nil {
		t.Fatal(err)
	}
	return at
}

// gcnContents returns n integers of a buffer.
func gcnContents(t testing.TB, d *GCN, at uint64, n int) []uint64 {
	t.Helper()
	b := make([]byte, 8*n)
	if err := d.Read(b, at); err != nil {
		t.Fatal(err)
	}
	v := make([]uint64, n)
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return v
}

// gcnEachOrder runs a test in order and in some random orders, on waves of 64 and 32 lanes.
func gcnEachOrder(t *testing.T, f func(t *testing.T, d *GCN, wave int)) {
	for seed := range uint64(4) {
		for _, wave := range []int{64, 32} {
			t.Run(fmt.Sprintf("wave %d, seed %d", wave, seed), func(t *testing.T) {
				d := NewGCN()
				if seed > 0 {
					d.Shuffle(seed)
				}
				f(t, d, wave)
			})
		}
	}
}

// gcnWantFault demands an error of one line that contains all the words.
func gcnWantFault(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Error("no fault")
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("want %q in %v", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("several lines: %q", err)
	}
}

// module returns the code of one of this project's code objects; it skips the test without llvm-objdump.
func module(t testing.TB, target string) *GCNModule {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("..", "pkg", "gpu", "source", "code", target+".hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := CodeKernels(code)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Disassemble(code)
	if errors.Is(err, ErrNoDisassembler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseGCN(kernels, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every instruction of every target is known.
func TestParse(t *testing.T) {
	for _, target := range []string{"gfx908", "gfx90a", "gfx942", "gfx10-3-generic", "gfx11-generic", "gfx1100", "gfx12-generic"} {
		t.Run(target, func(t *testing.T) {
			if m := module(t, target); len(m.Kernels()) < 40 {
				t.Errorf("%d kernels", len(m.Kernels()))
			}
		})
	}
}

// start loads the addresses of the buffers into s[8:9] and s[10:11], and 8 times the thread's number into v1.
const start = `s_load_dwordx4 s[8:11], s[4:5], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32_e32 v1, 3, v0
`

// inWaves rewrites instructions for waves of 64 for waves of the given size.
func inWaves(wave int, body string) string {
	if wave == 64 {
		return body
	}
	return strings.NewReplacer("saveexec_b64 s[20:21]", "saveexec_b32 s20", "_b64 exec, exec, s[20:21]", "_b32 exec_lo, exec_lo, s20", "vcc,", "vcc_lo,", "vcc\n", "vcc_lo\n").Replace(body)
}

// Inactive lanes keep their registers, and blocks pass numbers through LDS and between lanes, in all orders.
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
	gcnEachOrder(t, func(t *testing.T, d *GCN, wave int) {
		k := gcnParsed(t, wave, inWaves(wave, body))
		out := gcnBuffer(t, d, make([]uint64, blocks*threads)...)
		for range 2 { // the second launch finds the results of the first
			if err := d.Launch(k, blocks, threads, [][]byte{gcnWords(out), gcnWords(0), gcnWords(0)}); err != nil {
				t.Fatal(err)
			}
			for i, v := range gcnContents(t, d, out, blocks*threads) {
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

// Executions are counted by class, with requests to memory and the 64-byte lines that they touch.
func TestGCNCounts(t *testing.T) {
	k := gcnParsed(t, 64, start+`global_load_dwordx2 v[2:3], v1, s[10:11]
v_add_f64 v[2:3], v[2:3], 1.0
v_cmp_gt_u32_e32 vcc, 8, v0
s_and_saveexec_b64 s[20:21], vcc
global_store_dwordx2 v1, v[2:3], s[8:9]`)
	d := NewGCN()
	out, in := gcnBuffer(t, d, make([]uint64, 64)...), gcnBuffer(t, d, make([]uint64, 64)...)
	for range 3 {
		if err := d.Launch(k, 1, 64, [][]byte{gcnWords(out), gcnWords(in), gcnWords(0)}); err != nil {
			t.Fatal(err)
		}
	}
	want := Total{
		Instructions: 3 * 9, Threads: 3 * (7*64 + 8 + 8), LoadRequests: 3, LoadSectors: 3 * 8, StoreRequests: 3, StoreSectors: 3, Unique: 3 * 9,
		ByClass: map[string]uint64{"smem": 3, "wait": 3, "valu": 6, "vmem": 6, "fp64": 3, "salu": 3, "branch": 3},
	}
	if g, w := fmt.Sprint(d.Counts(k).Total()), fmt.Sprint(want); g != w {
		t.Errorf("%s, want\n%s", g, w)
	}
}

// Every fault is found, in every order and for both sizes of waves.
func TestGCNFaults(t *testing.T) {
	const (
		own   = "global_store_dwordx2 v1, v[0:1], s[8:9]\n"
		other = "v_xor_b32_e32 v3, 0x200, v1\n" // another wave's element
		first = "v_cmp_eq_u32_e32 vcc, 0, v0\ns_and_saveexec_b64 s[20:21], vcc\n"
	)
	for name, c := range map[string]struct {
		body string
		want string // of two words with | between, one is wanted
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
			gcnEachOrder(t, func(t *testing.T, d *GCN, wave int) {
				d.Limit(10_000)
				k := gcnParsed(t, wave, inWaves(wave, start+c.body))
				err := d.Launch(k, 1, 128, [][]byte{gcnWords(gcnBuffer(t, d, make([]uint64, 128)...)), gcnWords(gcnBuffer(t, d, 1)), gcnWords(d.Alloc(1024))})
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
				gcnWantFault(t, err, "test, block 0: ", a)
				if again := d.Launch(k, 1, 128, nil); again == nil || again.Error() != fmt.Sprint(err) {
					t.Errorf("after the fault: %v", again)
				}
			})
		})
	}
}

// Unknown text is an error that names the line and the instruction.
func TestGCNParseErrors(t *testing.T) {
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
		_, err := ParseGCN(kernelOf(64), listing(body+"\ns_endpgm"))
		gcnWantFault(t, err, "test, line ", want)
	}
	for what, change := range map[string]func(k *GCNKernel){
		"8 bytes of scratch":           func(k *GCNKernel) { k.Private = 8 },
		"mode 0xc0":                    func(k *GCNKernel) { k.Float = 0xc0 },
		"wants other scalar registers": func(k *GCNKernel) { k.Preloaded = 2 },
		"waves of 16":                  func(k *GCNKernel) { k.Wave = 16 },
		"does not begin at 0x100":      func(k *GCNKernel) { k.Entry = 0x100 },
	} {
		of := kernelOf(64)
		k := GCNKernel{CodeKernel: *of["test"]}
		change(&k)
		*of["test"] = k.CodeKernel
		_, err := ParseGCN(of, listing("s_endpgm"))
		gcnWantFault(t, err, what)
	}
	_, err := ParseGCN(kernelOf(64), "hello\n")
	gcnWantFault(t, err, "there is no code of test")
}

// What the host does wrong is an error, but no fault of the device.
func TestGCNHostErrors(t *testing.T) {
	d, k := NewGCN(), gcnParsed(t, 64, "s_nop 0")
	three := [][]byte{gcnWords(1), gcnWords(2), gcnWords(3)}
	for want, err := range map[string]error{
		"32 threads":                     d.Launch(k, 1, 32, three),
		"has 3 arguments, not 2":         d.Launch(k, 1, 64, three[:2]),
		"argument 2 has 8 bytes, not 16": d.Launch(k, 1, 64, [][]byte{gcnWords(1), gcnWords(2), gcnWords(3, 4)}),
	} {
		gcnWantFault(t, err, want)
	}
	if err := d.Launch(k, 1, 64, three); err != nil {
		t.Error(err)
	}
	if !slices.Equal((&GCNModule{kernels: map[string]*GCNKernel{"b": k, "a": k}}).Kernels(), []string{"a", "b"}) {
		t.Error("kernels are not sorted")
	}
}
