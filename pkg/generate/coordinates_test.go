package generate

import (
	"math"
	"testing"
)

// TestCoordinates: the entries of a row couple it to nodes that are beside it,
// and no two nodes lie at the same place.
func TestCoordinates(t *testing.T) {
	for _, c := range cases {
		k, _ := Find(c.kind)
		if !k.OnGrid {
			if _, _, _, err := k.Coordinates(c.p); err == nil {
				t.Errorf("%s has no grid, but coordinates", c.kind)
			}
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			count, dim, x, err := k.Coordinates(c.p)
			if err != nil {
				t.Fatal(err)
			}
			m := mustGenerate(t, c.kind, c.p)
			unknowns := m.Rows / count
			if unknowns*count != m.Rows || len(x) != count*dim {
				t.Fatalf("%d x %d coordinates, %d values, for %d rows", count, dim, len(x), m.Rows)
			}
			reach := 1.0
			if c.kind == "wathen" { // an element is two steps wide
				reach = 2
			}
			seen := map[[3]float64]bool{}
			for i := range count {
				var at [3]float64
				for axis := range dim {
					at[axis] = x[axis*count+i]
				}
				if seen[at] {
					t.Fatalf("two nodes at %v", at)
				}
				seen[at] = true
			}
			for i := range m.Rows {
				cols, _ := m.Row(i)
				for _, j := range cols {
					for axis := range dim {
						a, b := x[axis*count+i/unknowns], x[axis*count+int(j)/unknowns]
						if math.Abs(a-b) > reach {
							t.Fatalf("rows %d and %d are coupled but lie at %g and %g along axis %d", i, j, a, b, axis)
						}
					}
				}
			}
		})
	}
}

// TestCoordinatesOrder: x runs fastest.
func TestCoordinatesOrder(t *testing.T) {
	k, _ := Find("elasticity3d")
	count, dim, x, err := k.Coordinates(Params{"n": 3})
	if err != nil || count != 27 || dim != 3 {
		t.Fatal(count, dim, err)
	}
	const node = 1 + 3*2 + 9*1
	if x[node] != 1 || x[27+node] != 2 || x[54+node] != 1 {
		t.Errorf("node %d at (%g, %g, %g)", node, x[node], x[27+node], x[54+node])
	}
	if _, _, _, err := k.Coordinates(Params{"n": -1}); err == nil {
		t.Error("a negative edge has coordinates")
	}
}
