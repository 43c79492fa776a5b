"""Loads the C library that mpsolve.h declares: at MPSOLVE_LIBRARY, beside this file as in a wheel, or from the system."""

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_void_p


def _path():
    beside = os.path.join(os.path.dirname(__file__), "libmpsolve.so")
    path = os.environ.get("MPSOLVE_LIBRARY") or (beside if os.path.exists(beside) else ctypes.util.find_library("mpsolve"))
    if not path:
        raise ImportError("libmpsolve.so is neither in the package nor on the system; build it by `make libmpsolve` and set MPSOLVE_LIBRARY to its path")
    return path


library = ctypes.CDLL(_path())
_process = os.getpid()


def in_process():
    """Reports whether this is the process that has loaded the library. Its threads do not exist in a fork of the process."""
    return os.getpid() == _process


def check_process():
    """Raises RuntimeError in a fork of the process that has loaded the library, in which a call would wait for ever."""
    if not in_process():
        raise RuntimeError('mpsolve does not work in a fork of the process that has imported it: use multiprocessing.get_context("spawn"), or import it in the child')


# Functions of the caller: a product with (data, x, y), and an iteration with (data, iteration, residual, x). Vectors are addresses.
Product = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)
Iteration = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_double, c_void_p)

# The result and the arguments of each function.
_functions = {
    "mpsolve_version": (c_char_p, []),
    "mpsolve_message": (c_char_p, [c_int]),
    "mpsolve_new": (c_int, [POINTER(c_void_p)]),
    "mpsolve_free": (None, [c_void_p]),
    "mpsolve_set": (c_int, [c_void_p, c_char_p, c_char_p]),
    "mpsolve_matrix": (c_int, [c_void_p, c_int64, c_int64, c_int, POINTER(c_int32), POINTER(c_int32), POINTER(c_double)]),
    "mpsolve_matrix64": (c_int, [c_void_p, c_int64, c_int64, c_int, POINTER(c_int64), POINTER(c_int64), POINTER(c_double)]),
    "mpsolve_matrix_mpi": (c_int, [c_void_p, c_int, c_int64, c_int, c_int64, c_int64, POINTER(c_int64), POINTER(c_int64), POINTER(c_double)]),
    "mpsolve_operator": (c_int, [c_void_p, c_int64, Product, Product, c_void_p]),
    "mpsolve_preconditioner": (c_int, [c_void_p, Product, Product, c_void_p]),
    "mpsolve_monitor": (c_int, [c_void_p, Iteration, c_void_p]),
    "mpsolve_update": (c_int, [c_void_p, POINTER(c_double)]),
    "mpsolve_setup": (c_int, [c_void_p]),
    "mpsolve_solve": (c_int, [c_void_p, c_int64, POINTER(c_double), POINTER(c_double), POINTER(c_double)]),
    "mpsolve_interrupt": (None, [c_void_p]),
    "mpsolve_report": (c_char_p, [c_void_p]),
    "mpsolve_error": (c_char_p, [c_void_p]),
}
for _name, (_result, _arguments) in _functions.items():
    _function = getattr(library, _name)
    _function.restype, _function.argtypes = _result, _arguments


def pointer(array):
    """Returns a pointer to the elements of a NumPy array."""
    kind = {"f8": c_double, "i4": c_int32, "i8": c_int64}[array.dtype.str[1:]]
    return array.ctypes.data_as(POINTER(kind))


def version():
    return library.mpsolve_version().decode()
