package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../bindings/c
#include "mpsolve.h"

static int product(mpsolve_product f, void *data, const double *x, double *y) { return f(data, x, y); }

static int iteration(mpsolve_iteration f, void *data, int64_t k, double residual, const double *x) { return f(data, k, residual, x); }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/cli"
	mpsolve "github.com/mpsolve/mpsolve/internal/solver"
)

// errNoOperator is the error of what only an operator can have.
var errNoOperator = cli.WithCode(usage, "there is no operator yet")

// productOf makes a Product of a function of C, nil of NULL.
func productOf(f C.mpsolve_product, data unsafe.Pointer) mpsolve.Product {
	if f == nil {
		return nil
	}
	return func(y, x []float64) error {
		if code := C.product(f, data, (*C.double)(unsafe.SliceData(x)), (*C.double)(unsafe.SliceData(y))); code != 0 {
			return fmt.Errorf("%w: a product returned %d", errCaller, code)
		}
		return nil
	}
}

func (v *solver) setOperator(n int64, apply, transposed C.mpsolve_product, data unsafe.Pointer) error {
	if apply == nil {
		return errNull
	}
	if err := v.SetOperator(mpsolve.Operator{N: int(n), Apply: productOf(apply, data), ApplyT: productOf(transposed, data)}); err != nil {
		return err
	}
	v.rows, v.cols = n, n
	return nil
}

// changeOperator changes the operator that has been set.
func (v *solver) changeOperator(change func(a *mpsolve.Operator)) error {
	a, ok := v.Operator()
	if !ok {
		return errNoOperator
	}
	change(&a)
	return v.SetOperator(a)
}

func (v *solver) setPreconditioner(apply, transposed C.mpsolve_product, data unsafe.Pointer) error {
	if apply == nil {
		return errNull
	}
	return v.changeOperator(func(a *mpsolve.Operator) { a.Precond, a.PrecondT = productOf(apply, data), productOf(transposed, data) })
}

func (v *solver) setMonitor(f C.mpsolve_iteration, data unsafe.Pointer) error {
	if f == nil {
		return errNull
	}
	return v.changeOperator(func(a *mpsolve.Operator) {
		a.Show = func(k int, residual float64, x []float64) {
			if C.iteration(f, data, C.int64_t(k), C.double(residual), (*C.double)(unsafe.SliceData(x))) != 0 {
				v.interrupt()
			}
		}
	})
}
