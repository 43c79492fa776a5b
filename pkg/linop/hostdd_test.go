package linop_test

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// vectorsDD are v in double-double.
func vectorsDD(v [][]float64) (w []dd.Vec) {
	for _, x := range v {
		w = append(w, dd.VecOf(x))
	}
	return w
}

// Double-double vectors have the same bits on any number of threads and with any kernels.
func TestHostDDSameBitsForAnyThreads(t *testing.T) {
	lengths, threads := lengths, threads
	if testing.Short() {
		lengths, threads = []int{0, 4097, 40_001}, []int{1, 3}
	}
	for _, n := range lengths {
		var want []float64
		for _, count := range threads {
			h, v, out := linop.NewHostDD(n, newPool(t, count)), vectorsDD(vectors(n, 4)), make([]dd.DD, 14)
			kernels.Use(h, kernels.Sets()[count%len(kernels.Sets())])
			operations(h, v, out)
			norm, exp := h.Norm2(v[0])
			trace := []float64{norm, float64(exp), h.AbsMax(v[3])}
			for _, x := range v {
				trace = append(append(trace, x.Hi...), x.Lo...)
			}
			for _, s := range out {
				trace = append(trace, s.Hi, s.Lo)
			}
			if want == nil {
				want = trace
			}
			if !sameBits(trace, want) {
				t.Errorf("n = %d: %d threads and the kernels %s give other bits", n, count, kernels.Sets()[count%len(kernels.Sets())])
			}
		}
	}
}

func TestHostDDDoesNotAllocate(t *testing.T) {
	for _, count := range threads {
		for _, n := range []int{5000, 50000} {
			h, v, out := linop.NewHostDD(n, newPool(t, count)), vectorsDD(vectors(n, 4)), make([]dd.DD, 14)
			run := func() { operations(h, v, out) }
			run() // takes its scratch memory
			if allocs := testing.AllocsPerRun(5, run); allocs != 0 {
				t.Errorf("n = %d, %d threads: %v allocations", n, count, allocs)
			}
		}
	}
}

func TestHostDDFillAndNorms(t *testing.T) {
	const n = 3*8*4096 + 5
	h := linop.NewHostDD(n, newPool(t, 2))
	x := h.New()
	x.Set(7, dd.DD{Hi: 1, Lo: 0x1p-60})
	next := 0
	h.Fill(x, func(i int) float64 {
		if i != next {
			t.Fatalf("element %d follows %d", i, next-1)
		}
		next++
		return 1e200
	})
	norm, exp := h.Norm2(x)
	if want := 1e200 * math.Sqrt(n); next != n || x.At(7) != dd.From(1e200) || math.Abs(math.Ldexp(norm, exp)/want-1) > 1e-11 || h.AbsMax(x) != 1e200 {
		t.Errorf("%d elements, element 7 is %v, norm %g, largest %g", next, x.At(7), math.Ldexp(norm, exp), h.AbsMax(x))
	}
	x.Set(n-1, dd.DD{Hi: math.NaN(), Lo: math.NaN()})
	if norm, _ := h.Norm2(x); !math.IsNaN(norm) || !math.IsNaN(h.AbsMax(x)) {
		t.Errorf("of NaN the norm is %g, the largest %g", norm, h.AbsMax(x))
	}
	h.Zero(x)
	if h.AbsMax(x) != 0 || h.Dot(x, x) != (dd.DD{}) || h.Scalar(3) != dd.From(3) || h.Roundoff() != 0x1p-104 {
		t.Error("zero is not zero")
	}
}
