package krylov

import "github.com/mpsolve/mpsolve/pkg/linop"

// leastSquares minimises ||beta e_1 - H y|| for a Hessenberg matrix H that
// grows by one column at a time. Givens rotations keep it upper triangular;
// the norm of the residual is then the last element of the rotated right-hand
// side ([Saad03], section 6.5.3).
type leastSquares[S linop.Scalar[S]] struct {
	one    S
	zero   float64 // relative size of what rounding leaves of zero
	n      int     // columns so far
	r      [][]S   // column j of the triangle has j+1 elements
	cs, sn []S     // rotations
	g      []S     // rotated right-hand side, n+1 elements
	y      []S
}

func newLeastSquares[S linop.Scalar[S]](one S, roundoff float64) leastSquares[S] {
	return leastSquares[S]{one: one, zero: orthogonal(roundoff)}
}

// begin starts over with the right-hand side beta e_1.
func (l *leastSquares[S]) begin(beta S) {
	l.n = 0
	l.g = append(l.g[:0], beta)
}

// add appends the column (h, next) of H and returns its size, the sum of the
// magnitudes of its elements.
func (l *leastSquares[S]) add(h []S, next S) (size float64) {
	j := l.n
	if len(l.r) == j {
		l.r = append(l.r, make([]S, j+1))
		l.cs, l.sn, l.y = append(l.cs, l.one), append(l.sn, l.one), append(l.y, l.one)
	}
	col := l.r[j]
	copy(col, h)
	size = magnitude(next)
	for _, e := range h {
		size += magnitude(e)
	}
	for k := range j {
		t := l.cs[k].Mul(col[k]).Add(l.sn[k].Mul(col[k+1]))
		col[k+1] = l.cs[k].Mul(col[k+1]).Sub(l.sn[k].Mul(col[k]))
		col[k] = t
	}
	l.cs[j], l.sn[j], col[j] = rotation(l.one, col[j], next)
	last := l.g[j]
	l.g[j] = l.cs[j].Mul(last)
	l.g = append(l.g, l.sn[j].Mul(last).Neg())
	l.n++
	return size
}

// rotation returns c, s, r with c f + s g = r and c g - s f = 0, without
// forming squares that could overflow.
func rotation[S linop.Scalar[S]](one, f, g S) (c, s, r S) {
	switch fm, gm := magnitude(f), magnitude(g); {
	case fm == 0 && gm == 0:
		return g, one, f // a zero column reduces nothing
	case gm == 0:
		return one, g, f
	case gm > fm:
		q := f.Div(g)
		u := one.Add(q.Mul(q)).Sqrt()
		s = one.Div(u)
		return q.Mul(s), s, g.Mul(u)
	default:
		q := g.Div(f)
		u := one.Add(q.Mul(q)).Sqrt()
		c = one.Div(u)
		return c, q.Mul(c), f.Mul(u)
	}
}

// residual is the norm of the least-squares residual.
func (l *leastSquares[S]) residual() float64 { return magnitude(l.g[l.n]) }

// solve returns the minimiser by back substitution. Columns from the first
// zero pivot on, which a singular matrix leaves, are not used.
func (l *leastSquares[S]) solve() []S {
	n := l.n
	for j := range n {
		if magnitude(l.r[j][j]) <= l.zero*magnitude(l.r[0][0]) {
			n = j
			break
		}
	}
	y := l.y[:n]
	for i := n - 1; i >= 0; i-- {
		t := l.g[i]
		for k := i + 1; k < n; k++ {
			t = t.Sub(l.r[k][i].Mul(y[k]))
		}
		y[i] = t.Div(l.r[i][i])
	}
	return y
}
