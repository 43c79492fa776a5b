import ctypes
import json
import operator
import threading
import warnings

import numpy as np

from . import _errors
from ._library import check_process, in_process, library, pointer


def solve(A, b, *, guess=None, raises=False, comm=None, first=None, **options):
    """Solves A x = b and returns x and the report.

    Solver and Solver.solve describe the arguments and options.
    """
    with Solver(A, comm=comm, first=first, **options) as solver:
        return solver.solve(b, guess=guess, raises=raises)


class Solver:
    """Solves A x = b for any number of right-hand sides.

    A is a sparse matrix or array of SciPy, or anything that scipy.sparse.csr_matrix takes. If A is CSR with float64 values and
    sorted columns, the Solver uses its arrays without a copy and keeps them alive: they must not change while it is in use.

    With comm, a communicator of mpi4py, its ranks share a square matrix: A, b, guess and x have the rows of this rank, from row ``first``
    of the matrix on, and A has all columns. By default the rows follow those of the ranks before. All ranks make the same calls with the same
    options, ``close`` included; x has the same bits for any number of ranks. An error on one rank is raised on all. Import mpi4py before
    mpsolve: some libraries of MPI, when they are loaded, change instructions that threads of mpsolve may be executing.

    Threads may share a Solver: their calls take turns.

    Options have the names of the flags of ``mpsolve solve``, with underscores for hyphens.
    """

    _comm = None

    def __init__(self, A, *, comm=None, first=None, **options):
        self._handle = None
        check_process()
        self._comm = comm
        self._arrays = self._agree(_csr, A)
        self.shape = self._arrays[0]
        if comm is not None:
            before = sum(comm.allgather(self.shape[0])[: comm.rank])
            self._first = self._agree(_row, before if first is None else first)
        self._create(options)

    def _create(self, options):
        """Makes the solver of the library, with its options and matrix."""
        handle = ctypes.c_void_p()
        if library.mpsolve_new(ctypes.byref(handle)) != _errors.CONVERGED:
            raise MemoryError("mpsolve_new")
        self._handle, self._lock = handle, threading.RLock()
        try:
            self._agree(self._set_options, handle, options)
            self._set_matrix(handle)
        except BaseException:
            self.close()
            raise

    def _set_options(self, handle, options):
        for name, value in options.items():
            self._check(library.mpsolve_set(handle, name.encode(), _text(name, value).encode()))

    def _set_matrix(self, handle):
        (rows, cols), start, col, val = self._arrays
        if self._comm is not None:
            self._wide = [np.asarray(a, dtype=np.int64) for a in (start, col)]  # which the library reads again in update
            self._check(library.mpsolve_matrix_mpi(handle, self._comm.py2f(), cols, 0, self._first, rows, *map(pointer, self._wide), pointer(val)))
            return
        take = library.mpsolve_matrix if start.dtype == np.int32 else library.mpsolve_matrix64
        self._check(take(handle, rows, cols, 0, pointer(start), pointer(col), pointer(val)))

    def setup(self):
        """Examines the matrix and sets up the preconditioner. Without it, the first solve does so."""
        with self._turn():
            self._check(self._interruptible(library.mpsolve_setup, self._open()))

    def update(self, A):
        """Replaces the matrix by one with the same pattern and other values, as for the next time step, and reuses what was set up."""
        with self._turn():
            handle = self._open()
            arrays = self._agree(self._same_pattern, A)
            self._check(self._interruptible(library.mpsolve_update, handle, pointer(arrays[3])))
            self._arrays = arrays

    def _same_pattern(self, A):
        """Returns the arrays of A, with the pattern of the matrix before."""
        shape, start, col, val = _csr(A)
        old_shape, old_start, old_col, _ = self._arrays
        if shape != old_shape or not (np.array_equal(start, old_start) and np.array_equal(col, old_col)):
            raise ValueError("the pattern of nonzeros differs from the pattern of the matrix before")
        return old_shape, old_start, old_col, val

    def solve(self, b, *, guess=None, raises=False):
        """Solves and returns x and the report, even if x has not converged (``report["converged"]``).

        b is a vector, or a matrix whose columns are right-hand sides; x and guess then have a column for each. With raises=True
        a solve that does not converge raises NotConvergedError. Ctrl-C ends the solve and raises KeyboardInterrupt.
        """
        with self._turn():
            handle = self._open()
            b, guess, x, count = self._agree(self._sides, b, guess)
            code = self._interruptible(library.mpsolve_solve, handle, count, pointer(b), None if guess is None else pointer(guess), pointer(x))
            if code not in (_errors.CONVERGED, _errors.NOT_CONVERGED):
                self._check(code)
            report = json.loads(library.mpsolve_report(handle))
        if raises and code == _errors.NOT_CONVERGED:
            raise _errors.NotConvergedError(_errors.verdict(report), x, report)
        return x, report

    def _sides(self, b, guess):
        """Returns b, guess and room for x in the form of the library, and the number of right-hand sides."""
        rows, cols = self.shape
        if self._comm is not None:
            cols = rows
        b, count = _vectors("b", b, rows)
        if guess is not None:
            guess, guesses = _vectors("guess", guess, cols)
            if guesses != count:
                raise ValueError(f"{guesses} initial guesses for {count} right-hand sides")
        return b, guess, np.zeros((cols,) if b.ndim == 1 else (cols, count), order="F"), count

    def _agree(self, function, *arguments):
        """Calls a function. If it raises on a rank, all ranks raise the error of the first such rank, so that none waits for ever."""
        if self._comm is None:
            return function(*arguments)
        result, fault = None, None
        try:
            result = function(*arguments)
        except Exception as error:
            fault = (type(error) if isinstance(error, _errors.MpsolveError) else _errors.InputError, str(error))
        for rank, first in enumerate(self._comm.allgather(fault)):
            if first is not None:
                raise first[0](f"rank {rank}: {first[1]}")
        return result

    def close(self):
        """Ends the threads and releases the memory, after the calls of other threads. Closing again does nothing."""
        if not in_process():
            self._handle = self._arrays = None
            return
        with self._lock:
            if self._handle is not None:
                library.mpsolve_free(self._handle)
            self._handle = self._arrays = None

    def __repr__(self):
        rows, cols = self.shape
        return f"<mpsolve.Solver of a {rows}x{cols} matrix{', closed' if self._handle is None else ''}>"

    def __reduce__(self):
        raise TypeError("a Solver cannot be copied or pickled; make another of the same matrix")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is None:
            return
        if self._comm is None:
            self.close()
        else:  # all ranks close together
            warnings.warn("a Solver with comm was not closed", ResourceWarning, source=self)

    def _turn(self):
        """Returns the lock that a call holds, in the process that has made it: in a fork, a thread that does not exist may hold it."""
        check_process()
        return self._lock

    def _open(self):
        """Returns the handle, to a call that holds the lock."""
        if self._handle is None:
            raise ValueError("the Solver is closed")
        return self._handle

    def _check(self, code):
        if code == _errors.INTERRUPTED:
            raise KeyboardInterrupt
        if code != _errors.CONVERGED:
            raise _errors.error(code, library.mpsolve_error(self._handle).decode())

    def _interruptible(self, function, *arguments):
        """Calls a function of the library so that Ctrl-C ends the call. Python runs signal handlers only in the main thread, and
        not while that thread is in C. So another thread makes the call, and the main thread waits."""
        if threading.current_thread() is not threading.main_thread():
            return function(*arguments)
        codes, ended = [], threading.Event()  # is_alive of an interrupted join says False of a thread that goes on (Python 3.11)

        def work():
            try:
                codes.append(function(*arguments))
            finally:
                ended.set()

        threading.Thread(target=work, name="mpsolve", daemon=True).start()
        try:
            ended.wait()
        except BaseException:
            while not ended.wait(0.02):  # again and again, since the call may not have begun
                library.mpsolve_interrupt(self._handle)
            raise
        return codes[0]


