package precond

import (
	"errors"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Nested dissection takes less work than AMD on meshes in space, and setup.fillReducing takes the one that takes less.
func TestFillReducing(t *testing.T) {
	for _, c := range []struct {
		kind string
		n    float64
		name string
		most float64 // multiplications, beside AMD
	}{
		{"poisson3d", 36, "nested dissection", 0.6},
		{"elasticity3d", 28, "nested dissection", 0.7},
		{"elasticity3d", 14, "nested dissection", 0.8}, // its graph has a ninth of the edges
		{"poisson2d", 100, "AMD", 1},
	} {
		m, err := generate.Generate(c.kind, generate.Params{"n": c.n})
		if err != nil {
			t.Fatal(err)
		}
		amd, err := order.AMD(t.Context(), order.NewGraph(m, nil), order.Limit{})
		if err != nil {
			t.Fatal(err)
		}
		s := &setup{m: m, ctx: t.Context()}
		e, name, err := s.fillReducing(m, nil, 0.5)
		if err != nil || name != c.name || e.Multiplications > c.most*amd.Multiplications {
			t.Errorf("%s: %s takes %.2g multiplications, AMD %.2g; %v", c.kind, name, e.Multiplications, amd.Multiplications, err)
		}
		s.MaxWork = 0.4 * e.Multiplications / float64(m.NNZ())
		if _, _, err := s.fillReducing(m, nil, 0.5); !errors.Is(err, ErrWork) {
			t.Errorf("%s: beyond the limit: %v", c.kind, err)
		}
	}
}
