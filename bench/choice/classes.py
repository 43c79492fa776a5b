"""The systems that the choice of method and preconditioner is measured on: for each class how definite it is, its function, and numbers
of rows. A seed picks the matrix, its size to within some 40 %, and the right-hand side: a random one, a constant load, or point sources.
Never A times ones, for which digits are easy."""

import zlib

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import definite as d
import general as g
import indefinite as i
import systems as s

POSITIVE, INDEFINITE, GENERAL = "positive", "indefinite", "general"
CLASSES = {
    # Meshes.
    "triangles": (POSITIVE, s.triangles, [2_000, 40_000, 160_000, 500_000]),
    "tetrahedra": (POSITIVE, s.tetrahedra, [3_000, 60_000, 250_000]),
    "quadratic": (POSITIVE, d.quadratic, [4_000, 50_000, 300_000]),
    "stretched": (POSITIVE, d.stretched, [3_000, 100_000]),
    "anisotropic": (POSITIVE, d.anisotropic, [3_000, 100_000]),
    "elasticity": (POSITIVE, s.elasticity, [3_000, 30_000, 100_000]),
    "axis": (POSITIVE, d.axis, [3_000, 30_000]),
    "heatmesh": (POSITIVE, d.heatmesh, [2_000, 200_000]),
    # Grids.
    "ninepoint": (POSITIVE, s.ninepoint, [4_000, 60_000, 1_000_000]),
    "plate": (POSITIVE, s.plate, [2_500, 40_000, 360_000]),
    "shell": (POSITIVE, d.shell, [3_000, 60_000, 200_000]),
    "reservoir": (POSITIVE, d.reservoir, [4_000, 100_000, 1_000_000]),
    "heat": (POSITIVE, d.heat, [5_000, 100_000, 1_000_000]),
    "curlcurl": (POSITIVE, d.curlcurl, [3_000, 50_000, 200_000]),
    "dg": (POSITIVE, d.dg, [4_000, 60_000]),
    # Networks.
    "scalefree": (POSITIVE, d.scalefree, [2_000, 50_000]),
    "nearest": (POSITIVE, d.nearest, [2_000, 100_000]),
    "smallworld": (POSITIVE, d.smallworld, [1_000, 30_000]),
    "powergrid": (POSITIVE, d.powergrid, [1_000, 50_000, 500_000]),
    # Saddle points and waves.
    "helmholtz": (INDEFINITE, s.helmholtz, [4_000, 40_000, 490_000]),
    "cavity": (INDEFINITE, i.cavity, [3_000, 40_000]),
    "shift": (INDEFINITE, i.shift, [2_000, 50_000]),
    "stokes": (INDEFINITE, s.stokes, [3_000, 30_000, 120_000]),
    "stokes3": (INDEFINITE, i.stokes3, [4_000, 60_000, 300_000]),
    "taylorhood": (INDEFINITE, i.taylorhood, [4_000, 60_000]),
    "taylorhood3": (INDEFINITE, i.taylorhood3, [4_000, 60_000, 200_000]),
    "unsteady": (INDEFINITE, i.unsteady, [4_000, 60_000]),
    "darcy": (INDEFINITE, i.darcy, [3_000, 50_000, 200_000]),
    "kkt": (INDEFINITE, s.kkt, [3_000, 30_000, 200_000]),
    "qp": (INDEFINITE, i.qp, [2_000, 50_000]),
    "control": (INDEFINITE, i.control, [3_000, 60_000]),
    # Flow.
    "recirculation": (GENERAL, s.recirculation, [3_000, 60_000, 640_000]),
    "eddies": (GENERAL, g.eddies, [3_000, 100_000, 1_000_000]),
    "transport": (GENERAL, g.transport, [2_000, 50_000, 300_000]),
    "oseen": (GENERAL, g.oseen, [3_000, 40_000]),
    "twophase": (GENERAL, g.twophase, [4_000, 100_000]),
    # Chains, networks and plants.
    "web": (GENERAL, g.web, [2_000, 50_000, 500_000]),
    "queues": (GENERAL, g.queues, [2_000, 100_000]),
    "circuit": (GENERAL, s.circuit, [2_000, 20_000, 200_000]),
    "powerflow": (GENERAL, g.powerflow, [1_000, 20_000, 100_000]),
    "dominant": (GENERAL, g.dominant, [2_000, 100_000]),
    "blocks": (GENERAL, g.blocks, [2_000, 50_000]),
    "process": (GENERAL, g.process, [1_500, 20_000, 100_000]),
}


def right_hand_side(n, rng):
    """b, and what it is."""
    what = rng.choice(["random", "load", "points"])
    if what == "random":
        return rng.standard_normal(n), what
    if what == "load":
        return np.ones(n), what
    b = np.zeros(n)
    b[rng.integers(0, n, 8)] = rng.choice([-1, 1], 8)
    return b, what


def matrix(name, rows, seed):
    """A as the class makes it."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), rows])
    a = sp.csr_matrix(CLASSES[name][1](int(rows * rng.uniform(0.7, 1.4)), rng))
    a.sum_duplicates()
    a.eliminate_zeros()
    return a


def system(name, rows, seed):
    """A, exactly symmetric where the class is, b, and what b is."""
    a = matrix(name, rows, seed)
    if CLASSES[name][0] != GENERAL:
        lower = sp.tril(a, -1)
        a = (lower + lower.T + sp.diags(a.diagonal())).tocsr()
    return a, *right_hand_side(a.shape[0], np.random.default_rng([seed, zlib.crc32(name.encode()), rows, 1]))


def check(name, seed):
    """What a system of some 1000 rows is like: entries a row, whether it is what its class says, its condition and how far a direct
    solve is off."""
    a = matrix(name, 1000, seed)
    n, definiteness = a.shape[0], CLASSES[name][0]
    faults = []
    if s.is_symmetric(a) == (definiteness == GENERAL):
        faults.append("SYMMETRIC" if definiteness == GENERAL else "NOT SYMMETRIC")
    scale = sp.diags(1 / np.sqrt(abs(a).max(1).toarray().ravel()))
    dense = (scale @ a @ scale).toarray()
    negative = 0
    if definiteness != GENERAL:
        negative = (np.linalg.eigvalsh(dense) < 0).sum()
        if (negative > 0) != (definiteness == INDEFINITE):
            faults.append("NOT " + definiteness.upper())
    b = right_hand_side(n, np.random.default_rng(seed))[0]
    x = spsolve(a.tocsc(), b)
    error = (abs(b - a @ x) / (abs(a).sum(1).A1 * abs(x).max() + abs(b)).clip(min=1e-300)).max()
    if not error < 1e-10:
        faults.append("NOT SOLVED")
    return f"{name:14s}{n:6d} rows {a.nnz / n:6.1f} a row {negative:5d} negative  condition {np.linalg.cond(dense):.0e}  error {error:.0e}  {' '.join(faults)}", not faults
