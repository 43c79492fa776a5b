package lab

import (
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// degenerate is a singular matrix with vectors y in its left null space: yᵀA = 0, exactly.
type degenerate struct {
	m    *csr.Matrix
	left [][]float64
}

// rankDeficient draws rows of small whole numbers; the last rows are combinations of the others.
func rankDeficient(r *rand.Rand) degenerate {
	n := between(r, 3, 24)
	k := between(r, 1, min(3, n-2))
	rows := make([][]float64, n)
	for i := range n - k {
		rows[i] = whole(r, n, 4)
		for j := range rows[i] {
			if j != i && r.Float64() < 0.5 {
				rows[i][j] = 0
			}
		}
	}
	d := degenerate{}
	for i := n - k; i < n; i++ {
		rows[i] = make([]float64, n)
		y := make([]float64, n)
		y[i] = -1
		for p := range n - k {
			y[p] = float64(between(r, -1, 2))
			for j := range n {
				rows[i][j] += y[p] * rows[p][j]
			}
		}
		d.left = append(d.left, y)
	}
	b := newBuilder(n)
	for i, row := range rows {
		for j, v := range row {
			b.add(i, j, v)
		}
	}
	d.m = b.matrix()
	return d.shuffled(r)
}

// equalRows draws rows that occur twice, or as multiples of others.
func equalRows(r *rand.Rand) degenerate {
	n := between(r, 3, 30)
	b := newBuilder(n)
	for i := range n {
		b.add(i, i, float64(between(r, 3, 9)))
		for range 3 {
			b.add(i, r.IntN(n), float64(between(r, -3, 3)))
		}
	}
	d := degenerate{}
	for range between(r, 1, 2) {
		i, j := r.IntN(n), r.IntN(n)
		if i == j || len(d.left) > 0 {
			continue
		}
		f := float64(between(r, 1, 3))
		b.row[j] = map[int]float64{}
		for k, v := range b.row[i] {
			b.row[j][k] = f * v
		}
		y := make([]float64, n)
		y[i], y[j] = f, -1
		d.left = append(d.left, y)
	}
	d.m = b.matrix()
	return d
}

// laplacian returns the Laplacian of a connected graph with whole weights: a Neumann problem.
func laplacian(r *rand.Rand, n int, edges [][2]int, weights int) degenerate {
	b := newBuilder(n)
	for _, e := range edges {
		w := float64(between(r, 1, weights))
		b.both(e[0], e[1], -w)
		b.add(e[0], e[0], w)
		b.add(e[1], e[1], w)
	}
	return degenerate{b.matrix(), [][]float64{stressOnes(n)}}
}

// neumann draws a path, a grid in two or three dimensions or a random graph of up to n nodes.
func neumann(r *rand.Rand, n int) degenerate {
	n = between(r, 2, n)
	var edges [][2]int
	weights := []int{1, 1, 9, 1000}[r.IntN(4)]
	switch r.IntN(4) {
	case 0:
		for i := range n - 1 {
			edges = append(edges, [2]int{i, i + 1})
		}
	case 1:
		w := max(1, int(math.Sqrt(float64(n))))
		n = w * w
		for i := range n {
			if i%w < w-1 {
				edges = append(edges, [2]int{i, i + 1})
			}
			if i+w < n {
				edges = append(edges, [2]int{i, i + w})
			}
		}
	case 2:
		w := max(1, int(math.Cbrt(float64(n))))
		n = w * w * w
		for i := range n {
			for _, s := range []int{1, w, w * w} {
				if i/s%w < w-1 {
					edges = append(edges, [2]int{i, i + s})
				}
			}
		}
	default:
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int{i, r.IntN(i)})
		}
		for range n / 2 {
			if i, j := r.IntN(n), r.IntN(n); i != j {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	if len(edges) == 0 {
		n, edges = 2, [][2]int{{0, 1}}
	}
	return laplacian(r, n, edges, weights)
}

// ring is convection around a ring by one-sided differences.
func ring(r *rand.Rand) degenerate {
	n := between(r, 3, 200)
	b := newBuilder(n)
	for i := range n {
		b.add(i, i, 1)
		b.add(i, (i+1)%n, -1)
	}
	return degenerate{b.matrix(), [][]float64{stressOnes(n)}}
}

// closedFlow has columns that sum to zero, as the rates of a reaction network or a Markov chain.
func closedFlow(r *rand.Rand) degenerate { return closed(r, between(r, 3, 100)) }

// closed is closedFlow with n rows.
func closed(r *rand.Rand, n int) degenerate {
	b := newBuilder(n)
	for j := range n {
		for k := range between(r, 1, 4) {
			i := r.IntN(n)
			if k == 0 {
				i = (j + 1) % n
			}
			if i != j {
				w := float64(between(r, 1, 50))
				b.add(i, j, -w)
				b.add(j, j, w)
			}
		}
	}
	return degenerate{b.matrix(), [][]float64{stressOnes(n)}}
}

// freeBeam is a beam of Hermite elements without supports: it can translate and rotate.
func freeBeam(r *rand.Rand) degenerate {
	n := between(r, 2, 60)
	b := newBuilder(2 * n)
	element := [4][4]float64{{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}}
	for e := range n - 1 {
		s := float64(between(r, 1, 20))
		for i, row := range element {
			for j, v := range row {
				b.add(2*e+i, 2*e+j, s*v)
			}
		}
	}
	move, turn := make([]float64, 2*n), make([]float64, 2*n)
	for i := range n {
		move[2*i], turn[2*i], turn[2*i+1] = 1, float64(i), 1
	}
	return degenerate{b.matrix(), [][]float64{move, turn}}
}

// skew is a skew-symmetric matrix of odd order.
func skew(r *rand.Rand) degenerate {
	n := 2*between(r, 1, 40) + 1
	b := newBuilder(n)
	y := make([]float64, n)
	for i := range n {
		if i+1 < n {
			b.add(i, i+1, 1)
			b.add(i+1, i, -1)
		}
		y[i] = float64(1 - i%2)
	}
	return degenerate{b.matrix(), [][]float64{y}}
}

// redundant is a saddle point with linearly dependent constraints.
func redundant(r *rand.Rand) degenerate {
	n, k := between(r, 4, 40), between(r, 2, 3)
	return dependent(r, n, k, 2, 1)
}

// dependent is a saddle point of n unknowns and k constraints, the last of which is a combination of the others by factors of at least least; diagonal is the least
// element of the diagonal.
func dependent(r *rand.Rand, n, k, diagonal, least int) degenerate {
	size := n + k
	b := newBuilder(size)
	for i := range n {
		b.add(i, i, float64(between(r, diagonal, 9)))
		if i+1 < n {
			b.both(i, i+1, -1)
		}
	}
	last := make([]float64, n)
	y := make([]float64, size)
	y[size-1] = -1
	for c := range k - 1 {
		f := float64(between(r, least, 2))
		y[n+c] = f
		for range 3 {
			i, v := r.IntN(n), float64(between(r, 1, 3))
			b.both(n+c, i, v)
			last[i] += f * v
		}
	}
	for i, v := range last {
		b.both(size-1, i, v)
	}
	return degenerate{b.matrix(), [][]float64{y}}
}

func stressOnes(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}
