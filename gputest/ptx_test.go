package gputest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kernelText returns a module of one kernel with three buffers as parameters, whose addresses are in %rd1, %rd2 and
// %rd3; %r1 is the thread's number and %rd4 eight times that number.
func kernelText(body string) string {
	return `.version 7.8
.target sm_90
.address_size 64
.visible .entry test(
	.param .u64 test_param_0,
	.param .u64 test_param_1,
	.param .u64 test_param_2
)
.maxntid 256, 1, 1
{
	.reg .pred %p<10>;
	.reg .b16 %rs<10>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<20>;
	.reg .f32 %f<10>;
	.reg .f64 %fd<20>;
	.shared .align 8 .b8 scratch[64];
	ld.param.u64 %rd1, [test_param_0];
	ld.param.u64 %rd2, [test_param_1];
	ld.param.u64 %rd3, [test_param_2];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd4, %r1, 8;
` + body + `
	ret;
}
`
}

// parsed returns the kernel of kernelText.
func parsed(t testing.TB, body string) *PTXKernel {
	t.Helper()
	m, err := ParsePTX(kernelText(body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Kernel("test")
}

// words returns the bytes of integers.
func words(v ...uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// buffer returns the address of a buffer that holds v.
func buffer(t testing.TB, d *PTX, v ...uint64) uint64 {
	t.Helper()
	at := d.Alloc(uint64(8 * len(v)))
	if err := d.Write(at, words(v...)); err != nil {
		t.Fatal(err)
	}
	return at
}

// contents returns n integers of a buffer.
func contents(t testing.TB, d *PTX, at uint64, n int) []uint64 {
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

// eachOrder runs a test in order and in some random orders.
func eachOrder(t *testing.T, f func(t *testing.T, d *PTX)) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			d := NewPTX()
			if seed > 0 {
				d.Shuffle(seed)
			}
			f(t, d)
		})
	}
}

