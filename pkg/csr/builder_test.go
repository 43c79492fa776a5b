package csr

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestBuilderSortsAndAddsInOrder(t *testing.T) {
	b, err := NewBuilder(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		i, j int
		v    float64
	}{{2, 3, 1}, {0, 1, 1e16}, {2, 0, -0.5}, {0, 1, 1}, {0, 1, -1e16}, {2, 3, 2}, {0, 0, 7}} {
		if err := b.Add(e.i, e.j, e.v); err != nil {
			t.Fatal(err)
		}
	}
	// (1e16 + 1) - 1e16 is 0 in float64; in another order it would be 1.
	want := &Matrix{
		Rows: 3, Cols: 4, RowPtr: []int64{0, 2, 2, 4},
		Col: []int32{0, 1, 0, 3}, Val: []float64{7, 0, -0.5, 3},
	}
	m := b.Build()
	if !sameBits(m, want) {
		t.Errorf("built %+v, want %+v", m, want)
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	if err := b.Add(1, 1, 5); err != nil {
		t.Fatal(err)
	}
	if again := b.Build(); again.At(1, 1) != 5 || again.At(0, 1) != 0 || again.NNZ() != 5 {
		t.Errorf("built again after one more entry: %+v", again)
	}
	if m.NNZ() != 4 {
		t.Error("building again changed the first matrix")
	}
}

func TestBuilderRejects(t *testing.T) {
	for _, d := range [][2]int{{-1, 2}, {2, -1}, {MaxDim + 1, 1}, {1, MaxDim + 1}} {
		if _, err := NewBuilder(d[0], d[1]); err == nil {
			t.Errorf("%d x %d was accepted", d[0], d[1])
		}
	}
	b, err := NewBuilder(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Position{{-1, 0}, {0, -1}, {2, 0}, {0, 3}, {math.MaxInt, math.MinInt}} {
		if err := b.Add(p.Row, p.Col, 1); err == nil || !strings.Contains(err.Error(), "outside a 2 x 3 matrix") {
			t.Errorf("entry %v: error %v", p, err)
		}
	}
	if m := b.Build(); m.NNZ() != 0 {
		t.Errorf("rejected entries are stored: %+v", m)
	}
}

// rowByRow returns the entries in compressed rows, otherwise in the given order.
func rowByRow(rows int, entries []entry) (indptr, indices []int32, data []float64) {
	indptr = []int32{0}
	for i := range rows {
		for _, e := range entries {
			if int(e.row) == i {
				indices, data = append(indices, e.col), append(data, e.val)
			}
		}
		indptr = append(indptr, int32(len(indices)))
	}
	return indptr, indices, data
}

// FuzzBuilder reads 10 bytes per entry: row, column, value. Builder and New must add
// those of the same position in their order.
func FuzzBuilder(f *testing.F) {
	for _, d := range [][2]uint8{{0, 0}, {0, 5}, {5, 0}, {3, 3}} {
		f.Add(d[0], d[1], []byte{})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		data := make([]byte, 10*rng.IntN(200))
		for k := range data {
			data[k] = byte(rng.Uint32())
		}
		f.Add(uint8(rng.IntN(10)), uint8(rng.IntN(10)), data)
	}
	f.Fuzz(func(t *testing.T, rows, cols uint8, data []byte) {
		b, err := NewBuilder(int(rows), int(cols))
		if err != nil {
			t.Fatal(err)
		}
		var entries []entry
		sums := map[Position]float64{}
		for ; len(data) >= 10; data = data[10:] {
			i, j := int(data[0])%(int(rows)+1), int(data[1])%(int(cols)+1)
			v := math.Float64frombits(binary.LittleEndian.Uint64(data[2:]))
			err := b.Add(i, j, v)
			if inside := i < int(rows) && j < int(cols); inside != (err == nil) {
				t.Fatalf("entry (%d, %d) of %d x %d: error %v", i, j, rows, cols, err)
			}
			if err == nil {
				entries = append(entries, entry{int32(i), int32(j), v})
				if old, ok := sums[Position{i, j}]; ok {
					v = old + v
				}
				sums[Position{i, j}] = v
			}
		}
		m := b.Build()
		if err := m.Validate(); err != nil || m.Rows != int(rows) || m.Cols != int(cols) || m.NNZ() != len(sums) {
			t.Fatalf("%d x %d with %d entries, want %d, %v", m.Rows, m.Cols, m.NNZ(), len(sums), err)
		}
		m.DoNonZero(func(i, j int, v float64) {
			if want := sums[Position{i, j}]; v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Errorf("entry (%d, %d) = %v, want %v", i, j, v, want)
			}
		})
		indptr, indices, values := rowByRow(int(rows), entries)
		if n, err := New(int(rows), int(cols), indptr, indices, values); err != nil || !sameBits(n, m) {
			t.Errorf("New makes %+v, %v, want %+v", n, err, m)
		}
	})
}
