package backend

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// rankHost is the backend with vectors in memory that ranks share. Products, reductions and Store are collective.
type rankHost struct {
	*Host
	job         *ranks.Job
	haloEpsilon float64 // Options.HaloEpsilon
	transposes  bool    // the method multiplies with the transpose, which is another matrix
}

var _ Backend[vector, scalar] = (*rankHost)(nil)

func NewRanks(j *ranks.Job, m *csr.Matrix, kernels string, haloEpsilon float64, transposes bool, pool *parallel.Pool) *rankHost {
	h := &Host{Host: dist.NewSpace(j.Layout, pool), m: m, pool: pool}
	return &rankHost{h.With(kernels), j, haloEpsilon, transposes}
}

func (r *rankHost) Agree() func(krylov.Reason) krylov.Reason { return r.job.Follow }

// CSR returns the operator in FP64 of a matrix with the pattern of A, of which local has this rank's rows.
func (r *rankHost) CSR(local *csr.Matrix) *dist.CSR {
	a := dist.NewCSR(r.job.Matrix, local, r.pool)
	a.Use(r.kernels)
	return a
}

func (r *rankHost) Exact() linop.Operator[vector, scalar] { return dist.Accurate{CSR: r.CSR(r.m)} }

func (r *rankHost) AbsApply(dst, x vector) {
	r.job.Halo.Exchange(x)
	r.Host.AbsApply(dst, x)
}

// rankMatrix is a stored matrix of which each rank has its rows.
type rankMatrix struct {
	linop.Relaxer[vector, scalar]
	Stored
	at      *rankHost
	reduced []adaptive.Matrix // the parts in their layouts; nil: FP64 CSR
}

// rankTransposer is a rankMatrix with its transpose in FP64.
type rankTransposer struct {
	rankMatrix
	transposed *dist.Transposed
}

// ApplyT computes dst = A^T src.
func (a rankTransposer) ApplyT(dst, src vector) { a.transposed.Apply(dst, src) }

func (a rankTransposer) About() Stored {
	s := a.Stored
	s.Bytes += csr.Bytes(a.at.job.N, a.at.job.NNZ)
	return s
}

// Line describes the second matrix.
func (a rankTransposer) Line() string {
	return fmt.Sprintf("transpose stored as a second matrix, %s", humanize.Bytes(uint64(csr.Bytes(a.at.job.N, a.at.job.NNZ))))
}

func (r *rankHost) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[vector, scalar], error) {
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
func (r *rankHost) storeOnce(scaled *csr.Matrix, t solve.Storage) (rankMatrix, error) {
	if rules.Plain(t) && (t.Layout == adaptive.CSR || !t.Layout.FP64()) {
		a := r.CSR(scaled)
		bytes := csr.Bytes(r.job.N, r.job.NNZ)
		return rankMatrix{Relaxer: a, Stored: Stored{Storage: t, Bytes: bytes, Relaxer: a, Source: scaled}, at: r}, nil
	}
	made, err := r.build(scaled, t)
	if err = ranks.AgreeError(r.job.Comm, err); err != nil {
		return rankMatrix{}, err
	}
	var products []linop.Products
	for _, part := range made {
		products = append(products, part.Products())
	}
	a := dist.NewOperator(r.job.Matrix, products, r.pool)
	a.Use(r.kernels)
	s := r.describe(made, t)
	if r.haloEpsilon > 0 && !rules.Exact(s.Storage) {
		a.RoundHalo(r.haloEpsilon)
	}
	s.Relaxer = a
	return rankMatrix{a, s, r, made}, nil
}

// build stores the parts of this rank of the scaled matrix. Collective.
func (r *rankHost) build(scaled *csr.Matrix, t solve.Storage) (made []adaptive.Matrix, failed error) {
	spec := rules.Spec(t, false)
	spec.Kernels, spec.Narrow = r.kernels.String(), true // a checkpoint keeps no layout of each part
	own, failed := adaptive.NormOf(scaled, spec, r.pool) // rows of ghosts are empty
	norm := []int64{own}
	r.job.Comm.Max(norm)
	for k, p := range r.job.Parts {
		spec.Whole = &adaptive.Whole{Norm: norm[0], Parts: r.job.Domains.Count(), Diagonal: p.Below}
		part, err := adaptive.Build(r.job.PartOf(scaled, k, r.pool), spec, r.pool)
		if failed = errors.Join(failed, err); failed != nil {
			return nil, failed
		}
		made = append(made, part)
	}
	return made, nil
}

func (a rankMatrix) About() Stored { return a.Stored }

// tolerances sets r_i = theta_i, see StorageError.
func (a rankMatrix) tolerances(r vector) {
	for k, part := range a.reduced {
		first := a.at.job.Parts[k].First()
		own := r[first:a.at.job.Parts[k].End()]
		a.at.pool.RunRanges(evenly(len(own)), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				own[i] = part.Tolerance(i)
			}
		})
	}
}

func (a rankMatrix) StorageError(r vector, norm float64, d Powers[vector], e int) {
	a.tolerances(r)
	d.Ldexp(r, r, norm, e)
}

// evenly returns the bounds of ranges of n elements.
func evenly(n int) (bounds []int) {
	const size = 1 << 15
	for at := 0; at < n; at += size {
		bounds = append(bounds, at)
	}
	return append(bounds, n)
}

func (a rankMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[vector], error) {
	return made, nil
}

func (a rankMatrix) Release() {}

// describe returns how the parts of all ranks are stored. Collective.
func (r *rankHost) describe(made []adaptive.Matrix, t solve.Storage) Stored {
	j := r.job
	s := Stored{Storage: t, Rows: int(j.N)}
	type part struct {
		Bytes  int64
		Stats  adaptive.Stats
		Layout string
		FP64   bool
		Slow   bool
	}
	var own []part
	for _, m := range made {
		l := m.Layout()
		own = append(own, part{m.Bytes(), m.Stats(), m.LayoutText(), l.FP64(), l == adaptive.Bucketed})
	}
	fp64 := true
	var layouts []string
	for _, message := range j.Comm.Gather(ranks.Encoded(own)) {
		var parts []part
		ranks.Decode(message, &parts)
		for _, p := range parts {
			s.Bytes += p.Bytes
			s.Stats = s.Stats.Add(p.Stats)
			fp64, s.slow = fp64 && p.FP64, s.slow || p.Slow
			if !slices.Contains(layouts, p.Layout) {
				layouts = append(layouts, p.Layout)
			}
		}
	}
	if s.Layout = layouts[0]; len(layouts) > 1 {
		s.Layout += "; in other domains others"
	}
	if fp64 { // nothing to escalate
		s.Storage, s.Stats = rules.FP64(t), adaptive.Stats{}
	}
	return s
}
