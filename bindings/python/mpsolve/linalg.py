"""Functions with the signatures of scipy.sparse.linalg, over mpsolve.

    from mpsolve.linalg import cg, spsolve

A program that calls SciPy's functions of these names changes its import. What differs:

- ``M`` is the name of a preconditioner of ``mpsolve solve``, such as ``"amg"``, or what SciPy takes; ``None`` leaves the choice to mpsolve.
- ``info`` is 0 only if the residual of x, recomputed from A, x and b as given, is within the tolerance.
- Where ``A`` or ``M`` is a ``LinearOperator``, or there is a ``callback``, mpsolve knows A by its products alone: without M there is then no
  preconditioner, and the report has no backward error and no digits.
- ``report`` is a dict that receives the report of ``mpsolve solve --json``; other keywords are flags of ``mpsolve solve``, with underscores for hyphens.
"""

import math
import warnings

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from . import _errors
from ._operator import OperatorSolver as _OperatorSolver
from ._solver import Solver as _Solver
from ._solver import check_shape as _check_shape

__all__ = ["bicg", "bicgstab", "cg", "cgs", "factorized", "gmres", "lsqr", "minres", "spsolve", "tfqmr"]


def spsolve(A, b, permc_spec=None, use_umfpack=True, *, report=None, **options):
    """Solve the sparse linear system A x = b for one or more right-hand sides.

    Parameters
    ----------
    A : array_like, sparse matrix or sparse array, shape (n, n)
        Real or complex.
    b : array_like or sparse, shape (n,) or (n, k)
        Right-hand sides in columns.
    permc_spec, use_umfpack
        Without effect.
    report : dict, optional
        Receives the report.
    **options
        Flags of ``mpsolve solve``.

    Returns
    -------
    x : ndarray or sparse
        Of shape (n,) if b has one column, and otherwise of the kind and shape of b. NaN where the system could not be solved, with a
        ``MatrixRankWarning`` that says why; a ``RuntimeWarning`` says that the error of x exceeds the tolerance, 1e-14 by default.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from mpsolve.linalg import spsolve
    >>> A = csr_matrix([[3, 2, 0], [1, -1, 0], [0, 5, 1]], dtype=float)
    >>> b = np.array([2.0, 4.0, -1.0])
    >>> bool(np.allclose(A @ spsolve(A, b), b))
    True
    """
    with factorized(A, report=report, **options) as solve:
        x = solve(b.toarray() if sparse.issparse(b) else b)
    if x.ndim == 1 or x.shape[1] == 1:
        return x.reshape(-1)
    return type(b)(x) if sparse.issparse(b) else x


def factorized(A, *, report=None, **options):
    """Return a function that solves A x = b for the b it is given.

    What can be set up for A is set up once. The function is a context manager, which releases the memory at its end.

    Parameters
    ----------
    A : array_like, sparse matrix or sparse array, shape (n, n)
    report : dict, optional
        Receives the report of each solve.
    **options
        Flags of ``mpsolve solve``.

    Returns
    -------
    solve : callable
        Returns x in the shape of b, with the warnings of ``spsolve``.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import diags
    >>> from mpsolve.linalg import factorized
    >>> A = diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(100, 100))
    >>> with factorized(A) as solve:
    ...     x, y = solve(np.ones(100)), solve(np.arange(100.0))
    >>> bool(np.allclose(A @ y, np.arange(100.0)))
    True
    """
    return _Factorized(A, report, options)


