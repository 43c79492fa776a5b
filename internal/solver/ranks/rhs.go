package ranks

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// DefaultRHS returns generate.DefaultRHS of a matrix that is spread over ranks: the own elements of this rank, with the same bits as
// for the whole matrix. Collective.
func DefaultRHS(a *dist.Matrix) (b []float64, ones bool) {
	b = make([]float64, 0, a.Own)
	for _, p := range a.Parts {
		for i := p.First(); i < p.End(); i++ {
			_, vals := a.Local.Row(i)
			sum, ok := generate.RowSum(vals)
			b = append(b, sum)
			ones = ones || ok
		}
	}
	if ones = dist.Any(a.Comm, ones); !ones {
		b = RandomRHS(a, 1)
	}
	return b, ones
}

// RandomRHS returns generate.RandomRHS of a matrix that is spread over ranks: the own elements of this rank. Collective.
func RandomRHS(a *dist.Matrix, seed uint64) []float64 {
	x := make([]float64, a.Len)
	for _, p := range a.Parts {
		generate.RandomPart(x[p.First():p.End()], seed, uint64(p.Row))
	}
	a.Halo.Exchange(x)
	b := make([]float64, a.Len)
	a.Local.MulVec(b, x)
	own := make([]float64, a.Own)
	a.Join(own, b)
	return own
}
