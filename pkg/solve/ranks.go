package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// ranks is the place of vectors that ranks share, each in memory. What of it is collective is so in what uses it: products,
// reductions, storing.
type ranks struct {
	*host
	job         *job
	haloEpsilon float64 // of Options
	transposes  bool    // the method multiplies with the transpose, which is another matrix
}

var _ place[vector, scalar] = (*ranks)(nil)

func newRanks(s *Solver) *ranks {
	h := &host{Host: dist.NewSpace(s.job.Layout, s.pool), m: s.m, pool: s.pool}
	return &ranks{h.with(s.opt.Storage.Kernels), s.job, s.opt.HaloEpsilon, s.scaled.transposes && !s.scaled.symmetric}
}

func (r *ranks) agree() func(krylov.Reason) krylov.Reason { return r.job.reason }

// csr returns local, with the pattern of A, as it is as an operator.
func (r *ranks) csr(local *csr.Matrix) *dist.CSR {
	a := dist.NewCSR(r.job.Matrix, local, r.pool)
	a.Use(r.kernels)
	return a
}

func (r *ranks) exact() linop.Operator[vector, scalar] { return dist.Accurate{CSR: r.csr(r.m)} }

func (r *ranks) absApply(dst, x vector) {
	r.job.Halo.Exchange(x)
	r.host.absApply(dst, x)
}

// rankMatrix is a stored matrix of which each rank has its rows.
type rankMatrix struct {
	linop.Relaxer[vector, scalar]
	stored
	at      *ranks
	reduced []*adaptive.Matrix // the same, by part; nil: plain
}

// rankTransposer is a rankMatrix with its transpose in FP64.
type rankTransposer struct {
	rankMatrix
	transposed *dist.Transposed
}

// ApplyT computes dst = A^T src.
func (a rankTransposer) ApplyT(dst, src vector) { a.transposed.Apply(dst, src) }

func (a rankTransposer) about() stored {
	s := a.stored
	s.bytes += csr.Bytes(a.at.job.N, a.at.job.NNZ)
	return s
}

// line tells what is stored besides.
func (a rankTransposer) line() string {
	return fmt.Sprintf("transpose stored as a second matrix, %s", humanize.Bytes(uint64(csr.Bytes(a.at.job.N, a.at.job.NNZ))))
}

func (r *ranks) store(scaled *csr.Matrix, t Storage) (matrix[vector, scalar], error) {
	made, err := r.storeOnce(scaled, t)
	if err != nil {
		return nil, err
	}
	if r.transposes {
		return rankTransposer{made, dist.NewTransposed(r.job.Matrix, scaled, r.kernels, r.pool)}, nil
	}
	return made, nil
}

// storeOnce stores the matrix without its transpose.
func (r *ranks) storeOnce(scaled *csr.Matrix, t Storage) (rankMatrix, error) {
	if t.plain() && (t.Layout == adaptive.CSR || !t.Layout.FP64()) {
		a := r.csr(scaled)
		bytes := csr.Bytes(r.job.N, r.job.NNZ)
		return rankMatrix{Relaxer: a, stored: stored{storage: t, bytes: bytes, relaxer: a, source: scaled}, at: r}, nil
	}
	made, err := r.build(scaled, t)
	if err = agreeError(r.job.Comm, err); err != nil {
		return rankMatrix{}, err
	}
	var products []*linop.Products
	for _, part := range made {
		products = append(products, part.Products())
	}
	a := dist.NewOperator(r.job.Matrix, products, r.pool)
	a.Use(r.kernels)
	s := r.job.describe(made, t)
	if r.haloEpsilon > 0 && !s.storage.plain() {
		a.RoundHalo(r.haloEpsilon)
	}
	s.relaxer = a
	return rankMatrix{a, s, r, made}, nil
}

// build stores the parts of this rank of the scaled matrix. Collective.
func (r *ranks) build(scaled *csr.Matrix, t Storage) (made []*adaptive.Matrix, failed error) {
	spec := t.spec()
	spec.Kernels = r.kernels
	norm := []int64{math.MinInt64}
	for k := range r.job.Parts {
		own, err := adaptive.NormOf(r.job.PartOf(scaled, k), spec, r.pool)
		norm[0], failed = max(norm[0], int64(own)), errors.Join(failed, err)
	}
	r.job.Comm.Max(norm)
	for k, p := range r.job.Parts {
		spec.Whole = &adaptive.Whole{Norm: adaptive.Norm(norm[0]), Parts: r.job.Domains.Count(), Diagonal: p.Below}
		part, err := adaptive.Build(r.job.PartOf(scaled, k), spec, r.pool)
		if failed = errors.Join(failed, err); failed != nil {
			return nil, failed
		}
		made = append(made, part)
	}
	return made, nil
}

func (a rankMatrix) about() stored { return a.stored }

func (a rankMatrix) storageError(r vector, norm float64, d powers[vector], e int) {
	for k, part := range a.reduced {
		first := a.at.job.Parts[k].First()
		own := r[first:a.at.job.Parts[k].End()]
		a.at.pool.RunRanges(evenly(len(own)), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				own[i] = part.Tolerance(i)
			}
		})
	}
	d.ldexp(r, r, norm, e)
}

// evenly cuts n elements into ranges.
func evenly(n int) (bounds []int) {
	const size = 1 << 15
	for at := 0; at < n; at += size {
		bounds = append(bounds, at)
	}
	return append(bounds, n)
}

func (a rankMatrix) upload(made precond.Preconditioner) (krylov.Preconditioner[vector], error) {
	return made, nil
}

func (a rankMatrix) release() {}
