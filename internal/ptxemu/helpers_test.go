package ptxemu

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// kernelText is a module of one kernel with three buffers as parameters, whose addresses are in
// %rd1, %rd2 and %rd3; %r1 is the thread and %rd4 eight times that.
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

// parsed is the kernel of kernelText.
func parsed(t testing.TB, body string) *Kernel {
	t.Helper()
	m, err := Parse(kernelText(body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Kernel("test")
}

// words are the bytes of integers.
func words(v ...uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// buffer returns the address of a buffer that holds v.
func buffer(t testing.TB, d *Device, v ...uint64) uint64 {
	t.Helper()
	at := d.Alloc(uint64(8 * len(v)))
	if err := d.Write(at, words(v...)); err != nil {
		t.Fatal(err)
	}
	return at
}

// contents are n integers of a buffer.
func contents(t testing.TB, d *Device, at uint64, n int) []uint64 {
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
func eachOrder(t *testing.T, f func(t *testing.T, d *Device)) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			d := New()
			if seed > 0 {
				d.Shuffle(seed)
			}
			f(t, d)
		})
	}
}

// wantFault wants an error of one line that contains all the words.
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
