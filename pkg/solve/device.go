package solve

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// device is the place of vectors on a GPU. The matrix as given is there in FP64, for
// residuals, and the scaled one as stored; what makes them stays on the host.
type device struct {
	*gpu.Space
	on                      *gpu.Device
	a                       *gpu.Matrix // as given
	pool                    *parallel.Pool
	placeKeeps[*gpu.Vector] // preconditioners are closed before the matrix they multiply with
}

// closer is something on a device besides the vectors.
type closer interface{ Close() }

var _ place[*gpu.Vector, gpu.Scalar] = (*device)(nil)

// newDevice copies a matrix to a device. On failure nothing is left there.
func newDevice(m *csr.Matrix, on *gpu.Device, pool *parallel.Pool) (*device, error) {
	d := &device{Space: gpu.NewSpace(on, m.Rows), on: on, pool: pool}
	var err error
	if d.a, err = gpu.NewCSR(on, m); err != nil {
		d.close()
		return nil, err
	}
	d.owned = append(d.owned, d.a)
	return d, nil
}

func (d *device) agree() func(krylov.Reason) krylov.Reason { return nil }

func (d *device) err() error { return d.on.Err() }

func (d *device) close() {
	d.closeOwned()
	d.Space.Close()
}

func (d *device) upload(x []float64) *gpu.Vector {
	v := d.take(d.New)
	d.Upload(v, x)
	return v
}

func (d *device) download(x []float64, v *gpu.Vector) { d.Download(x, v) }

func (d *device) powers(e []int, sign int) powers[*gpu.Vector] {
	p := &devicePowers{of: d.Space}
	if signed := exponents(e, sign); signed != nil {
		p.e = d.PutInts(signed)
		d.owned = append(d.owned, &p.e)
	}
	return p
}

// devicePowers is diag(2^e_i).
type devicePowers struct {
	of *gpu.Space
	e  gpu.Ints
}

func (p *devicePowers) ldexp(dst, src *gpu.Vector, a float64, shift int) {
	p.of.Ldexp(dst, src, a, p.e, shift)
}

func (p *devicePowers) addLdexp(dst, x, z *gpu.Vector, shift int) {
	p.of.AddLdexp(dst, x, z, p.e, shift)
}

func (p *devicePowers) maxExponent(x *gpu.Vector) int {
	return max(p.of.MaxExponent(x, p.e), leastExponent)
}

func (d *device) exact() linop.Operator[*gpu.Vector, gpu.Scalar] { return gpu.Accurate{Matrix: d.a} }

func (d *device) absApply(dst, x *gpu.Vector) { d.a.AbsApply(dst, x) }

// deviceMatrix is a stored matrix on a device.
type deviceMatrix struct {
	*gpu.Matrix
	stored
	at     *device
	theta  *gpu.Vector // see storageError; nil: plain
	shared bool        // a preconditioner multiplies with it
}

// store converts the scaled matrix on the host and copies it to the device.
func (d *device) store(scaled *csr.Matrix, t Storage) (matrix[*gpu.Vector, gpu.Scalar], error) {
	if layout := t.Layout; layout.FP64() {
		if t = t.fp64(); layout != adaptive.CSR {
			t.Layout = layout
		}
	}
	made, err := d.convert(scaled, t)
	if err != nil {
		return nil, err
	}
	d.owned = append(d.owned, made)
	a := &deviceMatrix{Matrix: made, at: d, stored: stored{storage: t, bytes: made.Bytes(), rows: scaled.Rows}}
	if t.Layout.FP64() {
		a.layout = made.LayoutText()
	}
	if t.plain() {
		return a, nil
	}
	a.stats, a.layout = made.Stats(), made.LayoutText()
	theta, err := adaptive.Tolerances(scaled, t.spec(), d.pool)
	if err != nil {
		return nil, err
	}
	a.theta = d.upload(theta)
	return a, d.err()
}

// convert stores the scaled matrix.
func (d *device) convert(scaled *csr.Matrix, t Storage) (*gpu.Matrix, error) {
	if t.plain() && !t.Layout.FP64() {
		return gpu.NewCSR(d.on, scaled)
	}
	return gpu.NewMatrix(d.on, scaled, t.spec(), d.pool)
}

func (a *deviceMatrix) about() stored { return a.stored }

func (a *deviceMatrix) storageError(r *gpu.Vector, norm float64, d powers[*gpu.Vector], e int) {
	d.ldexp(r, a.theta, norm, e)
}

func (a *deviceMatrix) release() {
	if a.theta != nil {
		a.at.free(a.theta)
		a.theta = nil
	}
	if !a.shared {
		a.Close()
		a.at.owned = slices.DeleteFunc(a.at.owned, func(c closer) bool { return c == closer(a.Matrix) })
	}
}
