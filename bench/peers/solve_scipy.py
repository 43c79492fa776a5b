"""Solves A x = b in SciPy and prints a JSON line:

solve_scipy.py METHOD MATRIX.npz B.npy X.npy RTOL

METHOD is spsolve, cg+jacobi, gmres+jacobi or gmres+spilu.
"""

import json
import sys
import time

import numpy
import scipy
import scipy.sparse
import scipy.sparse.linalg as linalg

RESTART = 40
MAX_ITERATIONS = 20000
RTOL = "rtol" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 12) else "tol"


def jacobi(a):
    d = a.diagonal()
    if not d.all():
        sys.exit("zero diagonal")
    return linalg.LinearOperator(a.shape, matvec=lambda r: r / d)


def spilu(a):
    return linalg.LinearOperator(a.shape, matvec=linalg.spilu(a.tocsc()).solve)


def main(method, matrix, rhs, solution, rtol):
    a, b = scipy.sparse.load_npz(matrix), numpy.load(rhs)
    iterations = 0

    def count(_):
        nonlocal iterations
        iterations += 1

    start = time.perf_counter()
    if method == "spsolve":
        lu = linalg.splu(a.tocsc())  # what spsolve does, in two steps
        ready = time.perf_counter()
        x, info = lu.solve(b), 0
    else:
        name, preconditioner = method.split("+")
        m = {"jacobi": jacobi, "spilu": spilu}[preconditioner](a)
        ready = time.perf_counter()
        if name == "cg":
            x, info = linalg.cg(a, b, **{RTOL: rtol}, atol=0, maxiter=MAX_ITERATIONS, M=m, callback=count)
        else:
            x, info = linalg.gmres(a, b, **{RTOL: rtol}, atol=0, maxiter=MAX_ITERATIONS // RESTART,
                                   restart=RESTART, M=m, callback=count, callback_type="legacy")
    end = time.perf_counter()
    numpy.save(solution, x)
    print(json.dumps({"setup": ready - start, "solve": end - ready, "iterations": iterations,
                      "reason": "converged" if info == 0 else "not converged"}))


main(*sys.argv[1:5], float(sys.argv[5]))
