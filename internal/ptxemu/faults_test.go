package ptxemu

import (
	"strings"
	"testing"
)

// Every fault is found, in every order of threads, with the instruction and the thread.
func TestFaults(t *testing.T) {
	const own = "add.s64 %rd5, %rd1, %rd4;\n" // the address of a thread's own element
	for name, c := range map[string]struct {
		body string
		want []string // words of the fault; none: there is none
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
			eachOrder(t, func(t *testing.T, d *Device) {
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

// launched runs one block of two warps, with two buffers of as many numbers as threads, and
// one that nobody has written.
func launched(t *testing.T, d *Device, k *Kernel) error {
	return d.Launch(k, 1, 2*Warp, [][]byte{
		words(buffer(t, d, make([]uint64, 2*Warp)...)), words(buffer(t, d, make([]uint64, 2*Warp)...)), words(d.Alloc(2 * Warp * 8)),
	})
}

// checkFault wants an error, and nothing to happen after it. Words with | between are of
// which one is wanted: it depends on the order.
func checkFault(t *testing.T, d *Device, k *Kernel, err error, want []string) {
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
	for _, again := range []error{d.Write(at, words(1)), d.Read(make([]byte, 8), at), d.Read(nil, at), d.Zero(at, 8), d.Copy(at, at, 8), d.Copy(at, at, 0), d.Launch(k, 1, Warp, nil)} {
		if again == nil || again.Error() != err.Error() {
			t.Errorf("after the fault: %v", again)
		}
	}
}

// Blocks that use the same words race, since nothing orders them.
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
			eachOrder(t, func(t *testing.T, d *Device) {
				at := buffer(t, d, make([]uint64, 2*Warp)...)
				for range 2 { // launches are ordered
					err := d.Launch(k, 3, 2*Warp, [][]byte{words(at), words(at), words(at)})
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

// What the host does wrong is an error, but no fault of the device.
func TestHostErrors(t *testing.T) {
	d, k := New(), parsed(t, "")
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
