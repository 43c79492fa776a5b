package backend

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// hostPowers is diag(2^(sign e_i)). Where all exponents are ordinary it multiplies by the powers. This gives the bits of csr.Ldexp:
// with every shift that factor allows a power is a normal number, so that the product is rounded once.
type hostPowers struct {
	*Host
	e     []int
	sign  int
	power []float32 // 2^(sign e_i); nil: some exponents are beyond ordinaryExponent
}

const (
	ordinaryExponent = 100 // of a power, which float32 has
	ordinaryShift    = 900
)

func (h *Host) Powers(e []int, sign int) Powers[vector] {
	d := hostPowers{Host: h, e: e, sign: sign}
	if h.Max(func(lo, hi int) (most float64) {
		for _, v := range e[lo:hi] {
			most = max(most, math.Abs(float64(v)))
		}
		return most
	}) > ordinaryExponent {
		return d
	}
	d.power = make([]float32, len(e))
	h.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			d.power[i] = float32(csr.Ldexp(1, sign*e[i]))
		}
	})
	return d
}

// factor returns 2^shift for products with powers; ok is false where these products are not exact.
func (d hostPowers) factor(shift int) (factor float64, ok bool) {
	return csr.Ldexp(1, shift), d.power != nil && -ordinaryShift <= shift && shift <= ordinaryShift
}

func (d hostPowers) Ldexp(dst, src vector, a float64, shift int) {
	factor, ok := d.factor(shift)
	d.Ranges(func(lo, hi int) {
		if !ok {
			for i := lo; i < hi; i++ {
				dst[i] = csr.Ldexp(a*src[i], d.sign*d.e[i]+shift)
			}
			return
		}
		dst, src := dst[lo:hi], src[lo:hi]
		for i, p := range d.power[lo:hi] {
			dst[i] = a * src[i] * (float64(p) * factor)
		}
	})
}

func (d hostPowers) AddLdexp(dst, x, z vector, shift int) {
	factor, ok := d.factor(shift)
	d.Ranges(func(lo, hi int) {
		if !ok {
			for i := lo; i < hi; i++ {
				dst[i] = x[i] + csr.Ldexp(z[i], d.sign*d.e[i]+shift)
			}
			return
		}
		dst, x, z := dst[lo:hi], x[lo:hi], z[lo:hi]
		for i, p := range d.power[lo:hi] {
			dst[i] = x[i] + float64(z[i]*(float64(p)*factor))
		}
	})
}

func (d hostPowers) MaxExponent(x vector) int {
	return int(d.Max(func(lo, hi int) float64 {
		top := LeastExponent
		for i := lo; i < hi; i++ {
			if x[i] != 0 {
				top = max(top, csr.Exponent(x[i])+d.sign*d.e[i])
			}
		}
		return float64(top)
	}))
}

// sumNorms returns max |x_i + 2^shift d_i z_i| and max |z_i|, or NaN if an element is NaN. ok is false where the powers are not
// ordinary.
func (d hostPowers) sumNorms(x, z vector, shift int) (sum, largest float64, ok bool) {
	factor, ok := d.factor(shift)
	if !ok {
		return 0, 0, false
	}
	sum, largest = d.Max2(func(lo, hi int) (sum, largest float64) {
		x, z := x[lo:hi], z[lo:hi]
		for i, p := range d.power[lo:hi] {
			v := z[i]
			if s := math.Abs(x[i] + float64(v*(float64(p)*factor))); !(s <= sum) {
				sum = max(sum, s)
			}
			if v = math.Abs(v); !(v <= largest) {
				largest = max(largest, v)
			}
		}
		return sum, largest
	})
	return sum, largest, true
}

// rowError returns RowError of 2^shift D r. ok is false where the powers are not ordinary.
func (d hostPowers) rowError(r vector, shift int, t vector, normX float64, b vector) (e float64, ok bool) {
	factor, ok := d.factor(shift)
	if !ok {
		return 0, false
	}
	return d.Max(func(lo, hi int) (worst float64) {
		r := r[lo:hi]
		for i, p := range d.power[lo:hi] {
			worst = Worse(worst, math.Abs(r[i]*(float64(p)*factor)), t[lo+i], normX, math.Abs(b[lo+i]))
		}
		return worst
	}), true
}

// Worse returns the larger of worst and Quotient(r, t, x, b), and divides only where the quotient is the larger one.
func Worse(worst, r, t, x, b float64) float64 {
	if d := float64(t*x) + b; r <= worst*d && d <= math.MaxFloat64 {
		return worst
	}
	return max(worst, Quotient(r, t, x, b))
}
