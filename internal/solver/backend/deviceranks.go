package backend

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/gpudist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// deviceRanks is the backend with vectors that ranks share, each rank's part on its device.
type deviceRanks struct {
	*gpudist.Space
	on   *gpu.Device
	job  *ranks.Job
	a    *gpudist.Matrix // as given
	pool *parallel.Pool
	keeps[*gpudist.Vector]
}

var _ Backend[*gpudist.Vector, scalar] = (*deviceRanks)(nil)

// NewDeviceRanks copies a matrix to the devices of all ranks. On failure nothing is left there. Collective.
func NewDeviceRanks(j *ranks.Job, m *csr.Matrix, on *gpu.Device, pool *parallel.Pool) (*deviceRanks, error) {
	d := &deviceRanks{Space: gpudist.NewSpace(j.Layout, on), on: on, job: j, pool: pool}
	var err error
	d.a, err = d.matrix(m, func(part *csr.Matrix, _ int) (gpu.Matrix, error) { return gpu.NewCSR(d.on, part) })
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// matrix calls gpudist.NewMatrix, owns the matrix, and returns the error of the first rank that has one. Collective.
func (d *deviceRanks) matrix(local *csr.Matrix, store func(*csr.Matrix, int) (gpu.Matrix, error)) (*gpudist.Matrix, error) {
	a, err := gpudist.NewMatrix(d.Space, d.job.Matrix, local, store)
	if err == nil {
		d.owned = append(d.owned, a)
	}
	return a, ranks.AgreeError(d.job.Comm, err)
}

func (d *deviceRanks) Agree() func(krylov.Reason) krylov.Reason { return d.job.Reason }

func (d *deviceRanks) Fault() error { return d.Err() }

func (d *deviceRanks) Close() {
	d.closeOwned()
	d.Space.Close()
}

func (d *deviceRanks) FromHost(x []float64) *gpudist.Vector {
	v := d.take(d.New)
	d.Upload(v, x)
	return v
}

func (d *deviceRanks) ToHost(x []float64, v *gpudist.Vector) { d.Download(x, v) }

func (d *deviceRanks) Powers(e []int, sign int) Powers[*gpudist.Vector] {
	p := &deviceRankPowers{of: d.Space, e: new(gpudist.Powers)}
	if signed := exponents(e, sign); signed != nil {
		p.e = d.PutPowers(signed)
		d.owned = append(d.owned, p.e)
	}
	return p
}

// deviceRankPowers is diag(2^e_i).
type deviceRankPowers struct {
	of *gpudist.Space
	e  *gpudist.Powers
}

func (p *deviceRankPowers) Ldexp(dst, src *gpudist.Vector, a float64, shift int) {
	p.of.Ldexp(dst, src, a, p.e, shift)
}

func (p *deviceRankPowers) AddLdexp(dst, x, z *gpudist.Vector, shift int) {
	p.of.AddLdexp(dst, x, z, p.e, shift)
}

func (p *deviceRankPowers) MaxExponent(x *gpudist.Vector) int {
	return max(p.of.MaxExponent(x, p.e), LeastExponent)
}

func (d *deviceRanks) Exact() linop.Operator[*gpudist.Vector, scalar] {
	return gpudist.Accurate{Matrix: d.a}
}

func (d *deviceRanks) AbsApply(dst, x *gpudist.Vector) { d.a.AbsApply(dst, x) }

// deviceRankMatrix is a stored matrix of which each rank has its rows on its device.
type deviceRankMatrix struct {
	*gpudist.Matrix
	Stored
	at    *deviceRanks
	theta *gpudist.Vector // see StorageError; nil: the matrix is in FP64
}

func (d *deviceRanks) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[*gpudist.Vector, scalar], error) {
	if layout := t.Layout; layout.FP64() {
		if t = options.FP64(t); layout != adaptive.CSR {
			t.Layout = layout
		}
	}
	spec := options.Spec(t, false)
	if err := d.whole(scaled, &spec); err != nil {
		return nil, err
	}
	theta := make([]float64, d.job.Len)
	made, err := d.matrix(scaled, func(part *csr.Matrix, k int) (gpu.Matrix, error) {
		if options.Plain(t) && !t.Layout.FP64() {
			return gpu.NewCSR(d.on, part)
		}
		if !options.Plain(t) {
			own, err := adaptive.Tolerances(part, spec, d.pool)
			if err != nil {
				return nil, err
			}
			copy(theta[d.job.Parts[k].At:], own)
		}
		return gpu.NewMatrix(d.on, part, spec, d.pool)
	})
	if err != nil {
		return nil, err
	}
	a := &deviceRankMatrix{Matrix: made, at: d, Stored: d.describe(made, t)}
	if !options.Plain(t) {
		a.theta = d.FromHost(theta)
	}
	return a, d.Fault()
}

// whole sets spec.Whole, which tells a part of a stored matrix about the whole matrix. Collective.
func (d *deviceRanks) whole(scaled *csr.Matrix, spec *adaptive.Spec) (failed error) {
	norm := []int64{math.MinInt64}
	for k := range d.job.Parts {
		own, err := adaptive.NormOf(gpudist.Square(d.job.Matrix, scaled, k), *spec, d.pool)
		norm[0], failed = max(norm[0], own), errors.Join(failed, err)
	}
	d.job.Comm.Max(norm)
	spec.Whole = &adaptive.Whole{Norm: norm[0], Parts: d.job.Domains.Count()}
	return ranks.AgreeError(d.job.Comm, failed)
}

// describe returns how the parts of all ranks are stored. Collective.
func (d *deviceRanks) describe(made *gpudist.Matrix, t solve.Storage) Stored {
	s := Stored{Storage: t, Rows: int(d.job.N)}
	type part struct {
		Bytes  int64
		Stats  adaptive.Stats
		Layout string
	}
	var own []part
	for _, m := range made.Parts() {
		own = append(own, part{m.Bytes(), m.Stats(), m.LayoutText()})
	}
	for _, message := range d.job.Comm.Gather(ranks.Encoded(own)) {
		var parts []part
		ranks.Decode(message, &parts)
		for _, p := range parts {
			s.Bytes += p.Bytes
			if !options.Plain(t) {
				s.Stats = s.Stats.Add(p.Stats)
			}
			if s.Layout == "" && !options.Plain(t) || t.Layout.FP64() {
				s.Layout = p.Layout
			}
		}
	}
	return s
}

func (a *deviceRankMatrix) About() Stored { return a.Stored }

func (a *deviceRankMatrix) StorageError(r *gpudist.Vector, norm float64, d Powers[*gpudist.Vector], e int) {
	d.Ldexp(r, a.theta, norm, e)
}

func (a *deviceRankMatrix) Release() {
	if a.theta != nil {
		a.at.GiveBack(a.theta)
		a.theta = nil
	}
	a.Close()
	a.at.owned = slices.DeleteFunc(a.at.owned, func(c closer) bool { return c == closer(a.Matrix) })
}

func (a *deviceRankMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[*gpudist.Vector], error) {
	return nil, fmt.Errorf("preconditioner %v does not run on the devices of several domains", made)
}
