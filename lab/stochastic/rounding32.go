package stochastic

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// round32 rounds h + t, where |t| is at most half an ulp of the float64 h.
func (r *Rounding) round32(h, t float64) float32 {
	s := float32(h)
	up := r.bit() == 1
	if wide := float64(s); math.Abs(wide) <= math.MaxFloat32 {
		switch e := (h - wide) + t; {
		case e > 0 && up:
			return above32(s)
		case e < 0 && !up:
			return -above32(-s)
		}
	}
	return s
}

// above32 returns the least float32 greater than s, which is finite.
func above32(s float32) float32 {
	switch {
	case s > 0:
		return math.Float32frombits(math.Float32bits(s) + 1)
	case s < 0:
		return math.Float32frombits(math.Float32bits(s) - 1)
	}
	return math.SmallestNonzeroFloat32
}

// Narrow returns x as a float32.
func (r *Rounding) Narrow(x float64) float32 { return r.round32(x, 0) }

// Add32 returns a + b.
func (r *Rounding) Add32(a, b float32) float32 { return r.round32(dd.TwoSum(float64(a), float64(b))) }

// Sub32 returns a - b.
func (r *Rounding) Sub32(a, b float32) float32 { return r.round32(dd.TwoSum(float64(a), -float64(b))) }

// Mul32 returns a b, whose exact value is a float64.
func (r *Rounding) Mul32(a, b float32) float32 { return r.round32(float64(a)*float64(b), 0) }

// Div32 returns a / b. A quotient of two float32 that is not a float32 itself differs from every float32 by more than
// an ulp of float64, so that its float64 lies on the correct side.
func (r *Rounding) Div32(a, b float32) float32 { return r.round32(float64(a)/float64(b), 0) }

// FMA32 returns a b + c, rounded once.
func (r *Rounding) FMA32(a, b, c float32) float32 {
	return r.round32(dd.TwoSum(float64(a)*float64(b), float64(c)))
}

// Sqrt32 returns the square root of a, by its float64 as in Div32.
func (r *Rounding) Sqrt32(a float32) float32 { return r.round32(math.Sqrt(float64(a)), 0) }
