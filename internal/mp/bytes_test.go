package mp

import (
	"math/rand/v2"
	"testing"
)

// The memory reported is that of the arrays, up to a few words.
func TestBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, bits := range precisions {
		v := New(100, bits)
		if got, want := Bytes(100, bits), int64(8*len(v.mant)+4*len(v.exp)+len(v.neg)); got != want {
			t.Errorf("a vector of %d bits: %d bytes, not %d", bits, got, want)
		}
		d := NewDense(nil, 19, 7, bits)
		if got, want := DenseBytes(19, 7, bits), int64(8*(len(d.limb)+len(d.exp)+len(d.rowSums)+len(d.colSums))+len(d.empty)); got != want {
			t.Errorf("a dense matrix of %d bits: %d bytes, not %d", bits, got, want)
		}
	}
	m := randomCSR(rng, 50, 2000, 1)
	a := NewMatrix(nil, m)
	want := int64(8*(len(a.ptr)+len(a.piece)+len(a.entries)) + 4*(len(a.col)+len(a.exp)))
	if got := MatrixBytes(50, int64(m.NNZ())); got < want || got > want+1000 {
		t.Errorf("a sparse matrix: %d bytes, not %d", got, want)
	}
}
