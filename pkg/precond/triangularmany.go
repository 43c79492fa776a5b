package precond

// sideBySide is the number of vectors that triangular solves take at once: the sums of a row, each of which waits for
// the addition before, take about as long for four vectors as for one.
const sideBySide = 4

// together are the vectors of an application to some at once, at most sideBySide.
type together struct {
	count  int // of them; 0: the application is to one vector
	dsts   [sideBySide][]float64
	srcs   [sideBySide][]float64
	behind []float64 // as incomplete.work, element i of vector v is number sideBySide*i+v
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (a *incomplete) ApplyMany(dst, src [][]float64) {
	for len(dst) > 1 {
		if a.behind == nil {
			a.behind = make([]float64, sideBySide*a.n)
		}
		a.count = min(len(dst), sideBySide)
		copy(a.dsts[:], dst[:a.count])
		copy(a.srcs[:], src[:a.count])
		a.run()
		dst, src = dst[a.count:], src[a.count:]
		a.together = together{behind: a.behind}
	}
	for k := range dst {
		a.Apply(dst[k], src[k])
	}
}

// forwardFour is forward for several vectors.
func (p *pair[T, S]) forwardFour(a *incomplete, lo, hi int) {
	z, l := a.behind, &p.l
	for k := lo; k < hi; k++ {
		i := k
		if a.row != nil {
			i = int(a.row[k])
		}
		begin, end := l.ptr[k], l.ptr[k+1]
		sums := dotFour(l.col[begin:end], l.val[begin:end], z)
		d, s := float64(l.diag[k].d), float64(l.diag[k].s)
		to := z[sideBySide*k:][:sideBySide]
		for v, src := range a.srcs[:a.count] {
			b := d * src[i]
			to[v] = float64(b) - float64(s*sums[v])
		}
	}
}

// backwardFour is backward for several vectors.
func (p *pair[T, S]) backwardFour(a *incomplete, lo, hi int) {
	z, u := a.behind, &p.u
	for k := hi - 1; k >= lo; k-- {
		i := k
		if a.col != nil {
			i = int(a.col[k])
		}
		begin, end := u.ptr[k], u.ptr[k+1]
		sums := dotFour(u.col[begin:end], u.val[begin:end], z)
		d, s := float64(u.diag[k].d), float64(u.diag[k].s)
		to := z[sideBySide*k:][:sideBySide]
		for v, dst := range a.dsts[:a.count] {
			x := to[v] - sums[v]
			to[v] = s * x
			dst[i] = d * x
		}
	}
}

// dotFour is dot for vectors side by side.
func dotFour[T value](cols []int32, vals []T, x []float64) [sideBySide]float64 {
	var s0, s1, s2, s3 float64
	vals = vals[:len(cols)]
	for k, j := range cols {
		v, e := float64(vals[k]), x[sideBySide*int(j):][:sideBySide]
		s0 += float64(v * e[0])
		s1 += float64(v * e[1])
		s2 += float64(v * e[2])
		s3 += float64(v * e[3])
	}
	return [sideBySide]float64{s0, s1, s2, s3}
}
