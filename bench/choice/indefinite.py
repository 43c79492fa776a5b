"""Classes of symmetric indefinite systems besides those of ../peers/systems.py, as in definite.py."""

import numpy as np
import scipy.sparse as sp

import systems
from definite import OPPOSITE, curls, edges, isotropic, mass, power, quadratic_gradients, reordered, stiffness


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


def taylorhood(rows, rng):
    """Stokes flow on unstructured triangles: quadratic velocities, by axis, and linear pressures."""
    points, simplices = systems.mesh(max(rows // 9, 80), 2, rng)
    g, volume = systems.gradients(points, simplices)
    ends, at = edges(simplices)
    q = quadratic_gradients(g)
    nodes = np.hstack([simplices, len(points) + at])
    places = np.vstack([points, points[ends].mean(1)])
    viscosity = systems.jumps(points, simplices, rng.uniform(0, 3), rng)
    inside, near = (np.flatnonzero(np.all((p > 0.02) & (p < 0.98), axis=1)) for p in (places, points))
    k = systems.assembled(np.einsum("e,eqid,eqjd->eij", viscosity * volume / 3, q, q, optimize=True), nodes, len(places))
    k = reordered(k, inside)
    local = np.einsum("e,qk,eqid->deki", -volume / 3, (1 - np.eye(3)) / 2, q, optimize=True)
    i, j = np.repeat(simplices, 6, axis=1).ravel(), np.tile(nodes, (1, 3)).ravel()
    divergence = [sp.csr_matrix((part.ravel(), (i, j)), shape=(len(points), len(places)))[near][:, inside] for part in local]
    return sp.bmat([[k, None, divergence[0].T], [None, k, divergence[1].T], [*divergence, None]])


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
