package adaptive

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// someThreads are numbers of threads to compare; fewer in short tests, which the race detector runs.
func someThreads() []int {
	if testing.Short() {
		return []int{1, 3}
	}
	return []int{1, 2, 3, 8}
}

// The same bits for any number of threads, in every kind of product, which allocates nothing.
func TestThreads(t *testing.T) {
	body := generated(t, "elasticity3d", generate.Params{"n": 18, "decades": 6})
	graph, runs := generated(t, "powerlaw", generate.Params{"n": 20000}), 10
	if host.RaceDetector {
		runs = 1
	}
	afx := set(t, "AFX")
	for i, c := range []Spec{
		{Set: afx, Layout: Slots, Criterion: CW},
		{Set: afx, Layout: SELL, Criterion: CW},
		{Set: afx, Layout: Tiles, Criterion: CW},
		{Set: afx, Layout: Bucketed, Criterion: CW},
		{Set: afx, Layout: Symmetric, Criterion: NW},
		{Set: afx, Layout: COO, Criterion: CW},
		{Set: afx, Layout: ELL, Criterion: CW},
		{Set: afx, Layout: Hybrid, Criterion: CW},
		{Set: afx, Layout: SELL8, Criterion: CW},
		{Set: afx, Layout: BCRS4x1, Criterion: CW},
		{Set: set(t, "AP7REU"), Criterion: CW, PaperExact: true},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		c.Epsilon = 0x1p-30
		m := graph
		if c.Layout == Symmetric || c.Layout == ELL {
			m = body
		}
		x, b, w := random(1, m.Cols), random(2, m.Rows), random(3, m.Rows)
		var want []string
		for _, threads := range someThreads() {
			a, err := Build(m, c, newPool(t, threads))
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := a.(*matrix).stored.(*symmetricMatrix); ok && len(s.parts) < 4 {
				t.Fatalf("%d parts only", len(s.parts))
			}
			y, r, z := make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.Rows)
			dot := a.ApplyDot(y, x, b)
			dw, dd := a.ApplyDots(y, x, w)
			a.Residual(r, b, x)
			a.Relax(z, x, b, w, 0.7)
			got := []string{fmt.Sprint(dot, dw, dd), fmt.Sprintf("%x", y), fmt.Sprintf("%x", r), fmt.Sprintf("%x", z)}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: other bits with %d threads", c.name(), threads)
			}
			for i, v := range r {
				if v != b[i]-y[i] {
					t.Fatalf("%s: residual of row %d is %g, want %g", c.name(), i+1, v, b[i]-y[i])
				}
			}
			if n := testing.AllocsPerRun(runs, func() { a.Apply(y, x) }); n != 0 {
				t.Errorf("%s: %g allocations", c.name(), n)
			}
		}
	}
}

// No page holds panels of two threads: each touches first what it will multiply.
func TestThreadsTouchTheirPanels(t *testing.T) {
	const page, threads = 4096, 4
	m := generated(t, "poisson3d", generate.Params{"n": 60, "decades": 4})
	a, err := Build(m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-53, Layout: Diagonals}, newPool(t, threads))
	if err != nil {
		t.Fatal(err)
	}
	owner := map[uintptr]int{}
	seen := map[int]bool{}
	units := a.(*matrix).slots().panels
	for k, u := range units {
		thread := parallel.Owner(k, len(units), threads)
		seen[thread] = true
		for _, p := range u {
			first := uintptr(unsafe.Pointer(&p.Values[0])) / page
			last := uintptr(unsafe.Pointer(&p.Values[len(p.Values)-1])) / page
			for at := first; at <= last; at++ {
				if other, known := owner[at]; known && other != thread {
					t.Fatalf("panel %d of thread %d is in a page of thread %d", k, thread, other)
				}
				owner[at] = thread
			}
		}
	}
	if len(seen) != threads {
		t.Errorf("%d of %d threads have panels", len(seen), threads)
	}
}
