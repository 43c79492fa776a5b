package lab

import (
	"math"
	"math/rand/v2"
)

// inconsistent returns the generator of a class: the right-hand side contradicts the rows of a singular matrix,
// grossly or by one part in 10^3 to 10^8. Some systems have rows and columns scaled over decades, some stand beside a
// block of another magnitude.
func inconsistent(base func(r *rand.Rand) degenerate) func(r *rand.Rand) *System {
	return func(r *rand.Rand) *System {
		for {
			if s := contradictory(r, base(r)); s != nil {
				return s
			}
		}
	}
}

// contradictory draws b for d. It returns nil if the draw is consistent or contradicts too little.
func contradictory(r *rand.Rand, d degenerate) *System {
	if len(d.left) == 0 {
		return nil
	}
	n := d.m.Rows
	s := &System{A: d.m, Natural: 10}
	exact := whole(r, n, 10)
	s.B = product(d.m, exact)
	size := stressMaxAbs(s.B)
	switch r.IntN(4) {
	case 0: // every equation is wrong
		s.B = whole(r, n, 10)
	case 1: // one equation is slightly wrong
		s.B[r.IntN(n)] += size * math.Pow(10, -3-5*r.Float64())
	case 2: // all equations are slightly wrong
		f := size * math.Pow(10, -3-5*r.Float64())
		for i := range s.B {
			s.B[i] += f * (1 + r.Float64())
		}
	default: // one equation is grossly wrong
		s.B[r.IntN(n)] += float64(between(r, 1, 9))
	}
	scaled := r.IntN(3) == 0
	if scaled {
		var row, col []int
		d, row, col = d.scaled(r)
		s.A, s.B = d.m, shifted(s.B, row, 1)
		s.Natural = stressMaxAbs(shifted(exact, col, -1))
	}
	for _, y := range d.left {
		if contradicts(s.A, s.B, y) && visible(s, y, 1e-10, false) {
			s.Contradiction = y
		}
	}
	switch {
	case s.Contradiction == nil:
		return nil
	case !scaled && visible(s, s.Contradiction, 1e-4, false) && r.IntN(4) == 0:
		return beside(r, s)
	}
	return s
}

// consistent returns the generator of a class: the right-hand side is in the range of a singular matrix.
func consistent(base func(r *rand.Rand) degenerate) func(r *rand.Rand) *System {
	return func(r *rand.Rand) *System {
		d := base(r)
		s := &System{A: d.m, X: whole(r, d.m.Rows, 10), Natural: 10}
		s.B = product(d.m, s.X)
		if r.IntN(3) == 0 {
			var row, col []int
			d, row, col = d.scaled(r)
			s.A, s.B, s.X = d.m, shifted(s.B, row, 1), shifted(s.X, col, -1)
			s.Natural = stressMaxAbs(s.X)
		}
		return s
	}
}
