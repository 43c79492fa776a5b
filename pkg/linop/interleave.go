package linop

// groupWidth returns the width of a group of k vectors: 1, 2, 4 or 8.
func groupWidth(k int) int {
	width := 1
	for width < min(k, MostTogether) {
		width *= 2
	}
	return width
}

// Interleave sets x[k*i+v] to element i of vector v of k = 2, 4 or 8; vectors that are nil are zero.
func Interleave[T float32 | float64](x []T, vectors [][]T) {
	k := len(vectors)
	n := len(x) / k
	for v := 0; v < k; v += 2 {
		a, b := vectors[v], vectors[v+1]
		switch {
		case a == nil:
			for i := range n {
				x[k*i+v], x[k*i+v+1] = 0, 0
			}
		case b == nil:
			for i, e := range a[:n] {
				x[k*i+v], x[k*i+v+1] = e, 0
			}
		default:
			b = b[:n]
			for i, e := range a[:n] {
				to := x[k*i+v:][:2:2]
				to[0], to[1] = e, b[i]
			}
		}
	}
}

// Separate is the inverse of Interleave; vectors that are nil are left out.
func Separate[T float32 | float64](vectors [][]T, x []T) {
	k := len(vectors)
	n := len(x) / k
	for v := 0; v < k; v += 2 {
		a, b := vectors[v], vectors[v+1]
		switch {
		case a == nil:
		case b == nil:
			for i := range a[:n] {
				a[i] = x[k*i+v]
			}
		default:
			b = b[:n]
			for i := range a[:n] {
				from := x[k*i+v:][:2:2]
				a[i], b[i] = from[0], from[1]
			}
		}
	}
}