// wantFault demands an error of one line that contains all the words.
func wantFault(t testing.TB, err error, words ...string) {
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

// Text that is not PTX, or PTX that is not supported, gives an error of one line with the position.
func TestParseErrors(t *testing.T) {
	for body, want := range map[string]string{
		"add.s33 %r2, %r1, %r1;":                 "not known",
		"frobnicate %r1;":                        "not known",
		"add.rz.f64 %fd1, %fd2, %fd3;":           "not known",
		"add.s32 %r2, %r1;":                      "2 operands, want 3",
		"add.s32 %r2, %r1, %r99;":                `register "%r99" is not declared`,
		"add.s32 %q2, %r1, %r1;":                 `register "%q2" is not declared`,
		"add.s32 %tid.x, %r1, %r1;":              "not a register that can be written",
		"add.s32 5, %r1, %r1;":                   "not a register that can be written",
		"add.s32 %r2, %r1, banana;":              `operand "banana"`,
		"mov.f64 %fd1, 0d12;":                    "operand",
		"add.s32 %r2, %r1, %tid.y;":              "not declared",
		"bra $nowhere;":                          `no label "$nowhere"`,
		"bra.some $L;":                           "not known",
		"$L:\n$L:":                               "a second label $L",
		"shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;": "not known",
		"shfl.sync.bfly.b32 %r2, %r1, 1, 31, 7;": "not known",
		"shfl.sync.bfly.b32 %r2, %r1, 1;":        "3 operands, want 5",
		"bar.sync 1;":                            "not known",
		"@%p1 bar.sync 0;":                       "not known",
		"@%p1 ret;":                              "not known",
		"ld.global.u64 %rd5, %rd1;":              "address",
		"ld.global.u64 %rd5, [%rd1+x];":          "offset",
		"ld.u64 %rd5, [%rd1];":                   "not known",
		"ld.local.u64 %rd5, [%rd1];":             "not known",
		"ld.global.pred %p1, [%rd1];":            "not known",
		"ld.global.v2.u64 %rd5, [%rd1];":         "1 registers for 2 elements",
		"st.global.nc.u64 [%rd1], %rd5;":         "not known",
		"st.param.u64 [%rd1], %rd5;":             "not known",
		"mov.b64 {%r1, %r2, %r3}, %rd1;":         "3 registers for two halves",
		".reg .b33 %z<4>;":                       "registers of type",
		".reg .b32 %z<99999999>;":                "registers",
		".shared .align 8 .b8 big[99999];":       "more than 49152 bytes of shared memory",
		".shared .align 3 .b8 odd[9];":           "alignment",
		".shared .b8 many[-1];":                  "length",
		".local .b8 here[8];":                    "not known",
		"prefetch.L3 [%rd1];":                    "not known",
		"exit.now;":                              "not known",
	} {
		_, err := ParsePTX(kernelText(body))
		wantFault(t, err, "PTX, line ", want)
	}
	for text, want := range map[string]string{
		"":                                     "without a kernel",
		"hello\n":                              "line 1: \"hello\" is not known",
		".version 7.8\n.address_size 32\n":     "addresses of \"32\" bits",
		".visible .entry (":                    "want .entry NAME(",
		".visible .entry a(\n.param .u64 x":    "do not end",
		".visible .entry a(\n.param .u64\n)":   "declaration",
		".visible .entry a(\n.param .u65 x\n)": "type",
		".visible .entry a(\n.param .align 8 .b8 x[4096],\n.param .u32 y\n)":            "more than 4096 bytes of parameters",
		".visible .entry a()\n.maxntid 4096, 1, 1":                                      "threads a block",
		".visible .entry a()\n.something":                                               "not known before",
		".visible .entry a()\n{\n":                                                      "a does not end",
		".visible .entry a()\n{\n}\n":                                                   "a does not end with ret",
		".visible .entry a()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n}\n":                "does not end with ret",
		".visible .entry a()\n{\nret;\n}\n.visible .entry a()\n{\nret;\n}\n":            "a second kernel a",
		".visible .entry a()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\nret;\n$e:\nbra $e;": "does not end",
	} {
		_, err := ParsePTX(text)
		wantFault(t, err, want)
	}
}

// The parser reads the kernels of this project, and no text makes the parser or a kernel panic.
func FuzzParse(f *testing.F) {
	kernels, err := os.ReadFile(filepath.Join("..", "pkg", "gpu", "source", "code", "kernels.ptx"))
	if err != nil {
		f.Fatal(err)
	}
	m, err := ParsePTX(string(kernels))
	if err != nil || len(m.Kernels()) < 40 || m.Target == "" || m.Version == "" {
		f.Fatalf("%d kernels for %q, %v", len(m.Kernels()), m.Target, err)
	}
	head, _, _ := strings.Cut(string(kernels), ".visible .entry vector_scale")
	_, one, _ := strings.Cut(string(kernels), ".visible .entry vector_keep")
	one, _, _ = strings.Cut(one, "\n}\n")
	f.Add(head + ".visible .entry vector_keep" + one + "\n}\n")
	f.Add(kernelText("st.global.u64 [%rd1], %rd4;\nbar.sync 0;\nld.global.nc.v2.u32 {%r2, %r3}, [%rd1];"))
	f.Add(kernelText("$a:\n@%p1 bra $b;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n$b:\nbfe.u32 %r2, %r1, 7, 40;\nst.shared.u32 [scratch], %r2;"))
	f.Add(kernelText("{ .reg .b32 tmp; mov.b64 {tmp, %r5}, %rd5; }\ncvt.rni.s32.f64 %r1, 0d7FF8000000000000;\ndiv.s32 %r2, %r1, 0;"))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParsePTX(text)
		if err != nil {
			wantFault(t, err, "")
			return
		}
		d := NewPTX()
		d.Limit(2000)
		at := buffer(t, d, 1, 2, 3, 4)
		for _, name := range m.Kernels() {
			k := m.Kernel(name)
			var arguments [][]byte
			for _, p := range k.params {
				arguments = append(arguments, append(words(at), make([]byte, p.size)...)[:p.size])
			}
			if err := d.Launch(k, 2, PTXWarp, arguments); err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("several lines: %q", err)
			}
		}
	})
}

