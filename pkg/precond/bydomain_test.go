package precond

import (
	"errors"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

// A domain without entries in its block has its share of the memory: the diagonal is replaced there as on one domain, and factors say that
// the block is singular.
func TestDomainWithoutEntries(t *testing.T) {
	m := generated(t, "mixeddarcy2d", generate.Params{"n": 3})
	b := random(m.Rows, 1)
	opt := Options{Limits: Limits{MaxBytes: 1 << 20}}
	for _, kind := range []Kind{Jacobi, BlockJacobi} {
		if got := tried(t, 1, 7, 1, kind, m, opt, b); got.err != nil {
			t.Error(got.err)
		}
	}
	for _, kind := range []Kind{ILU0, ILUT, LU, ISAI} {
		if got := tried(t, 1, 7, 1, kind, m, opt, b); !errors.Is(got.err, ErrSingular) {
			t.Errorf("%v, want %v", got.err, ErrSingular)
		}
	}
	opt.MaxBytes = 1
	if got := tried(t, 1, 7, 1, ILU0, m, opt, b); !errors.Is(got.err, ErrMemory) || strings.Contains(got.text, "-") {
		t.Errorf("%v, want %v", got.err, ErrMemory)
	}
}
