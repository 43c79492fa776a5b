package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// largeKinds are kinds of singular matrices of any size, as models have them by mistake or by nature.
var largeKinds = []struct {
	name string
	draw func(r *rand.Rand, n int) degenerate
}{
	{"structural", structural},
	{"repeated row", repeatedRow},
	{"sum of rows", sumOfRows},
	{"sum of undominated rows", sumOfUndominated},
	{"balance", balance},
	{"floating truss", floatingTruss},
	{"network", largeNetwork},
	{"scaled network", scaledNetwork},
	{"dependent constraints", dependentConstraints},
	{"Markov", closedMarkov},
	{"periodic flow", periodicFlow},
	{"small in large", smallInLarge},
	{"curl-curl", curlCurl},
	{"enclosed Stokes", enclosedStokes},
}

// leastContradiction is the least |y'b| / |y|'|b| that must be seen at the default tolerance.
const leastContradiction = 1e-8

// largeSize draws a number of rows: up to 3,000 mostly, rarely up to 100,000.
func largeSize(r *rand.Rand) int {
	most := 3000.0
	if r.IntN(40) == 0 {
		most = 1e5
	}
	return int(20 * math.Pow(most/20, r.Float64()))
}

// large draws a matrix of one of the large kinds.
func large(r *rand.Rand) (d degenerate, kind string) {
	k := pick(r, largeKinds)
	return k.draw(r, largeSize(r)), k.name
}

// largeContradictory draws a matrix of the large kinds, and b with |y'b| of 10^-8 |y|'|b| or more for a left null vector y.
func largeContradictory(r *rand.Rand) *System {
	for {
		d, kind := large(r)
		n := d.m.Rows
		s := &System{Kind: kind, A: d.m, Contradiction: pick(r, d.left), Natural: 10, FixedTol: 1e-10, Plain: true}
		s.B = product(d.m, whole(r, n, 10))
		var in []int // equations that y combines
		size, y := 0.0, s.Contradiction
		for i, v := range y {
			if v != 0 {
				in, size = append(in, i), size+math.Abs(v*s.B[i])
			}
		}
		s.Ratio = math.Pow(10, -8*r.Float64())
		if i := pick(r, in); size > 0 && r.IntN(3) > 0 { // one equation is wrong
			s.B[i] += s.Ratio * size / y[i] * float64(2*r.IntN(2)-1)
		} else { // all of them are
			for _, i := range in {
				s.B[i] += math.Copysign(s.Ratio, y[i]) * max(math.Abs(s.B[i]), 1)
			}
		}
		if s.Ratio = contradictionOf(y, s.B); s.Ratio >= leastContradiction && contradicts(s.A, s.B, y) {
			s.Kind = fmt.Sprintf("%s, %.1e,", kind, s.Ratio)
			return s
		}
	}
}

// contradictionOf returns |y'b| / |y|'|b|.
func contradictionOf(y, b []float64) float64 {
	var yb, size stressSum
	for i, v := range b {
		yb.add(y[i], v)
		size.add(math.Abs(y[i]), math.Abs(v))
	}
	return math.Abs(quotient(yb.float().Abs(yb.float()), size.float()))
}

// largeConsistent draws a matrix of the large kinds, and b in its range.
func largeConsistent(r *rand.Rand) *System {
	d, kind := large(r)
	s := &System{Kind: kind, A: d.m, X: whole(r, d.m.Rows, 10), Natural: 10, FixedTol: 1e-10, Plain: true}
	s.B = product(d.m, s.X)
	return s
}