class _Factorized:
    def __init__(self, A, report, options):
        A = _square(_matrix(A))
        self._system = _System(A, {"tol": 1e-14, **options})
        self._report = report
        self._dtype, self._zero = np.result_type(A.dtype, float), not A.data.any()

    def __call__(self, b):
        b, n = np.asarray(b), self._system.shape[0]
        x = np.zeros(b.shape, np.result_type(b, self._dtype))
        if b.shape == (n, 0):
            return x
        if self._zero:  # which the core refuses
            _check_shape("b", b, n)
            report = {"converged": not b.any(), "reason": "A has no nonzero"}
        else:
            x, report = self._system.solve(b)
        if self._report is not None:
            self._report.update(report)
        reason, what = report["reason"], _errors.verdict(report)
        if reason == "residual drift":
            warnings.warn(what, RuntimeWarning, stacklevel=2)
        elif not report["converged"] and reason != "precision exhausted":  # which is as accurate as float64 allows
            from scipy.sparse.linalg import MatrixRankWarning

            warnings.warn(what, MatrixRankWarning, stacklevel=2)
            x = np.full_like(x, np.nan)
        return x

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._system.close()

    def __repr__(self):
        return f"<solves with a {'x'.join(map(str, self._system.shape))} matrix>"


# Arguments of SciPy's functions that are no flags, and their defaults.
_more = {"gmres": {"callback_type": None}, "minres": {"shift": 0.0, "show": False, "check": False}, "tfqmr": {"show": False}}


def _iterative(method, text):
    """Makes the function of a method."""

    def function(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, tol=None, report=None, **options):
        more = {name: options.pop(name, default) for name, default in _more.get(method, {}).items()}
        if more.get("shift") or more.get("show"):
            raise NotImplementedError("shift, show: not supported")
        if more.get("callback_type") not in (None, "x", "pr_norm", "legacy"):
            raise ValueError(f"callback_type {more['callback_type']!r}: want x, pr_norm or legacy")
        pr_norm = method == "gmres" and more["callback_type"] != "x"
        if "restart" in options and options["restart"] is None:
            del options["restart"]
        operator = callback is not None or not (M is None or isinstance(M, str)) or _is_operator(A)
        A, b = _operator(A) if operator else _matrix(A), _doubles(b)
        if b.ndim == 2 and b.shape[1] == 1:
            b = b[:, 0]
        _square(A)
        if b.shape != A.shape[:1]:
            raise ValueError(f"b has the shape {b.shape}, want {A.shape[:1]}")
        unit = _unit(b)
        norm = np.linalg.norm(b / unit)
        bound = max((rtol if tol is None else tol) * norm, (atol or 0.0) / unit)

        def accepted(r):
            with np.errstate(over="ignore"):
                size = np.linalg.norm(r / unit)
            return size <= bound and size < np.inf

        guess = np.zeros_like(b) if x0 is None else _doubles(x0, b).reshape(b.shape)
        if not guess.any():
            x0 = None
        if accepted(b if x0 is None else b - A @ guess):
            if report is not None:
                report.update(converged=True, reason="the initial guess is accepted", inner_iterations=0)
            return guess, 0
        least = np.finfo(float).eps / 2
        options["method"], options["tol"] = method, min(max(least, bound / norm), 0.999) if 0 < norm < np.inf else least
        if maxiter is not None:
            options["max_iter"] = maxiter
        if operator:
            x, made = _matrix_free(A, b, None if x0 is None else guess, M, callback, pr_norm, options)
        else:
            options.setdefault("stop", "rel")
            if M is not None:
                options["precond"] = M
            with _System(A, options) as system:
                x, made = system.solve(b, None if x0 is None else guess)
        if report is not None:
            report.update(made)
        return x, 0 if made["converged"] and (bound >= least * norm or accepted(b - A @ x)) else max(1, made["inner_iterations"])

    function.__name__ = function.__qualname__ = method
    function.__doc__ = f"""Solve A x = b by {text}.

    Parameters
    ----------
    A : array_like, sparse matrix or sparse array, LinearOperator or the like, shape (n, n)
        Real or complex.
    b : array_like, shape (n,) or (n, 1)
    x0 : array_like, shape (n,), optional
        Initial guess.
    rtol, atol : float
        x is accepted if ``norm(b - A @ x) <= max(rtol*norm(b), atol)``.
    maxiter : int, optional
        Largest number of iterations.
    M : str, LinearOperator or array_like, optional
        Preconditioner of ``mpsolve solve --precond``, or an approximation of the inverse of A; None: mpsolve chooses, or none if there is a
        callback or A is an operator.
    callback : callable, optional
        Called after each iteration with x; by gmres with the expected norm of the residual relative to b, or with ``callback_type="x"`` after
        each cycle with x. An exception in it, as in A and M, ends the solve.
    tol : float, optional
        Another name of rtol, as in older versions of SciPy.
    report : dict, optional
        Receives the report.
    **options
        Flags of ``mpsolve solve``; minres also takes ``shift=0``, ``show=False`` and ``check``, which has no effect, and tfqmr ``show=False``.

    Returns
    -------
    x : ndarray, shape (n,)
        The best x found.
    info : int
        0: x is accepted; otherwise the number of iterations.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import diags
    >>> from mpsolve.linalg import {method}
    >>> A = diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(100, 100))
    >>> b = np.ones(100)
    >>> x, info = {method}(A, b, rtol=1e-10)
    >>> info, bool(np.linalg.norm(b - A @ x) <= 1e-10*np.linalg.norm(b))
    (0, True)
    """
    return function


