"""Classes of symmetric indefinite systems besides those of ../peers/systems.py, as in definite.py."""

import numpy as np
import scipy.sparse as sp

import systems
from definite import OPPOSITE, curls, edges, isotropic, mass, power, reordered, stiffness


def darcy(rows, rng):
    """Flow in rock by Raviart and Thomas' lowest elements on unstructured triangles: fluxes, then pressures."""
    points, simplices = systems.mesh(max(rows // 5, 60), 2, rng)
    corners = points[simplices]
    twice = np.linalg.det(corners[:, 1:] - corners[:, :1])
    at = edges(simplices)[1]
    sign = np.sign(twice)[:, None] * np.where(simplices[:, OPPOSITE[0]] < simplices[:, OPPOSITE[1]], 1, -1)
    middles = (corners.sum(1, keepdims=True) - corners) / 2
    field = middles[:, :, None] - corners[:, None]  # in the middle of each side: of the shape function of each side
    area = abs(twice) / 2
    k = systems.jumps(points, simplices, rng.uniform(0, 6), rng)
    local = np.einsum("eqid,eqjd,e,ei,ej->eij", field, field, 1 / (12 * area * k), sign, sign, optimize=True)
    flux = systems.assembled(local, at, at.max() + 1)
    out = sp.csr_matrix((sign.ravel(), (np.repeat(np.arange(len(at)), 3), at.ravel())), shape=(len(at), at.max() + 1))
    return sp.bmat([[flux, -out.T], [-out, None]])


def lagrange(points, simplices):
    """Quadratic elements on simplices: the nodes of each, corners before middles of edges; the places of all nodes; gradients of the
    shape functions at the points of a rule that is exact for degree 2, simplices x points x nodes x dim; and the barycentric
    coordinates of these points."""
    dim = points.shape[1]
    pairs = np.array([(i, j) for i in range(dim + 1) for j in range(i)])
    ends, at = np.unique(np.sort(simplices[:, pairs], axis=2).reshape(-1, 2), axis=0, return_inverse=True)
    far = (1 + 3 * 5**-0.5) / 4 if dim == 3 else 2 / 3
    near = (1 - far) / dim
    inside = near + (far - near) * np.eye(dim + 1)
    g, volume = systems.gradients(points, simplices)
    corners = (4 * inside - 1)[None, :, :, None] * g[:, None]
    a, b = pairs.T
    sides = 4 * (inside[None, :, a, None] * g[:, None, b] + inside[None, :, b, None] * g[:, None, a])
    nodes = np.hstack([simplices, len(points) + at.reshape(len(simplices), -1)])
    return nodes, np.vstack([points, points[ends].mean(1)]), np.concatenate([corners, sides], axis=2), inside, volume


def taylorhood(rows, rng, dim=2, step=np.inf):
    """Stokes flow on unstructured triangles or tetrahedra: quadratic velocities, by axis, and linear pressures; or a step of that time,
    with lumped masses."""
    points, simplices = systems.mesh(max(rows // (9 if dim == 2 else 23), 80), dim, rng)
    nodes, places, q, barycentric, volume = lagrange(points, simplices)
    viscosity = systems.jumps(points, simplices, rng.uniform(0, 3), rng)
    inside, near = (np.flatnonzero(np.all((p > 0.02) & (p < 0.98), axis=1)) for p in (places, points))
    near = np.intersect1d(near, simplices)
    inside = np.intersect1d(inside, nodes)
    k = systems.assembled(np.einsum("e,eqid,eqjd->eij", viscosity * volume / (dim + 1), q, q, optimize=True), nodes, len(places))
    k += sp.diags(np.bincount(nodes.ravel(), np.repeat(volume / nodes.shape[1], nodes.shape[1]), len(places)) / step)
    k = reordered(k, inside)
    local = np.einsum("e,qk,eqid->deki", -volume / (dim + 1), barycentric, q, optimize=True)
    i, j = np.repeat(simplices, nodes.shape[1], axis=1).ravel(), np.tile(nodes, (1, dim + 1)).ravel()
    divergence = sp.hstack([sp.csr_matrix((part.ravel(), (i, j)), shape=(len(points), len(places)))[near][:, inside] for part in local])
    return sp.bmat([[sp.kron(sp.eye(dim), k), divergence.T], [divergence, None]])


def taylorhood3(rows, rng):
    return taylorhood(rows, rng, 3)


def unsteady(rows, rng):
    """A step of viscous flow in time, short or long."""
    dim = int(rng.integers(2, 4))
    return taylorhood(rows, rng, dim, power(rng, -4, 0))


def stokes3(rows, rng):
    """Flow in a box, on a staggered grid of n x n x n cells, of a viscosity that jumps; the pressure of the last cell is 0."""
    n = max(4, round((rows / 4) ** (1 / 3)))
    decades, wave = rng.uniform(0, 3), rng.uniform(-12, 12, (3, 3))
    viscosity = lambda *at: 10 ** (decades * (np.cos(np.tensordot(wave, np.stack(at), 1)).sum(0) > 0.5))
    cells, faces = (np.arange(n) + 0.5) / n, np.arange(1, n) / n
    walls = sp.diags([1, -1], [0, -1], (n + 1, n))  # differences of cells, and to walls on both sides
    ahead = sp.diags([-1, 1], [0, 1], (n - 1, n))
    velocity, gradient = [], []
    for axis in range(3):
        at = [faces if d == axis else cells for d in range(3)]
        a = 0
        for d in range(3):
            gaps = at.copy()
            gaps[d] = cells if d == axis else np.arange(n + 1) / n
            inner = sp.diags([1, -1], [0, -1], (n, n - 1)) if d == axis else walls
            e = along([inner if c == d else sp.eye(len(at[c])) for c in range(3)])
            a = a + e.T @ sp.diags(viscosity(*np.meshgrid(*gaps, indexing="ij")).ravel()) @ e
        velocity.append(a)
        gradient.append(along([ahead if c == axis else sp.eye(n) for c in range(3)]))
    grad = sp.vstack(gradient).tocsr()[:, :-1]
    return sp.bmat([[sp.block_diag(velocity), grad], [grad.T, None]])


def along(parts):
    return sp.kron(sp.kron(parts[0], parts[1]), parts[2])


def cavity(rows, rng):
    """Waves in a box: edge elements on a grid, 10 to 25 cells a wavelength."""
    c = curls(max(3, round((rows / 3) ** (1 / 3))))
    permittivity = 1 + (rng.random(c.shape[1]) < 0.2) * rng.uniform(0, 1)
    return c.T @ c - sp.diags((2 * np.pi / rng.uniform(10, 25)) ** 2 * permittivity)


def control(rows, rng):
    """Optimal control of a Poisson equation: states, controls, multipliers."""
    n = max(4, int((rows / 3) ** 0.5))
    k, m = systems.laplacian(n), sp.eye(n * n) / n**2
    return sp.bmat([[m, None, k], [None, power(rng, -8, -2) * m, -m], [k, -m, None]])


def qp(rows, rng):
    """An interior-point step of a program in stages: a diagonal quadratic form, constraints of few unknowns of a stage, and some
    unknowns that appear in all stages."""
    n = int(rows / rng.uniform(1.2, 1.8))
    m = rows - n
    each, common = int(rng.integers(3, 7)), min(20, n // 10)
    first = np.sort(rng.integers(0, n - 100, m))
    columns = first[:, None] + rng.integers(0, 100, (m, each))
    everywhere = rng.random((m, each)) < 0.02
    columns[everywhere] = rng.integers(0, common, everywhere.sum())
    values = rng.standard_normal(m * each) * np.repeat(10 ** rng.uniform(-2, 2, m), each)
    a = sp.csr_matrix((values, (np.repeat(np.arange(m), each), columns.ravel())), shape=(m, n))
    a = a[np.diff(a.indptr) > 0]
    h = sp.diags(1e-8 + 10 ** rng.uniform(-6, 6, n) * (rng.random(n) < 0.7))
    return sp.bmat([[h, a.T], [a, sp.diags(-1e-8 * np.ones(a.shape[0]))]])


def shift(rows, rng):
    """A step of inverse iteration for a membrane on unstructured triangles."""
    points, simplices = systems.mesh(rows, 2, rng)
    k = stiffness(points, simplices, isotropic(np.ones(len(simplices))))
    return systems.without(k - power(rng, 2, 3.5) * mass(points, simplices), points)
