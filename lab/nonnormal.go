package lab

import (
	"math"
	"math/rand/v2"
)

// grcar has ones on some diagonals above and minus ones below the diagonal.
func grcar(r *rand.Rand) *System {
	n, k := between(r, 5, 120), between(r, 2, 5)
	b := newBuilder(n)
	for i := range n {
		for j := max(0, i-1); j <= min(n-1, i+k); j++ {
			if j < i {
				b.add(i, j, -1)
			} else {
				b.add(i, j, 1)
			}
		}
	}
	return withRHS(r, b.matrix())
}

// jordan is bidiagonal with one eigenvalue of full multiplicity, or nearly so.
func jordan(r *rand.Rand) *System {
	n := between(r, 2, 100)
	b := newBuilder(n)
	lambda := []float64{0.1, 0.5, 0.9, 1, 1.1, 2}[r.IntN(6)]
	lower := r.IntN(2) == 0
	for i := range n {
		b.add(i, i, lambda)
		switch {
		case i+1 == n:
		case lower:
			b.add(i+1, i, 1)
		default:
			b.add(i, i+1, -1)
		}
	}
	return withRHS(r, b.matrix())
}

// stressConvection is dominated by transport: central differences along a line or in a square.
func stressConvection(r *rand.Rand) *System {
	w := between(r, 3, 22)
	h := []int{1, w}[r.IntN(2)]
	b := newBuilder(w * h)
	peclet := math.Pow(10, 4*r.Float64())
	for i := range w * h {
		b.add(i, i, 4)
		if i%w < w-1 {
			b.add(i, i+1, -1+peclet)
			b.add(i+1, i, -1-peclet)
		}
		if i+w < w*h {
			b.add(i, i+w, -1+peclet/3)
			b.add(i+w, i, -1-peclet/3)
		}
	}
	return withRHS(r, b.matrix())
}

// classics draws dense matrices of textbooks with large condition numbers or growth: those of Hilbert, Kahan,
// Wilkinson, Vandermonde and Frank.
func classics(r *rand.Rand) *System {
	n := between(r, 2, 24)
	b := newBuilder(n)
	kind, theta := r.IntN(5), 0.5+r.Float64()
	for i := range n {
		for j := range n {
			v := 0.0
			switch kind {
			case 0:
				v = 1 / float64(i+j+1)
			case 1:
				if j >= i {
					v = math.Pow(math.Sin(theta), float64(i))
					if j > i {
						v *= -math.Cos(theta)
					}
				}
			case 2:
				switch {
				case i == j || j == n-1:
					v = 1
				case j < i:
					v = -1
				}
			case 3:
				v = math.Pow(float64(i+1)/float64(n), float64(j))
			default:
				if j >= i-1 {
					v = float64(n - max(i, j))
				}
			}
			b.add(i, j, v)
		}
	}
	return withRHS(r, b.matrix())
}