// Diverged threads reconverge in every order, and each computes its result: here thread t adds t%5 numbers in a loop
// and then sums over the warp by shuffles.
func TestDivergence(t *testing.T) {
	k := parsed(t, `
	rem.u32 %r2, %r1, 5;
	mov.u32 %r3, 0;
	mov.u32 %r4, 0;
	setp.eq.s32 %p1, %r2, 0;
	@%p1 bra $done;
$loop:
	add.s32 %r3, %r3, %r2;
	add.s32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, %r2;
	@%p2 bra $loop;
	and.b32 %r5, %r1, 1;
	setp.eq.s32 %p3, %r5, 0;
	@!%p3 bra $odd;
	add.s32 %r3, %r3, 100;
	bra.uni $done;
$odd:
	add.s32 %r3, %r3, 1000;
$done:
	mov.u32 %r6, 16;
$tree:
	shfl.sync.bfly.b32 %r7, %r3, %r6, 31, -1;
	add.s32 %r3, %r3, %r7;
	shr.u32 %r6, %r6, 1;
	setp.ne.s32 %p4, %r6, 0;
	@%p4 bra $tree;
	add.s64 %rd5, %rd1, %rd4;
	st.global.u32 [%rd5], %r3;
	mov.u32 %r8, 0;
	st.global.u32 [%rd5+4], %r8;
`)
	var want []uint64
	for w := range 2 {
		sum := 0
		for t := w * PTXWarp; t < (w+1)*PTXWarp; t++ {
			switch n := t % 5; {
			case n > 0 && t%2 == 0:
				sum += n*n + 100
			case n > 0:
				sum += n*n + 1000
			}
		}
		for range PTXWarp {
			want = append(want, uint64(sum))
		}
	}
	eachOrder(t, func(t *testing.T, d *PTX) {
		out := buffer(t, d, make([]uint64, 2*PTXWarp)...)
		if err := d.Launch(k, 1, 2*PTXWarp, [][]byte{words(out), words(0), words(0)}); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, d, out, 2*PTXWarp); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// Instructions are counted correctly where threads diverge: once for each side, and once after they reconverge.
func TestCounts(t *testing.T) {
	k := parsed(t, `
	setp.lt.u32 %p1, %r1, 8;
	@%p1 bra $few;
	add.rn.f64 %fd1, 0d3FF0000000000000, 0d3FF0000000000000;
	bra.uni $both;
$few:
	add.rn.f64 %fd1, 0d3FF0000000000000, 0d4000000000000000;
	add.rn.f64 %fd1, %fd1, %fd1;
$both:
	mul.wide.u32 %rd5, %r1, 8;
	add.s64 %rd5, %rd5, %rd1;
	st.global.f64 [%rd5], %fd1;
	ld.global.nc.v2.u32 {%r2, %r3}, [%rd2];
	mad.wide.u32 %rd6, %r1, 64, %rd2;
	@%p1 ld.global.u16 %r4, [%rd6];
`)
	d := NewPTX()
	out, in := buffer(t, d, make([]uint64, PTXWarp)...), buffer(t, d, make([]uint64, 8*8)...)
	for range 3 {
		if err := d.Launch(k, 1, PTXWarp, [][]byte{words(out), words(in), words(0)}); err != nil {
			t.Fatal(err)
		}
	}
	c := d.Counts(k)
	got := c.Total()
	want := Total{
		Instructions: 3 * 18, Threads: 3 * (32*12 + 24*2 + 8*2 + 8 + 8),
		LoadRequests: 3 * 2, LoadSectors: 3 * (1 + 8), StoreRequests: 3, StoreSectors: 3 * 8,
		Unique: 3 * (8 + 8), // of the nine sectors read, one is read twice
		ByClass: map[string]uint64{
			"control": 3 * 3, "fp64": 3 * 3, "global": 3 * 3, "integer": 3 * 4, "move": 3, "param": 3 * 3, "select": 3,
		},
	}
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w || c.Launches != 3 {
		t.Errorf("%d launches:\n%s, want\n%s", c.Launches, g, w)
	}
	var twice Total
	twice.Add(got)
	twice.Add(got)
	if twice.Instructions != 2*want.Instructions || twice.ByClass["fp64"] != 2*9 || twice.Unique != 2*want.Unique {
		t.Errorf("twice as much is %+v", twice)
	}
	c.Reset()
	if n := c.Total().Instructions; n != 0 || c.Launches != 0 {
		t.Errorf("%d instructions after a reset", n)
	}
}

// Blocks pass numbers through shared memory, in all orders.
func TestShared(t *testing.T) {
	k := parsed(t, `
	and.b32 %r2, %r1, 7;
	setp.gt.u32 %p1, %r1, 7;
	mov.u64 %rd5, scratch;
	mul.wide.u32 %rd6, %r2, 8;
	add.s64 %rd6, %rd6, %rd5;
	mov.u32 %r3, %ctaid.x;
	mad.lo.s32 %r4, %r3, 1000, %r1;
	cvt.u64.u32 %rd7, %r4;
	@%p1 bra $wait;
	st.shared.u64 [%rd6], %rd7;
$wait:
	bar.sync 0;
	xor.b32 %r2, %r2, 1;
	mul.wide.u32 %rd6, %r2, 8;
	add.s64 %rd6, %rd6, %rd5;
	ld.shared.u64 %rd8, [%rd6];
	mov.u32 %r6, %ntid.x;
	mad.lo.s32 %r5, %r3, %r6, %r1;
	mul.wide.u32 %rd9, %r5, 8;
	add.s64 %rd9, %rd9, %rd1;
	st.global.u64 [%rd9], %rd8;
	bar.sync 0;
`)
	const blocks, threads = 5, 3 * PTXWarp
	eachOrder(t, func(t *testing.T, d *PTX) {
		out := buffer(t, d, make([]uint64, blocks*threads)...)
		for range 2 { // the second launch finds the results of the first
			if err := d.Launch(k, blocks, threads, [][]byte{words(out), words(0), words(0)}); err != nil {
				t.Fatal(err)
			}
			for i, v := range contents(t, d, out, blocks*threads) {
				if want := uint64(i/threads*1000 + i%threads%8 ^ 1); v != want {
					t.Fatalf("thread %d of block %d has %d, want %d", i%threads, i/threads, v, want)
				}
			}
		}
	})
}
