package adaptive

import (
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

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
