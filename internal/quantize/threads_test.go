package quantize

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// The tolerances have the same bits for any number of threads.
func TestThreads(t *testing.T) {
	m, err := generate.Generate("powerlaw", generate.Params{"n": 20000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Criteria {
		var want *Tolerances
		for _, threads := range []int{1, 2, 5} {
			pool := parallel.New(threads)
			p, err := New(m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-30, Criterion: c}, csr.Panels(m), pool)
			pool.Close()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = p.Tol
			}
			if !slices.Equal(p.Tol.Exp, want.Exp) || !slices.Equal(p.Tol.Theta, want.Theta) {
				t.Errorf("%s: other tolerances with %d threads", c, threads)
			}
		}
	}
}
