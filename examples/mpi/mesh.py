"""Laplace's equation on a mesh of triangles in the unit square, assembled in parallel, as mesh.c does.

    mpirun -n 4 python3 mesh.py
"""

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import mpsolve

N = 200
SIDE = N - 1
ROWS = SIDE * SIDE  # a row for each inner node
comm = MPI.COMM_WORLD
first, end = ROWS * comm.rank // comm.size, ROWS * (comm.rank + 1) // comm.size


def inner(i, j):
    return (i > 0) & (i < N) & (j > 0) & (j < N)


def row_of(i, j):
    return (j - 1) * SIDE + i - 1


def place(i, j):
    move = np.where(inner(i, j), 0.3 / N, 0)
    return i / N + move * np.sin(7 * i + 5 * j), j / N + move * np.cos(3 * i + 8 * j)


# The triangles of the cells at nodes of this rank: i and j have a row for each corner.
j, i = (v.ravel() for v in np.mgrid[first // SIDE : min(end // SIDE + 2, N), 0:N])
i, j = np.hstack([[i, i + 1, i + 1], [i, i + 1, i]]), np.hstack([[j, j, j + 1], [j, j + 1, j + 1]])
x, y = place(i, j)
area = ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2
dx, dy = np.roll(x, -1, axis=0) - np.roll(x, -2, axis=0), np.roll(y, -1, axis=0) - np.roll(y, -2, axis=0)

A, b = sp.coo_matrix((end - first, ROWS)), np.zeros(end - first)
for p in range(3):
    row = row_of(i[p], j[p])
    own = inner(i[p], j[p]) & (row >= first) & (row < end)
    for q in range(3):
        k = (dx[p] * dx[q] + dy[p] * dy[q]) / (4 * area)
        to = own & inner(i[q], j[q])
        A += sp.coo_matrix((k[to], (row[to] - first, row_of(i[q], j[q])[to])), A.shape)
        border = own & ~inner(i[q], j[q])
        np.subtract.at(b, row[border] - first, (k * (x[q] + 2 * y[q]))[border])

u, report = mpsolve.solve(A, b, comm=comm, tol=1e-13, domains=4)  # domains that 1 to 4 ranks share, with the same bits
row = np.arange(first, end)
x, y = place(row % SIDE + 1, row // SIDE + 1)
worst = comm.allreduce(abs(u - x - 2 * y).max(initial=0), MPI.MAX)
if comm.rank == 0:
    print(f"{report['reason']}; largest error {worst:.6e}")
