package mp

import (
	"bytes"
	"encoding/gob"
	"math/big"
	"testing"
)

// encoding/gob stores vectors, also in pointers that may be nil; damaged ones are refused.
func TestGob(t *testing.T) {
	type holder struct{ X, None *Vec }
	x := New(3, 212)
	x.Set(0, big.NewFloat(0.1))
	x.Set(2, big.NewFloat(-7e300))
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(holder{X: x}); err != nil {
		t.Fatal(err)
	}
	var back holder
	if err := gob.NewDecoder(&b).Decode(&back); err != nil || back.None != nil || back.X.Len() != 3 || back.X.bits != 212 {
		t.Fatalf("%+v, %v", back, err)
	}
	for i := range 3 {
		if back.X.At(i).Cmp(x.At(i)) != 0 {
			t.Errorf("element %d is %v, want %v", i, back.X.At(i), x.At(i))
		}
	}
	for name, damage := range map[string]func(v *Vec){
		"no such precision": func(v *Vec) { v.bits = 1 << 30 },
		"lengths":           func(v *Vec) { v.neg = v.neg[1:] },
		"words":             func(v *Vec) { v.mant = v.mant[1:] },
		"not normalised":    func(v *Vec) { v.mant[v.words-1] >>= 1 },
	} {
		v := New(3, 212)
		v.Set(0, big.NewFloat(0.1))
		damage(v)
		text, err := v.GobEncode()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Vec).GobDecode(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := new(Vec).GobDecode([]byte("rubbish")); err == nil {
		t.Error("rubbish: no error")
	}
}
