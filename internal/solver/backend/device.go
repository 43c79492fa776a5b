package backend

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Device is the backend with vectors on a GPU. The matrix as given is there in FP64, for residuals, and the scaled matrix
// as stored. They are made on the host.
type Device struct {
	gpu.Space
	on                 *gpu.Device
	a                  gpu.Matrix // as given
	pool               *parallel.Pool
	keeps[*gpu.Vector] // preconditioners are closed before the matrix that they multiply with
}

// closer is something on a device besides the vectors.
type closer interface{ Close() }

var _ Backend[*gpu.Vector, gpu.Scalar] = (*Device)(nil)

// NewDevice copies a matrix to a device. On failure nothing is left there.
func NewDevice(m *csr.Matrix, on *gpu.Device, pool *parallel.Pool) (*Device, error) {
	d := &Device{Space: gpu.NewSpace(on, m.Rows), on: on, pool: pool}
	var err error
	if d.a, err = gpu.NewCSR(on, m); err != nil {
		d.Close()
		return nil, err
	}
	d.owned = append(d.owned, d.a)
	return d, nil
}

func (d *Device) Agree() func(krylov.Reason) krylov.Reason { return nil }

func (d *Device) Fault() error { return d.on.Err() }

func (d *Device) Close() {
	d.closeOwned()
	d.Space.Close()
}

func (d *Device) FromHost(x []float64) *gpu.Vector {
	v := d.take(d.New)
	d.Upload(v, x)
	return v
}

func (d *Device) ToHost(x []float64, v *gpu.Vector) { d.Download(x, v) }

func (d *Device) Powers(e []int, sign int) Powers[*gpu.Vector] {
	p := &devicePowers{of: d.Space}
	if signed := exponents(e, sign); signed != nil {
		p.e = d.PutInts(signed)
		d.owned = append(d.owned, &p.e)
	}
	return p
}

// devicePowers is diag(2^e_i).
type devicePowers struct {
	of gpu.Space
	e  gpu.Ints
}

func (p *devicePowers) Ldexp(dst, src *gpu.Vector, a float64, shift int) {
	p.of.Ldexp(dst, src, a, p.e, shift)
}

func (p *devicePowers) AddLdexp(dst, x, z *gpu.Vector, shift int) {
	p.of.AddLdexp(dst, x, z, p.e, shift)
}

func (p *devicePowers) MaxExponent(x *gpu.Vector) int {
	return max(p.of.MaxExponent(x, p.e), LeastExponent)
}

func (d *Device) Exact() linop.Operator[*gpu.Vector, gpu.Scalar] { return gpu.Accurate{Matrix: d.a} }

func (d *Device) AbsApply(dst, x *gpu.Vector) { d.a.AbsApply(dst, x) }

// DeviceMatrix is a stored matrix on a device.
type DeviceMatrix struct {
	gpu.Matrix
	Stored
	at     *Device
	theta  *gpu.Vector // see StorageError; nil: the matrix is in FP64
	shared bool        // a preconditioner multiplies with it
}

// onDevice returns the storage that a device has for t: its slots hold no FP64 numbers.
func onDevice(t solve.Storage) solve.Storage {
	layout := t.Layout
	if !layout.FP64() && !rules.Exact(t) {
		return t
	}
	if t = rules.FP64(t); layout.FP64() && layout != adaptive.CSR {
		t.Layout = layout
	}
	return t
}

// Store converts the scaled matrix on the host and copies it to the device.
func (d *Device) Store(scaled *csr.Matrix, t solve.Storage) (Matrix[*gpu.Vector, gpu.Scalar], error) {
	t = onDevice(t)
	made, err := d.convert(scaled, t)
	if err != nil {
		return nil, err
	}
	d.owned = append(d.owned, made)
	a := &DeviceMatrix{Matrix: made, at: d, Stored: Stored{Storage: t, Bytes: made.Bytes(), Rows: scaled.Rows}}
	if t.Layout.FP64() {
		a.Stored.Layout = made.LayoutText()
	}
	if rules.Plain(t) {
		return a, nil
	}
	a.Stored.Stats, a.Stored.Layout = made.Stats(), made.LayoutText()
	theta, err := adaptive.Tolerances(scaled, rules.Spec(t, false), d.pool)
	if err != nil {
		return nil, err
	}
	a.theta = d.FromHost(theta)
	return a, d.Fault()
}

// convert stores the scaled matrix.
func (d *Device) convert(scaled *csr.Matrix, t solve.Storage) (gpu.Matrix, error) {
	if rules.Plain(t) && !t.Layout.FP64() {
		return gpu.NewCSR(d.on, scaled)
	}
	return gpu.NewMatrix(d.on, scaled, rules.Spec(t, false), d.pool)
}

func (a *DeviceMatrix) About() Stored { return a.Stored }

func (a *DeviceMatrix) StorageError(r *gpu.Vector, norm float64, d Powers[*gpu.Vector], e int) {
	d.Ldexp(r, a.theta, norm, e)
}

func (a *DeviceMatrix) Release() {
	if a.theta != nil {
		a.at.GiveBack(a.theta)
		a.theta = nil
	}
	if !a.shared {
		a.Close()
		a.at.owned = slices.DeleteFunc(a.at.owned, func(c closer) bool { return c == closer(a.Matrix) })
	}
}
