package gputest

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEveryOpcode runs every computation on random and special operands, and compares with exact arithmetic.
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
	d := NewPTX()
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

// sameBits compares as many bits as the result has; all NaNs are equal.
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

// operandsOf returns triples of operands: all pairs of special ones, and random ones.
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

// TestRoundingNames: the names of rounded arithmetic are accepted, and no others.
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

// TestPack: 64 bits are split into halves and joined again, with tmp as LLVM writes it.
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
	d := NewPTX()
	out := buffer(t, d, 0, 0)
	if err := d.Launch(k, 1, PTXWarp, [][]byte{words(buffer(t, d, 0x0123456789abcdef)), words(out), words(0)}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%x", contents(t, d, out, 2)), "[89abcdef01234567 701234567]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Every fault is found, in every order of threads, with the instruction and the thread.
func TestFaults(t *testing.T) {
	const own = "add.s64 %rd5, %rd1, %rd4;\n" // the address of a thread's own element
	for name, c := range map[string]struct {
		body string
		want []string // words of the fault; none: there is no fault
	}{
		"none":              {own + "ld.global.u64 %rd6, [%rd5];\nst.global.u64 [%rd5], %rd6;", nil},
		"beyond the end":    {own + "ld.global.u64 %rd6, [%rd5+8];", []string{"thread 63 of block", "byte 512 of 512", "outside of all buffers", "ld.global.u64", "line 2"}},
		"before the start":  {"ld.global.u64 %rd6, [%rd1+-8];", []string{"outside of all buffers"}},
		"across the end":    {"ld.global.v2.u64 {%rd6, %rd7}, [%rd1+504];", []string{"outside of all buffers"}},
		"null":              {"ld.global.u64 %rd6, [0];", []string{"address 0x0", "outside"}},
		"stored beyond":     {"st.global.u32 [%rd1+512], %r1;", []string{"outside", "st.global.u32"}},
		"misaligned":        {"ld.global.u64 %rd6, [%rd1+4];", []string{"not aligned to 8 bytes"}},
		"misaligned vector": {"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];", []string{"not aligned to 16 bytes"}},
		"not written":       {"add.s64 %rd5, %rd3, %rd4;\nld.global.u64 %rd6, [%rd5];", []string{"reads what was never written"}},
		"written by itself": {"add.s64 %rd5, %rd3, %rd4;\nst.global.u64 [%rd5], %rd4;\nld.global.u64 %rd6, [%rd5];", nil},

		"two write":        {"st.global.u32 [%rd1], %r1;", []string{"race", "writes what thread"}},
		"two write one":    {"st.global.u64 [%rd1], 7;", nil},
		"read a neighbour": {own + "st.global.u64 [%rd5], %rd4;\nxor.b32 %r2, %r1, 1;\nmul.wide.u32 %rd6, %r2, 8;\nadd.s64 %rd6, %rd6, %rd1;\nld.global.u64 %rd7, [%rd6];", []string{"race", "reads what thread"}},
		"after a barrier":  {own + "st.global.u64 [%rd5], %rd4;\nbar.sync 0;\nxor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd6, %r2, 8;\nadd.s64 %rd6, %rd6, %rd1;\nld.global.u64 %rd7, [%rd6];", nil},
		"write a neighbour": {
			"xor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd6, %r2, 8;\nadd.s64 %rd6, %rd6, %rd1;\nld.global.u64 %rd7, [%rd6];\n" + own + "st.global.u64 [%rd5], 5;",
			[]string{"race: "},
		},
		"write what all read":  {"ld.global.u64 %rd6, [%rd1];\nsetp.eq.s32 %p1, %r1, 9;\n@%p1 st.global.u64 [%rd1], 5;", []string{"race: "}},
		"write what was read":  {"ld.global.u64 %rd6, [%rd1];\nbar.sync 0;\nsetp.eq.s32 %p1, %r1, 9;\n@%p1 st.global.u64 [%rd1], 5;", nil},
		"write what .nc reads": {"ld.global.nc.u64 %rd6, [%rd1];\nbar.sync 0;\nsetp.eq.s32 %p1, %r1, 9;\n@%p1 st.global.u64 [%rd1], 5;", []string{".nc"}},
		"read by .nc what is written": {
			own + "st.global.u64 [%rd5], 5;\nbar.sync 0;\nld.global.nc.u64 %rd6, [%rd5];",
			[]string{"reads by .nc what thread"},
		},

		"shared, two write":   {"st.shared.u32 [scratch], %r1;", []string{"race", "byte 0 of 64"}},
		"shared, not written": {"ld.shared.u32 %r2, [scratch+8];", []string{"reads what was never written"}},
		"shared, outside":     {"ld.shared.u32 %r2, [scratch+64];", []string{"outside of shared memory"}},
		"shared, misaligned":  {"ld.shared.u32 %r2, [scratch+2];", []string{"not aligned"}},
		"shared, no barrier": {
			"mov.u64 %rd5, scratch;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%rd5], 7;\nld.shared.u32 %r2, [%rd5];",
			[]string{"race|never written"},
		},
		"shared, read and written again": {
			"setp.eq.s32 %p1, %r1, 0;\n@%p1 st.shared.u32 [scratch], 7;\nbar.sync 0;\nld.shared.u32 %r2, [scratch];\n@%p1 st.shared.u32 [scratch], 8;",
			[]string{"race: "},
		},

		"shuffle of a part":        {"setp.lt.u32 %p1, %r1, 40;\n@%p1 bra $out;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n$out:", []string{"by a part of the warp", "shfl.sync"}},
		"shuffles on two ways":     {"setp.lt.u32 %p1, %r1, 40;\n@%p1 bra $out;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nbra.uni $end;\n$out:\nshfl.sync.bfly.b32 %r2, %r1, 2, 31, -1;\n$end:", []string{"shfl.sync"}},
		"barrier of a part":        {"setp.lt.u32 %p1, %r1, 40;\n@%p1 bra $out;\nbar.sync 0;\n$out:", []string{"bar.sync"}},
		"barrier of some warps":    {"setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $out;\nbar.sync 0;\n$out:", []string{"1 of 2 warps wait", "bar.sync"}},
		"barriers on two ways":     {"setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $out;\nbar.sync 0;\nbra.uni $end;\n$out:\nbar.sync 0;\n$end:", []string{"warps wait at"}},
		"reaches what it does not": {"setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $out;\nbra.uni $end;\n$out:\nexit;\n$end:", []string{"impossible"}},
		"does not end":             {"$again:\nbra.uni $again;", []string{"more than 100000 instructions"}},
		"parameters":               {"ld.param.u64 %rd6, [test_param_2+8];", []string{"byte 24 of 24 of the parameters"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := parsed(t, c.body)
			eachOrder(t, func(t *testing.T, d *PTX) {
				d.Limit(100_000)
				err := launched(t, d, k)
				if c.want == nil {
					if err != nil {
						t.Error(err)
					}
					return
				}
				checkFault(t, d, k, err, c.want)
			})
		})
	}
}

// launched runs one block of two warps, with two buffers of as many numbers as threads, and an unwritten one.
func launched(t *testing.T, d *PTX, k *PTXKernel) error {
	return d.Launch(k, 1, 2*PTXWarp, [][]byte{
		words(buffer(t, d, make([]uint64, 2*PTXWarp)...)), words(buffer(t, d, make([]uint64, 2*PTXWarp)...)), words(d.Alloc(2 * PTXWarp * 8)),
	})
}

// checkFault demands an error, and that nothing executes after it. Of words with | between them one is wanted: which
// one depends on the order.
func checkFault(t *testing.T, d *PTX, k *PTXKernel, err error, want []string) {
	t.Helper()
	for _, w := range want {
		if a, b, either := strings.Cut(w, "|"); either && err != nil && strings.Contains(err.Error(), b) {
			wantFault(t, err, b)
		} else {
			wantFault(t, err, a)
		}
	}
	if err == nil {
		return
	}
	wantFault(t, err, "test, block 0: ")
	at := d.Alloc(8)
	for _, again := range []error{d.Write(at, words(1)), d.Read(make([]byte, 8), at), d.Read(nil, at), d.Zero(at, 8), d.Copy(at, at, 8), d.Copy(at, at, 0), d.Launch(k, 1, PTXWarp, nil)} {
		if again == nil || again.Error() != err.Error() {
			t.Errorf("after the fault: %v", again)
		}
	}
}

// Blocks that use the same words race, since nothing orders blocks.
func TestFaultsOfBlocks(t *testing.T) {
	const first = "setp.eq.s32 %p1, %r1, 0;\nmov.u32 %r2, %ctaid.x;\n"
	for name, c := range map[string]struct{ body, want string }{
		"both write":              {first + "@%p1 st.global.u32 [%rd1], %r2;", "race"},
		"both write the same":     {first + "@%p1 st.global.u32 [%rd1], 3;", ""},
		"one writes, one reads":   {first + "setp.eq.s32 %p2, %r2, 0;\n@%p2 bra $write;\nld.global.u32 %r3, [%rd1];\nbra.uni $end;\n$write:\n@%p1 st.global.u32 [%rd1], 7;\n$end:\nbar.sync 0;", "race"},
		"both read":               {"ld.global.u32 %r3, [%rd1];", ""},
		"each writes what is its": {first + "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd5, %rd5, %rd1;\n@%p1 st.global.u32 [%rd5], %r2;", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := parsed(t, c.body)
			eachOrder(t, func(t *testing.T, d *PTX) {
				at := buffer(t, d, make([]uint64, 2*PTXWarp)...)
				for range 2 { // launches are ordered
					err := d.Launch(k, 3, 2*PTXWarp, [][]byte{words(at), words(at), words(at)})
					if c.want == "" {
						if err != nil {
							t.Error(err)
						}
					} else {
						wantFault(t, err, c.want)
					}
				}
			})
		})
	}
}

// Errors of the host are no faults of the device.
func TestHostErrors(t *testing.T) {
	d, k := NewPTX(), parsed(t, "")
	at := buffer(t, d, 1, 2)
	three := [][]byte{words(at), words(at), words(at)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{d.Write(at+8, words(1, 2)), "16 bytes"},
		{d.Read(make([]byte, 24), at), "24 bytes"},
		{d.Zero(at-8, 8), "not in a buffer"},
		{d.Copy(at, at+8, 16), "not in a buffer"},
		{d.Copy(at+8, at, 16), "not in a buffer"},
		{d.Launch(k, 1, 33, three), "33 threads"},
		{d.Launch(k, 1, 512, three), "512 threads"},
		{d.Launch(k, -1, 32, three), "-1 blocks"},
		{d.Launch(k, 1, 32, three[:2]), "has 3 parameters, not 2"},
		{d.Launch(k, 1, 32, [][]byte{words(at), words(at)[:4], words(at)}), "parameter 1 has 8 bytes, not 4"},
	} {
		wantFault(t, c.err, c.want)
	}
	if err := d.Launch(k, 1, 32, three); err != nil {
		t.Error(err)
	}
	d.Release(at)
	wantFault(t, d.Write(at, words(1)), "not in a buffer")
}
