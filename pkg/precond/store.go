package precond

import (
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// store stores m, which may be rectangular, in AFX at epsilon by the criterion
// nw, which stores a_ij and a_ji alike; in FP64 CSR if epsilon asks for that.
func store(m *csr.Matrix, epsilon float64, pool *linop.Pool) (linop.Relaxer[vector, scalar], Cost, error) {
	nnz := int64(m.NNZ())
	fp64 := Cost{nnz, 8 * nnz, m.Bytes(), m.Bytes()}
	if epsilon <= adaptive.MinEpsilon || nnz == 0 {
		return linop.NewCSR(m, pool), fp64, nil
	}
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, Cost{}, err
	}
	a, err := adaptive.Build(m, adaptive.Spec{Set: set, Epsilon: epsilon}, pool)
	if err != nil {
		return nil, Cost{}, err
	}
	if a.Layout() == adaptive.CSR {
		return linop.NewCSR32(m, pool), Cost{nnz, 4 * nnz, m.Bytes() - 4*nnz, m.Bytes()}, nil
	}
	s := a.Stats()
	kept := int64(s.NNZ - s.Dropped)
	cost := Cost{Values: kept, Bytes: a.Bytes(), FP64Bytes: m.Bytes()}
	for _, f := range s.Formats {
		cost.ValueBytes += int64(f.Count * f.Format.Bytes)
	}
	return a, cost, nil
}
