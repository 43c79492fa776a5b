package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// All sets give the bits of single fused multiply-adds, one after the other, and change nothing else.
func TestMulSub(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	a := &arena{t: t}
	for _, m := range []int{1, 2, 7, 8, 9, 17} {
		for _, n := range []int{1, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 48, 49, 63, 70} {
			for _, k := range []int{1, 2, 5, 33} {
				for _, more := range []int{0, 3} {
					testMulSub(t, rng, a, m, n, k, more)
				}
			}
		}
	}
	Default().MulSub(Dense{}, Dense{}, Dense{}, 0, 0, 0)
}

func testMulSub(t *testing.T, rng *rand.Rand, ar *arena, m, n, k, more int) {
	t.Helper()
	random := func(rows, columns int) Dense {
		return Dense{normal[float64](rng, (rows-1)*(columns+more)+columns), columns + more}
	}
	c, a, b := random(m, n), random(m, k), random(k, n)
	want := append([]float64{}, c.Val...)
	for i := range m {
		for j := range n {
			v := &want[i*c.Stride+j]
			for p := range k {
				*v = math.FMA(-a.Val[i*a.Stride+p], b.Val[p*b.Stride+j], *v)
			}
		}
	}
	everywhere(ar, fmt.Sprintf("%d x %d product of %d, %d more", m, n, k, more), nil, func(s *Set) []float64 {
		got := Dense{put(ar, c.Val), c.Stride}
		s.MulSub(got, Dense{put(ar, a.Val), a.Stride}, Dense{put(ar, b.Val), b.Stride}, m, n, k)
		for i, v := range got.Val {
			if v != want[i] {
				t.Fatalf("%d x %d product of %d, %d more, on %s: number %d is %v, want %v", m, n, k, more, s, i, v, want[i])
			}
		}
		return got.Val
	})
}

func BenchmarkMulSub(b *testing.B) {
	for _, size := range [][3]int{{8, 24, 8}, {30, 30, 10}, {100, 100, 30}, {300, 300, 64}} {
		m, n, k := size[0], size[1], size[2]
		c, x, y := Dense{make([]float64, m*n), n}, Dense{make([]float64, m*k), k}, Dense{make([]float64, k*n), n}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				Default().MulSub(c, x, y, m, n, k)
			}
			b.ReportMetric(2e-9*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds(), "Gflop/s")
		})
	}
}