cg = _iterative("cg", "conjugate gradients, for a symmetric (Hermitian) positive definite A")
minres = _iterative("minres", "the minimal residual method, for a symmetric (Hermitian) A")
gmres = _iterative("gmres", "the generalised minimal residual method with restarts")
bicgstab = _iterative("bicgstab", "stabilised biconjugate gradients")
bicg = _iterative("bicg", "biconjugate gradients")
cgs = _iterative("cgs", "conjugate gradients squared")
tfqmr = _iterative("tfqmr", "the transpose-free quasi-minimal residual method")


def lsqr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, iter_lim=None, show=False, calc_var=False, x0=None, *, report=None, **options):
    """Solve the least-squares problem min norm(b - A x)^2 + damp^2 norm(x - x0)^2.

    Of many solutions, x has the least norm(x - x0) where A has fewer rows than columns or is an operator. Otherwise columns are scaled, and
    the norm of the scaled x - x0 is least, unless ``scale="none"``.

    Parameters
    ----------
    A : array_like, sparse matrix or sparse array, LinearOperator or the like with rmatvec, shape (m, n)
    b : array_like, shape (m,)
    damp : float
    atol, btol : float
        The smaller one is the tolerance of the solve.
    conlim : float
        Not used: mpsolve verifies x instead.
    iter_lim : int, optional
        Largest number of iterations.
    show, calc_var : False
        Not supported.
    x0 : array_like, shape (n,), optional
        Initial guess.
    report : dict, optional
        Receives the report.
    **options
        Flags of ``mpsolve solve``.

    Returns
    -------
    x : ndarray, shape (n,)
    istop : int
        1: x solves A x = b; 2: x solves the least-squares problem; 7: it does neither.
    itn : int
        Number of iterations.
    r1norm, r2norm : float
        norm(b - A x), and the root of what is minimised.
    anorm, acond : float
        Frobenius norm of A, with damp, 0 for an operator; the condition number is not estimated: 0.
    arnorm, xnorm : float
        norm(A^H r - damp^2 (x - x0)), norm(x).
    var : ndarray
        Zeros.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix
    >>> from mpsolve.linalg import lsqr
    >>> A = csc_matrix([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, itn = lsqr(A, [1.0, 0.01, -1.0])[:3]
    >>> istop, [round(float(v), 6) for v in x]
    (2, [1.003333, -0.996667])
    """
    if show or calc_var:
        raise NotImplementedError("show, calc_var: not supported")
    operator = _is_operator(A)
    A, b = _operator(A) if operator else _matrix(A), np.asarray(b).reshape(-1)
    x0 = np.zeros(A.shape[1]) if x0 is None else np.asarray(x0).reshape(-1)
    for name, v, n in ("b", b, A.shape[0]), ("x0", x0, A.shape[1]):
        if len(v) != n:
            raise ValueError(f"{name} has the shape {v.shape}, want ({n},)")
    start, norm = b - A @ x0, 0.0
    adjoint = A.rmatvec if operator else A.conj().T.dot
    tol = max(min(atol, btol), np.finfo(float).eps)
    unit = _unit(b)
    size = np.linalg.norm(b / unit)
    bound = tol * size
    with np.errstate(over="ignore"):
        far = np.linalg.norm(start / unit)  # the solve is for b - A x0, and x for b
    options["tol"] = max(tol if tol * far <= bound else bound / far, np.finfo(float).eps)
    if iter_lim is not None:
        options["max_iter"] = iter_lim
    if not operator:
        whole = sparse.vstack([A, damp * sparse.identity(A.shape[1])], format="csr") if damp else A
        norm = sparse.linalg.norm(whole)
    if not adjoint(start / _unit(start)).any():
        d, made = np.zeros(A.shape[1]), {"converged": True, "reason": "the initial guess is accepted", "inner_iterations": 0}
    elif operator:
        d, made = _least_squares(A, start, damp, options)
    else:
        if whole.shape[0] < whole.shape[1]:
            options.setdefault("scale", "none")
        if whole.shape[0] == whole.shape[1]:  # a row of zeros tells mpsolve that it is to find the least squares
            whole = sparse.vstack([whole, sparse.csr_matrix((1, A.shape[1]))], format="csr")
        with _System(whole, options) as system:
            d, made = system.solve(np.concatenate([start, np.zeros(whole.shape[0] - len(start))]))
    x = x0 + d
    r = b - A @ x
    r1 = np.linalg.norm(r / unit)
    gradient = adjoint(r) - damp**2 * d
    r2 = np.hypot(r1 * unit, damp * np.linalg.norm(d))
    if far > size:  # what was found about d, relative to b - A x0, is not yet a verdict on x
        least = np.isfinite(r2) and (made["reason"] == "least squares" or np.linalg.norm(gradient) <= tol * norm * r2)
        if made["converged"] and not (damp or least or r1 <= bound):
            made.update(converged=False, reason="precision exhausted")
        elif least and not made["converged"]:
            made.update(converged=True, reason="least squares")
    if report is not None:
        report.update(made)
    istop = 7 if not made["converged"] else 1 if r1 <= bound else 2
    r1 *= unit
    return (x, istop, made["inner_iterations"], r1, r2, norm, 0.0, np.linalg.norm(gradient), np.linalg.norm(x), np.zeros(A.shape[1]))


