package ptxemu

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEveryOpcode runs every computation on random and on special operands, and compares with
// exact arithmetic.
func TestEveryOpcode(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(opcodes)) {
		testOpcode(t, name, opcodes[name].operands)
	}
	if len(opcodes) < 250 {
		t.Errorf("only %d opcodes", len(opcodes))
	}
}

func testOpcode(t *testing.T, name string, operands int) {
	want, size := reference(name)
	if want == nil {
		t.Errorf("%s: there is no reference", name)
		return
	}
	k := parsed(t, `
	mad.wide.u32 %rd5, %r1, 24, %rd1;
	ld.global.u64 %rd10, [%rd5];
	ld.global.u64 %rd11, [%rd5+8];
	ld.global.u64 %rd12, [%rd5+16];
	`+name+` %rd13`+[]string{"", ", %rd10", ", %rd10, %rd11", ", %rd10, %rd11, %rd12"}[operands]+`;
	add.u64 %rd6, %rd2, %rd4;
	st.global.u64 [%rd6], %rd13;
`)
	d := New()
	in := operandsOf(name)
	out := buffer(t, d, make([]uint64, len(in)/3)...)
	if err := d.Launch(k, 1, len(in)/3, [][]byte{words(buffer(t, d, in...)), words(out), words(0)}); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i, got := range contents(t, d, out, len(in)/3) {
		a, b, c := in[3*i], in[3*i+1], in[3*i+2]
		if w, known := want(a, b, c); known && !sameBits(name, size, got, w) {
			t.Errorf("%s of %#x, %#x, %#x is %#x, want %#x", name, a, b, c, got, w)
			return
		}
	}
}

// sameBits compares as many bits as the result has; any NaN is the same as another.
func sameBits(name string, size uint64, got, want uint64) bool {
	switch resultType(name) {
	case "f64":
		if g, w := math.Float64frombits(got), math.Float64frombits(want); g != g && w != w {
			return true
		}
	case "f32":
		if g, w := math.Float32frombits(uint32(got)), math.Float32frombits(uint32(want)); g != g && w != w {
			return true
		}
	}
	return (got^want)<<(64-size) == 0
}

// operandsOf are triples of operands: all pairs of special ones, and random ones.
func operandsOf(name string) (in []uint64) {
	special := []uint64{0, 1, 2, 31, 32, 33, 63, 64, 65, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func() uint64 { return random.Uint64() >> random.IntN(64) }
	switch operandType(name) {
	case "f64":
		special = special[:0]
		for _, v := range []float64{0, math.Copysign(0, -1), 1, -1.5, 0.5, 2.5, 3.5, -0.5, 0x1p-1074, -0x1p-1022, math.MaxFloat64, 0x1p31, -0x1p31, 0x1p63, 0x1p32, 0x1p64, math.Inf(1), math.Inf(-1), math.NaN()} {
			special = append(special, math.Float64bits(v))
		}
		pick = func() uint64 {
			return math.Float64bits(math.Ldexp(random.Float64()-0.5, random.IntN(120)-60))
		}
	case "f32":
		special = special[:0]
		for _, v := range []float64{0, math.Copysign(0, -1), 1, -1.5, 0.5, 2.5, 3.5, 0x1p-149, -0x1p-126, math.MaxFloat32, 0x1p31, -0x1p31, 0x1p32, 0x1p63, 0x1p64, math.Inf(1), math.Inf(-1), math.NaN()} {
			special = append(special, uint64(math.Float32bits(float32(v))))
		}
		pick = func() uint64 {
			return uint64(math.Float32bits(float32(math.Ldexp(random.Float64()-0.5, random.IntN(50)-25))))
		}
	case "pred":
		special = []uint64{0, 1}
		pick = func() uint64 { return random.Uint64() & 1 }
	}
	third := func() uint64 {
		if predicateThird(name) {
			return random.Uint64() & 1
		}
		if random.IntN(2) == 0 {
			return special[random.IntN(len(special))]
		}
		return pick()
	}
	for len(in) < 3*256 {
		a, b := pick(), pick()
		if k := len(in) / 3; k < 128 {
			a, b = special[k%len(special)], special[random.IntN(len(special))]
		}
		in = append(in, a, b, third())
	}
	return in
}

// TestRoundingNames wants the names of rounded arithmetic, and no others.
func TestRoundingNames(t *testing.T) {
	for name, known := range map[string]bool{
		"add.rn.f64": true, "fma.rn.f64": true, "cvt.rn.f64.s32": true, "cvt.rn.f32.f64": true, "div.rn.f32": true,
		"add.rz.f64": false, "cvt.rn.u32.u64": false, "add.rn.s32": false, "cvt.rzi.s32.f64": true, "min.rn.f64": false, "add.ftz.f32": false,
	} {
		if _, ok := lookup(name); ok != known {
			t.Errorf("%s: known %v", name, ok)
		}
	}
}

// TestPack wants 64 bits to be cut into halves and put together again, with tmp as LLVM writes it.
func TestPack(t *testing.T) {
	k := parsed(t, `
	ld.global.u64 %rd5, [%rd1];
	{ .reg .b32 tmp; mov.b64 {tmp, %r5}, %rd5; }
	{ .reg .b32 tmp; mov.b64 {%r6, tmp}, %rd5; }
	mov.b64 %rd6, {%r5, %r6};
	st.global.u64 [%rd2], %rd6;
	mov.b64 %rd6, {%r5, 7};
	st.global.u64 [%rd2+8], %rd6;
`)
	d := New()
	out := buffer(t, d, 0, 0)
	if err := d.Launch(k, 1, Warp, [][]byte{words(buffer(t, d, 0x0123456789abcdef)), words(out), words(0)}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%x", contents(t, d, out, 2)), "[89abcdef01234567 701234567]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
