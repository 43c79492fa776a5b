package features

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func generated(t *testing.T, kind string, p generate.Params) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Unknowns of a node are found again wherever they are, and stay where they are side by side.
func TestNodeOrder(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 7, "decades": 2})
	n := m.Rows
	const size = 3
	nodes := n / size
	orders := map[string]csr.Permutation{"by axis": {}, "with gaps": {}, "any": {}}
	for i := range n {
		orders["by axis"] = append(orders["by axis"], int32(i%nodes*size+i/nodes))
	}
	for part := range 5 { // nodes are dealt to parts, and each part is by axis
		for a := range size {
			for v := part; v < nodes; v += 5 {
				orders["with gaps"] = append(orders["with gaps"], int32(v*size+a))
			}
		}
	}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		orders["any"] = append(orders["any"], int32(i))
	}
	for name, order := range orders {
		given := m.Permuted(order, order.Inverse(), nil)
		k, p := NodeOrder(given, nil)
		if k != size || len(p) != n {
			t.Errorf("%s: %d unknowns in a node, a permutation of %d", name, k, len(p))
			continue
		}
		last := int32(-1)
		for v := 0; v < n; v += size { // nodes of m, in the order of their first unknowns
			place := p[v : v+size]
			node := order[place[0]] / size
			for _, i := range place {
				if order[i]/size != node {
					t.Fatalf("%s: unknowns %v of the nodes %d and others are side by side", name, place, node)
				}
			}
			if first := slices.Min(place); first <= last {
				t.Fatalf("%s: a node that begins with %d comes after %d", name, first, last)
			} else {
				last = first
			}
		}
		if back := given.Permuted(p, p.Inverse(), nil); name == "by axis" && !slices.Equal(back.Val, m.Val) {
			t.Errorf("%s: not the matrix by nodes", name)
		}
	}
}

// Other matrices stay as they are.
func TestNoNodeOrder(t *testing.T) {
	for kind, p := range map[string]generate.Params{
		"elasticity3d": {"n": 7}, "poisson2d": {"n": 24}, "poisson3d": {"n": 12}, "convdiff3d": {"n": 12}, "darcy3d": {"n": 8},
		"stokes2d": {"n": 16}, "powerlaw": {"n": 1200}, "wathen": {"nx": 12, "ny": 12}, "stencil27": {"n": 9}, "circuit": {"n": 1200}, "anisotropic2d": {"n": 24}, "kkt": {"n": 600},
	} {
		if size, order := NodeOrder(generated(t, kind, p), nil); order != nil {
			t.Errorf("%s: nodes of %d unknowns", kind, size)
		}
	}
}
