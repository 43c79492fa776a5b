//go:build !cgo || !(linux || darwin)

package mpi

import "github.com/mpsolve/mpsolve/internal/dist"

// Start returns the ranks of this job: dist.Self, or an error if a launcher started several ranks, since this build
// lacks MPI.
func Start() (c dist.Comm, stop func(), err error) {
	if l := launched(); l != nil && l.size != 1 {
		return nil, nil, l.everywhere(fault("%s, but this build is without cgo and has no MPI: build it with CGO_ENABLED=1, or set %s to none for a single process each", l.started(), Variable))
	}
	return dist.Self{}, func() {}, nil
}

// Adopt returns an error: this build lacks MPI.
func Adopt(int) (c dist.Comm, end func(), err error) {
	return nil, nil, fault("this build is without cgo and has no MPI")
}

// Library returns an empty Opened.
func Library() Opened { return Opened{} }
