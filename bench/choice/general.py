"""Classes of unsymmetric systems besides those of ../peers/systems.py, as in definite.py."""

import numpy as np
import scipy.sparse as sp

import systems
from definite import differences, lines, power, reordered, rock, shuffled


def upwind(d, flow):
    """What faces carry away from the cells before them into those after them, for a flow in this direction: cells x cells."""
    before, after = (abs(d) - d) / 2, (abs(d) + d) / 2
    return -d.T @ (sp.diags(flow.clip(min=0)) @ before + sp.diags(flow.clip(max=0)) @ after)


def eddies(rows, rng):
    """Convection by eddies that fill a square, upwind, and diffusion; cell Péclet numbers from 0.1 to 1000."""
    n = int(rows**0.5)
    x = np.pi * rng.integers(1, 5) * np.arange(n + 1) / n
    stream = power(rng, -1, 3) * n / np.pi * np.outer(np.sin(x), np.sin(x)) / 4
    d = list(differences((n, n)))
    carried = upwind(d[0], -np.diff(stream, axis=1)[1:-1].ravel()) + upwind(d[1], np.diff(stream, axis=0)[:, 1:-1].ravel())
    return systems.laplacian(n) + carried


def transport(rows, rng):
    """Convection and diffusion on unstructured triangles, linear elements with streamline diffusion."""
    points, simplices = systems.mesh(rows, 2, rng)
    g, volume = systems.gradients(points, simplices)
    centre = points[simplices].mean(1) - rng.random(2)
    wind = np.stack([-centre[:, 1], centre[:, 0]], axis=1) + rng.standard_normal(2) / 4
    along = np.einsum("ed,eid->ei", wind, g)
    step = np.sqrt(volume) / (2 * np.linalg.norm(wind, axis=1))
    local = power(rng, -6, -1) * np.einsum("eid,ejd->eij", g, g) + (step[:, None] * along + 1 / 3)[:, :, None] * along[:, None]
    return systems.without(systems.assembled(volume[:, None, None] * local, simplices, rows), points)


def oseen(rows, rng):
    """A step towards stationary flow on a staggered grid: Stokes, and convection of the velocities by an eddy."""
    a = systems.stokes(rows, rng).tocsr()
    n = int((rows / 3) ** 0.5)

    def central(k):
        return sp.diags([-0.5, 0.5], [-1, 1], (k, k))

    def convection(ny, nx):
        x, y = np.meshgrid((np.arange(nx) + 0.5) / nx, (np.arange(ny) + 0.5) / ny)
        along, across = np.sin(np.pi * x) * np.cos(np.pi * y), -np.cos(np.pi * x) * np.sin(np.pi * y)
        return sp.diags(along.ravel()) @ sp.kron(sp.eye(ny), central(nx)) + sp.diags(across.ravel()) @ sp.kron(central(ny), sp.eye(nx))

    c = sp.block_diag([convection(n, n - 1), convection(n - 1, n), sp.csr_matrix((n * n - 1, n * n - 1))])
    return a + power(rng, -1, 1) * c


