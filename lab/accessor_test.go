package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func problem(t testing.TB, kernel Kernel, n int, dist Distribution, seed uint64, pool *parallel.Pool) *Problem {
	t.Helper()
	var p *Problem
	var err error
	if kernel == ELL {
		p, err = NewELLProblem(powerlaw(t, n), dist, seed, pool)
	} else {
		p, err = NewProblem(kernel, n, dist, false, seed, pool)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// powerlaw has rows of different lengths.
func powerlaw(t testing.TB, n int) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate("powerlaw", generate.Params{"n": float64(n)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The double-double reference agrees with big.Float.
func TestProblemReference(t *testing.T) {
	const n = 40
	for _, kernel := range Kernels {
		p := problem(t, kernel, n, Normal, 3, nil)
		y := p.exact()
		var solved []*big.Float
		for i := range p.Result(FP64) {
			want := bigRow(p, i, solved)
			solved = append(solved, want)
			got := new(big.Float).SetPrec(300).SetFloat64(y[i].Hi)
			got.Add(got, big.NewFloat(y[i].Lo))
			got.Sub(got, want)
			if e, _ := got.Float64(); math.Abs(e) > 1e-26 {
				t.Errorf("%s, element %d: off by %g", kernel, i, e)
			}
		}
	}
}

// bigRow returns element i of the result, given the elements before it.
func bigRow(p *Problem, i int, before []*big.Float) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	s := number(0)
	add := func(a float64, x *big.Float) { s.Add(s, new(big.Float).Mul(number(a), x)) }
	switch p.Kernel {
	case DOT:
		for k, v := range p.a {
			add(v, number(p.x[k]))
		}
	case GEMV:
		for j := range p.N {
			add(p.a[i*p.N+j], number(p.x[j]))
		}
	case TRSV:
		add(1, number(p.x[i]))
		for j, y := range before {
			add(-p.a[i*p.N+j], y)
		}
	case ELL:
		cols, vals := p.sparse.Row(i)
		for k, j := range cols {
			add(vals[k], number(p.x[j]))
		}
	}
	return s
}

// Each precision has about the error that its arithmetic and storage allow, and FP64 arithmetic is never worse on
// average over ten seeds.
func TestProblemErrors(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, kernel := range Kernels {
		for _, dist := range Distributions {
			const n, seeds = 300, 10
			mean := map[Precision]float64{}
			for seed := range uint64(seeds) {
				p := problem(t, kernel, n, dist, seed, pool)
				for _, precision := range Precisions {
					mean[precision] += p.Error(precision) / seeds
				}
			}
			for precision, u := range map[Precision]float64{FP64: 0x1p-53, FP32: 0x1p-24, Mixed: 0x1p-24} {
				if e := mean[precision]; !(e > 0 && e < 1000*u) {
					t.Errorf("%s, %s, %s: error %.1e, unit roundoff %.1e", kernel, dist, precision, e, u)
				}
			}
			if mean[Mixed] > 1.1*mean[FP32] {
				t.Errorf("%s, %s: error %.2e in FP64 over FP32, %.2e in FP32", kernel, dist, mean[Mixed], mean[FP32])
			}
			t.Logf("%s, %s: %.1e", kernel, dist, []float64{mean[FP64], mean[FP32], mean[Mixed]})
		}
	}
}

// Results have the same bits for any number of threads.
func TestProblemThreads(t *testing.T) {
	pool := parallel.New(5)
	defer pool.Close()
	for _, c := range []struct {
		kernel Kernel
		n      int
	}{{GEMV, 301}, {DOT, 200001}, {TRSV, 301}, {ELL, 9000}, {TRSV, MaxLU + 1}} {
		if testing.Short() && c.n > MaxLU && c.kernel == TRSV {
			continue
		}
		want, p := problem(t, c.kernel, c.n, Uniform, 7, nil), problem(t, c.kernel, c.n, Uniform, 7, pool)
		for _, precision := range Precisions {
			want.Run(precision)
			p.Run(precision)
			if !slices.Equal(p.Result(precision), want.Result(precision)) {
				t.Errorf("%s, %s: 5 threads give another result", c.kernel, precision)
			}
		}
	}
}

func TestProblemTimes(t *testing.T) {
	for _, kernel := range Kernels {
		p := problem(t, kernel, 50, Uniform, 1, nil)
		times, err := p.Times(t.Context(), Timing{Repeat: 3})
		if err != nil || len(times) != len(Precisions) || !(times[Mixed].Min > 0) {
			t.Errorf("%s: %v, %v", kernel, times, err)
		}
		if p.FLOPs() <= 0 || p.Traffic(FP32) != p.Traffic(Mixed) || p.Traffic(FP64) <= p.Traffic(FP32) {
			t.Errorf("%s: %d FLOPs, %d and %d bytes", kernel, p.FLOPs(), p.Traffic(FP64), p.Traffic(FP32))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := problem(t, DOT, 5, Normal, 1, nil).Times(ctx, Timing{Repeat: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// The byte counts equal the sizes of the slices of a problem.
func TestProblemBytes(t *testing.T) {
	for _, kernel := range Kernels {
		p := problem(t, kernel, 60, Uniform, 1, nil)
		double, single, mixed := p.forms[FP64].(*level[float64, float64]), p.forms[FP32].(*level[float32, float32]), p.forms[Mixed].(*level[float32, float64])
		held := 8*(len(double.a)+len(double.x)+len(double.y)) + 4*(len(single.a)+len(single.x)+len(single.y)+len(mixed.y)) + 4*len(double.ell.Col)
		want := ProblemBytes(kernel, 60)
		if kernel == ELL {
			want = ELLProblemBytes(p.sparse)
		}
		if int64(held) != want {
			t.Errorf("%s holds %d bytes, not %d", kernel, held, want)
		}
	}
}

func TestProblemFaults(t *testing.T) {
	if _, err := NewProblem(ELL, 5, Normal, false, 1, nil); err == nil {
		t.Error("ELL without a matrix is no error")
	}
	if _, err := NewProblem(DOT, 0, Normal, false, 1, nil); err == nil {
		t.Error("no elements are no error")
	}
	if _, err := NewProblem(DOT, 5, "even", false, 1, nil); err == nil {
		t.Error("an unknown distribution is no error")
	}
	m := &csr.Matrix{Rows: 1, Cols: 1, RowPtr: []int64{0, 1}, Col: []int32{0}, Val: []float64{1e300}}
	if _, err := NewELLProblem(m, Normal, 1, nil); err == nil {
		t.Error("overflow in FP32 is no error")
	}
}

func BenchmarkAccessor(b *testing.B) {
	pool := parallel.New(0)
	defer pool.Close()
	for kernel, n := range map[Kernel]int{GEMV: 4000, DOT: 1 << 24, TRSV: 4000, ELL: 1 << 18} {
		p := problem(b, kernel, n, Uniform, 1, pool)
		for _, precision := range Precisions {
			b.Run(fmt.Sprintf("%s/%s", kernel, precision), func(b *testing.B) {
				b.SetBytes(p.Traffic(precision))
				for b.Loop() {
					p.Run(precision)
				}
			})
		}
	}
}