def _least_squares(A, b, damp, options):
    """Returns the x of least norm(b - A x)^2 + damp^2 norm(x)^2, and the report. Zeros make the real form of [A; damp I] square."""
    parts = _parts(A, b)
    apply, transposed = _real(A, parts)
    m, n = (2 * k if parts else k for k in A.shape)
    more = n if damp else 0  # rows
    size = max(m + more, n)

    def forward(x):
        y = np.zeros(size)
        y[:m], y[m : m + more] = apply(x[:n]), damp * x[:more]
        return y

    def back(y):
        x = np.zeros(size)
        x[:n] = transposed(y[:m])
        x[:more] += damp * y[m : m + more]
        return x

    rhs = _split(b) if parts else b
    with _OperatorSolver(size, (forward, back), None, None, method="lsqr", **options) as solver:
        x, made = solver.solve(np.concatenate([rhs, np.zeros(size - m)]))
    return _joined(x[:n]) if parts else x[:n], made


def _matrix_free(A, b, x0, M, callback, pr_norm, options):
    """Solves with A as an operator; returns x and the report."""
    if isinstance(M, str):
        raise TypeError(f"M: a preconditioner by name, {M!r}, needs the entries of A, and allows no callback")
    M = None if M is None else _operator(M)
    n, parts = A.shape[0], _parts(A, b, x0, M)
    split, joined = (_split, _joined) if parts else (np.asarray, np.asarray)

    def products(of):
        apply, transposed = _real(of, parts)
        return apply, transposed if options["method"] == "bicg" else None

    def monitor(_, residual, x):
        if pr_norm:
            callback(residual)
        elif x is not None:
            callback(joined(x))

    with _OperatorSolver(2 * n if parts else n, products(A), M and products(M), callback and monitor, **options) as solver:
        x, made = solver.solve(split(b), guess=None if x0 is None else split(x0))
    x = joined(x)
    if callback is not None and options["method"] == "gmres" and not pr_norm:
        callback(x)
    return x, made


