package backend

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// DevicePrecond is a preconditioner on a device, or on the devices of all ranks.
type DevicePrecond[V any] struct {
	krylov.Preconditioner[V]
	On    *gpu.Device
	owned []closer
	left  LeftOnHost
}

// LeftOnHost describes a preconditioner that is on a device, after the host has released it.
type LeftOnHost struct {
	text     string
	cost     precond.Cost
	Launches int // of kernels in an application; 0: none yet
}

func (p *LeftOnHost) Apply(_, _ []float64) { panic("solve: " + p.text + " is on a device") }
func (p *LeftOnHost) Cost() precond.Cost   { return p.cost }
func (p *LeftOnHost) Data() precond.Data   { return nil }
func (p *LeftOnHost) String() string       { return p.text }

// Description stands for the preconditioner on the host.
func (p *DevicePrecond[V]) Description() precond.Preconditioner { return &p.left }

// Apply computes dst = M^-1 src.
func (p *DevicePrecond[V]) Apply(dst, src V) {
	before := p.On.Launches()
	p.Preconditioner.Apply(dst, src)
	if p.left.Launches == 0 {
		p.left.Launches = p.On.Launches() - before
	}
}

// Close releases the preconditioner.
func (p *DevicePrecond[V]) Close() {
	for _, c := range slices.Backward(p.owned) {
		c.Close()
	}
	p.owned = nil
}

// place puts made on the device by put, and counts its bytes there. On failure nothing is left on the device.
func (p *DevicePrecond[V]) place(made precond.Preconditioner, put func() error) error {
	p.left = LeftOnHost{text: made.String(), cost: made.Cost()}
	before, _ := p.On.Bytes()
	err := put()
	if err == nil {
		err = p.On.Err()
	}
	if err != nil {
		p.Close()
		return fmt.Errorf("%v: %w", made, err)
	}
	after, _ := p.On.Bytes()
	p.left.cost.Bytes = after - before
	return nil
}

func (a *DeviceMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[*gpu.Vector], error) {
	data := made.Data()
	if data == nil {
		return nil, fmt.Errorf("%v: does not run on devices", made)
	}
	p := &devicePrecond{On: a.at.on}
	if err := p.place(made, func() error { return a.put(p, data) }); err != nil {
		return nil, err
	}
	a.at.owned = append(a.at.owned, p)
	return p, nil
}

type devicePrecond = DevicePrecond[*gpu.Vector]

// put copies the data of a preconditioner to the device.
func (a *DeviceMatrix) put(p *devicePrecond, data precond.Data) (err error) {
	d := a.at
	switch data := data.(type) {
	case precond.Polynomial:
		a.shared = true
		p.Preconditioner = precond.NewPolynomial(d.Space, a.Matrix, d.FromHost(data.W), data.Omega)
	case precond.Sequence:
		if err := p.Room(data.Factors, 2*int64(len(data.Factors)+1)*int64(d.Dim())); err != nil {
			return err
		}
		p.Preconditioner, err = precond.NewSequence[*gpu.Vector, gpu.Scalar](d.roomOf(p), data)
	case precond.Hierarchy:
		if err := p.Room(HierarchyParts(data)); err != nil {
			return err
		}
		p.Preconditioner, err = precond.NewCycle[*gpu.Vector, gpu.Scalar](d.roomOf(p), data)
	default:
		p.Preconditioner, err = p.diagonal(d.Space, data)
	}
	return err
}

// diagonal copies a diagonal, or blocks on the diagonal, to the device of a space.
func (p *DevicePrecond[V]) diagonal(at gpu.Space, data precond.Data) (by gpu.Preconditioner, err error) {
	switch data := data.(type) {
	case precond.Diagonal:
		by, err = gpu.NewJacobi(at, data)
	case precond.BlockDiagonal:
		by, err = gpu.NewBlockJacobi(at, gpu.BlockInverses(data))
	default:
		panic(fmt.Sprintf("solve: data of type %T", data))
	}
	if err == nil {
		p.owned = append(p.owned, by)
	}
	return by, err
}

// Room returns precond.ErrMemory if the memory that was free when the device was opened does not suffice for matrices, and for vectors
// with so many elements in all.
func (p *DevicePrecond[V]) Room(matrices []precond.Factor, elements int64) error {
	has, known := p.On.Room()
	if need := SpaceFor(matrices, elements); known && need > has {
		return fmt.Errorf("%w: up to %s on the device, which has %s", precond.ErrMemory, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(max(has, 0))))
	}
	return nil
}

// SpaceFor returns an upper bound of the memory of matrices, and of vectors with so many elements in all, in bytes. Matrices count as in
// FP64 CSR, which slots do not exceed.
func SpaceFor(matrices []precond.Factor, elements int64) int64 {
	need := 8 * elements
	for _, m := range matrices {
		need += csr.Bytes(int64(m.Rows), int64(m.NNZ()))
	}
	return need
}

// HierarchyParts returns the matrices that precond.NewCycle stores, and the elements of its vectors and of making
// its inverse.
func HierarchyParts(h precond.Hierarchy) (matrices []precond.Factor, elements int64) {
	n := int64(h.Coarsest)
	elements = 2*n + 2*int64(len(h.Root)) + 3*n*n/2
	for _, l := range h.Levels {
		matrices = append(matrices, l.A, l.P, l.R)
		vectors := int64(4)
		if l.Twice {
			vectors = 6
		}
		elements += vectors * int64(l.A.Rows)
	}
	return matrices, elements
}

// deviceRoom holds the vectors and matrices of a preconditioner on a device.
type deviceRoom struct {
	*Device
	p *devicePrecond
}

// roomOf returns the room of p, and sets the counts of values in matrices to zero.
func (d *Device) roomOf(p *devicePrecond) deviceRoom {
	p.left.cost.Values, p.left.cost.ValueBytes = 0, 0
	return deviceRoom{d, p}
}

// Space implements precond.Backend.
func (at deviceRoom) Space(n int) precond.MulSpace[*gpu.Vector, gpu.Scalar] {
	s := gpu.NewSpace(at.on, n)
	at.p.owned = append(at.p.owned, s)
	return s
}

// Store implements precond.Backend: in slots, or in FP64 CSR if m is to be exact.
func (at deviceRoom) Store(m precond.Factor) (linop.Relaxer[*gpu.Vector, gpu.Scalar], error) {
	t := rules.StorageWithDefaults(solve.Storage{Epsilon: m.Epsilon, Criterion: m.Criterion}, false, false)
	if m.Epsilon == 0 || m.NNZ() == 0 {
		t = rules.FP64(t)
	}
	a, err := at.convert(m.Matrix, t)
	if err != nil {
		return nil, err
	}
	return at.keep(a, int64(m.NNZ())), nil
}

// Dense implements precond.Backend.
func (at deviceRoom) Dense(n int, a []float64) (krylov.Preconditioner[*gpu.Vector], error) {
	inverse, err := gpu.NewDense(at.on, n, a)
	if err != nil {
		return nil, err
	}
	return at.keep(inverse, int64(n)*int64(n)), nil
}

// keep keeps a matrix, and counts its values.
func (at deviceRoom) keep(a gpu.Matrix, values int64) gpu.Matrix {
	at.p.owned = append(at.p.owned, a)
	c, s := &at.p.left.cost, a.Stats()
	if s.NNZ == 0 { // FP64
		c.Values, c.ValueBytes = c.Values+values, c.ValueBytes+8*values
		return a
	}
	c.Values += int64(s.NNZ - s.Dropped)
	for _, f := range s.Formats {
		c.ValueBytes += int64(f.Count * f.Format.Bytes)
	}
	return a
}
