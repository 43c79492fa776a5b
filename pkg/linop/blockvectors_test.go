package linop_test

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Gram matrices and combinations of blocks of vectors against inner products and updates one by one, with the same bits for any number of
// threads.
func TestBlockVectorsThreads(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 5000, 64*256 + 1} {
		for _, shape := range [][2]int{{1, 1}, {3, 3}, {8, 8}, {5, 2}, {9, 4}} {
			var u, v [][]float64
			for i := range shape[0] {
				u = append(u, random(uint64(i+1), n))
			}
			for j := range shape[1] {
				v = append(v, random(uint64(100+j), n))
			}
			a := random(7, shape[0]*shape[1])
			var first [][]float64
			for _, k := range threads {
				h := linop.NewHost(n, newPool(t, k))
				g, s := make([]float64, len(a)), make([]float64, shape[0]*shape[0])
				h.Gram(g, u, v)
				h.GramSymmetric(s, u, u)
				sum, added := make([][]float64, len(v)), make([][]float64, len(v))
				for j := range v {
					sum[j], added[j] = random(3, n), append([]float64(nil), v[j]...)
				}
				h.Combine(a, u, sum, false)
				h.Combine(a, u, added, true)
				all := append(append([][]float64{g, s}, sum...), added...)
				if first == nil {
					first = all
				}
				for i := range all {
					if !sameBits(all[i], first[i]) {
						t.Fatalf("n = %d, %v: %d threads give other bits than one", n, shape, k)
					}
				}
				limit := 1e-14 * float64(n+1)
				for i := range u {
					for j := range v {
						if d := g[i*len(v)+j] - h.Dot(u[i], v[j]).Float(); math.Abs(d) > limit {
							t.Fatalf("n = %d, %v: inner product off by %g", n, shape, d)
						}
					}
					for j := range u {
						if d := s[i*len(u)+j] - h.Dot(u[i], u[j]).Float(); math.Abs(d) > limit {
							t.Fatalf("n = %d, %v: symmetric inner product off by %g", n, shape, d)
						}
					}
				}
				for j := range v {
					for e := range n {
						want := 0.0
						for i := range u {
							want += a[i*len(v)+j] * u[i][e]
						}
						if math.Abs(sum[j][e]-want) > 1e-13 || math.Abs(added[j][e]-want-v[j][e]) > 1e-13 {
							t.Fatalf("n = %d, %v: combination %g, want %g", n, shape, sum[j][e], want)
						}
					}
				}
			}
		}
	}
}
