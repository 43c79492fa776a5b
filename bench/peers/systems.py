"""Writes systems that complete factors are for: the classes of direct solvers' papers, of any size and seed, in Matrix
Market files A.mtx and b.mtx, with a random b.

  systems.py CLASS ROWS SEED FOLDER
"""

import pathlib
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.spatial import Delaunay


def mesh(rows, dim, rng):
    """Points at random in a square or a cube, as in a mesh that is refined here and there, and their simplices."""
    points = rng.random((rows, dim))
    centre = rng.random(dim)
    near = rng.random(rows) < 0.3
    points[near] = centre + (points[near] - centre) * rng.random((near.sum(), 1))
    simplices = Delaunay(points).simplices
    edges = points[simplices[:, 1:]] - points[simplices[:, :1]]
    volume = np.abs(np.linalg.det(edges))
    return points, simplices[volume > 1e-9 * np.median(volume)]


def gradients(points, simplices):
    """Gradients of the linear shape functions of each simplex, simplices x corners x dim, and volumes."""
    dim = points.shape[1]
    edges = points[simplices[:, 1:]] - points[simplices[:, :1]]
    inverse = np.linalg.inv(edges)  # columns are the gradients of the corners but the first
    g = np.empty((len(simplices), dim + 1, dim))
    g[:, 1:] = inverse.transpose(0, 2, 1)
    g[:, 0] = -g[:, 1:].sum(1)
    return g, np.abs(np.linalg.det(edges)) / (2 if dim == 2 else 6)


def assembled(local, nodes, n):
    """The sum of dense element matrices."""
    i = np.repeat(nodes, nodes.shape[1], axis=1).ravel()
    j = np.tile(nodes, (1, nodes.shape[1])).ravel()
    return sp.csr_matrix((local.ravel(), (i, j)), shape=(n, n))


def without(a, points, share=0.02):
    """Leaves out the points near the boundary, where the solution is given, and those of no simplex."""
    inside = np.all((points > share) & (points < 1 - share), axis=1) & (a.diagonal() != 0)
    return a[inside][:, inside]


def jumps(points, simplices, decades, rng):
    """Coefficients of simplices that jump between blocks of a coarse grid."""
    cell = np.floor(points[simplices].mean(1) * 8).clip(0, 7).astype(int)
    blocks = 10 ** (decades * rng.random((8,) * points.shape[1]))
    return blocks[tuple(cell.T)]


def triangles(rows, rng, dim=2):
    points, simplices = mesh(rows, dim, rng)
    g, volume = gradients(points, simplices)
    c = volume * jumps(points, simplices, 6, rng)
    return without(assembled(np.einsum("e,eid,ejd->eij", c, g, g), simplices, rows), points)


def tetrahedra(rows, rng):
    return triangles(rows, rng, 3)


def elasticity(rows, rng, poisson=0.3):
    n = rows // 3
    points, simplices = mesh(n, 3, rng)
    g, volume = gradients(points, simplices)
    mu, lam = 1 / (2 * (1 + poisson)), poisson / ((1 + poisson) * (1 - 2 * poisson))
    k = lam * np.einsum("eia,ejb->eiajb", g, g) + mu * np.einsum("eib,eja->eiajb", g, g)
    k += mu * np.einsum("eid,ejd,ab->eiajb", g, g, np.eye(3))
    k *= volume[:, None, None, None, None]
    dofs = (3 * simplices[:, :, None] + np.arange(3)).reshape(len(simplices), 12)
    a = assembled(k.reshape(len(simplices), 144), dofs, 3 * n)
    return without(a, np.repeat(points, 3, axis=0))


def second_difference(n):
    return sp.diags([-1, 2, -1], [-1, 0, 1], (n, n))


def laplacian(n):
    return sp.kron(sp.eye(n), second_difference(n)) + sp.kron(second_difference(n), sp.eye(n))


def ninepoint(rows, rng):
    n = int(rows**0.5)
    d = second_difference(n)
    return laplacian(n) - sp.kron(d, d) / 6 + sp.diags(1e-6 * rng.random(n * n))


def plate(rows, rng):
    """A clamped plate of varying stiffness: the Laplacian, weighted, times itself."""
    n = int(rows**0.5)
    a = laplacian(n)
    return a @ sp.diags(1 + rng.random(n * n)) @ a


