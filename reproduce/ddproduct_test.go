package reproduce

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// TestDDTransposed: BCRS4x1 has the transposed product of CSR with double-double vectors, to their accuracy.
func TestDDTransposed(t *testing.T) {
	pool := parallel.New(2)
	t.Cleanup(pool.Close)
	l := newDDLayouts(generated(t, "convdiff2d", generate.Params{"n": 24, "peclet": 0.5}), pool)
	var sums []float64
	for _, layout := range []string{"csr", "bcrs4x1"} {
		run, err := l.product(layout, true, true, false)
		if err != nil {
			t.Fatal(err)
		}
		run()
		sums = append(sums, l.ydd.Hi[100])
	}
	if sums[0] == 0 || sums[0] != sums[1] {
		t.Errorf("an element of the product is %g in CSR, %g in BCRS4x1", sums[0], sums[1])
	}
}
