package gpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// allSizes is a vector of numbers of all sizes, subnormal ones among them.
func allSizes(rng *rand.Rand, n int) []float64 {
	return eachOf(n, func(int) float64 {
		x := rng.NormFloat64()
		switch rng.IntN(50) {
		case 0:
			x = 0
		case 1:
			x *= 0x1p-1060
		case 2:
			x *= 0x1p300
		}
		return x
	})
}

// TestVectors compares every kernel of vectors with plain Go, bit for bit.
func TestVectors(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) { testVectors(t, s, rand.New(rand.NewPCG(1, uint64(s.n)))) })
}

func testVectors(t *testing.T, s *deviceSpace, rng *rand.Rand) {
	const a, b, o = -1.375, 0.3, 1e-3
	names := "pqrstvwxyz"
	h, v := map[byte][]float64{}, map[byte]*Vector{} // on the host, on the device
	for _, k := range []byte(names) {
		h[k], v[k] = allSizes(rng, s.n), s.New()
		s.Upload(v[k], h[k])
	}
	each := func(to byte, f func(i int) float64) {
		for i := range h[to] {
			h[to][i] = f(i)
		}
		sameVector(t, s, string(to), v[to], h[to])
	}
	fma := math.FMA
	dot := func(x, y []float64) float64 { return s.dotParts(x, y).total() }

	s.Scale(known(a), v['x'])
	each('x', func(i int) float64 { return a * h['x'][i] })
	s.Axpy(known(b), v['x'], v['y'])
	each('y', func(i int) float64 { return fma(b, h['x'][i], h['y'][i]) })
	s.Xpay(v['x'], known(b), v['y'])
	each('y', func(i int) float64 { return fma(b, h['y'][i], h['x'][i]) })
	s.Mul(known(a), v['w'], v['x'], v['z'])
	each('z', func(i int) float64 { return a * (h['w'][i] * h['x'][i]) })
	s.Direction(v['r'], known(b), known(o), v['q'], v['p'])
	each('p', func(i int) float64 { return fma(b, fma(-o, h['q'][i], h['p'][i]), h['r'][i]) })
	s.Copy(v['t'], v['p'])
	each('t', func(i int) float64 { return h['p'][i] })
	s.Checkpoint(v['s'], v['p'])
	each('s', func(i int) float64 { return h['p'][i] })

	sameNumber(t, "dot", s.Dot(v['x'], v['y']).Float(), dot(h['x'], h['y']))
	sameNumber(t, "dot of one", s.Dot(v['x'], v['x']).Float(), dot(h['x'], h['x']))
	for _, z := range []byte("xyz") {
		yz := s.AxpyDot(known(a), v['x'], v['y'], v[z])
		each('y', func(i int) float64 { return fma(a, h['x'][i], h['y'][i]) })
		sameNumber(t, "AxpyDot", yz.Float(), dot(h['y'], h[z]))
	}
	rr := s.Step(known(a), v['p'], v['x'], v['q'], v['r'])
	each('x', func(i int) float64 { return fma(a, h['p'][i], h['x'][i]) })
	each('r', func(i int) float64 { return fma(-a, h['q'][i], h['r'][i]) })
	sameNumber(t, "Step", rr.Float(), dot(h['r'], h['r']))
	for _, k := range []byte("rt") {
		rr, rw := s.DoubleStep(known(a), v['p'], known(o), v[k], v['x'], v['q'], v['r'], v['w'])
		each('x', func(i int) float64 { return fma(o, h[k][i], fma(a, h['p'][i], h['x'][i])) })
		each('r', func(i int) float64 { return fma(-o, h['q'][i], h['r'][i]) })
		sameNumber(t, "DoubleStep", rr.Float(), dot(h['r'], h['r']))
		sameNumber(t, "DoubleStep", rw.Float(), dot(h['r'], h['w']))
	}

	for _, m := range []int{1, 7, 8, 9, 70} {
		var vs []*Vector
		var hs [][]float64
		dots, numbers := make([]Scalar, m), make([]float64, m)
		for k := range m {
			vs, hs = append(vs, v[names[k%6]]), append(hs, h[names[k%6]])
		}
		s.MultiDot(dots, vs, v['w'])
		for k := range m {
			if numbers[k] = numbers[k%6]; k < 6 {
				numbers[k] = dot(hs[k], h['w'])
			}
			sameNumber(t, "MultiDot", dots[k].Float(), numbers[k])
		}
		for k := range m {
			dots[k], numbers[k] = known(1/float64(k+2)), 1/float64(k+2)
		}
		ww, hw := s.MultiAxpyDot(dots, vs, v['w']), h['w']
		each('w', func(i int) float64 {
			w := hw[i]
			for k := range m {
				w = fma(numbers[k], hs[k][i], w)
			}
			return w
		})
		sameNumber(t, "MultiAxpyDot", ww.Float(), dot(h['w'], h['w']))
	}
	s.Zero(v['w'])
	clear(h['w'])
	sameVector(t, s, "zero", v['w'], h['w'])
}

// A launch takes no memory of the heap.
func TestLaunchesDoNotAllocate(t *testing.T) {
	d := emulated(t)
	s := newSpace(d, 10)
	defer s.Close()
	x, y := s.New(), s.New()
	if n := testing.AllocsPerRun(100, func() { s.Step(s.Dot(x, y), x, y, x, y) }); n > 0 {
		t.Errorf("%g allocations for two launches", n)
	}
}

// The kernels of BabelStream on vectors of fewer and of more elements than threads.
func TestStream(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, n := range []int{1, 255, 257, 4*threads*2 + 77} {
			s := newSpace(d, n)
			defer s.Close()
			s.blocks = 2
			x, y := normal(n, 1), normal(n, 2)
			v, dst := onDevice(s, x, y), s.New()
			check := func(what string, want func(i int) float64) {
				t.Helper()
				sameVector(t, s, what, dst, eachOf(n, want))
				s.Zero(dst)
			}
			s.CopyTo(v[0], dst)
			check("CopyTo", func(i int) float64 { return x[i] })
			s.ScaleTo(0.3, v[0], dst)
			check("ScaleTo", func(i int) float64 { return 0.3 * x[i] })
			s.Add(v[0], v[1], dst)
			check("Add", func(i int) float64 { return x[i] + y[i] })
			s.Triad(v[0], 0.3, v[1], dst)
			check("Triad", func(i int) float64 { return math.FMA(0.3, y[i], x[i]) })
		}
	})
}

// Picked elements are those of the vector, in the order of the places and with repetitions; set ranges are where they were set.
func TestPicks(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		rng := rand.New(rand.NewPCG(3, uint64(s.n)))
		x, values := s.New(), allSizes(rng, s.n)
		s.Upload(x, values)
		if s.n > 2 {
			copy(values[1:], []float64{7, 8})
			s.SetRange(x, 1, []float64{7, 8})
		}
		at := make([]uint32, min(3*s.n, 700))
		for k := range at {
			at[k] = uint32(rng.IntN(s.n))
		}
		p := s.Pick(at)
		defer p.Close()
		got, want := make([]float64, p.Len()), make([]float64, len(at))
		for k, i := range at {
			want[k] = values[i]
		}
		if p.Get(got, x); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
