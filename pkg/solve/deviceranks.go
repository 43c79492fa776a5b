package solve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/gpudist"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// deviceRanks is the place of vectors that ranks share, those of each on its device.
type deviceRanks struct {
	*gpudist.Space
	on   *gpu.Device
	job  *job
	a    *gpudist.Matrix // as given
	pool *parallel.Pool
	placeKeeps[*gpudist.Vector]
}

var _ place[*gpudist.Vector, scalar] = (*deviceRanks)(nil)

// newDeviceRanks copies a matrix to the devices of all ranks. On failure nothing is left there. Collective.
func newDeviceRanks(s *Solver) (*deviceRanks, error) {
	d := &deviceRanks{Space: gpudist.NewSpace(s.job.Layout, s.opt.Device), on: s.opt.Device, job: s.job, pool: s.pool}
	var err error
	d.a, err = d.matrix(s.m, func(part *csr.Matrix, _ int) (*gpu.Matrix, error) { return gpu.NewCSR(d.on, part) })
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// matrix is gpudist.NewMatrix, owned, with the error of the first rank that has one. Collective.
func (d *deviceRanks) matrix(local *csr.Matrix, store func(*csr.Matrix, int) (*gpu.Matrix, error)) (*gpudist.Matrix, error) {
	a, err := gpudist.NewMatrix(d.Space, d.job.Matrix, local, store)
	if err == nil {
		d.owned = append(d.owned, a)
	}
	return a, agreeError(d.job.Comm, err)
}

func (d *deviceRanks) agree() func(krylov.Reason) krylov.Reason { return d.job.reason }

func (d *deviceRanks) err() error { return d.Err() }

func (d *deviceRanks) close() {
	d.closeOwned()
	d.Space.Close()
}

func (d *deviceRanks) upload(x []float64) *gpudist.Vector {
	v := d.take(d.New)
	d.Upload(v, x)
	return v
}

func (d *deviceRanks) download(x []float64, v *gpudist.Vector) { d.Download(x, v) }

func (d *deviceRanks) powers(e []int, sign int) powers[*gpudist.Vector] {
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

func (p *deviceRankPowers) ldexp(dst, src *gpudist.Vector, a float64, shift int) {
	p.of.Ldexp(dst, src, a, p.e, shift)
}

func (p *deviceRankPowers) addLdexp(dst, x, z *gpudist.Vector, shift int) {
	p.of.AddLdexp(dst, x, z, p.e, shift)
}

func (p *deviceRankPowers) maxExponent(x *gpudist.Vector) int {
	return max(p.of.MaxExponent(x, p.e), leastExponent)
}

func (d *deviceRanks) exact() linop.Operator[*gpudist.Vector, scalar] {
	return gpudist.Accurate{Matrix: d.a}
}

func (d *deviceRanks) absApply(dst, x *gpudist.Vector) { d.a.AbsApply(dst, x) }

// deviceRankMatrix is a stored matrix of which each rank has its rows on its device.
type deviceRankMatrix struct {
	*gpudist.Matrix
	stored
	at    *deviceRanks
	theta *gpudist.Vector // see storageError; nil: plain
}

func (d *deviceRanks) store(scaled *csr.Matrix, t Storage) (matrix[*gpudist.Vector, scalar], error) {
	if layout := t.Layout; layout.FP64() {
		if t = t.fp64(); layout != adaptive.CSR {
			t.Layout = layout
		}
	}
	spec := t.spec()
	if err := d.whole(scaled, &spec); err != nil {
		return nil, err
	}
	theta := make([]float64, d.job.Len)
	made, err := d.matrix(scaled, func(part *csr.Matrix, k int) (*gpu.Matrix, error) {
		if t.plain() && !t.Layout.FP64() {
			return gpu.NewCSR(d.on, part)
		}
		if !t.plain() {
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
	a := &deviceRankMatrix{Matrix: made, at: d, stored: d.describe(made, t)}
	if !t.plain() {
		a.theta = d.upload(theta)
	}
	return a, d.err()
}

// whole tells the parts of a stored matrix of the whole. Collective.
func (d *deviceRanks) whole(scaled *csr.Matrix, spec *adaptive.Spec) (failed error) {
	norm := []int64{math.MinInt64}
	for k := range d.job.Parts {
		own, err := adaptive.NormOf(gpudist.Square(d.job.Matrix, scaled, k), *spec, d.pool)
		norm[0], failed = max(norm[0], int64(own)), errors.Join(failed, err)
	}
	d.job.Comm.Max(norm)
	spec.Whole = &adaptive.Whole{Norm: adaptive.Norm(norm[0]), Parts: d.job.Domains.Count()}
	return agreeError(d.job.Comm, failed)
}

// describe says how the parts of all ranks are stored. Collective.
func (d *deviceRanks) describe(made *gpudist.Matrix, t Storage) stored {
	s := stored{storage: t, rows: int(d.job.N)}
	type part struct {
		Bytes  int64
		Stats  adaptive.Stats
		Layout string
	}
	var own []part
	for _, m := range made.Parts() {
		own = append(own, part{m.Bytes(), m.Stats(), m.LayoutText()})
	}
	for _, message := range d.job.Comm.Gather(encoded(own)) {
		var parts []part
		decode(message, &parts)
		for _, p := range parts {
			s.bytes += p.Bytes
			if !t.plain() {
				s.stats = s.stats.Add(p.Stats)
			}
			if s.layout == "" && !t.plain() || t.Layout.FP64() {
				s.layout = p.Layout
			}
		}
	}
	return s
}

func (a *deviceRankMatrix) about() stored { return a.stored }

func (a *deviceRankMatrix) storageError(r *gpudist.Vector, norm float64, d powers[*gpudist.Vector], e int) {
	d.ldexp(r, a.theta, norm, e)
}

func (a *deviceRankMatrix) release() {
	if a.theta != nil {
		a.at.free(a.theta)
		a.theta = nil
	}
	a.Close()
	a.at.owned = slices.DeleteFunc(a.at.owned, func(c closer) bool { return c == closer(a.Matrix) })
}

func (a *deviceRankMatrix) upload(made precond.Preconditioner) (krylov.Preconditioner[*gpudist.Vector], error) {
	return nil, fmt.Errorf("preconditioner %v does not run on the devices of several domains", made)
}
