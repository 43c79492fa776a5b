package backend

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// largest returns the largest number of the parts of all ranks, NaN if any is NaN.
func (s *domainSpace) largest(of func(k int, p gpu.Space) float64) float64 {
	s.partial = s.partial[:0]
	for k, p := range s.parts {
		s.partial = append(s.partial, of(k, p))
	}
	return s.reducer.Max(s.partial)
}

// AbsMax returns max |x_i|, NaN if any x_i is NaN. It is collective, like all methods of this file.
func (s *domainSpace) AbsMax(x *domainVector) float64 {
	return max(0, s.largest(func(k int, p gpu.Space) float64 { return p.AbsMax(x.part[k]) }))
}

// RowError is gpu.Space.RowError over all ranks.
func (s *domainSpace) RowError(r, t *domainVector, normX float64, b *domainVector) float64 {
	return max(0, s.largest(func(k int, p gpu.Space) float64 { return p.RowError(r.part[k], t.part[k], normX, b.part[k]) }))
}

// Norm2 returns the 2-norm of x as norm 2^exp, which may be beyond float64.
func (s *domainSpace) Norm2(x *domainVector) (norm float64, exp int) {
	norms, exps := make([]float64, len(s.parts)), make([]int, len(s.parts))
	top := s.largest(func(k int, p gpu.Space) float64 {
		if norms[k], exps[k] = p.Norm2(x.part[k]); norms[k] == 0 {
			return math.Inf(-1)
		}
		if norms[k] != norms[k] {
			return norms[k]
		}
		return float64(exps[k])
	})
	switch {
	case math.IsInf(top, -1):
		return 0, 0
	case top != top:
		return top, 0
	}
	s.partial = s.partial[:0]
	for k, v := range norms {
		v = math.Ldexp(v, exps[k]-int(top))
		s.partial = append(s.partial, v*v)
	}
	sum := []float64{0}
	s.reducer.Sum(sum, s.partial)
	return math.Sqrt(sum[0]), int(top)
}

// domainPowers is a diagonal matrix of powers of two; the zero value has ones.
type domainPowers struct{ part []gpu.Ints }

// PutPowers copies exponents, by positions of the layout, to the device; Close releases them.
func (s *domainSpace) PutPowers(e []int32) *domainPowers {
	v := &domainPowers{}
	for k, p := range s.layout.Parts {
		v.part = append(v.part, s.parts[k].PutInts(e[p.At:p.Next()]))
	}
	return v
}

// Close releases the exponents.
func (e *domainPowers) Close() {
	for k := range e.part {
		e.part[k].Close()
	}
}

// of returns the exponents of a part.
func (e *domainPowers) of(k int) gpu.Ints {
	if e.part == nil {
		return gpu.Ints{}
	}
	return e.part[k]
}

// Ldexp sets dst_i = (sign src_i) 2^(e_i + shift), see gpu.Space.Ldexp.
func (s *domainSpace) Ldexp(dst, src *domainVector, sign float64, e *domainPowers, shift int) {
	s.each(func(k int, p gpu.Space) { p.Ldexp(dst.part[k], src.part[k], sign, e.of(k), shift) })
}

// AddLdexp sets dst_i = x_i + z_i 2^(e_i + shift). dst is neither.
func (s *domainSpace) AddLdexp(dst, x, z *domainVector, e *domainPowers, shift int) {
	s.each(func(k int, p gpu.Space) { p.AddLdexp(dst.part[k], x.part[k], z.part[k], e.of(k), shift) })
}

// MaxExponent returns the largest dd.Exponent(x_i) + e_i over all x_i != 0, and math.MinInt32 if there is none.
func (s *domainSpace) MaxExponent(x *domainVector, e *domainPowers) int {
	top := s.largest(func(k int, p gpu.Space) float64 { return float64(p.MaxExponent(x.part[k], e.of(k))) })
	return int(max(top, math.MinInt32))
}
