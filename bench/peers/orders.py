"""Writes 20 symmetric patterns to files of PETSc, for orders.sh: meshes, grids, networks and equations with constraints. The constants of
nested dissection were chosen with the first ten; the second ten are for judging it.

  orders.py first|second FOLDER
"""

import pathlib
import sys

import numpy as np
import scipy.sparse as sp
from scipy.spatial import Delaunay, cKDTree

import systems


def box(shape, reach):
    """A grid whose points are adjacent up to a distance of reach, as the sum of the steps along each edge, each at most 1."""
    number = np.arange(np.prod(shape)).reshape(shape)
    rows, cols = [], []
    for step in np.ndindex((3,) * len(shape)):
        step = np.array(step) - 1
        if not 0 < abs(step).sum() <= reach:
            continue
        here = tuple(slice(max(0, -s), n - max(0, s)) for s, n in zip(step, shape))
        there = tuple(slice(max(0, s), n + min(0, s)) for s, n in zip(step, shape))
        rows.append(number[here].ravel())
        cols.append(number[there].ravel())
    rows, cols = np.concatenate(rows), np.concatenate(cols)
    return sp.csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(number.size,) * 2)


def simplicial(points):
    """The edges of Delaunay's simplices."""
    corners = Delaunay(points).simplices
    k = corners.shape[1]
    i, j = np.repeat(corners, k, axis=1).ravel(), np.tile(corners, (1, k)).ravel()
    return sp.csr_matrix((np.ones(len(i)), (i, j)), shape=(len(points),) * 2)


def geometric(n, dim, degree, rng):
    """Points at random, adjacent within a distance that gives them so many neighbours in the mean."""
    volume = {2: np.pi, 3: 4 / 3 * np.pi}[dim]
    points = rng.random((n, dim))
    pairs = cKDTree(points).query_pairs((degree / (n * volume)) ** (1 / dim), output_type="ndarray")
    return sp.csr_matrix((np.ones(len(pairs)), pairs.T), shape=(n, n))


def power(n, rng):
    """A power network: each node joins a near one that came before it, and every third another near one."""
    points = rng.random((n, 2))
    near = cKDTree(points).query(points, 6)[1]
    tree = np.array([min(row) for row in near])
    more = rng.choice(n, n // 3, replace=False)
    i = np.concatenate([np.arange(n), more])
    j = np.concatenate([tree, near[more, rng.integers(1, 6, len(more))]])
    return sp.csr_matrix((np.ones(len(i)), (i, j)), shape=(n, n))


def saddle(h, m, each, reach, rng):
    """A matrix h with m equations of so many near unknowns each."""
    at = rng.integers(0, h.shape[0] - reach, m)
    cols = at[:, None] + rng.integers(0, reach, (m, each))
    a = sp.csr_matrix((np.ones(m * each), (np.repeat(np.arange(m), each), cols.ravel())), shape=(m, h.shape[0]))
    return sp.bmat([[h, a.T], [a, sp.eye(m)]])


def refined(n, dim, rng):
    """Points of which a third are near a corner."""
    points = rng.random((n, dim))
    points[: n // 3] **= 4
    return points


def fields(a, k):
    """k unknowns at each point."""
    return sp.kron(a + sp.eye(a.shape[0]), np.ones((k, k)))


FIRST = {
    "triangles": lambda r: simplicial(r.random((200_000, 2))),
    "tetrahedra": lambda r: simplicial(refined(80_000, 3, r)),
    "elasticity": lambda r: fields(simplicial(r.random((25_000, 3))), 3),
    "5 points, square": lambda r: box((500, 500), 1),
    "9 points, strip": lambda r: box((100, 1500), 2),
    "7 points, cube": lambda r: box((44, 44, 44), 1),
    "27 points, box": lambda r: box((24, 32, 40), 3),
    "near points in space": lambda r: geometric(40_000, 3, 12, r),
    "power network": lambda r: power(200_000, r),
    "Stokes": lambda r: systems.stokes(120_000, r),
}
SECOND = {
    "triangles, refined": lambda r: simplicial(refined(150_000, 2, r)),
    "tetrahedra, uniform": lambda r: simplicial(r.random((60_000, 3))),
    "elasticity in the plane": lambda r: fields(simplicial(refined(60_000, 2, r)), 2),
    "9 points, square": lambda r: box((400, 400), 2),
    "7 points, slab": lambda r: box((12, 90, 90), 1),
    "27 points, cube": lambda r: box((34, 34, 34), 3),
    "near points in the plane": lambda r: geometric(100_000, 2, 10, r),
    "circuit": lambda r: systems.circuit(100_000, r),
    "interior-point step": lambda r: systems.kkt(150_000, r),
    "constraints in space": lambda r: saddle(box((32, 32, 32), 1), 8_000, 3, 40, r),
}


def write(path, a):
    a = sp.csr_matrix(a)
    a = sp.csr_matrix(a + a.T + sp.eye(a.shape[0]))
    a.sort_indices()
    with open(path, "wb") as f:
        np.array([1211216, *a.shape, a.nnz], ">i4").tofile(f)
        np.diff(a.indptr).astype(">i4").tofile(f)
        a.indices.astype(">i4").tofile(f)
        np.ones(a.nnz).astype(">f8").tofile(f)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("first", "second"):
        sys.exit(__doc__.strip())
    for k, (name, make) in enumerate((FIRST if sys.argv[1] == "first" else SECOND).items()):
        write(pathlib.Path(sys.argv[2]) / f"{k}, {name}.petsc", make(np.random.default_rng(1 + k)))


if __name__ == "__main__":
    main()
