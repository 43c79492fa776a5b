package solve

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// onDevice copies a preconditioner of a matrix that is on a device there. release gives its
// memory back, before the matrix's. An error names a kind that is not for devices, or is
// the device's.
func onDevice(
	space *gpu.Space, made precond.Preconditioner, a *gpu.Matrix,
) (p krylov.Preconditioner[*gpu.Vector], release func(), err error) {
	switch data := made.Data().(type) {
	case precond.Diagonal:
		return released(gpu.NewJacobi(space, data))
	case precond.BlockDiagonal:
		return released(gpu.NewBlockJacobi(space, gpu.BlockInverses(data)))
	case precond.Polynomial:
		w := space.New() // released with the space
		space.Upload(w, data.W)
		return precond.NewPolynomial(space, a, w, data.Omega), func() {}, nil
	}
	return nil, nil, fmt.Errorf("preconditioner %v is not for devices", made)
}

// closer is a preconditioner on a device.
type closer interface {
	krylov.Preconditioner[*gpu.Vector]
	Close()
}

func released[P closer](p P, err error) (krylov.Preconditioner[*gpu.Vector], func(), error) {
	if err != nil {
		return nil, nil, err
	}
	return p, p.Close, nil
}
