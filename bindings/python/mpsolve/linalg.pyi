from typing import Any, Callable, Dict, Optional, Protocol, Tuple

from numpy import float64
from numpy.typing import ArrayLike, NDArray

__all__ = ["bicg", "bicgstab", "cg", "cgs", "factorized", "gmres", "lsqr", "minres", "spsolve", "tfqmr"]

Report = Optional[Dict[str, Any]]

class _Solves(Protocol):
    def __call__(self, b: ArrayLike) -> NDArray[Any]: ...
    def __enter__(self) -> "_Solves": ...
    def __exit__(self, *_: object) -> None: ...

# A and a sparse b are of SciPy, which has no types of its own.
def spsolve(A: Any, b: Any, permc_spec: Optional[str] = None, use_umfpack: bool = True, *, report: Report = None, **options: Any) -> Any: ...
def factorized(A: Any, *, report: Report = None, **options: Any) -> _Solves: ...
def lsqr(
    A: Any, b: ArrayLike, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8, iter_lim: Optional[int] = None,
    show: bool = False, calc_var: bool = False, x0: Optional[ArrayLike] = None, *, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int, int, float, float, float, float, float, float, NDArray[float64]]: ...
def bicg(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
def bicgstab(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
def cg(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
def cgs(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
def gmres(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
def minres(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
def tfqmr(
    A: Any, b: ArrayLike, x0: Optional[ArrayLike] = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None, M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None, tol: Optional[float] = None, report: Report = None, **options: Any,
) -> Tuple[NDArray[Any], int]: ...
