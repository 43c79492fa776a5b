package factor

import "github.com/mpsolve/mpsolve/internal/kernels"

// Factors are factors in fronts, of numbers of any precision. Substitution is in float64.
type Factors interface {
	// Pivots returns the place that each pivot had before pivoting, and whether it is a block of D with the next; nil if there was none.
	Pivots() (row []int32, paired []bool)
	// forward solves with L of node j for n vectors, whose parts z become the solution, divided by D, or |D|, if A is symmetric; t becomes what the rows
	// behind the pivots get.
	forward(j, n int, modulus bool, z, t *local)
	// backward solves with U of node j, or with L^T: the first elements of t become the solution, and the others are the solution behind the pivots.
	backward(j, n int, z, t *local)
	// Numbers is the count of numbers that are stored.
	Numbers() int64
	// Precision is the precision of the numbers.
	Precision() Precision
}

func (f *fronts[T]) Pivots() (row []int32, paired []bool) { return f.row, f.paired }

func (f *fronts[T]) Numbers() int64       { return int64(len(f.u) + len(f.l)) }
func (f *fronts[T]) Precision() Precision { return precisionOf[T]() }

func (f *fronts[T]) forward(j, n int, modulus bool, z, t *local) {
	if f.symmetric {
		f.forwardSymmetric(j, n, modulus, z, t)
		return
	}
	k, u, l := f.pivots(j), f.upper(j), f.lower(j)
	for q := range k {
		row := u.Row(q, 0, q)
		for v := range n {
			z[v][q] -= f.dense.Dot(row, z[v][:q])
		}
	}
	for r := range f.size(j) - k {
		row := l.Row(r, 0, k)
		for v := range n {
			t[v][k+r] = f.dense.Dot(row, z[v])
		}
	}
}

// forwardSymmetric is forward with L = U^T D^-1.
func (f *fronts[T]) forwardSymmetric(j, n int, modulus bool, z, t *local) {
	k, u := f.pivots(j), f.upper(j)
	for v := range n {
		to := t[v]
		for q, e := range z[v] {
			to[q] = -e
		}
		clear(to[k:])
	}
	for q := 0; q < k; q++ {
		row := u.Row(q, q, u.Stride)
		if f.pair(j, q) {
			next := u.Row(q+1, q+1, u.Stride)
			d := symmetricPair{float64(row[0]), float64(row[1]), float64(next[0])}
			for v := range n {
				first, second := -t[v][q], -t[v][q+1]
				x, y := d.inverse().times(first, second)
				f.dense.Axpy(x, row[2:], t[v][q+2:])
				f.dense.Axpy(y, next[1:], t[v][q+2:])
				if modulus {
					x, y = d.inverseModulus().times(first, second)
				}
				z[v][q], z[v][q+1] = x, y
			}
			q++
			continue
		}
		for v := range n {
			e := -t[v][q] / float64(row[0])
			f.dense.Axpy(e, row[1:], t[v][q+1:])
			if z[v][q] = e; modulus && row[0] < 0 {
				z[v][q] = -e
			}
		}
	}
}

// pair reports whether pivot q of node j and the next are a block of D.
func (f *fronts[T]) pair(j, q int) bool { return f.paired != nil && f.paired[int(f.first[j])+q] }

func (f *fronts[T]) backward(j, n int, z, t *local) {
	u := f.upper(j)
	for q := f.pivots(j) - 1; q >= 0; q-- {
		row := u.Row(q, q, u.Stride)
		if q > 0 && f.pair(j, q-1) {
			f.backwardPair(q-1, n, u, z, t)
			q--
			continue
		}
		for v := range n {
			sum := f.dense.Dot(row[1:], t[v][q+1:])
			if f.symmetric {
				t[v][q] = z[v][q] - sum/float64(row[0])
			} else {
				t[v][q] = (z[v][q] - sum) / float64(row[0])
			}
		}
	}
}

// backwardPair is backward for the pivots q and q+1.
func (f *fronts[T]) backwardPair(q, n int, u kernels.Dense[T], z, t *local) {
	row, next := u.Row(q, q, u.Stride), u.Row(q+1, q+1, u.Stride)
	d := symmetricPair{float64(row[0]), float64(row[1]), float64(next[0])}.inverse()
	for v := range n {
		rest := t[v][q+2:]
		x, y := d.times(f.dense.Dot(row[2:], rest), f.dense.Dot(next[1:], rest))
		t[v][q], t[v][q+1] = z[v][q]-x, z[v][q+1]-y
	}
}
