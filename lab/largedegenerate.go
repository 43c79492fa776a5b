package lab

import (
	"math"
	"math/rand/v2"
)

// dominant returns rows with the diagonal 8 and up to four elements of magnitude one beside it.
func dominant(r *rand.Rand, n int) *builder {
	b := newBuilder(n)
	for i := range n {
		for range 4 {
			b.row[i][r.IntN(n)] = float64(2*r.IntN(2) - 1)
		}
		b.row[i][i] = 8
	}
	return b
}

// undominated returns rows with five elements of magnitude one to nine each: complete factors of such matrices have many entries, and their pivots vary.
func undominated(r *rand.Rand, n int) *builder {
	b := newBuilder(n)
	for i := range n {
		for range 4 {
			b.row[i][r.IntN(n)] = float64((2*r.IntN(2) - 1) * between(r, 1, 9))
		}
		b.row[i][i] = float64(between(r, 1, 19))
	}
	return b
}

// sumOfUndominated has rows without a dominant diagonal, one of which is the sum of multiples of up to four others. A thousand rows at most: the factors are dense.
func sumOfUndominated(r *rand.Rand, n int) degenerate {
	n = min(n, 1000)
	b := undominated(r, n)
	k := between(r, 1, 4)
	at, factors := r.Perm(n)[:k+1], make([]float64, k)
	for l := range factors {
		factors[l] = float64(between(r, 1, 3))
	}
	y := b.combine(at[k], at[:k], factors)
	return degenerate{b.matrix(), [][]float64{y}}
}

// combine replaces row j by the sum of multiples of rows, and returns the left null vector that says so.
func (b *builder) combine(j int, rows []int, factors []float64) []float64 {
	y := make([]float64, b.n)
	sum := map[int]float64{}
	for k, i := range rows {
		if i == j {
			continue
		}
		for c, v := range b.row[i] {
			sum[c] += factors[k] * v
		}
		y[i] += factors[k]
	}
	b.row[j] = sum
	y[j] = -1
	return y
}

// structural has two to four equations in fewer unknowns, such as 2 x1 = 2 and 2 x1 = 2.02.
func structural(r *rand.Rand, n int) degenerate {
	b := dominant(r, n)
	at := r.Perm(n)[:8]
	k := between(r, 2, 4)
	rows, cols, factors := at[:k], at[4:4+k-1], make([]float64, k-1)
	for _, i := range rows {
		b.row[i] = map[int]float64{}
		for _, j := range cols {
			b.row[i][j] = float64(between(r, 1, 9))
		}
	}
	for l := range factors {
		factors[l] = float64(between(r, 1, 3))
	}
	y := b.combine(rows[k-1], rows[:k-1], factors)
	return degenerate{b.matrix(), [][]float64{y}}
}

// repeatedRow has a row twice, or a multiple of it.
func repeatedRow(r *rand.Rand, n int) degenerate {
	b := dominant(r, n)
	at := r.Perm(n)
	y := b.combine(at[0], at[1:2], []float64{float64(between(r, 1, 3))})
	return degenerate{b.matrix(), [][]float64{y}}
}

// sumOfRows has a row that is a combination of two to six others.
func sumOfRows(r *rand.Rand, n int) degenerate {
	b := dominant(r, n)
	at := r.Perm(n)
	k := between(r, 2, 6)
	factors := make([]float64, k)
	for l := range factors {
		factors[l] = float64(2*r.IntN(2)-1) * float64(between(r, 1, 3))
	}
	y := b.combine(at[0], at[1:1+k], factors)
	return degenerate{b.matrix(), [][]float64{y}}
}

// balance has a last row that is the sum of all others.
func balance(r *rand.Rand, n int) degenerate {
	b := dominant(r, n)
	rows, factors := count(n-1), stressOnes(n-1)
	y := b.combine(n-1, rows, factors)
	return degenerate{b.matrix(), [][]float64{y}}.shuffled(r)
}

// floatingTruss is a plane truss of bars along and across the cells of a grid, which nothing holds: it can move in two directions and turn.
func floatingTruss(r *rand.Rand, n int) degenerate {
	w := max(2, int(math.Sqrt(float64(n)/2)))
	b := newBuilder(2 * w * w)
	bar := func(p, q, dx, dy int) {
		s := float64(between(r, 1, 20))
		d := [4]float64{-float64(dx), -float64(dy), float64(dx), float64(dy)}
		at := [4]int{2 * p, 2*p + 1, 2 * q, 2*q + 1}
		for i := range d {
			for j := range d {
				if v := s * d[i] * d[j]; v != 0 {
					b.add(at[i], at[j], v)
				}
			}
		}
	}
	left, right, turn := make([]float64, b.n), make([]float64, b.n), make([]float64, b.n)
	for p := range w * w {
		x, y := p%w, p/w
		left[2*p], right[2*p+1] = 1, 1
		turn[2*p], turn[2*p+1] = -float64(y), float64(x)
		if x+1 < w {
			bar(p, p+1, 1, 0)
		}
		if y+1 < w {
			bar(p, p+w, 0, 1)
		}
		if x+1 < w && y+1 < w {
			bar(p, p+w+1, 1, 1)
			bar(p+1, p+w, -1, 1)
		}
	}
	return degenerate{b.matrix(), [][]float64{left, right, turn}}.maybeShuffled(r)
}

