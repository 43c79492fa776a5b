package gcnemu

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/codeobject"
)

// kernelOf has that of described by its name.
func kernelOf(wave int) map[string]*codeobject.Kernel {
	return map[string]*codeobject.Kernel{"test": described(wave)}
}

// described is what a code object would say of a kernel "test" with three buffers as arguments, whose
// addresses are at s[4:5]; the block's number is in s6, the thread's in v0.
func described(wave int) *codeobject.Kernel {
	k := &codeobject.Kernel{
		Name: "test", Shared: 64, ArgBytes: 24, Wave: wave, Threads: 256, Vector: 40, Float: nearestAndSubnormals,
		Arguments: []codeobject.Argument{{At: 0, Size: 8}, {At: 8, Size: 8}, {At: 16, Size: 8}}, Properties: 1<<privateBuffer | 1<<argumentPointer, UserSGPRs: 6, BlockID: true,
	}
	if wave == 32 {
		k.Properties |= 1 << 10
	}
	return k
}

// listing is what llvm-objdump would write of instructions of four bytes each.
func listing(body string) string {
	var s strings.Builder
	s.WriteString("0000000000000000 <test>:\n")
	for i, line := range strings.Split(strings.TrimSpace(body), "\n") {
		fmt.Fprintf(&s, "\t%s // %012X: 00000000\n", strings.TrimSpace(line), 4*i)
	}
	return s.String()
}

// parsed is a kernel of such instructions.
func parsed(t testing.TB, wave int, body string) *Kernel {
	t.Helper()
	m, err := Parse(kernelOf(wave), listing(body+"\ns_endpgm"))
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

// eachOrder runs a test in order and in some random orders, on waves of 64 and 32 lanes.
func eachOrder(t *testing.T, f func(t *testing.T, d *Device, wave int)) {
	for seed := range uint64(4) {
		for _, wave := range []int{64, 32} {
			t.Run(fmt.Sprintf("wave %d, seed %d", wave, seed), func(t *testing.T) {
				d := New()
				if seed > 0 {
					d.Shuffle(seed)
				}
				f(t, d, wave)
			})
		}
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
