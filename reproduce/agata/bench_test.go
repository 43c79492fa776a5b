package agata

import (
	"math"
	"testing"
)

func BenchmarkMerit(b *testing.B) {
	m, r := make([]float32, 80), make([]float32, 80)
	for k := range m {
		m[k], r[k] = 500+float32(k), 480+float32(k)*1.1
	}
	for name, f := range map[string]metric{"fp32": newFP32(), "nearest": newNearest(), "linear": newLinear(), "fp16": newFP16()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.merit(m, r, math.Inf(1))
			}
		})
	}
}
