package solve

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// device is the place of vectors on a GPU. The matrix as given is there in FP64, for
// residuals, and the scaled one as stored; what makes them stays on the host.
type device struct {
	system
	on *gpu.Device
	of *gpu.Space
	a  *gpu.Matrix // as given

	row, unrow, col gpu.Ints // exponents of D_r, D_r^-1 and D_c; zero if they all are
	start, b        *gpu.Vector
	x, r, theta     *gpu.Vector // x + d and its residual, for the measure; see matrix.storageError
	weights         *gpu.Vector // row sums of A or, for StopCW, |A||x|
	normA, normB    float64     // as in measure
	expB            int

	matrices []*gpu.Matrix // stored
	inUse    []*gpu.Matrix // those that preconditioners multiply with
	carried  []func()      // release preconditioners
}

var _ place[*gpu.Vector, gpu.Scalar] = (*device)(nil)

// newDevice brings a system to a device. On failure nothing is left there.
func newDevice(s system, on *gpu.Device) (*device, error) {
	d := &device{system: s, on: on, of: gpu.NewSpace(on, s.m.Rows)}
	var err error
	if d.a, err = gpu.NewCSR(on, s.m); err != nil {
		d.close()
		return nil, err
	}
	if !s.scaling.Identity() {
		d.putExponents()
	}
	for _, v := range []**gpu.Vector{&d.start, &d.b, &d.x, &d.r, &d.theta, &d.weights} {
		*v = d.of.New()
	}
	sums := s.m.RowSums(s.pool)
	d.of.Upload(d.weights, sums)
	d.normA = slices.Max(sums)
	if err = on.Err(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// putExponents copies those of the scaling.
func (d *device) putExponents() {
	row, unrow, col := make([]int32, d.m.Rows), make([]int32, d.m.Rows), make([]int32, d.m.Rows)
	for i := range row {
		row[i], unrow[i], col[i] = int32(d.scaling.Row[i]), int32(-d.scaling.Row[i]), int32(d.scaling.Col[i])
	}
	d.row, d.unrow, d.col = d.of.PutInts(row), d.of.PutInts(unrow), d.of.PutInts(col)
}

func (d *device) space() linop.Space[*gpu.Vector, gpu.Scalar] { return d.of }

func (d *device) exact() linop.Operator[*gpu.Vector, gpu.Scalar] { return gpu.Accurate{Matrix: d.a} }

// store converts the scaled matrix on the host and copies it to the device.
func (d *device) store(m *csr.Matrix, t Storage) (a matrix[*gpu.Vector, gpu.Scalar], err error) {
	if t.Layout == adaptive.CSR {
		t = t.fp64()
	}
	made, err := d.put(m, t)
	if err != nil {
		return a, err
	}
	d.matrices = append(d.matrices, made)
	a.Operator, a.stored = made, stored{storage: t, bytes: made.Bytes(), rows: m.Rows}
	if t.plain() {
		return a, nil
	}
	a.stats, a.layout = made.Stats(), made.LayoutText()
	theta, err := adaptive.Tolerances(m, t.spec(), d.pool)
	if err != nil {
		return a, err
	}
	d.of.Upload(d.theta, theta)
	a.storageError = func(z *gpu.Vector, e int) float64 {
		d.of.Ldexp(d.r, d.theta, d.of.AbsMax(z), d.unrow, e)
		return d.measure(d.x, d.r)
	}
	return a, d.on.Err()
}

// put stores m in the layout for its formats.
func (d *device) put(m *csr.Matrix, t Storage) (*gpu.Matrix, error) {
	switch {
	case t.plain():
		return gpu.NewCSR(d.on, m)
	case t.Set.Name == "AFX" && t.Layout != adaptive.Bucketed:
		return gpu.NewSlots(d.on, m, t.spec(), d.pool)
	}
	return gpu.NewBucketed(d.on, m, t.spec(), d.pool)
}

func (d *device) release(a matrix[*gpu.Vector, gpu.Scalar]) {
	m := a.Operator.(*gpu.Matrix)
	if slices.Contains(d.inUse, m) {
		return
	}
	m.Close()
	d.matrices = slices.DeleteFunc(d.matrices, func(o *gpu.Matrix) bool { return o == m })
}

func (d *device) carry(made precond.Preconditioner, a matrix[*gpu.Vector, gpu.Scalar]) (krylov.Preconditioner[*gpu.Vector], error) {
	m := a.Operator.(*gpu.Matrix)
	p, release, err := onDevice(d.of, made, m)
	if err != nil {
		return nil, err
	}
	if _, ok := made.Data().(precond.Polynomial); ok {
		d.inUse = append(d.inUse, m)
	}
	d.carried = append(d.carried, release)
	return p, d.on.Err()
}

func (d *device) begin(x, b []float64) (*gpu.Vector, *gpu.Vector) {
	d.of.Upload(d.start, x)
	d.of.Upload(d.b, b)
	if d.stop == StopRel {
		d.normB, d.expB = d.of.Norm2(d.b)
	} else {
		d.normB = d.of.AbsMax(d.b)
	}
	return d.start, d.b
}

func (d *device) end(x []float64, v *gpu.Vector) error {
	d.of.Download(x, v)
	return d.on.Err()
}

func (d *device) close() {
	for _, release := range d.carried {
		release()
	}
	for _, m := range d.matrices {
		m.Close()
	}
	if d.a != nil {
		d.a.Close()
	}
	d.row.Close()
	d.unrow.Close()
	d.col.Close()
	d.of.Close()
}

func (d *device) measure(x, r *gpu.Vector) float64 {
	switch d.stop {
	case StopNW:
		return quotient(d.of.AbsMax(r), d.normA, d.of.AbsMax(x), d.normB)
	case StopRel:
		norm, e := d.of.Norm2(r)
		return csr.Ldexp(norm/d.normB, e-d.expB)
	case StopCW:
		d.a.AbsApply(d.weights, x)
		return d.of.RowError(r, d.weights, 1, d.b)
	default:
		return d.of.RowError(r, d.weights, d.of.AbsMax(x), d.b)
	}
}

// leastExponent is below those of all numbers, scaled or not.
const leastExponent = -1 << 14

func (d *device) scale(rhs, r *gpu.Vector) (e int) {
	e = max(d.of.MaxExponent(r, d.row), leastExponent)
	d.of.Ldexp(rhs, r, d.sign, d.row, -e)
	return e
}

func (d *device) unscale(dst, z *gpu.Vector, e int) { d.of.Ldexp(dst, z, 1, d.col, e) }

func (d *device) corrected(x, z, rhs *gpu.Vector, e int) float64 {
	d.of.AddLdexp(d.x, x, z, d.col, e)
	d.of.Ldexp(d.r, rhs, 1, d.unrow, e)
	return d.measure(d.x, d.r)
}
