package kernels

import "testing"

func TestChooseTier(t *testing.T) {
	for _, c := range []struct {
		name string
		want Tier
		bad  bool
	}{
		{"", processor, false},
		{"portable", Portable, false},
		{"avx2", min(AVX2, processor), false},
		{"avx512", min(AVX512, processor), false},
		{"sse", processor, true},
	} {
		got, err := choose(c.name)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("choose(%q) = %s, %v", c.name, got, err)
		}
	}
}
