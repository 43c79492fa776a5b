"""A rank of test_ranks.py: solves with a matrix that ranks share, and does wrong things."""

import hashlib

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import mpsolve

comm = MPI.COMM_WORLD
last = comm.rank == comm.size - 1
n = 900
d = sp.diags([-1, 2, -1], [-1, 0, 1], shape=(30, 30))
whole = (sp.kron(d, sp.identity(30)) + sp.kron(sp.identity(30), d)).tocsr()
exact = np.linspace(-1, 2, n)
rows = np.arange(n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size)
A, b = whole[rows], (whole @ exact)[rows]


def gathered(x):
    return np.concatenate(comm.allgather(x))


def raised(wrong):
    """Returns what each rank raises."""
    try:
        wrong()
    except Exception as error:
        return comm.allgather((type(error).__name__, str(error)))
    return comm.allgather(None)


for domains in 1, 3:
    with mpsolve.Solver(A, comm=comm, tol=1e-13, domains=domains) as solver:
        x, report = solver.solve(b)
        assert report["converged"] and abs(gathered(x) - exact).max() < 1e-9
        digest = hashlib.sha256(gathered(x)).hexdigest()
        sides = np.column_stack([b, 2 * b])
        both, _ = solver.solve(sides, guess=np.column_stack([x, 2 * x]))
        assert both.shape == sides.shape and abs(gathered(both)[:, 1] - 2 * exact).max() < 1e-9
        solver.update(4 * A)
        x, _ = solver.solve(b)
        assert abs(4 * gathered(x) - exact).max() < 1e-9
        other = sp.csr_matrix((A.data, A.indices[::-1].copy(), A.indptr), A.shape) if last else A
        assert raised(lambda: solver.update(other)) == comm.size * [("InputError", f"rank {comm.size - 1}: the pattern of nonzeros differs from the pattern of the matrix before")]
        shape = (len(b) - 1,) if last else b.shape
        assert raised(lambda: solver.solve(np.ones(shape)))[0][1].startswith(f"rank {comm.size - 1}: b has the shape")
        bad = np.where(np.arange(len(b)) == 1, np.nan if last else 1, b)
        assert raised(lambda: solver.solve(bad)) == comm.size * [("InputError", f"element {rows[0] * 0 + n * (comm.size - 1) // comm.size + 2} of the right-hand side is NaN")]
    if comm.rank == 0:
        print(domains, digest)

turned = (rows + n // 2) % n  # ranks with other rows; those of one rank must follow each other
if comm.size == 2:
    x, _ = mpsolve.solve(whole[turned], (whole @ exact)[turned], comm=comm, first=turned[0], tol=1e-13)
    assert abs(x - exact[turned]).max() < 1e-9

kind, text = raised(lambda: mpsolve.solve(A, b, comm=comm, **({"tolerance": 1} if last else {})))[0]
assert (kind, text[:8]) == ("UsageError", f"rank {comm.size - 1}: "), (kind, text)
kind, text = raised(lambda: mpsolve.solve(A, b, comm=comm, first=1))[0]
assert kind == "InputError" and "each row must be on one rank" in text or "rows of 900" in text, text
for wrong in "1", 1.0, 2**64:
    assert raised(lambda: mpsolve.solve(A, b, comm=comm, first=wrong if last else rows[0])) == comm.size * [("InputError", f"rank {comm.size - 1}: first is {wrong!r}, want the number of a row")]
x, _ = mpsolve.solve(A, b, comm=comm, first=None if last else rows[0], tol=1e-13)  # some ranks leave it to the default
assert abs(x - exact[rows]).max() < 1e-9