def twophase(rows, rng):
    """An implicit step of two-phase flow in layers of rock: a pressure and a saturation in each cell."""
    d, t, counts = rock(rows // 2, rng)
    n = int(np.prod(counts))
    flow = sum(f.T @ sp.diags(k) @ f for f, k in zip(d, t))
    head = (np.arange(n) // counts[2] % counts[1] + np.arange(n) % counts[2]) / counts[1] + 0.1 * rng.standard_normal(n)
    carried = sum(upwind(f, -k * (f @ head)) for f, k in zip(d, t))
    scale = np.median(flow.diagonal())
    share = rng.uniform(0.2, 0.8)
    a = sp.bmat(
        [
            [flow + power(rng, -6, -3) * scale * sp.eye(n), rng.uniform(-0.5, 0.5) * carried],
            [share * flow, carried + power(rng, -1, 1) * sp.diags(scale + flow.diagonal())],
        ]
    )
    return reordered(a, np.arange(2 * n).reshape(2, n).T.ravel())


def web(rows, rng):
    """The stationary distribution of a surfer who follows links, with a power law, and now and then starts again."""
    each = np.minimum(rng.zipf(2, rows), 100) + 1
    start = np.repeat(np.arange(rows), each)
    to = (rows * rng.random(len(start)) ** rng.uniform(1.5, 3)).astype(int)
    p = sp.csr_matrix((1 / each[start], (start, to)), shape=(rows, rows))
    return shuffled(sp.eye(rows) - (1 - power(rng, -3, -0.7)) * p.T, rng)


def queues(rows, rng):
    """How often a Markov chain of three queues, which ends now and then, visits its states: arrivals and services."""
    n = max(4, round(rows ** (1 / 3)))
    leave = sp.diags(power(rng, -6, -2) * rng.random(n**3))
    for d in differences((n, n, n)):
        rates = rng.uniform(0.5, 1, 2)
        there, back = (np.full(d.shape[0], r) * rng.uniform(0.9, 1.1, d.shape[0]) for r in rates)
        leave = leave + upwind(d, there) + upwind(d, -back)
    return leave / leave.diagonal().max()


def powerflow(rows, rng):
    """The Jacobian of the AC power flow in polar coordinates: powers of buses by angles and then by voltages; generators, one bus in
    seven, have a given voltage."""
    n = rows * 7 // 13
    ends, susceptance = lines(n, rng)
    admittance = susceptance / (rng.uniform(0.05, 0.5, len(ends)) + 1j)
    y = sp.csr_matrix((admittance, (ends[:, 0], ends[:, 1])), shape=(n, n))
    y = y + y.T
    y = sp.diags(np.asarray(y.sum(1)).ravel() + 0.02j * rng.random(n)) - y
    size = 1 + 0.03 * rng.standard_normal(n)
    v = size * np.exp(0.05j * rng.standard_normal(n))
    current, voltage, phase = sp.diags(y @ v), sp.diags(v), sp.diags(v / size)
    angles = 1j * voltage @ (current - y @ voltage).conj()
    sizes = voltage @ (y @ phase).conj() + current.conj() @ phase
    kept = rng.permutation(n)[n // 7 :]
    return sp.bmat([[angles.real[1:, 1:], sizes.real[1:, kept]], [angles.imag[kept][:, 1:], sizes.imag[kept][:, kept]]])


def dominant(rows, rng):
    """Random patterns with a dominant diagonal."""
    each = int(rng.integers(4, 16))
    start = np.repeat(np.arange(rows), each)
    values = rng.choice([-1, 1], len(start)) * 10 ** rng.uniform(-3, 0, len(start))
    a = sp.csr_matrix((values, (start, rng.integers(0, rows, len(start)))), shape=(rows, rows))
    return a + sp.diags((1 + power(rng, -3, 0)) * np.asarray(abs(a).sum(1)).ravel())


def blocks(rows, rng):
    """Parts of some hundred unknowns, on scales of their own, which few entries couple."""
    m = int(rng.integers(10, 26))
    count = max(2, rows // m**2)
    n = count * m**2
    a = sp.kron(sp.eye(count), systems.laplacian(m)).tocsr()
    a.data *= rng.uniform(0.7, 1.05, a.nnz)
    a = a + sp.diags(np.repeat(0.3 * rng.random(count), m**2))
    weak = sp.csr_matrix((power(rng, -4, -1) * rng.standard_normal(n // 20), rng.integers(0, n, (2, n // 20))), shape=(n, n))
    return sp.diags(np.repeat(10 ** rng.uniform(-3, 3, count), m**2)) @ (a + weak)


def process(rows, rng):
    """Balances of a chemical plant: units in a line, each with some unknowns, streams to the next, and recycles; rows and columns
    on scales of their own, and rows of a unit in any order."""
    m = int(rng.integers(5, 13))
    units = rows // m
    n = units * m
    unit, own = np.repeat(np.arange(units), m * m // 2), rng.integers(0, m, (2, units * (m * m // 2)))
    inside = sp.csr_matrix((rng.standard_normal(len(unit)), (unit * m + own[0], unit * m + own[1])), shape=(n, n))
    start = np.arange(n - m)
    back = rng.random(len(start)) < 0.3
    streams = sp.csr_matrix((rng.uniform(0.2, 1, len(start)), (start + m, start)), shape=(n, n))
    streams = streams + sp.csr_matrix((rng.uniform(0.2, 1, back.sum()), (start[back], start[back] + m)), shape=(n, n))
    recycles = sp.csr_matrix((rng.random(n // 100), rng.integers(0, n, (2, n // 100))), shape=(n, n))
    a = inside + rng.uniform(1.5, 4) * sp.eye(n) - streams - recycles
    rowscale, colscale = (sp.diags(10 ** rng.uniform(-3, 3, n)) for _ in range(2))
    order = (np.arange(units)[:, None] * m + rng.permuted(np.tile(np.arange(m), (units, 1)), axis=1)).ravel()
    return (rowscale @ a @ colscale).tocsr()[order]