// maybeShuffled is d, or d with rows and columns in the same random order.
func (d degenerate) maybeShuffled(r *rand.Rand) degenerate {
	if r.IntN(2) == 0 {
		return d
	}
	p := r.Perm(d.m.Rows)
	out := degenerate{m: permuted(d.m, p, p)}
	for _, y := range d.left {
		out.left = append(out.left, moved(y, p))
	}
	return out
}

// largeNetwork is the Laplacian of a grid or a graph with jumps.
func largeNetwork(r *rand.Rand, n int) degenerate { return neumann(r, n).maybeShuffled(r) }

// scaledNetwork is a Laplacian with other units of some unknowns and equations.
func scaledNetwork(r *rand.Rand, n int) degenerate {
	d := neumann(r, n)
	row := exponents(r, d.m.Rows, 4)
	col := row
	if r.IntN(2) == 0 {
		col = exponents(r, d.m.Rows, 4)
	}
	return degenerate{graded(d.m, row, col), [][]float64{shifted(d.left[0], row, -1)}}
}

// dependentConstraints is a saddle point with constraints of which one follows from others.
func dependentConstraints(r *rand.Rand, n int) degenerate {
	n = max(n, 12)
	k := between(r, 3, n/4)
	return dependent(r, n, k, 3, 0).maybeShuffled(r)
}

// closedMarkov has columns that sum to zero.
func closedMarkov(r *rand.Rand, n int) degenerate { return closed(r, n).maybeShuffled(r) }

// periodicFlow is convection and diffusion on a torus.
func periodicFlow(r *rand.Rand, n int) degenerate {
	w := max(3, int(math.Sqrt(float64(n))))
	b := newBuilder(w * w)
	east, north := float64(between(r, 0, 50)), float64(between(r, 0, 50))
	for i := range w * w {
		x, y := i%w, i/w
		for _, s := range []struct {
			at int
			v  float64
		}{
			{(x+1)%w + y*w, 1}, {(x+w-1)%w + y*w, 1 + east}, {x + (y+1)%w*w, 1}, {x + (y+w-1)%w*w, 1 + north},
		} {
			b.add(i, s.at, -s.v)
			b.add(i, i, s.v)
		}
	}
	return degenerate{b.matrix(), [][]float64{stressOnes(w * w)}}.maybeShuffled(r)
}

// smallInLarge is a small singular system whose unknowns also occur in a large regular one.
func smallInLarge(r *rand.Rand, n int) degenerate {
	small := rankDeficient(r)
	k := small.m.Rows
	b := newBuilder(n + k)
	b.embed(dominant(r, n).matrix(), 0, 1)
	b.embed(small.m, n, 1)
	for range between(r, 1, 8) {
		b.add(r.IntN(n), n+r.IntN(k), float64(between(r, 1, 3)))
	}
	d := degenerate{m: b.matrix()}
	for _, y := range small.left {
		d.left = append(d.left, append(make([]float64, n), y...))
	}
	return d.maybeShuffled(r)
}

// curlCurl is the square of the discrete curl of a plane grid, whose null space holds the gradients.
func curlCurl(r *rand.Rand, n int) degenerate {
	w := max(3, int(math.Sqrt(float64(n)/2)))
	along, up := func(x, y int) int { return y*(w-1) + x }, func(x, y int) int { return w*(w-1) + y*w + x }
	b := newBuilder(2 * w * (w - 1))
	for y := range w - 1 {
		for x := range w - 1 {
			face := [4]int{along(x, y), up(x+1, y), along(x, y+1), up(x, y)}
			sign, s := [4]float64{1, 1, -1, -1}, float64(between(r, 1, 9))
			for i := range face {
				for j := range face {
					b.add(face[i], face[j], s*sign[i]*sign[j])
				}
			}
		}
	}
	d := degenerate{m: b.matrix()}
	for range 2 {
		f, g := whole(r, w*w, 5), make([]float64, b.n)
		for y := range w {
			for x := range w {
				if x+1 < w {
					g[along(x, y)] = f[y*w+x+1] - f[y*w+x]
				}
				if y+1 < w {
					g[up(x, y)] = f[(y+1)*w+x] - f[y*w+x]
				}
			}
		}
		d.left = append(d.left, g)
	}
	return d
}

// enclosedStokes is a slow flow in a closed box on a staggered grid: what flows in must flow out.
func enclosedStokes(r *rand.Rand, n int) degenerate {
	w := max(3, int(math.Sqrt(float64(n)/3)))
	us, vs := (w-1)*w, w*(w-1)
	b := newBuilder(us + vs + w*w)
	mu := float64(between(r, 1, 9))
	laplace := func(at, nx, ny int) {
		for i := range nx * ny {
			b.add(at+i, at+i, 4*mu)
			if i%nx+1 < nx {
				b.both(at+i, at+i+1, -mu)
			}
			if i/nx+1 < ny {
				b.both(at+i, at+i+nx, -mu)
			}
		}
	}
	laplace(0, w-1, w)
	laplace(us, w, w-1)
	for y := range w {
		for x := range w {
			p := us + vs + y*w + x
			if x+1 < w {
				b.both(y*(w-1)+x, p, 1)
				b.both(y*(w-1)+x, p+1, -1)
			}
			if y+1 < w {
				b.both(us+y*w+x, p, 1)
				b.both(us+y*w+x, p+w, -1)
			}
		}
	}
	y := make([]float64, b.n)
	for i := us + vs; i < b.n; i++ {
		y[i] = 1
	}
	return degenerate{b.matrix(), [][]float64{y}}.maybeShuffled(r)
}
