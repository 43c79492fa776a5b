package records

import "testing"

// TestKey: a quick run does not stand in for a full one, with the same matrix or
// with none.
func TestKey(t *testing.T) {
	r := Record{Kind: "solve", Labels: map[string]string{"solver": "cg"}, Matrix: &Matrix{Name: "nv1", Source: "nv1.mtx"}}
	quick := r
	quick.Quick = true
	if r.Key() == quick.Key() {
		t.Error("quick and full measurements have one key")
	}
	again := r
	again.Values = map[string]float64{"seconds": 1}
	if r.Key() != again.Key() {
		t.Error("the key depends on what came of the measurement")
	}
}
