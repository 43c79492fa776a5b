package main

import (
	"math"
	"testing"
)

// The output is the code as a share of 2^bits.
func TestConvert(t *testing.T) {
	const bits = 5
	volts, err := convert(t.Context(), bits)
	if err != nil {
		t.Fatal(err)
	}
	if len(volts) != 1<<bits {
		t.Fatalf("%d voltages", len(volts))
	}
	for code, v := range volts {
		if want := supply * float64(code) / (1 << bits); math.Abs(v-want) > 1e-9 {
			t.Errorf("code %d: %.10f V, want %.10f", code, v, want)
		}
	}
}
