package mpi

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnavailable is what errors of Start are: the environment lacks what a job needs.
var ErrUnavailable = errors.New("no MPI")

// An Error says why a job cannot start, and what to do.
type Error struct{ Reason string }

func (e *Error) Error() string        { return "MPI: " + e.Reason }
func (e *Error) Is(target error) bool { return target == ErrUnavailable }

func fault(format string, args ...any) error {
	return &Error{strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")}
}

// started is how messages say who has started the process.
func (l *launcher) started() string {
	switch l.size {
	case 0:
		return l.name + " started this"
	case 1:
		return l.name + " started one process"
	}
	return fmt.Sprintf("%s started %d processes", l.name, l.size)
}

// missing says that there is no library.
func (l *launcher) missing(why string, given bool) error {
	if given {
		return fault("%s: %s: set it to openmpi, mpich, abi, none, or the path of an MPI library", Variable, why)
	}
	return fault("%s, but no MPI library was found (%s): install that of the launcher, set %s to its path, or to none for a single process each", l.started(), why, Variable)
}

// unusable says that the library cannot be used.
func (l *launcher) unusable(why string) error {
	return fault("%s, but %s: set %s to the path of another library, or to none for a single process each", l.started(), why, Variable)
}

// alone says that the library does not see the job, as its launcher is of another MPI.
func (l *launcher) alone(size int, library string, is kind) error {
	return fault("%s, but %s (%s) sees %d of them: use the mpirun of %s, or set %s to the library of the launcher (%s, or a path), or to none for a single process each",
		l.started(), library, is.title(), size, is.title(), Variable, l.kinds[0])
}
