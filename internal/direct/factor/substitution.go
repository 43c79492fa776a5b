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

// together is how many rows of a front are read together.
const together = 4

func (f *fronts[T]) forward(j, n int, modulus bool, z, t *local) {
	if f.symmetric {
		f.forwardSymmetric(j, n, modulus, z, t)
		return
	}
	var sums [together]float64
	k, u, l := f.pivots(j), f.upper(j), f.lower(j)
	for lo := 0; lo < k; lo += together {
		rows := min(together, k-lo)
		for v := range n {
			f.dense.MulVec(&sums, u.At(lo, 0), rows, z[v][:lo])
			for q := lo; q < lo+rows; q++ {
				z[v][q] -= sums[q-lo] + products(u.Row(q, lo, q), z[v][lo:q])
			}
		}
	}
	for lo := 0; lo < f.size(j)-k; lo += together {
		rows := min(together, f.size(j)-k-lo)
		for v := range n {
			f.dense.MulVec(&sums, l.At(lo, 0), rows, z[v])
			copy(t[v][k+lo:], sums[:rows])
		}
	}
}

// products returns a·x for a few elements.
func products[T kernels.Value](a []T, x []float64) (sum float64) {
	for k, v := range a {
		sum += float64(float64(v) * x[k])
	}
	return sum
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
	for lo, hi := 0, 0; lo < k; lo = hi {
		if hi = min(lo+together, k); f.pair(j, hi-1) {
			hi--
		}
		for v := range n {
			f.forwardRows(j, lo, hi, modulus, u, z[v], t[v])
		}
	}
}

// forwardRows solves with some rows of L^T for a vector.
func (f *fronts[T]) forwardRows(j, lo, hi int, modulus bool, u kernels.Dense[T], z, t []float64) {
	var e [together]float64
	for q := lo; q < hi; q++ {
		row := u.Row(q, q, hi)
		if f.pair(j, q) {
			next := u.Row(q+1, q+1, hi)
			d := symmetricPair{float64(row[0]), float64(row[1]), float64(next[0])}
			x, y := d.inverse().times(-t[q], -t[q+1])
			if e[q-lo], e[q+1-lo] = x, y; modulus {
				x, y = d.inverseModulus().times(-t[q], -t[q+1])
			}
			z[q], z[q+1] = x, y
			for s, v := range row[2:] {
				t[q+2+s] += float64(e[q-lo] * float64(v))
				t[q+2+s] += float64(e[q+1-lo] * float64(next[1+s]))
			}
			q++
			continue
		}
		x := -t[q] / float64(row[0])
		if e[q-lo], z[q] = x, x; modulus && row[0] < 0 {
			z[q] = -x
		}
		for s, v := range row[1:] {
			t[q+1+s] += float64(x * float64(v))
		}
	}
	f.dense.AddMulVecT(t[hi:], u.At(lo, hi), hi-lo, &e)
}

// pair reports whether pivot q of node j and the next are a block of D.
func (f *fronts[T]) pair(j, q int) bool { return f.paired != nil && f.paired[int(f.first[j])+q] }

func (f *fronts[T]) backward(j, n int, z, t *local) {
	u := f.upper(j)
	for lo, hi := 0, f.pivots(j); hi > 0; hi = lo {
		if lo = max(hi-together, 0); lo > 0 && f.pair(j, lo-1) {
			lo++
		}
		for v := range n {
			f.backwardRows(j, lo, hi, u, z[v], t[v])
		}
	}
}

// backwardRows solves with some rows of U, or of L^T, for a vector.
func (f *fronts[T]) backwardRows(j, lo, hi int, u kernels.Dense[T], z, t []float64) {
	var sums [together]float64
	f.dense.MulVec(&sums, u.At(lo, hi), hi-lo, t[hi:])
	for q := hi - 1; q >= lo; q-- {
		row := u.Row(q, q, hi)
		switch sum := sums[q-lo] + products(row[1:], t[q+1:hi]); {
		case !f.symmetric:
			t[q] = (z[q] - sum) / float64(row[0])
		case q > lo && f.pair(j, q-1):
			before := u.Row(q-1, q-1, hi)
			d := symmetricPair{float64(before[0]), float64(before[1]), float64(row[0])}
			x, y := d.inverse().times(sums[q-1-lo]+products(before[2:], t[q+1:hi]), sum)
			t[q-1], t[q] = z[q-1]-x, z[q]-y
			q--
		default:
			t[q] = z[q] - sum/float64(row[0])
		}
	}
}
