package packed

import "math"

// Format is the format of the elements of a block; a smaller value is a narrower format.
type Format uint8

// The formats.
const (
	Dropped Format = iota // not stored: zeros
	Int16                 // integers of 16 bits in units of the block, a power of two
	FP32
	FP64
	formats
)

// Bytes returns the bytes of an element.
func (f Format) Bytes() int { return [formats]int{0, 2, 4, 8}[f] }

// String returns the name of the format.
func (f Format) String() string { return [formats]string{"dropped", "INT16", "FP32", "FP64"}[f] }

// Rule determines the format of a block.
type Rule struct {
	Theta     float64 // largest error of an element
	Narrowest Format  // narrowest format that may be chosen
}

// Uniform returns the rule that chooses one format for all blocks whose range allows it, whatever the error.
func Uniform(f Format) Rule {
	if f == FP64 {
		return Rule{Narrowest: FP64}
	}
	return Rule{math.Inf(1), f}
}

// Tolerance returns the theta with which storage causes an error of at most epsilon ||x||_1 ||y||_inf in an inner
// product of x; 0 if that is not finite.
func Tolerance(x []float64, epsilon float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Abs(v)
	}
	theta := epsilon * (sum / float64(max(len(x), 1)))
	if theta-theta != 0 {
		return 0
	}
	return theta
}

// choose returns the format of a block whose largest magnitude is most.
func (r Rule) choose(most float64) Format {
	switch {
	case most == 0 || r.Narrowest == Dropped && most <= r.Theta:
		return Dropped
	case r.Narrowest <= Int16 && leastScaled <= most && most <= math.MaxFloat64 && unit(most)/2 <= r.Theta:
		return Int16
	case r.Narrowest <= FP32 && leastFloat32 <= most && most <= math.MaxFloat32 && most*0x1p-24 <= r.Theta:
		return FP32
	}
	return FP64 // also for NaN
}

const (
	leastFloat32 = 0x1p-126  // normal, so that rounding is relative to it
	leastScaled  = 0x1p-1000 // its unit has an inverse
)

// unit returns the smallest power of two such that 16-bit multiples of it reach most, rounded to nearest.
func unit(most float64) float64 {
	f, e := math.Frexp(most)
	if f*0x1p15 >= math.MaxInt16+0.5 {
		e++
	}
	return math.Ldexp(1, e-15)
}