def _text(name, value):
    """Returns the value of an option in the form that a flag takes."""
    if value is None or np.ndim(value) > 0:
        raise _errors.UsageError(f"option {name} is of the type {type(value).__name__}, want a number, a word or the name of a file")
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value)


def _row(first):
    """Returns the number of a row as an int that the library holds."""
    try:
        return int(np.int64(operator.index(first)))
    except (TypeError, OverflowError):
        raise ValueError(f"first is {first!r}, want the number of a row") from None


def _csr(A):
    """Returns shape, offsets, columns and values of A, without a copy if the arrays have suitable types."""
    if getattr(A, "format", None) != "csr":
        from scipy import sparse

        A = sparse.csr_matrix(A)
    if np.iscomplexobj(A.data):
        raise ValueError("the matrix is complex; write it as a real matrix of twice the size, [[re, -im], [im, re]]")
    _check_lengths(A)
    kind = np.int32 if A.indices.dtype == A.indptr.dtype == np.int32 else np.int64
    return A.shape, *(np.ascontiguousarray(a, dtype=t) for a, t in ((A.indptr, kind), (A.indices, kind), (A.data, np.float64)))


def _check_lengths(A):
    """Raises InputError unless the arrays of A have what the offsets say: SciPy lets them be replaced, and the library trusts the last offset."""
    rows = A.shape[0]
    for name in "indptr", "indices", "data":
        if getattr(A, name).ndim != 1:
            raise _errors.InputError(f"A.{name} has {getattr(A, name).ndim} dimensions, want 1")
    if len(A.indptr) != rows + 1:
        raise _errors.InputError(f"A.indptr has {len(A.indptr)} offsets, want {rows + 1} for {rows} rows")
    end = int(A.indptr[-1])
    if end < 0 or end > min(len(A.indices), len(A.data)):
        raise _errors.InputError(f"A.indptr ends at {end}, but there are {len(A.indices)} indices and {len(A.data)} values")


def _vectors(what, v, n):
    """Returns v as float64 in column-major order, without a copy if it is so already, and the number of columns."""
    if np.iscomplexobj(v):
        raise ValueError(f"{what} is complex")
    v = np.asarray(v, dtype=np.float64, order="F")
    check_shape(what, v, n)
    if not v.flags.f_contiguous:
        v = np.asfortranarray(v)
    return v, 1 if v.ndim == 1 else v.shape[1]


def check_shape(what, v, n):
    """Raises ValueError unless v is a vector of n elements or has some of them as columns."""
    if v.ndim not in (1, 2) or v.shape[0] != n:
        raise ValueError(f"{what} has the shape {v.shape}, want ({n},) or ({n}, k)")
    if v.size == 0 and n > 0:
        raise ValueError(f"{what} has no columns")
