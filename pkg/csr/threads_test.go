package csr

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// Facts, norms and scalings are the same for any number of threads, on matrices
// of many panels with empty, short and huge rows.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const n = 60000
	b, err := NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		count := rng.IntN(4) // none in a quarter of the rows
		if i%20000 == 7 {
			count = 30000
		}
		for range count {
			if err := b.Add(i, rng.IntN(n), rng.NormFloat64()*float64(uint64(1)<<rng.IntN(60))); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := b.Build()
	results := func(pool *parallel.Pool) string {
		sym, err := SymmetricScaling(m, pool)
		both := BothScaling(m, pool)
		return fmt.Sprintf("%+v %x %x %v %v %v %v %x", Examine(m, pool), m.RowSums(pool), m.RowMax(pool),
			RowScaling(m, pool), sym, err, both, both.Apply(m, pool).Val)
	}
	want := results(nil)
	for _, threads := range []int{1, 2, 3, 8} {
		pool := parallel.New(threads)
		if results(pool) != want {
			t.Errorf("other results with %d threads", threads)
		}
		pool.Close()
	}
}

func BenchmarkSetUp(b *testing.B) {
	const n = 1_000_000
	a, err := NewBuilder(n, n)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		for _, j := range []int{i - 1000, i - 1, i, i + 1, i + 1000} {
			if 0 <= j && j < n {
				if err := a.Add(i, j, float64(1+i%7+j%7)); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	m := a.Build()
	for _, threads := range []int{1, 2} {
		pool := parallel.New(threads)
		for name, f := range map[string]func(){
			"Examine":          func() { Examine(m, pool) },
			"SymmetricScaling": func() { _, _ = SymmetricScaling(m, pool) },
			"BothScaling":      func() { BothScaling(m, pool) },
		} {
			b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/nz")
			})
		}
		pool.Close()
	}
}
