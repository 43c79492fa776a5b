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
	if w, ok := precond.Diagonal(made); ok {
		return released(gpu.NewJacobi(space, w))
	}
	if b, ok := precond.Blocks(made); ok {
		return released(gpu.NewBlockJacobi(space, gpu.BlockInverses{
			First: b.First, Bytes: b.Bytes, Exponent: b.Exponent, Numbers: b.All(),
		}))
	}
	if w, omega, ok := precond.Polynomial(made); ok {
		return released(gpu.NewChebyshev(space, a, w, omega))
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
