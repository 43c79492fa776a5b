package linop_test

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// parted is a vector of n elements in parts, with NaN between them.
type parted struct {
	n, length int
	parts     []linop.Range
}

// apart cuts n elements into parts of about these lengths.
func apart(n int, lengths ...int) (p parted) {
	p.n, p.length = n, 5
	for at := 0; at < n; {
		size := min(lengths[len(p.parts)%len(lengths)], n-at)
		p.parts = append(p.parts, linop.Range{Lo: p.length, Hi: p.length + size, First: at})
		at += size
		p.length += size + 3
	}
	return p
}

func (p parted) spread(x []float64) []float64 {
	v := make([]float64, p.length)
	for i := range v {
		v[i] = math.NaN()
	}
	for _, r := range p.parts {
		copy(v[r.Lo:r.Hi], x[r.First:])
	}
	return v
}

func (p parted) join(v []float64) []float64 {
	x := make([]float64, p.n)
	for _, r := range p.parts {
		copy(x[r.First:], v[r.Lo:r.Hi])
	}
	return x
}

// Operations on parts are those on the whole, whatever lies between the parts, with the same bits for any number of threads.
func TestPartsAreTheWhole(t *testing.T) {
	for _, n := range []int{1, 100, 5000, 70_000} {
		for _, p := range []parted{apart(n, n), apart(n, n/3+1), apart(n, 4096, 1, 5000, 17)} {
			v, out := vectors(n, 4), make([]linop.Float64, 14)
			whole := linop.NewHost(n, newPool(t, 2))
			var spread [][]float64
			for _, x := range v {
				spread = append(spread, p.spread(x))
			}
			operations(whole, v, out)
			norm, exp := whole.Norm2(v[0])
			var want []linop.Float64
			for _, k := range threads {
				h := linop.NewHostOf(n, p.length, p.parts, newPool(t, k))
				if h.Dim() != n || len(h.New()) != p.length {
					t.Fatalf("dimension %d, %d elements", h.Dim(), len(h.New()))
				}
				got, own := make([]linop.Float64, 14), make([][]float64, len(spread))
				for k := range spread {
					own[k] = slices.Clone(spread[k])
				}
				operations(h, own, got)
				if want == nil {
					want = got
				}
				for k, s := range got {
					if s != want[k] || !(math.Abs(float64(s-out[k])) <= 1e-13*float64(n)*(1+math.Abs(float64(out[k])))) {
						t.Errorf("n = %d, %d parts, %d threads: scalar %d is %v, want %v and about %v", n, len(p.parts), k, k, s, want[k], out[k])
					}
				}
				for k, x := range own {
					for i, e := range p.join(x) {
						if w := v[k][i]; !(math.Abs(e-w) <= 1e-12*(1+math.Abs(w))) {
							t.Fatalf("n = %d, %d parts: element %d of vector %d is %v, want %v", n, len(p.parts), i, k, e, w)
						}
					}
				}
				got2, exp2 := h.Norm2(own[0])
				if exp2 != exp || !(math.Abs(got2-norm) <= 1e-13*norm) || h.AbsMax(own[3]) != h.AbsMax(p.spread(p.join(own[3]))) {
					t.Errorf("n = %d, %d parts: norm %g 2^%d, want %g 2^%d", n, len(p.parts), got2, exp2, norm, exp)
				}
				h.Fill(own[0], func(i int) float64 { return float64(i) })
				for i, e := range p.join(own[0]) {
					if e != float64(i) {
						t.Fatalf("n = %d, %d parts: Fill sets element %d to %v", n, len(p.parts), i, e)
					}
				}
				if most := h.Max(func(lo, hi int) float64 { return slices.Max(own[0][lo:hi]) }); most != float64(n-1) {
					t.Errorf("n = %d, %d parts: the largest element is %v", n, len(p.parts), most)
				}
			}
		}
	}
}

// A stored basis of vectors in parts is that of the parts.
func TestBasisOfParts(t *testing.T) {
	const n = 20_000
	v := vectors(n, 3)
	for _, f := range []linop.BasisFormat{linop.BasisFP64, linop.BasisFP32, linop.BasisAdaptive} {
		whole := linop.NewHost(n, newPool(t, 2))
		p := apart(n, 7000, 4096, 90)
		parts := linop.NewHostOf(n, p.length, p.parts, newPool(t, 2))
		a, b := whole.NewBasis(f), parts.NewBasis(f)
		for k := range 2 {
			a.Set(k, 0.5, slices.Clone(v[k]), 1e-6)
			b.Set(k, 0.5, p.spread(v[k]), 1e-6)
		}
		x, y := slices.Clone(v[2]), p.spread(v[2])
		want, got := make([]linop.Float64, 2), make([]linop.Float64, 2)
		a.MultiDot(want, x)
		b.MultiDot(got, y)
		want = append(want, a.MultiAxpyDot([]linop.Float64{0.3, -0.7}, x))
		got = append(got, b.MultiAxpyDot([]linop.Float64{0.3, -0.7}, y))
		for k, s := range got {
			if e := math.Abs(float64(s - want[k])); !(e <= 1e-3) { // blocks of other elements are stored otherwise
				t.Errorf("%s: scalar %d is %v, want %v", f, k, s, want[k])
			}
		}
		for i, e := range p.join(y) {
			if !(math.Abs(e-x[i]) <= 1e-6) {
				t.Fatalf("%s: element %d is %v, want %v", f, i, e, x[i])
			}
		}
		if a.Counts().Elements != b.Counts().Elements {
			t.Errorf("%s: %d elements, want %d", f, b.Counts().Elements, a.Counts().Elements)
		}
	}
}
