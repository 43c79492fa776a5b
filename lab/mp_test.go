package lab

import (
	"context"
	"testing"
)

// TestMPSignificand: numbers have as many bits as asked for, and implementations still multiply exactly enough.
func TestMPSignificand(t *testing.T) {
	d := newMPData(50, 212, 53)
	most := uint(0)
	for i := range d.x {
		most = max(most, d.x[i].MinPrec())
	}
	if most != 53 {
		t.Errorf("numbers have up to %d bits, want 53", most)
	}
	list, err := MP(context.Background(), MPOptions{
		N: 50, Bits: []int{212}, Significand: 53, Threads: []int{1}, Operations: []string{MPGEMV}, Implementations: MPImplementations,
		Repeat: 1, Progress: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Error > 0x1p-200 {
			t.Errorf("%s: error %g with elements of 53 bits", r.Implementation, r.Error)
		}
	}
}
