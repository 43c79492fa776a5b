package formats

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkCodec(b *testing.B) {
	const n = 4096
	rng := rand.New(rand.NewPCG(5, 6))
	for _, f := range All() {
		name, c := f.Name, Codec{Format: f, Exponent: -20}
		least, largest := c.Range()
		values := make([]float64, n)
		for i := range values {
			values[i] = max(least, min(largest, 1)*rng.Float64()*0.99)
		}
		stored := make([]byte, n*c.Bytes+Padding)
		b.Run("encode/"+name, func(b *testing.B) {
			for b.Loop() {
				if err := c.Encode(stored[:n*c.Bytes], values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
		})
		b.Run("decode/"+name, func(b *testing.B) {
			for b.Loop() {
				c.Decode(values, stored)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
		})
	}
}
