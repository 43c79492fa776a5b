package generate

import (
	"math"
	"math/bits"
)

// golden is 2^64 divided by the golden ratio, the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64, a bijection that spreads every bit
// of x over the whole word.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hash returns a random word that depends on the seed and the position alone.
func hash(seed uint64, position ...int) uint64 {
	h := mix(seed + golden)
	for _, k := range position {
		h = mix((h ^ uint64(k)) + golden)
	}
	return h
}

// uniform maps a random word to [0, 1).
func uniform(h uint64) float64 { return float64(h>>11) * 0x1p-53 }

// below maps a random word to [0, n).
func below(h uint64, n int) int {
	hi, _ := bits.Mul64(h, uint64(n))
	return int(hi)
}

// normal maps a random word to a nearly standard normal number in (-6, 6): the
// sum of twelve uniform 16-bit numbers less their mean. Box and Muller's
// logarithm and cosine would differ between platforms.
func normal(h uint64) float64 {
	const mean = 12 * (1<<16 - 1) / 2
	sum := 0
	for k := range uint64(3) {
		w := mix(h + (k+1)*golden)
		sum += int(w&0xffff + w>>16&0xffff + w>>32&0xffff + w>>48)
	}
	return float64(sum-mean) * 0x1p-16
}

// logNormal maps a random word to 10^(decades z / 6), z standard normal.
func logNormal(h uint64, decades float64) float64 {
	return pow10(decades * normal(h) / 6)
}

// quantiles are the quantiles of the standard normal distribution from the median up, one for
// each 64th of the distribution; the last is where bounded numbers end.
var quantiles = [33]float64{
	0, 0.0392, 0.0784, 0.1178, 0.1573, 0.1971, 0.2372, 0.2777,
	0.3186, 0.3601, 0.4023, 0.4451, 0.4888, 0.5334, 0.5791, 0.6261,
	0.6745, 0.7245, 0.7764, 0.8305, 0.8871, 0.9468, 1.0100, 1.0775,
	1.1503, 1.2299, 1.3180, 1.4178, 1.5341, 1.6759, 1.8627, 2.1539,
	2.5,
}

// boundedNormal maps [0, 1) to nearly standard normal numbers in [-2.5, 2.5), linearly
// from quantile to quantile.
func boundedNormal(u float64) float64 {
	t := float64(64*u) - 32
	k := min(int(math.Abs(t)), 31)
	z := quantiles[k] + float64((math.Abs(t)-float64(k))*(quantiles[k+1]-quantiles[k]))
	return math.Copysign(z, t)
}

// stratified maps a point of a lattice to [0, 1) such that each block of 4 x 4 x 4 points
// has a number in every 64th: a small lattice has the extremes of a large one.
func stratified(seed uint64, x, y, z int) float64 {
	h := hash(seed, x>>2, y>>2, z>>2)
	k := uint64(x&3 | y&3<<2 | z&3<<4)
	for range 3 { // a bijection of 6 bits
		k = (k*(h|1) + h>>8) & 63
		k ^= k >> 3
		h >>= 16
	}
	return (float64(k) + uniform(hash(seed, x, y, z))) / 64
}

// pow10 returns 10^x to about 1e-14 for |x| <= 300, with the same bits on
// every platform: 10^x = 2^k e^t, |t| <= log(2)/2, e^t by its Taylor series.
func pow10(x float64) float64 {
	y := float64(x * (math.Ln10 / math.Ln2))
	k := math.RoundToEven(y)
	t := (y - k) * math.Ln2
	e := 1.0
	for i := 13; i > 0; i-- {
		e = math.FMA(e, t/float64(i), 1)
	}
	return math.Ldexp(e, int(k))
}

// sincosDegrees returns sine and cosine with the same bits on every platform,
// exact at multiples of 90 degrees.
func sincosDegrees(angle float64) (sin, cos float64) {
	quarter := math.RoundToEven(angle / 90)
	t := math.FMA(-90, quarter, angle) * (math.Pi / 180)
	t2 := float64(t * t)
	s, c := 1.0, 1.0
	for i := 18; i > 0; i -= 2 {
		s = math.FMA(s, -t2/float64(i*(i+1)), 1)
		c = math.FMA(c, -t2/float64(i*(i-1)), 1)
	}
	s *= t
	switch int(math.Mod(quarter, 4)+4) % 4 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	default:
		return s, c
	}
}
