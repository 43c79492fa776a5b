package precond

import "math"

// denseCholesky overwrites the lower triangle of the symmetric n x n matrix a, row
// after row, with L, A = L L^T, and reports whether A is positive definite.
func denseCholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : i*n+n]
		for j := range i {
			other := a[j*n : j*n+n]
			s := row[j]
			for k, v := range row[:j] {
				s -= float64(v * other[k])
			}
			row[j] = s / other[j]
		}
		d := row[i]
		for _, v := range row[:i] {
			d -= float64(v * v)
		}
		if !(d > 0) || math.IsInf(d, 0) {
			return false
		}
		row[i] = math.Sqrt(d)
	}
	return true
}

// invert overwrites the n x n matrix a, row after row, with its inverse, by
// Gauss-Jordan elimination with partial pivoting; order is n numbers of scratch.
// It reports whether a is regular and its inverse finite.
func invert(a []float64, n int, order []int) bool {
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[pivot*n+k]) {
				pivot = i
			}
		}
		order[k] = pivot
		top := a[k*n : k*n+n]
		if pivot != k {
			for j, v := range a[pivot*n : pivot*n+n] {
				a[pivot*n+j], top[j] = top[j], v
			}
		}
		d := 1 / top[k]
		if d-d != 0 {
			return false
		}
		top[k] = 1
		for j := range top {
			top[j] *= d
		}
		for i := range n {
			if i == k {
				continue
			}
			row := a[i*n : i*n+n]
			f := row[k]
			row[k] = 0
			for j, v := range top {
				row[j] -= float64(f * v)
			}
		}
	}
	for k := n - 1; k >= 0; k-- { // what exchanged rows of A exchanges columns of its inverse
		if pivot := order[k]; pivot != k {
			for i := range n {
				a[i*n+k], a[i*n+pivot] = a[i*n+pivot], a[i*n+k]
			}
		}
	}
	norm := norm1(a, n)
	return norm-norm == 0
}

// norm1 is the largest sum of magnitudes of a column.
func norm1(a []float64, n int) (most float64) {
	for j := range n {
		s := 0.0
		for i := range n {
			s += math.Abs(a[i*n+j])
		}
		most = max(most, s)
	}
	return most
}
