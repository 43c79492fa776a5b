package gpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// basisVector is a vector whose blocks are of sizes that different formats suit; zeros, and what is smaller than all other
// elements by far, are among them.
func basisVector(rng *rand.Rand, n int) []float64 {
	return eachOf(n, func(i int) float64 {
		x := rng.NormFloat64() * math.Exp2(-float64(9*(i/packed.Block%8)))
		switch rng.IntN(40) {
		case 0:
			return 0
		case 1:
			return x * 0x1p-40
		}
		return x
	})
}

// chunkParts is dotParts of a kernel that takes chunks.
func (b *basis) chunkParts(x, y []float64) partials {
	p := make(partials, b.blocks())
	for i := range x {
		p.add(i/packed.Block%len(p), i%threads, x[i], y[i])
	}
	return p
}

// TestBasis compares vectors in fewer bits with those of package packed, and what kernels make of them with plain Go, bit for bit.
func TestBasis(t *testing.T) {
	const vectors, delta = 11, 0x1p-20 // of two groups
	for _, f := range []linop.BasisFormat{linop.BasisFP64, linop.BasisFP32, linop.BasisINT16, linop.BasisAdaptive} {
		t.Run(string(f), func(t *testing.T) {
			eachDevice(t, func(t *testing.T, d *Device) {
				sizes := []int{1, 257, 1024, 3*1024 + 5, 20 * 1024}
				switch {
				case d.info.Host:
					sizes = sizes[3:4]
				case isInterpreted(d):
					sizes = sizes[1:4]
				}
				for _, n := range sizes {
					s := newSpace(d, n)
					testBasis(t, s, s.NewBasis(f).(*basis), vectors, delta)
					s.Close()
				}
			})
		})
	}
}

func testBasis(t *testing.T, s *deviceSpace, b *basis, vectors int, delta float64) {
	rng := rand.New(rand.NewPCG(3, uint64(s.n)))
	host, w, a := packed.New(s.n, nil, nil), s.New(), 0.3
	stored, bytes := make([][]float64, vectors), int64(0)
	for k := range stored {
		x := basisVector(rng, s.n)
		s.Upload(w, x)
		b.Set(k, known(a), w, delta)
		host.Pack(a, x, b.rule(delta))
		bytes += host.Bytes()
		sameVector(t, s, "stored", w, x)
		stored[k] = x
	}
	counts := b.Counts()
	if want := bytes + int64(vectors*b.chunks*5); counts.Bytes != want || counts.Elements != int64(vectors*s.n) || counts.Read != 0 { // heads are of 8 bytes, not of 3
		t.Errorf("n = %d: counted %+v, want %d bytes of %d elements", s.n, counts, want, vectors*s.n)
	}
	x := basisVector(rng, s.n)
	s.Upload(w, x)
	h := make([]Scalar, vectors)
	b.MultiDot(h, w)
	for k := range h {
		sameNumber(t, "MultiDot", h[k].Float(), b.chunkParts(stored[k], x).total())
		h[k] = known(1 / float64(k+2))
	}
	add := func() {
		for i := range x {
			for k := range h {
				x[i] = math.FMA(1/float64(k+2), stored[k][i], x[i])
			}
		}
	}
	b.MultiAxpy(h, w)
	add()
	sameVector(t, s, "MultiAxpy", w, x)
	ww := b.MultiAxpyDot(h, w)
	add()
	sameVector(t, s, "MultiAxpyDot", w, x)
	sameNumber(t, "MultiAxpyDot", ww.Float(), b.chunkParts(x, x).total())
	if got := b.Counts().Read; got < 3*counts.Bytes {
		t.Errorf("n = %d: three operations read %d bytes of %d", s.n, got, counts.Bytes)
	}
}

// What is not finite stays so, what formats do not reach is dropped, and a vector set again takes the place of the first.
func TestBasisExtremes(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		s := newSpace(d, 2*packed.Block)
		defer s.Close()
		w := s.New()
		for _, c := range []struct {
			f          linop.BasisFormat
			large      float64
			want, tiny float64 // of large, and of 1e-310 alone in its block
		}{
			{linop.BasisFP32, math.Inf(1), math.NaN(), 0},
			{linop.BasisINT16, math.NaN(), math.NaN(), 0},
			{linop.BasisFP64, math.Inf(1), math.Inf(1), 1e-310},
			{linop.BasisAdaptive, math.Inf(1), math.Inf(1), 0},
			{linop.BasisINT16, 1, 1, 0},
		} {
			b := s.NewBasis(c.f)
			for range 2 {
				x := make([]float64, s.n)
				x[5], x[packed.Block+7] = c.large, 1e-310
				s.Upload(w, x)
				b.Set(0, known(1), w, 1e-3)
			}
			x := make([]float64, s.n)
			s.Download(x, w)
			sameNumber(t, string(c.f)+", large", x[5], c.want)
			sameNumber(t, string(c.f)+", tiny", x[packed.Block+7], c.tiny)
		}
	})
}

// On a device GMRES takes the iterations that it takes on the host with a basis of the same format, or a few more, since scalars
// come later, and the launches that its comment says.
func TestPackedGMRES(t *testing.T) {
	d, m := emulated(t), generated(t, "convdiff2d", generate.Params{"n": 24})
	for _, f := range []linop.BasisFormat{linop.BasisFP32, linop.BasisINT16, linop.BasisAdaptive} {
		x := make([]float64, m.Rows)
		opt := krylov.Options[[]float64]{Tol: 1e-8}
		host := krylov.NewGMRES(linop.NewHost(m.Rows, nil), krylov.GMRESOptions{Restart: 50, Basis: f})
		want := host.Solve(t.Context(), linop.NewCSR(m, nil), x, product1(m), opt)
		_, got, _ := solve(t, d, m, "gmres, "+string(f), krylov.Options[*Vector]{Tol: 1e-8})
		if got.Reason != krylov.Converged || got.Iterations > want.Iterations+want.Iterations/5+stride {
			t.Errorf("%s: %v after %d iterations, on the host %d", f, got.Reason, got.Iterations, want.Iterations)
		}
		if share := float64(got.Basis.Bytes) / float64(8*got.Basis.Elements); !(share < 0.9) {
			t.Errorf("%s: the basis takes %.2f of float64", f, share)
		}
	}
}
