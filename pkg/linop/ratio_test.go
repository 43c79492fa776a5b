package linop_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// BenchmarkHostDD reports the time of operations on double-double vectors beyond the caches as a multiple of that on
// float64 vectors, of minima that are measured in turn: 2 is what memory alone would take.
func BenchmarkHostDD(b *testing.B) {
	const n = 20e6
	var v []dd.Vec
	for k := range 4 {
		v = append(v, dd.NewVec(n))
		for i := range v[k].Hi {
			v[k].Hi[i], v[k].Lo[i] = float64(i%1000), 0x1p-60
		}
	}
	for _, threads := range []int{1, 2} {
		h, twice := linop.NewHost(n, newPool(b, threads)), linop.NewHostDD(n, newPool(b, threads))
		a, aDD := linop.Float64(1e-9), dd.From(1e-9)
		few, out := [][]float64{v[0].Hi, v[1].Hi, v[2].Hi, v[0].Hi}, make([]linop.Float64, 4)
		fewDD, outDD := []dd.Vec{v[0], v[1], v[2], v[0]}, make([]dd.DD, 4)
		for _, c := range []struct {
			name      string
			plain, dd func()
		}{
			{"axpy", func() { h.Axpy(a, v[0].Hi, v[1].Hi) }, func() { twice.Axpy(aDD, v[0], v[1]) }},
			{"xpay", func() { h.Xpay(v[0].Hi, a, v[1].Hi) }, func() { twice.Xpay(v[0], aDD, v[1]) }},
			{"dot", func() { h.Dot(v[0].Hi, v[1].Hi) }, func() { twice.Dot(v[0], v[1]) }},
			{"norm", func() { h.Dot(v[0].Hi, v[0].Hi) }, func() { twice.Dot(v[0], v[0]) }},
			{"step", func() { h.Step(a, v[0].Hi, v[1].Hi, v[2].Hi, v[3].Hi) }, func() { twice.Step(aDD, v[0], v[1], v[2], v[3]) }},
			{"direction", func() { h.Direction(v[0].Hi, a, a, v[1].Hi, v[2].Hi) }, func() { twice.Direction(v[0], aDD, aDD, v[1], v[2]) }},
			{"doubleStep", func() { h.DoubleStep(a, v[0].Hi, a, v[3].Hi, v[1].Hi, v[2].Hi, v[3].Hi, v[0].Hi) }, func() { twice.DoubleStep(aDD, v[0], aDD, v[3], v[1], v[2], v[3], v[0]) }},
			{"multiDot", func() { h.MultiDot(out, few, v[3].Hi) }, func() { twice.MultiDot(outDD, fewDD, v[3]) }},
			{"multiAxpy", func() { clear(out); h.MultiAxpy(out, few, v[3].Hi) }, func() { clear(outDD); twice.MultiAxpy(outDD, fewDD, v[3]) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				plain, ddTime := math.Inf(1), math.Inf(1)
				for b.Loop() {
					plain, ddTime = min(plain, seconds(c.plain)), min(ddTime, seconds(c.dd))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(1e3*plain, "ms-double")
				b.ReportMetric(1e3*ddTime, "ms-dd")
				b.ReportMetric(ddTime/plain, "ratio")
			})
		}
	}
}

func seconds(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}
