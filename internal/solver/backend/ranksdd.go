package backend

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// rankHostDD is the backend with double-double vectors in memory that ranks share.
type rankHostDD struct {
	*hostDD
	ranks *rankHost
}

var _ Backend[dd.Vec, dd.DD] = (*rankHostDD)(nil)

// NewRanksDD returns the backend with double-double vectors that has float64 vectors in at.
func NewRanksDD(at *rankHost) *rankHostDD { return &rankHostDD{NewHostDD(at.Host), at} }

func (p *rankHostDD) Agree() func(krylov.Reason) krylov.Reason { return p.ranks.Agree() }

// Lower is hostDD.Lower where the own elements of x are those of the last one on all ranks.
func (p *rankHostDD) Lower(x []float64) []float64 {
	j, differ := p.ranks.job, p.kept.Hi == nil
	for _, part := range j.Parts {
		differ = differ || !slices.Equal(p.kept.Hi[part.First():part.End()], x[part.First():part.End()])
	}
	if dist.Any(j.Comm, differ) {
		return nil
	}
	return p.kept.Lo
}

func (p *rankHostDD) Exact() linop.Operator[dd.Vec, dd.DD] { return p.ranks.csrDD(p.ranks.m) }

func (p *rankHostDD) AbsApply(dst, x dd.Vec) {
	p.ranks.AbsApply(dst.Hi, x.Hi)
	clear(dst.Lo)
}

func (p *rankHostDD) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[dd.Vec, dd.DD], error) {
	a, err := p.ranks.storeOnce(scaled, t)
	if err != nil {
		return nil, err
	}
	return matrixDD{a.Wide(), p.hostDD, a}, nil
}

// csrDD returns a matrix with the pattern of A in FP64 as an operator on double-double vectors.
func (r *rankHost) csrDD(local *csr.Matrix) *dist.OperatorDD {
	return dist.NewCSRDD(r.job.Matrix, local, NewHostDD(r.Host).HostDD, r.kernels, r.pool)
}

// Wide implements Widening.
func (a rankMatrix) Wide() linop.Operator[dd.Vec, dd.DD] {
	if a.reduced == nil {
		return a.at.csrDD(a.Source)
	}
	var parts []linop.Operator[dd.Vec, dd.DD]
	for _, part := range a.reduced {
		wide, err := part.DD()
		if err != nil {
			panic(err) // Storage.DD has chosen a layout that has such products
		}
		parts = append(parts, wide)
	}
	return dist.NewOperatorDD(a.at.job.Matrix, parts, NewHostDD(a.at.Host).HostDD)
}
