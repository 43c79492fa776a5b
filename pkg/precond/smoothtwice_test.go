package precond

import (
	"math"
	"slices"
	"testing"
)

// Smoothing a prolongator again multiplies it with what smoothed it first.
func TestSmoothAgain(t *testing.T) {
	m, null := diffusion(t, "poisson2d", 12, 2)
	s := newStrength(m, equalBlocks(m.Rows, 1), spreading{}, nil)
	strong := s.strong(0.15, nil)
	const omega = 0.6
	nodes := equalBlocks(m.Rows, 1)
	f := newFiltered(m, nodes, null[0], strong, spreading{}, nil)
	p := newTentative(nodes, aggregate(s, strong, nil), null, nil).smooth(m, nodes, null[0], strong, f, omega, newPool(t, 1))
	for c := range p.Cols {
		column, e := make(vector, m.Rows), make(vector, p.Cols)
		e[c] = 1
		p.MulVec(column, e)
		want := slices.Clone(column)
		for i := range want {
			cols, vals := m.Row(i)
			d, sum := 0.0, 0.0 // of A_F
			for k, j := range cols {
				a := math.Abs(m.At(i, int(j))) / math.Sqrt(m.At(i, i)*m.At(int(j), int(j)))
				switch {
				case int(j) == i:
					d += vals[k]
				case a >= 0.15:
					sum += vals[k] * column[j]
				default:
					d += vals[k] * null[0][j] / null[0][i]
				}
			}
			want[i] -= omega / d * (d*column[i] + sum)
		}
		got := make(vector, m.Rows)
		smoothAgain(p, m, strong, f.diagonal, omega, newPool(t, 3)).MulVec(got, e)
		closeTo(t, "column", got, want, 1e-14)
	}
}
