package precond

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/testsupport"
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

// Rows one after the other take longer than fronts with as many multiplications: an order for them is taken only if it saves most of these.
func TestOrderForFronts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 400
	m := testsupport.Entries(n, func(add func(i, j int, v float64)) { // a band, some rows of which have changed places
		for i := range n {
			add(i, i, 1)
			at := i
			if i%8 == 0 {
				at = rng.IntN(n)
			}
			for k := range 4 {
				add(i, (at+k*k)%n, 1)
			}
		}
	})
	s := &setup{m: m, ctx: t.Context()}
	amd, err := order.AMD(t.Context(), order.NewGraph(m, nil), order.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := order.RowAMD(t.Context(), m, order.Limit{})
	if err != nil || boundShare*rows.Multiplications > amd.Multiplications || rowShare*rows.Multiplications < amd.Multiplications {
		t.Fatalf("rows %g, fronts %g multiplications: no test; %v", rows.Multiplications, amd.Multiplications, err)
	}
	if _, diagonal, err := s.orderRows(m, false); err != nil || !diagonal {
		t.Errorf("an order for rows: %v, %v", !diagonal, err)
	}
}
