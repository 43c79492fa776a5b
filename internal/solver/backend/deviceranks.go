package backend

import (
	"errors"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// deviceRanks is the backend with vectors that ranks share, each rank's part on its device.
type deviceRanks struct {
	*domainSpace
	on   *gpu.Device
	job  *ranks.Job
	a    *domainMatrix // as given
	pool *parallel.Pool
	keeps[*domainVector]
}

var _ Backend[*domainVector, scalar] = (*deviceRanks)(nil)

// NewDeviceRanks copies a matrix to the devices of all ranks. On failure nothing is left there. Collective.
func NewDeviceRanks(j *ranks.Job, m *csr.Matrix, on *gpu.Device, pool *parallel.Pool) (*deviceRanks, error) {
	d := &deviceRanks{domainSpace: newDomainSpace(j.Layout, on), on: on, job: j, pool: pool}
	var err error
	d.a, err = d.matrix(m, func(part *csr.Matrix, _ int) (gpu.Matrix, error) { return gpu.NewCSR(d.on, part) })
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// matrix calls newDomainMatrix, owns the matrix, and returns the error of the first rank that has one. Collective.
func (d *deviceRanks) matrix(local *csr.Matrix, store func(*csr.Matrix, int) (gpu.Matrix, error)) (*domainMatrix, error) {
	a, err := newDomainMatrix(d.domainSpace, d.job.Matrix, local, store)
	if err == nil {
		d.owned = append(d.owned, a)
	}
	return a, ranks.AgreeError(d.job.Comm, err)
}

func (d *deviceRanks) Agree() func(krylov.Reason) krylov.Reason { return d.job.Reason }

func (d *deviceRanks) Fault() error { return d.Err() }

func (d *deviceRanks) Close() {
	d.closeOwned()
	d.domainSpace.Close()
}

func (d *deviceRanks) FromHost(x []float64) *domainVector {
	v := d.take(d.New)
	d.Upload(v, x)
	return v
}

func (d *deviceRanks) ToHost(x []float64, v *domainVector) { d.Download(x, v) }

func (d *deviceRanks) Powers(e []int, sign int) Powers[*domainVector] {
	p := &deviceRankPowers{of: d.domainSpace, e: new(domainPowers)}
	if signed := exponents(e, sign); signed != nil {
		p.e = d.PutPowers(signed)
		d.owned = append(d.owned, p.e)
	}
	return p
}

// deviceRankPowers is diag(2^e_i).
type deviceRankPowers struct {
	of *domainSpace
	e  *domainPowers
}

func (p *deviceRankPowers) Ldexp(dst, src *domainVector, a float64, shift int) {
	p.of.Ldexp(dst, src, a, p.e, shift)
}

func (p *deviceRankPowers) AddLdexp(dst, x, z *domainVector, shift int) {
	p.of.AddLdexp(dst, x, z, p.e, shift)
}

func (p *deviceRankPowers) MaxExponent(x *domainVector) int {
	return max(p.of.MaxExponent(x, p.e), LeastExponent)
}

func (d *deviceRanks) Exact() linop.Operator[*domainVector, scalar] {
	return accurateDomains{domainMatrix: d.a}
}

func (d *deviceRanks) AbsApply(dst, x *domainVector) { d.a.AbsApply(dst, x) }

// deviceRankMatrix is a stored matrix of which each rank has its rows on its device.
type deviceRankMatrix struct {
	*domainMatrix
	Stored
	at     *deviceRanks
	theta  *domainVector // see StorageError; nil: the matrix is in FP64
	shared bool          // a preconditioner multiplies with it
}

func (d *deviceRanks) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[*domainVector, scalar], error) {
	t = onDevice(t)
	spec := rules.Spec(t, false)
	if err := d.whole(scaled, &spec); err != nil {
		return nil, err
	}
	theta := make([]float64, d.job.Len)
	made, err := d.matrix(scaled, func(part *csr.Matrix, k int) (gpu.Matrix, error) {
		if rules.Plain(t) && !t.Layout.FP64() {
			return gpu.NewCSR(d.on, part)
		}
		if !rules.Plain(t) {
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
	a := &deviceRankMatrix{domainMatrix: made, at: d, Stored: d.describe(made, t)}
	if !rules.Plain(t) {
		a.theta = d.FromHost(theta)
	}
	return a, d.Fault()
}

// whole sets spec.Whole, which tells a part of a stored matrix about the whole matrix. Collective.
func (d *deviceRanks) whole(scaled *csr.Matrix, spec *adaptive.Spec) (failed error) {
	norm := []int64{math.MinInt64}
	for k := range d.job.Parts {
		own, err := adaptive.NormOf(squareOfDomain(d.job.Matrix, scaled, k), *spec, d.pool)
		norm[0], failed = max(norm[0], own), errors.Join(failed, err)
	}
	d.job.Comm.Max(norm)
	spec.Whole = &adaptive.Whole{Norm: norm[0], Parts: d.job.Domains.Count()}
	return ranks.AgreeError(d.job.Comm, failed)
}

// describe returns how the parts of all ranks are stored. Collective.
func (d *deviceRanks) describe(made *domainMatrix, t solve.Storage) Stored {
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
			if !rules.Plain(t) {
				s.Stats = s.Stats.Add(p.Stats)
			}
			if s.Layout == "" && !rules.Plain(t) || t.Layout.FP64() {
				s.Layout = p.Layout
			}
		}
	}
	return s
}

func (a *deviceRankMatrix) About() Stored { return a.Stored }

func (a *deviceRankMatrix) StorageError(r *domainVector, norm float64, d Powers[*domainVector], e int) {
	d.Ldexp(r, a.theta, norm, e)
}

func (a *deviceRankMatrix) Release() {
	if a.theta != nil {
		a.at.GiveBack(a.theta)
		a.theta = nil
	}
	if !a.shared {
		a.Close()
		a.at.owned = slices.DeleteFunc(a.at.owned, func(c closer) bool { return c == closer(a.domainMatrix) })
	}
}
