"""Sparse linear systems A x = b by mixed-precision iterative methods, with a verified solution.

    x, report = mpsolve.solve(A, b, tol=1e-12)

To solve for several right-hand sides with the same matrix:

    with mpsolve.Solver(A, method="gmres") as solver:
        for b in sides:
            x, report = solver.solve(b)

Options have the names of the flags of ``mpsolve solve``, with underscores for hyphens: max_time="90s", refine=False. The
report is the one of ``mpsolve solve --json``, as a dict; docs/report.schema.json describes it.
"""

from ._errors import DeviceError, InputError, InternalError, MemoryOrFileError, MpsolveError, NotConvergedError, UsageError
from ._library import version
from ._solver import Solver, solve

__version__ = version()
__all__ = ["DeviceError", "InputError", "InternalError", "MemoryOrFileError", "MpsolveError", "NotConvergedError", "Solver", "UsageError", "solve"]
