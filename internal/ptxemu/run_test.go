package ptxemu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// Threads that part meet again, whatever the order, and each does what it is to: here thread t
// adds up t%5 numbers in a loop and then those of the warp by shuffles.
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
		for t := w * Warp; t < (w+1)*Warp; t++ {
			switch n := t % 5; {
			case n > 0 && t%2 == 0:
				sum += n*n + 100
			case n > 0:
				sum += n*n + 1000
			}
		}
		for range Warp {
			want = append(want, uint64(sum))
		}
	}
	eachOrder(t, func(t *testing.T, d *Device) {
		out := buffer(t, d, make([]uint64, 2*Warp)...)
		if err := d.Launch(k, 1, 2*Warp, [][]byte{words(out), words(0), words(0)}); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, d, out, 2*Warp); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// What is executed is known where threads part: once for both sides, and once after they met.
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
	d := New()
	out, in := buffer(t, d, make([]uint64, Warp)...), buffer(t, d, make([]uint64, 8*8)...)
	for range 3 {
		if err := d.Launch(k, 1, Warp, [][]byte{words(out), words(in), words(0)}); err != nil {
			t.Fatal(err)
		}
	}
	c := d.Counts(k)
	got := c.Total()
	want := simt.Total{
		Instructions: 3 * 18, Threads: 3 * (32*12 + 24*2 + 8*2 + 8 + 8),
		LoadRequests: 3 * 2, LoadSectors: 3 * (1 + 8), StoreRequests: 3, StoreSectors: 3 * 8,
		Unique: 3 * (8 + 8), // of the nine sectors that are read one is read twice
		ByClass: map[string]uint64{
			"control": 3 * 3, "fp64": 3 * 3, "global": 3 * 3, "integer": 3 * 4, "move": 3, "param": 3 * 3, "select": 3,
		},
	}
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w || c.Launches != 3 {
		t.Errorf("%d launches:\n%s, want\n%s", c.Launches, g, w)
	}
	var twice simt.Total
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
	const blocks, threads = 5, 3 * Warp
	eachOrder(t, func(t *testing.T, d *Device) {
		out := buffer(t, d, make([]uint64, blocks*threads)...)
		for range 2 { // the second launch finds what the first one left
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
