package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// ErrUnavailable is matched by errors of Start: the environment lacks what a job needs.
var ErrUnavailable = errors.New("no MPI")

// An Error says why a job cannot start, and what to do. It is empty on ranks that leave the message to rank 0.
type Error struct{ Reason string }

func (e *Error) Error() string {
	if e.Reason == "" {
		return ""
	}
	return "MPI: " + e.Reason
}

// Is reports whether target is ErrUnavailable.
func (e *Error) Is(target error) bool { return target == ErrUnavailable }

func fault(format string, args ...any) *Error { return &Error{oneLine(fmt.Sprintf(format, args...))} }

// oneLine returns a text without line breaks.
func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }

// everywhere returns err, which each rank meets: rank 0 reports it.
func (l *launcher) everywhere(err *Error) *Error {
	if l.rank > 0 {
		return &Error{}
	}
	return err
}

// here returns err, which may concern this node only.
func (l *launcher) here(err *Error) *Error {
	if l.rank > 0 {
		node, _ := os.Hostname()
		return fault("rank %d on %s: %s", l.rank, node, err.Reason)
	}
	return err
}

// started describes in messages who has started the process.
func (l *launcher) started() string {
	switch l.size {
	case 0:
		return l.name + " started this"
	case 1:
		return l.name + " started one process"
	}
	return fmt.Sprintf("%s started %d processes", l.name, l.size)
}

// missing returns the error that there is no library.
func (l *launcher) missing(why string, given bool) *Error {
	if given {
		return l.everywhere(fault("%s: %s: set it to openmpi, mpich, abi, none, or the path of an MPI library", Variable, why))
	}
	return l.here(fault("%s, but no MPI library was found (%s): install that of the launcher, set %s to its path, or to none for a single process each", l.started(), why, Variable))
}

// unusable returns the error that the library cannot be used.
func (l *launcher) unusable(why string) *Error {
	return l.here(fault("%s, but %s: set %s to the path of another library, or to none for a single process each", l.started(), why, Variable))
}

// late returns the error that MPI has not started within a limit.
func (l *launcher) late(library string, limit time.Duration) *Error {
	return l.here(fault("%s, but MPI_Init_thread of %s has not returned for %v: another rank may have ended before it; %s=SECONDS waits longer", l.started(), library, limit, LimitVariable))
}

// alone returns the error that the library does not see the job, since the launcher belongs to another MPI.
func (l *launcher) alone(size int, library string, is kind) *Error {
	if l.size == 0 { // rank 0 has nothing to report
		return l.here(fault("%s, but %s (%s) sees this process alone: no server of PMIx connects it with others", l.started(), library, is.title()))
	}
	return l.everywhere(fault("%s, but %s (%s) sees %d of them: use the mpirun of %s, or set %s to the library of the launcher (%s, or a path), or to none for a single process each",
		l.started(), library, is.title(), size, is.title(), Variable, l.kinds[0]))
}
