package generate

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// TestMakeRows compares rows with those of the whole matrix.
func TestMakeRows(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, c := range sizes {
		k, _ := Find(c.kind)
		m, err := Generate(k.Name, c.parts)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(m.Rows)
		for _, r := range [][2]int64{{0, n}, {0, n / 3}, {n / 3, n / 3}, {n / 3, n - 1}, {n - 1, n}} {
			rowPtr, col, val, err := k.MakeRows(c.parts, r[0], r[1], pool)
			if err != nil {
				t.Fatal(err)
			}
			from, to := m.RowPtr[r[0]], m.RowPtr[r[1]]
			if !slices.Equal(val, m.Val[from:to]) {
				t.Errorf("%s: other values in rows %v", k.Name, r)
			}
			if !slices.EqualFunc(col, m.Col[from:to], func(a int64, b int32) bool { return a == int64(b) }) {
				t.Errorf("%s: other columns in rows %v", k.Name, r)
			}
			if !slices.EqualFunc(rowPtr, m.RowPtr[r[0]:r[1]+1], func(a, b int64) bool { return a == b-from }) {
				t.Errorf("%s: other lengths of rows %v", k.Name, r)
			}
		}
		if _, _, _, err := k.MakeRows(c.parts, 0, n+1, pool); err == nil {
			t.Errorf("%s: no error for a row too many", k.Name)
		}
	}
}

// TestMakeRowsBeyond32Bits: rows of more than a matrix has, on both sides of 2^31 and 2^32, have the columns of the nodes beside
// theirs, and the first and the last entry are those of their mirror images.
func TestMakeRowsBeyond32Bits(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, c := range []struct {
		kind     string
		n        int
		unknowns int
		box      bool // all nodes around one, not only those across faces
		p        Params
	}{
		{"poisson3d", 1700, 1, false, Params{"decades": 3}},
		{"convdiff3d", 1700, 1, false, Params{"peclet": 0}},
		{"poisson2d", 70_000, 1, false, Params{"decades": 3, "grain": 2}},
		{"stencil27", 1700, 1, true, nil},
		{"elasticity3d", 1200, 3, true, nil},
	} {
		k, _ := Find(c.kind)
		p := Params{"n": float64(c.n)}
		maps.Copy(p, c.p)
		row := func(i int64) (col []int64, val []float64) {
			_, col, val, err := k.MakeRows(p, i, i+1, pool)
			if err != nil {
				t.Fatal(err)
			}
			return col, val
		}
		for _, i := range []int64{1 << 31, 1 << 32} {
			col, val := row(i)
			if want := beside(cube(k.nodes(values(p)).dim, c.n), i, int64(c.unknowns), c.box); !slices.Equal(col, want) {
				t.Errorf("%s: row %d has columns %v, want %v", c.kind, i, col, want)
				continue
			}
			for _, at := range []int{0, len(col) - 1} {
				j := col[at]
				back, mirror := row(j)
				if there, found := slices.BinarySearch(back, i); !found || mirror[there] != val[at] {
					t.Errorf("%s: entry %d of row %d is not that of row %d", c.kind, j, i, j)
				}
			}
		}
	}
	for kind, p := range map[string]Params{"stencil27": {"n": 1700, "window": 9}, "darcy3d": {"n": 1700}, "poisson3d": {"n": 1<<18 + 1}} {
		k, _ := Find(kind)
		if _, _, _, err := k.MakeRows(p, 0, 1, pool); err == nil {
			t.Errorf("%s: no error", kind)
		}
	}
	if _, err := Generate("poisson3d", Params{"n": 1443}); err == nil {
		t.Error("a whole matrix has 3 * 10^9 rows")
	}
}

// beside returns the unknowns of the nodes beside that of a row, and its own.
func beside(g grid, row, unknowns int64, box bool) (cols []int64) {
	x, y, z := g.at(int(row / unknowns))
	for w := z - 1; w <= z+1; w++ {
		for v := y - 1; v <= y+1; v++ {
			for u := x - 1; u <= x+1; u++ {
				apart := max(u-x, x-u) + max(v-y, y-v) + max(w-z, z-w)
				if !g.contains(u, v, w) || !box && apart > 1 {
					continue
				}
				for k := range unknowns {
					cols = append(cols, int64((w*g.ny+v)*g.nx+u)*unknowns+k)
				}
			}
		}
	}
	return cols
}

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

// A generator that jumps gives the numbers of one that goes.
func TestPCGAfter(t *testing.T) {
	for _, seed := range []uint64{0, 1, 42, math.MaxUint64} {
		walking := rand.NewPCG(seed, 0)
		for n := range uint64(300) {
			if got, want := pcgAfter(seed, n).Uint64(), walking.Uint64(); got != want {
				t.Fatalf("seed %d: number %d is %d, want %d", seed, n, got, want)
			}
		}
	}
	far := pcgAfter(3, 1<<40)
	near := pcgAfter(3, 1<<40-1)
	near.Uint64()
	if far.Uint64() != near.Uint64() {
		t.Error("numbers far on differ")
	}
}
