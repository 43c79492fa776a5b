"""Sparse linear systems A x = b by mixed-precision iterative methods, with a verified solution.

    x, report = mpsolve.solve(A, b, tol=1e-12)

For several right-hand sides with the same matrix, one after the other:

    with mpsolve.Solver(A, method="gmres") as solver:
        for b in sides:
            x, report = solver.solve(b)

Options are the flags of ``mpsolve solve`` by name, with underscores for hyphens: max_time="90s", no_drop=True. The report is
that of ``mpsolve solve --json`` as a dict; docs/report.schema.json describes it.
"""

from ._errors import DeviceError, InputError, InternalError, MemoryOrFileError, MpsolveError, NotConvergedError, UsageError
from ._library import version
from ._solver import Solver, solve

__version__ = version()
__all__ = ["DeviceError", "InputError", "InternalError", "MemoryOrFileError", "MpsolveError", "NotConvergedError", "Solver", "UsageError", "solve"]
