import ctypes
import sys
import threading

import numpy as np

from . import _errors
from ._library import Iteration, Product, check_process, library
from ._solver import Solver


class OperatorSolver(Solver):
    """Solves with a matrix of n rows of which only products are known.

    ``products`` and ``precond`` are pairs of functions that return A @ x and A.T @ x, and M^-1 @ x and M^-T @ x; the second of a pair may be
    None. ``monitor`` gets the number of each iteration, its residual relative to b, and x (None within a cycle of GMRES). The functions are
    called on the thread of the caller. An exception in one of them ends the solve, and comes out of it.
    """

    def __init__(self, n, products, precond, monitor, /, **options):  # whose names options may have
        self._handle = None
        check_process()
        self.shape = (n, n)
        self._raised, self._called = [], []  # errors of the functions that the library calls, and these
        self._products = [self._product(f) for f in products]
        self._precond = precond and [self._product(f) for f in precond]
        self._monitor = monitor and self._iteration(monitor)
        self._create(options)

    def _set_matrix(self, handle):
        self._check(library.mpsolve_operator(handle, self.shape[0], *self._products, None))
        if self._precond:
            self._check(library.mpsolve_preconditioner(handle, *self._precond, None))
        if self._monitor:
            self._check(library.mpsolve_monitor(handle, self._monitor, None))

    def _vector(self, address):
        return np.ctypeslib.as_array((ctypes.c_double * self.shape[0]).from_address(address))

    def _product(self, f):
        def product(_, x, y):
            if self._raised:
                return 1
            try:
                self._vector(y)[:] = f(self._vector(x).copy())  # the library's x does not outlive the call
                return 0
            except BaseException as error:
                self._raised.append(error)
                return 1

        self._called.append(product)
        return Product(product) if f else Product()

    def _iteration(self, f):
        def iteration(_, k, residual, x):
            if self._raised:
                return 1
            try:
                f(k, residual, self._vector(x).copy() if x else None)
                return 0
            except BaseException as error:
                self._raised.append(error)
                return 1

        self._called.append(iteration)
        return Iteration(iteration)

    def _interruptible(self, function, *arguments):
        """Calls a function of the library on this thread: Ctrl-C raises KeyboardInterrupt in a function of the caller, or at the entry of one
        of ours, before its try. ctypes ignores the latter, and tells sys.unraisablehook alone."""
        before = sys.unraisablehook

        def hook(event):
            if any(event.object is f or repr(f) in (event.err_msg or "") for f in self._called):  # in the message since Python 3.13
                self._raised.append(event.exc_value)
            else:
                before(event)

        main = threading.current_thread() is threading.main_thread()  # which alone runs handlers of signals
        self._raised.clear()
        try:
            if main:
                sys.unraisablehook = hook
            code = function(*arguments)
        finally:
            if main:
                sys.unraisablehook = before
        if self._raised:
            raise self._raised.pop(0)
        return code

    def close(self):
        super().close()
        self._products = self._precond = self._monitor = self._called = None  # which refer to this object
