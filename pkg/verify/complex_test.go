package verify

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// The errors are those of the definitions with complex numbers, whatever their magnitude, and within the bounds by those of the real system.
func TestComplexErrors(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, scale := range []float64{1, 0x1p-900, 0x1p900} {
		const n = 40
		a := make([][]complex128, n)
		x, b := make([]complex128, n), make([]complex128, n)
		k := &csr.Matrix{Rows: 2 * n, Cols: 2 * n, RowPtr: []int64{0}}
		xs, bs := make([]float64, 2*n), make([]float64, 2*n)
		for i := range n {
			a[i] = make([]complex128, n)
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
			xs[2*i], xs[2*i+1] = real(x[i]), imag(x[i])
		}
		var row, componentwise, rmax, tmax, xmax, bmax, rr, bb float64
		for i := range n {
			xmax = max(xmax, cmplx.Abs(x[i]))
		}
		for i := range n {
			var sum complex128
			for j := range n {
				if i == j || rng.IntN(4) == 0 {
					a[i][j] = complex(rng.NormFloat64(), rng.NormFloat64())
				}
				sum += a[i][j] * x[j]
			}
			b[i] = sum + 1e-3*complex(rng.NormFloat64(), rng.NormFloat64())
			bs[2*i], bs[2*i+1] = real(b[i])*scale, imag(b[i])*scale
			r, ti, ax := cmplx.Abs(b[i]-sum), 0.0, 0.0
			for j := range n {
				ti += cmplx.Abs(a[i][j])
				ax += cmplx.Abs(a[i][j]) * cmplx.Abs(x[j])
			}
			row, componentwise = max(row, r/(ti*xmax+cmplx.Abs(b[i]))), max(componentwise, r/(ax+cmplx.Abs(b[i])))
			rmax, tmax, bmax = max(rmax, r), max(tmax, ti), max(bmax, cmplx.Abs(b[i]))
			rr, bb = rr+r*r, bb+cmplx.Abs(b[i])*cmplx.Abs(b[i])
			for part := range 2 {
				for j, v := range a[i] {
					re, im := real(v), -imag(v)
					if part == 1 {
						re, im = imag(v), real(v)
					}
					if v != 0 {
						k.Col, k.Val = append(k.Col, int32(2*j), int32(2*j+1)), append(k.Val, re*scale, im*scale)
					}
				}
				k.RowPtr = append(k.RowPtr, int64(len(k.Val)))
			}
		}
		want := Errors{Row: row, Normwise: rmax / (tmax*xmax + bmax), Componentwise: componentwise, RelativeResidual: math.Sqrt(rr / bb)}
		got, err := ComputeComplex(k, xs, bs, pool)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2]float64{
			"row": {got.Row, want.Row}, "normwise": {got.Normwise, want.Normwise}, "componentwise": {got.Componentwise, want.Componentwise},
			"relative": {got.RelativeResidual, want.RelativeResidual},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-10*pair[1] {
				t.Errorf("scale %g: %s error %g, want %g", scale, name, pair[0], pair[1])
			}
		}
		real, err := Compute(k, xs, bs, pool)
		if err != nil {
			t.Fatal(err)
		}
		if got.Row > 2*real.Row || got.Normwise > 2*real.Normwise || got.Componentwise > math.Sqrt2*real.Componentwise {
			t.Errorf("errors %v exceed the bounds by those of the real system, %v", got, real)
		}
	}
	xs := []float64{math.NaN(), 0}
	if e, _ := ComputeComplex(&csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{1, 1}}, xs, []float64{1, 0}, pool); !math.IsInf(e.Row, 1) {
		t.Error("NaN has an error that is finite")
	}
}

// The errors over ranks are those of the whole system, whatever the numbers of domains and ranks, and never finite where the parts of a complex number
// are apart (Concurrent).
func TestConcurrentComplexErrors(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(5, 6))
	entries := map[[2]int]float64{}
	for i := range n {
		for k := range 4 {
			j, re, im := i, 4+rng.Float64(), rng.NormFloat64()
			if k > 0 {
				j = (i + rng.IntN(n)) % n
			}
			if re *= float64(k % 2); j == i {
				re = 4
			}
			for p, v := range [2][2]float64{{re, -im}, {im, re}} {
				entries[[2]int{2*i + p, 2 * j}], entries[[2]int{2*i + p, 2*j + 1}] = v[0], v[1]
			}
		}
	}
	for at, v := range entries {
		if v == 0 {
			delete(entries, at)
		}
	}
	m := build(t, 2*n, 2*n, entries)
	x, b := make([]float64, 2*n), make([]float64, 2*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	m.MulVec(b, x)
	for i := range x {
		x[i] *= 1 + 1e-3*rng.NormFloat64()
	}
	want, err := ComputeComplex(m, x, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, domains := range []int{1, 2, 3, 7} {
		d, err := dist.CutNodes(m, 2, domains)
		if err != nil {
			t.Fatal(err)
		}
		apart := dist.Domains{Start: slices.Clone(d.Start)}
		if domains > 1 {
			apart.Start[1]++
		}
		for _, ranks := range []int{1, 2, 3} {
			dist.Run(ranks, func(c dist.Comm) {
				errors := func(d dist.Domains) Errors {
					lo, hi := d.Owned(c.Rank(), c.Size())
					a, err := dist.Adopt(c, d, dist.RowRange(m, int(d.Start[lo]), int(d.Start[hi])))
					if err != nil {
						t.Error(err)
						return Errors{}
					}
					e, _ := ComputeDistributed(a, ownOf(a, x), ownOf(a, b), true, nil)
					return e
				}
				e := errors(d)
				if e.Row != want.Row || e.Normwise != want.Normwise || e.Componentwise != want.Componentwise || math.Abs(e.RelativeResidual-want.RelativeResidual) > 1e-14*want.RelativeResidual {
					t.Errorf("%d domains, %d ranks: %+v, want %+v", domains, ranks, e, want)
				}
				if e := errors(apart); domains > 1 && !math.IsInf(e.Row, 1) {
					t.Errorf("%d domains that cut a complex number, %d ranks: %+v", domains, ranks, e)
				}
			})
		}
	}
}
