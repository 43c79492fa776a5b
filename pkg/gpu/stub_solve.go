package gpu

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// stubbed is what the stubs know of matrices.
var stubbed = map[*Matrix]stub{}

type stub struct {
	host   *csr.Matrix
	stats  adaptive.Stats
	layout string
}

// NewSlots stores m as s says.
func NewSlots(d *Device, m *csr.Matrix, s adaptive.Spec, pool *linop.Pool) (*Matrix, error) {
	s.Layout = adaptive.Slots
	return newRounded(d, m, s, pool)
}

// NewBucketed stores m as s says.
func NewBucketed(d *Device, m *csr.Matrix, s adaptive.Spec, pool *linop.Pool) (*Matrix, error) {
	s.Layout = adaptive.Bucketed
	return newRounded(d, m, s, pool)
}

func newRounded(d *Device, m *csr.Matrix, s adaptive.Spec, pool *linop.Pool) (*Matrix, error) {
	built, err := adaptive.Build(m, s, pool)
	if err != nil {
		return nil, err
	}
	r := m.Clone()
	for i := range r.Rows {
		cols, vals := r.Row(i)
		for k, v := range vals {
			if t := built.Tolerance(i); t > 0 && (math.Abs(v) >= t || int(cols[k]) != i) {
				vals[k] = math.Round(v/t) * t
			}
		}
	}
	a, err := NewCSR(d, r)
	if err == nil {
		stubbed[a] = stub{stats: built.Stats(), layout: built.LayoutText()}
	}
	return a, err
}

// Stats says what was stored.
func (a *Matrix) Stats() adaptive.Stats { return stubbed[a].stats }

// LayoutText says how.
func (a *Matrix) LayoutText() string { return stubbed[a].layout }

// Accurate is a matrix with accurate residuals.
type Accurate struct{ *Matrix }

func (s *Space) get(x *Vector) []float64 {
	h := make([]float64, s.n)
	s.Download(h, x)
	if s.d.err != nil {
		for i := range h {
			h[i] = math.NaN()
		}
	}
	return h
}

// AbsMax returns the largest magnitude, NaN if any element is.
func (s *Space) AbsMax(x *Vector) (m float64) {
	for _, v := range s.get(x) {
		m = max(m, math.Abs(v))
	}
	return m
}

// RowError returns the largest |r_i| / (t_i normX + |b_i|), NaN if any is.
func (s *Space) RowError(r, t *Vector, normX float64, b *Vector) (worst float64) {
	hr, ht, hb := s.get(r), s.get(t), s.get(b)
	for i, v := range hr {
		if v == 0 {
			continue
		}
		d := float64(ht[i]*normX) + math.Abs(hb[i])
		q := math.Abs(v) / d
		if math.IsInf(d, 1) {
			q = math.Abs(v) / ht[i] / normX
		}
		worst = max(worst, q)
	}
	return worst
}

// Norm2 returns the 2-norm of x as norm 2^exp.
func (s *Space) Norm2(x *Vector) (norm float64, exp int) {
	largest := s.AbsMax(x)
	if largest == 0 || largest-largest != 0 {
		return largest, 0
	}
	exp = csr.Exponent(largest)
	for _, v := range s.get(x) {
		v = csr.Ldexp(v, -exp)
		norm += float64(v * v)
	}
	return math.Sqrt(norm), exp
}

// AbsApply computes dst = |A||x|.
func (a *Matrix) AbsApply(dst, x *Vector) {
	s := a.stored.(*csrStorage)
	ptr, col, val := make([]uint32, a.rows+1), make([]int32, int(s.col.bytes/4)), make([]float64, int(s.val.bytes/8))
	download(a.d, ptr, s.ptr)
	download(a.d, col, s.col)
	download(a.d, val, s.val)
	space := Space{d: a.d, n: a.rows}
	h, y := space.get(x), make([]float64, a.rows)
	for i := range y {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			y[i] += math.Abs(val[k] * h[col[k]])
		}
	}
	space.Upload(dst, y)
}

// Ints are integers on a device.
type Ints struct {
	d   *Device
	mem Buffer
	v   []int32
}

// PutInts copies v there.
func (s *Space) PutInts(v []int32) Ints { return Ints{s.d, put(s.d, v), v} }

func (i Ints) at(k int) int {
	if i.v == nil {
		return 0
	}
	return int(i.v[k])
}

// Close releases them.
func (i Ints) Close() {
	if i.d != nil {
		i.d.release(&i.mem)
	}
}

// Ldexp computes dst_i = sign src_i 2^(e_i+shift).
func (s *Space) Ldexp(dst, src *Vector, sign float64, e Ints, shift int) {
	h := s.get(src)
	for i := range h {
		h[i] = csr.Ldexp(sign*h[i], e.at(i)+shift)
	}
	s.Upload(dst, h)
}

// MaxExponent returns the largest exponent of x_i 2^(e_i).
func (s *Space) MaxExponent(x *Vector, e Ints) int {
	top := math.MinInt32
	for i, v := range s.get(x) {
		if v != 0 {
			top = max(top, csr.Exponent(v)+e.at(i))
		}
	}
	return top
}

// AddLdexp computes dst_i = x_i + z_i 2^(e_i+shift).
func (s *Space) AddLdexp(dst, x, z *Vector, e Ints, shift int) {
	h, y := s.get(x), s.get(z)
	for i := range h {
		h[i] += csr.Ldexp(y[i], e.at(i)+shift)
	}
	s.Upload(dst, h)
}

// Best returns the best device for a large system.
func Best() (Info, error) {
	var last error
	for _, b := range []Backend{CUDA, HIP} {
		d, err := Open(b, 0)
		if err == nil {
			defer d.Close()
			return d.Info(), nil
		}
		last = err
	}
	return Info{}, last
}
