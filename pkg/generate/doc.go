// Package generate makes test matrices from a few numbers: model problems
// whose size, spread of values and structure are known, each a [Kind] with
// named parameters.
//
// The same parameters give the same bits on every platform and for any number
// of threads. Random numbers therefore come from a hash of the seed and the
// position ([SplitMix64]), normal ones from integer sums, powers of ten and
// sines from polynomials in math.FMA; package math rounds differently from
// one processor to the next.
//
// Heterogeneous coefficients are log-normal: 10^(decades z / 6) with a
// standard normal z, so that 99.7 % of them (three standard deviations to each
// side) lie within the given number of decades.
//
// [SplitMix64]: Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014.
package generate