def helmholtz(rows, rng):
    """Eight points a wavelength at least, in layers; indefinite."""
    n = int(rows**0.5)
    k = np.repeat(0.3 + 0.4 * rng.random(n // 10 + 1), 10)[:n] ** 2
    return laplacian(n) - sp.kron(sp.diags(k), sp.eye(n))


def stokes(rows, rng):
    """Velocities and pressures on a staggered grid of n x n cells; the pressure of the last cell is 0."""
    n = int((rows / 3) ** 0.5)
    ahead = sp.diags([-1, 1], [0, 1], (n - 1, n))
    dx, dy = sp.kron(sp.eye(n), ahead), sp.kron(ahead, sp.eye(n))
    lu = sp.kron(sp.eye(n), second_difference(n - 1)) + sp.kron(second_difference(n), sp.eye(n - 1))
    lv = sp.kron(sp.eye(n - 1), second_difference(n)) + sp.kron(second_difference(n - 1), sp.eye(n))
    grad = sp.vstack([dx, dy]).tocsr()[:, :-1]
    return sp.bmat([[sp.block_diag([lu, lv]), grad], [grad.T, None]])


def recirculation(rows, rng):
    """Convection by a rotating flow, central differences below a cell Peclet number of 20."""
    n = int(rows**0.5)
    x = (np.arange(n) + 0.5) / n
    u, v = np.meshgrid(x, x)
    strength = 20 + 20 * rng.random()
    along = strength * np.sin(np.pi * u) * np.cos(np.pi * v) / 2
    across = -strength * np.cos(np.pi * u) * np.sin(np.pi * v) / 2
    d = sp.diags([-0.5, 0.5], [-1, 1], (n, n))
    return laplacian(n) + sp.diags(along.ravel()) @ sp.kron(sp.eye(n), d) + sp.diags(across.ravel()) @ sp.kron(d, sp.eye(n))


def circuit(rows, rng):
    """A resistive network with a few far connections, conductances over six decades, and current sources that other voltages control."""
    ends = (rows * rng.random((2 * rows, 2))).astype(int)
    near = rng.random(2 * rows) < 0.998
    ends[near, 1] = (ends[near, 0] + rng.integers(1, 60, near.sum())) % rows
    g = sp.csr_matrix((10 ** rng.uniform(-4, 2, 2 * rows), (ends[:, 0], ends[:, 1])), shape=(rows, rows))
    g = g + g.T
    g = g - sp.diags(g.diagonal())
    total = np.asarray(g.sum(1)).ravel() + 1e-3
    at = rng.choice(rows, rows // 10, replace=False)
    gain = rng.uniform(-5, 5, len(at)) * total[at]
    control = sp.csr_matrix((gain, (at, (at + rng.integers(1, 60, len(at))) % rows)), shape=(rows, rows))
    return sp.diags(total + np.asarray(abs(control).sum(1)).ravel()) - g + control


def kkt(rows, rng):
    """An interior-point step: a network's quadratic form, and equations of few unknowns each."""
    n = rows * 3 // 4
    m = rows - n
    h = laplacian(int(n**0.5))
    n = h.shape[0]
    h = h + sp.diags(10 ** rng.uniform(-4, 4, n))
    at = np.sort(rng.integers(0, n - 40, m))
    cols = at[:, None] + rng.integers(0, 40, (m, 4))
    a = sp.csr_matrix((rng.standard_normal(4 * m), (np.repeat(np.arange(m), 4), cols.ravel())), shape=(m, n))
    return sp.bmat([[h, a.T], [a, sp.diags(-1e-8 * np.ones(m))]])


CLASSES = {
    f.__name__: f
    for f in (triangles, tetrahedra, elasticity, ninepoint, plate, helmholtz, stokes, recirculation, circuit, kkt)
}


def is_symmetric(a):
    difference = abs(a - a.T).tocoo()
    return difference.nnz == 0 or difference.data.max() <= 1e-13 * abs(a.tocoo().data).max()


def write(name, rows, seed, folder):
    """Writes a system to A.mtx and b.mtx, and returns b, and whether A is symmetric."""
    rng = np.random.default_rng(seed)
    if name in CLASSES:
        a = sp.coo_matrix(CLASSES[name](rows, rng))
    else:
        import classes  # of ../choice, which import this module

        a = sp.coo_matrix(classes.system(name, rows, seed)[0])
    symmetric = is_symmetric(a)
    scipy.io.mmwrite(folder / "A.mtx", sp.tril(a) if symmetric else a, symmetry="symmetric" if symmetric else "general", precision=17)
    b = rng.standard_normal(a.shape[0])
    scipy.io.mmwrite(folder / "b.mtx", b.reshape(-1, 1), precision=17)
    return b, symmetric


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in CLASSES:
        sys.exit(f"{__doc__.strip()}\nCLASS is one of {', '.join(CLASSES)}")
    folder = pathlib.Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), folder)


if __name__ == "__main__":
    main()