def _parts(*of):
    """Reports whether one of these operators and vectors is complex."""
    return any(np.issubdtype(v.dtype, np.complexfloating) for v in of if v is not None)


def _real(A, parts):
    """Returns the functions x -> A x and x -> A^H x; with parts, of real vectors that have the imaginary parts behind the real ones."""

    def real(f):
        if not parts:
            return f
        if np.issubdtype(A.dtype, np.complexfloating):
            return lambda x: _split(f(_joined(x)))
        return lambda x: np.concatenate([f(half) for half in np.split(x, 2)])

    return real(A.matvec), real(A.rmatvec)


def _doubles(v, *like):
    """Returns v in double precision, complex if v or another vector is."""
    v = np.asarray(v)
    return np.array(v, np.result_type(v, float, *like))


def _unit(v):
    """Returns a power of two near max|v|, in units of which squares do not overflow and their sum does not vanish; 1 if v is 0 or not finite."""
    top = max(np.max(np.abs(part), initial=0.0) for part in (v.real, v.imag))
    return math.ldexp(1.0, math.frexp(top)[1] - 1) if top > 0 and np.isfinite(v).all() else 1.0


def _split(x):
    return np.concatenate([np.real(x), np.imag(x)])


def _joined(x):
    re, im = np.split(x, 2)
    return re + 1j * im


def _is_operator(A):
    return hasattr(A, "matvec") and not hasattr(A, "tocsr")


def _operator(A):
    """Returns A, which may also be a matrix in any form, as a LinearOperator."""
    return aslinearoperator(A if _is_operator(A) else _matrix(A))


def _matrix(A):
    """Returns A in CSR."""
    if _is_operator(A):
        raise TypeError("A: this function needs the entries of A, not a LinearOperator")
    return A if getattr(A, "format", None) == "csr" else sparse.csr_matrix(A)


def _square(A):
    """Returns A, which must be square."""
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"the matrix must be square, but is {A.shape[0]} x {A.shape[1]}")
    return A


class _System:
    """A, real or complex, with a Solver of it or of its real form [[re, -im], [im, re]]."""

    def __init__(self, A, options):
        A = _matrix(A)
        self.shape, self._complex = A.shape, np.iscomplexobj(A.data)
        if self._complex:
            A = sparse.bmat([[A.real, -A.imag], [A.imag, A.real]], format="csr")
        self._solver = _Solver(A, **options)

    def solve(self, b, x0=None):
        """Returns x and the report."""
        _check_shape("b", b, self.shape[0])
        if self._complex:
            x, report = self._solver.solve(_split(b), guess=None if x0 is None else _split(x0))
            return _joined(x), report
        if not np.iscomplexobj(b):
            return self._solver.solve(b, guess=x0)
        # Columns for the real parts, and then for the imaginary ones.
        x, report = self._solver.solve(np.column_stack([b.real, b.imag]), guess=None if x0 is None else np.column_stack([np.real(x0), np.imag(x0)]))
        re, im = np.split(x, 2, axis=1)
        x = re + 1j * im
        return x[:, 0] if b.ndim == 1 else x, report

    def close(self):
        self._solver.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
