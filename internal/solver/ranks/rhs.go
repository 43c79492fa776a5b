package ranks

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// DefaultRHS returns generate.DefaultRHS of a matrix that is spread over ranks: the own elements of this rank, with the same bits as
// for the whole matrix. Collective.
func DefaultRHS(a *dist.Matrix) (b []float64, ones bool) {
	all := make([]float64, a.Len)
	for i := range all {
		_, vals := a.Local.Row(i)
		sum, ok := generate.RowSum(vals)
		all[i], ones = sum, ones || ok
	}
	rows, _ := a.Sides()
	b = a.JoinOver(rows, all)
	if ones = dist.Any(a.Comm, ones); !ones {
		b = RandomRHS(a, 1)
	}
	return b, ones
}

// RandomRHS returns generate.RandomRHS of a matrix that is spread over ranks: the own elements of this rank. Collective.
func RandomRHS(a *dist.Matrix, seed uint64) []float64 {
	rows, cols := a.Sides()
	here := cols.Spans(a.Comm.Size())[a.Comm.Rank()]
	own := make([]float64, here.Rows())
	generate.RandomPart(own, seed, uint64(here.From))
	x, b := make([]float64, a.Len), make([]float64, a.Len)
	a.SpreadOver(cols, x, own)
	a.Local.MulVec(b, x)
	return a.JoinOver(rows, b)
}
