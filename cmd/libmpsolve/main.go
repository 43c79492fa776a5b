// Command libmpsolve is the C library of mpsolve, built by go build -buildmode=c-shared (make libmpsolve). It defines the
// functions that bindings/c/mpsolve.h declares and explains.
package main

// cgo cannot write const. So the preamble defines types with const, and the C compiler can check each function here against
// its declaration in the header.

/*
#cgo CFLAGS: -I${SRCDIR}/../../bindings/c
#include <stdlib.h>
#include "mpsolve.h"

typedef const char constant_char;
typedef const double constant_double;
typedef const int32_t constant_int32;
typedef const int64_t constant_int64;

struct mpsolve_solver {
	uintptr_t handle;
	char *error, *report;
};
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/cli"
)

func main() {}

var version = C.CString(cli.Version)

//export mpsolve_version
func mpsolve_version() *C.constant_char { return version }

//export mpsolve_message
func mpsolve_message(code C.int) *C.constant_char {
	if text, ok := messages[code]; ok {
		return text
	}
	return messages[unknown]
}

const unknown = -1

var messages = map[C.int]*C.constant_char{
	C.MPSOLVE_CONVERGED:     C.CString("converged"),
	C.MPSOLVE_FAILURE:       C.CString("not enough memory, or a file cannot be read or written"),
	C.MPSOLVE_USAGE:         C.CString("an unknown option, a value that it does not take, or a call out of order"),
	C.MPSOLVE_NOT_CONVERGED: C.CString("not converged; x is the best found"),
	C.MPSOLVE_INPUT:         C.CString("the matrix or a vector cannot be solved with"),
	C.MPSOLVE_NO_DEVICE:     C.CString("the device or MPI is not available"),
	C.MPSOLVE_INTERNAL:      C.CString("a fault of mpsolve"),
	C.MPSOLVE_INTERRUPTED:   C.CString("interrupted; x is the best found"),
	unknown:                 C.CString("not a code of mpsolve"),
}

//export mpsolve_new
func mpsolve_new(s **C.mpsolve_solver) C.int {
	if s == nil {
		return C.MPSOLVE_USAGE
	}
	*s = (*C.mpsolve_solver)(C.calloc(1, C.sizeof_mpsolve_solver))
	if *s == nil {
		return C.MPSOLVE_FAILURE
	}
	(*s).handle = C.uintptr_t(cgo.NewHandle(newSolver()))
	return 0
}

//export mpsolve_free
func mpsolve_free(s *C.mpsolve_solver) {
	if s == nil {
		return
	}
	handle := cgo.Handle(s.handle)
	call(s, func(v *solver) error { v.Close(); return nil })
	handle.Delete()
	C.free(unsafe.Pointer(s.error))
	C.free(unsafe.Pointer(s.report))
	C.free(unsafe.Pointer(s))
}

//export mpsolve_set
func mpsolve_set(s *C.mpsolve_solver, name, value *C.constant_char) C.int {
	return call(s, func(v *solver) error {
		if name == nil || value == nil {
			return errNull
		}
		return v.Set(C.GoString(name), C.GoString(value))
	})
}

//export mpsolve_matrix
func mpsolve_matrix(s *C.mpsolve_solver, rows, cols C.int64_t, base C.int, start, col *C.constant_int32, val *C.constant_double) C.int {
	return call(s, func(v *solver) error {
		return setMatrix(v, int64(rows), int64(cols), int32(base), (*int32)(start), (*int32)(col), (*float64)(val))
	})
}

//export mpsolve_matrix64
func mpsolve_matrix64(s *C.mpsolve_solver, rows, cols C.int64_t, base C.int, start, col *C.constant_int64, val *C.constant_double) C.int {
	return call(s, func(v *solver) error {
		return setMatrix(v, int64(rows), int64(cols), int64(base), (*int64)(start), (*int64)(col), (*float64)(val))
	})
}

//export mpsolve_matrix_mpi
func mpsolve_matrix_mpi(s *C.mpsolve_solver, comm C.int, n C.int64_t, base C.int, first, rows C.int64_t, start, col *C.constant_int64, val *C.constant_double) C.int {
	return call(s, func(v *solver) error {
		return v.setRows(int(comm), int64(n), int64(base), int64(first), int64(rows), (*int64)(start), (*int64)(col), (*float64)(val))
	})
}

//export mpsolve_operator
func mpsolve_operator(s *C.mpsolve_solver, n C.int64_t, apply, transposed C.mpsolve_product, data unsafe.Pointer) C.int {
	return call(s, func(v *solver) error { return v.setOperator(int64(n), apply, transposed, data) })
}

//export mpsolve_preconditioner
func mpsolve_preconditioner(s *C.mpsolve_solver, apply, transposed C.mpsolve_product, data unsafe.Pointer) C.int {
	return call(s, func(v *solver) error { return v.setPreconditioner(apply, transposed, data) })
}

//export mpsolve_monitor
func mpsolve_monitor(s *C.mpsolve_solver, f C.mpsolve_iteration, data unsafe.Pointer) C.int {
	return call(s, func(v *solver) error { return v.setMonitor(f, data) })
}

//export mpsolve_update
func mpsolve_update(s *C.mpsolve_solver, val *C.constant_double) C.int {
	return call(s, func(v *solver) error { return v.update((*float64)(val)) })
}

//export mpsolve_setup
func mpsolve_setup(s *C.mpsolve_solver) C.int { return call(s, (*solver).setUp) }

//export mpsolve_solve
func mpsolve_solve(s *C.mpsolve_solver, count C.int64_t, b, guess *C.constant_double, x *C.double) C.int {
	return call(s, func(v *solver) error {
		err := v.solve(int64(count), (*float64)(b), (*float64)(guess), (*float64)(x))
		if code, _ := cli.Code(err); code == 0 || code == C.MPSOLVE_NOT_CONVERGED || code == C.MPSOLVE_INTERRUPTED {
			C.free(unsafe.Pointer(s.report))
			s.report = C.CString(string(v.Report()))
		}
		return err
	})
}

//export mpsolve_interrupt
func mpsolve_interrupt(s *C.mpsolve_solver) {
	if s != nil {
		cgo.Handle(s.handle).Value().(*solver).interrupt()
	}
}

//export mpsolve_report
func mpsolve_report(s *C.mpsolve_solver) *C.constant_char {
	if s == nil || s.report == nil {
		return empty
	}
	return s.report
}

//export mpsolve_error
func mpsolve_error(s *C.mpsolve_solver) *C.constant_char {
	switch {
	case s == nil:
		return noSolver
	case s.error == nil:
		return empty
	}
	return s.error
}

var empty, noSolver = C.CString(""), C.CString("the solver is NULL")

// call runs f with the Go side of s, one call at a time, and keeps the error of f. It turns a panic into an error, or ends all ranks that share
// the matrix.
func call(s *C.mpsolve_solver, f func(*solver) error) (code C.int) {
	if s == nil {
		return C.MPSOLVE_USAGE
	}
	v := cgo.Handle(s.handle).Value().(*solver)
	v.turn.Lock()
	defer v.turn.Unlock()
	say := func(c int, text string) {
		C.free(unsafe.Pointer(s.error))
		code, s.error = C.int(c), C.CString(text)
	}
	defer func() {
		if fault := recover(); fault != nil {
			v.broken = fmt.Sprintf("a fault of mpsolve: %v\n\n%s", fault, debug.Stack())
			v.Abandon(C.MPSOLVE_INTERNAL, v.broken)
			say(C.MPSOLVE_INTERNAL, v.broken)
		}
	}()
	if v.broken != "" {
		say(C.MPSOLVE_INTERNAL, v.broken)
		return code
	}
	if err := f(v); err != nil {
		say(cli.Code(err))
	}
	return code
}
