package precond

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// farRows is a gap between rows that is beyond 32 bits.
const farRows = 3_000_000_000

// Preconditioners have the same bits where the rows of two domains are numbered beyond 2^31, for ranks that are threads (Concurrent).
func TestConcurrentFarRows(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"diffusion":  generated(t, "poisson3d", generate.Params{"n": 12}),
		"convection": generated(t, "convdiff3d", generate.Params{"n": 12}),
		"elasticity": generated(t, "elasticity3d", generate.Params{"n": 6}),
	} {
		if host.RaceDetector && name != "diffusion" {
			continue
		}
		b := random(m.Rows, 3)
		for _, kind := range spread {
			opt := Options{Symmetric: name != "convection", Incomplete: Incomplete{Fill: 3}}
			d, _ := Lookup(kind)
			if kind == AMG || d.suits(opt.Symmetric) != nil {
				continue
			}
			if d.Overlaps {
				opt.Overlap = OverlapOne
			}
			create := func(s distributed) (Preconditioner, error) {
				s.description = d
				return d.spreadOver(s)
			}
			near, far := spaced(t, m, 0, b, nil, create, opt), spaced(t, m, farRows, b, nil, create, opt)
			if e := apart(near, far); e > 0 && kind != Chebyshev || !(e < estimates) {
				t.Errorf("%s of %s: results differ by %.1e", kind, name, e)
			}
		}
	}
}

// Multigrid has the same bits where fine and coarse unknowns are numbered beyond 2^31: ranks that are absent have the other ones
// (Concurrent).
func TestConcurrentFarMultigrid(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"diffusion":  generated(t, "poisson3d", generate.Params{"n": 16}),
		"convection": generated(t, "convdiff3d", generate.Params{"n": 16}),
		"elasticity": generated(t, "elasticity3d", generate.Params{"n": 9}),
	} {
		b := random(m.Rows, 4)
		opt := Options{Symmetric: name != "convection"}
		opt.Multigrid.Coarsest = 20
		amg := func(s distributed) (Preconditioner, error) { return s.multigrid(sizesOf(150)) }
		near, far := spaced(t, m, 0, b, nil, amg, opt), spaced(t, m, farRows, b, func(c dist.Comm) dist.Comm { return &coarser{Comm: c} }, amg, opt)
		if e := apart(near, far); e > 0 && name != "elasticity" || !(e < estimates) {
			t.Errorf("%s: results differ by %.1e", name, e)
		}
	}
}

// estimates bounds the differences that come from estimates of eigenvalues, which begin with other vectors for rows of other numbers:
// gaps from 6,000 to 2.1 * 10^9 rows give up to 0.17.
const estimates = 0.25

// apart returns the largest difference of two vectors, relative to their largest element.
func apart(x, y vector) (e float64) {
	most := 0.0
	for i, v := range x {
		e, most = max(e, math.Abs(v-y[i])), max(most, math.Abs(v))
	}
	return e / most
}

// coarser adds, for rank 1, which is absent, unknowns of the first coarse level to the numbers of unknowns of all domains.
type coarser struct {
	dist.Comm
	done bool
}

func (c *coarser) Sum(x []int64) {
	if len(x) == 5+1 && !c.done { // domains, and 0 in front
		if c.done = true; c.Rank() == 0 {
			x[1+1] += farRows
		}
	}
	c.Comm.Sum(x)
}

// spaced makes a preconditioner of m in three domains, with a gap behind the first one, applies it to b and returns the result.
func spaced(
	t *testing.T, m *csr.Matrix, gap int64, b vector, through func(dist.Comm) dist.Comm, create func(distributed) (Preconditioner, error), opt Options,
) vector {
	t.Helper()
	x := make(vector, m.Rows)
	n := int64(m.Rows) / 36 * 36 // domains have whole nodes
	s := testsupport.Spaced{M: m, Starts: [4]int64{0, n / 3, n / 2, int64(m.Rows)}, Gap: gap, Idle: func(first []byte) []byte {
		if json.Valid(first) {
			return []byte("[]") // outcomes of no domains
		}
		return nil
	}}
	s.Run(func(c dist.Comm, a *dist.Matrix, first int64, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		pool := parallel.New(1)
		defer pool.Close()
		if through != nil {
			a = a.Through(through(c))
		}
		p, err := create(distributed{setup: setup{Options: opt.withDefaults(), ctx: t.Context(), m: a.Local, pool: pool}, a: a})
		if err != nil {
			t.Errorf("gap %d: %v", gap, err)
			return
		}
		src, dst := make(vector, a.Len), make(vector, a.Len)
		q := a.Parts[0]
		copy(src[q.First():q.End()], b[first:])
		p.Apply(dst, src)
		copy(x[first:], dst[q.First():q.End()])
	})
	return x
}
