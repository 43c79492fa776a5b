"""Classes of symmetric positive definite systems besides those of ../peers/systems.py. Each function takes a number of rows, which it
meets roughly, and a generator of random numbers, which also picks what a class leaves open: contrasts, steps of time, degrees."""

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import gaussian_filter
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import Delaunay, cKDTree

import systems

OPPOSITE = [1, 2, 0], [2, 0, 1]  # the corners at the ends of the edge opposite to corner 0, 1, 2 of a triangle


def power(rng, low, high):
    return 10 ** rng.uniform(low, high)


def reordered(a, p):
    return a.tocsr()[p][:, p]


def shuffled(a, rng):
    return reordered(a, rng.permutation(a.shape[0]))


# Meshes of triangles.


def stiffness(points, simplices, tensor):
    """Linear elements; the tensor of diffusion is one for each simplex."""
    g, volume = systems.gradients(points, simplices)
    local = np.einsum("e,eid,edk,ejk->eij", volume, g, tensor, g, optimize=True)
    return systems.assembled(local, simplices, len(points))


def mass(points, simplices):
    volume = systems.gradients(points, simplices)[1]
    corners = simplices.shape[1]
    local = volume[:, None, None] * (1 + np.eye(corners)) / (corners * (corners + 1))
    return systems.assembled(local, simplices, len(points))


def isotropic(coefficients):
    return coefficients[:, None, None] * np.eye(2)


def edges(simplices):
    """The corners at the ends of the edges, lower ones first, and which edge is opposite to each corner of each triangle."""
    a, b = simplices[:, OPPOSITE[0]], simplices[:, OPPOSITE[1]]
    count = simplices.max() + 1
    keys, at = np.unique(np.minimum(a, b).astype(np.int64) * count + np.maximum(a, b), return_inverse=True)
    return np.stack([keys // count, keys % count], axis=1), at.reshape(-1, 3)


def quadratic_gradients(g):
    """Gradients of the quadratic shape functions, of corners and then of edges, in the middles of the edges: triangles x 3 x 6 x 2.
    These middles, each with a third of the area, integrate polynomials of degree 2 exactly."""
    barycentric = (1 - np.eye(3)) / 2
    corners = (4 * barycentric - 1)[None, :, :, None] * g[:, None]
    a, b = OPPOSITE
    sides = 4 * (barycentric[None, :, a, None] * g[:, None, b] + barycentric[None, :, b, None] * g[:, None, a])
    return np.concatenate([corners, sides], axis=2)


def quadratic(rows, rng):
    """Quadratic elements on unstructured triangles with jumps."""
    points, simplices = systems.mesh(max(rows // 4, 60), 2, rng)
    g, volume = systems.gradients(points, simplices)
    ends, at = edges(simplices)
    q = quadratic_gradients(g)
    c = volume * systems.jumps(points, simplices, rng.uniform(0, 6), rng) / 3
    local = np.einsum("e,eqid,eqjd->eij", c, q, q, optimize=True)
    nodes = np.hstack([simplices, len(points) + at])
    places = np.vstack([points, points[ends].mean(1)])
    return shuffled(systems.without(systems.assembled(local, nodes, len(places)), places), rng)


def stretched(rows, rng):
    """A mesh that is flat, and finer towards a wall, as in boundary layers."""
    points, simplices = systems.mesh(rows, 2, rng)
    flat = points.copy()
    flat[:, 1] = power(rng, -3, -1) * points[:, 1] ** rng.uniform(1, 2)
    g, volume = systems.gradients(flat, simplices)
    simplices = simplices[volume > 1e-9 * np.median(volume)]
    return systems.without(stiffness(flat, simplices, isotropic(np.ones(len(simplices)))), points)


def anisotropic(rows, rng):
    """Diffusion along directions that turn from block to block, and little across, on unstructured triangles."""
    points, simplices = systems.mesh(rows, 2, rng)
    angle = np.pi * np.log10(systems.jumps(points, simplices, 1, rng))
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    across = power(rng, -4, -1)
    tensor = across * np.eye(2) + (1 - across) * along[:, :, None] * along[:, None]
    return systems.without(stiffness(points, simplices, tensor), points)


def heatmesh(rows, rng):
    """An implicit step of heat conduction on unstructured triangles."""
    points, simplices = systems.mesh(rows, 2, rng)
    k = stiffness(points, simplices, isotropic(systems.jumps(points, simplices, 3, rng)))
    return mass(points, simplices) + power(rng, -7, -2) * k


def axis(rows, rng):
    """Elasticity on tetrahedra, all displacements along an axis one after the other."""
    a = systems.elasticity(rows, rng, rng.uniform(0.2, 0.45))
    return reordered(a, np.arange(a.shape[0]).reshape(-1, 3).T.ravel())


# Grids.


def differences(counts):
    """For each axis of a grid, the differences between a cell and the one before: faces x cells. The last axis runs fastest."""
    for axis, n in enumerate(counts):
        before, after = np.prod(counts[:axis], dtype=int), np.prod(counts[axis + 1 :], dtype=int)
        step = sp.diags([-1, 1], [0, 1], (n - 1, n))
        yield sp.kron(sp.kron(sp.eye(before), step), sp.eye(after)).tocsr()


def harmonic(d, k):
    """Harmonic means of the cells' values at the faces."""
    return 2 / (abs(d) @ (1 / k))


def rock(rows, rng):
    """The differences of a grid of thin layers, cells of 20 x 10 x 2, and the transmissibilities of its faces, over six decades between
    layers and channels, and less across layers."""
    n = max(4, round((2 * rows) ** (1 / 3)))
    counts = (max(2, n // 2), n, n)
    layers = rng.uniform(-2, 2, counts[0])[:, None, None]
    channels = gaussian_filter(rng.standard_normal(counts), (0.5, 1, 4))
    k = 10 ** (layers + (channels / channels.std()).clip(-2, 2) / 2)
    shapes = [power(rng, -3, 0) * 20 * 10 / 2, 20 * 2 / 10, 10 * 2 / 20]
    d = list(differences(counts))
    return d, [shape * harmonic(face, k.ravel()) for shape, face in zip(shapes, d)], counts


def reservoir(rows, rng):
    """Pressures in an oil reservoir, slightly compressible, with wells through all layers."""
    d, t, counts = rock(rows, rng)
    a = sum(face.T @ sp.diags(flow) @ face for face, flow in zip(d, t))
    flows = a.diagonal()
    wells = np.zeros(counts)
    for _ in range(5):
        wells[:, rng.integers(counts[1]), rng.integers(counts[2])] = 1
    return a + sp.diags(flows * wells.ravel() + power(rng, -8, -4) * np.median(flows))


def heat(rows, rng):
    """An implicit step of heat conduction in a cube of blocks, from short steps to long ones."""
    n = max(4, round(rows ** (1 / 3)))
    block = (np.arange(n) * 4 // n).clip(0, 3)
    k = 10 ** (rng.uniform(0, 4) * rng.random((4, 4, 4)))[np.ix_(block, block, block)].ravel()
    return sp.eye(n**3) + power(rng, -2, 3) * sum(d.T @ sp.diags(harmonic(d, k)) @ d for d in differences((n, n, n)))


def curls(n):
    """The curl of fields on the edges of n^3 cells within a conducting box: faces x edges."""
    d, cells, nodes = sp.diags([1, -1], [0, -1], (n, n - 1)), sp.eye(n), sp.eye(n - 1)

    def kron(x, y, z):
        return sp.kron(sp.kron(x, y), z)

    return sp.bmat(
        [
            [None, -kron(nodes, cells, d), kron(nodes, d, cells)],
            [kron(cells, nodes, d), None, -kron(d, nodes, cells)],
            [-kron(cells, d, nodes), kron(d, cells, nodes), None],
        ]
    ).tocsr()


def curlcurl(rows, rng):
    """A step of eddy currents: edge elements on a grid, with lumped masses of conductors and of what hardly conducts."""
    c = curls(max(3, round((rows / 3) ** (1 / 3))))
    permeability = 10 ** (rng.uniform(0, 2) * (rng.random(c.shape[0]) < 0.1))
    conductors = np.arange(c.shape[1]) // 50 % 7 < 3
    return c.T @ sp.diags(1 / permeability) @ c + sp.diags(power(rng, -4, 0) * np.where(conductors, 1, power(rng, -3, 0)))


def shell(rows, rng):
    """A shallow shell, clamped: membrane forces on a staggered grid, bending by differences, and curvature that couples them."""
    n = max(6, int((rows / 3) ** 0.5))
    thin, poisson = power(rng, -3, -1.5), 0.3
    inward = n * sp.diags([-1, 1], [0, 1], (n, n + 1))  # from halves to nodes
    outward = -inward.T  # from nodes to halves, 0 at the edge
    nodes, halves = sp.eye(n), sp.eye(n + 1)
    curvature = rng.uniform(0, 2, 2)
    zero = sp.csr_matrix((n * n, n * (n + 1)))
    bend = n**2 * systems.laplacian(n)
    along = sp.hstack([sp.kron(nodes, inward), zero, curvature[0] * sp.eye(n * n)])
    across = sp.hstack([zero, sp.kron(inward, nodes), curvature[1] * sp.eye(n * n)])
    shear = sp.hstack([sp.kron(outward, halves), sp.kron(halves, outward), sp.csr_matrix(((n + 1) ** 2, n * n))])
    bent = sp.hstack([zero, zero, bend])
    a = along.T @ (along + poisson * across) + across.T @ (across + poisson * along)
    return a + (1 - poisson) / 2 * shear.T @ shear + thin**2 / 12 * bent.T @ bent


def dg(rows, rng):
    """Interior penalty on squares, polynomials of degree 1 to 3 in each direction, with reactions that vary."""
    degree = int(rng.integers(1, 4))
    size = degree + 1
    n = max(3, int(rows**0.5) // size)
    k = np.arange(size)
    x, weights = np.polynomial.legendre.leggauss(size)
    slopes = np.polynomial.legendre.legval(x, np.polynomial.legendre.legder(np.eye(size)))  # on (-1, 1), degrees x points
    own = 2 * (slopes * weights) @ slopes.T
    right, left = np.ones((1, size)), (-1.0) ** k[None]
    e1, e0 = sp.eye(n + 1, n, -1), sp.eye(n + 1, n)
    share = sp.diags(np.where((np.arange(n + 1) % n) == 0, 1, 0.5))
    jump = sp.kron(e1, right) - sp.kron(e0, left)
    flux = sp.kron(share @ e1, (k * (k + 1))[None]) - sp.kron(share @ e0, (k * (k + 1) * left[0])[None])
    line = sp.kron(sp.eye(n), own) - jump.T @ flux - flux.T @ jump + 2 * size**2 * jump.T @ jump
    lump = sp.kron(sp.eye(n), sp.diags(1 / (2 * k + 1)))
    c = power(rng, -6, 1) * np.repeat(np.repeat(rng.random((n, n)), size, axis=0), size, axis=1)
    a = sp.kron(line, lump) + sp.kron(lump, line) + sp.diags(c.ravel()) @ sp.kron(lump, lump)
    elements = np.arange((n * size) ** 2).reshape(n, size, n, size).transpose(0, 2, 1, 3).ravel()
    return reordered(a, elements)


# Networks.


def network(rows, ends, weights):
    """The Laplacian of a graph with weighted edges; loops do not count."""
    g = sp.csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(rows, rows))
    g = g + g.T
    g = g - sp.diags(g.diagonal())
    return sp.diags(np.asarray(g.sum(1)).ravel()) - g


def shifted(laplacian, rng):
    return laplacian + power(rng, -6, -2) * laplacian.diagonal().mean() * sp.eye(laplacian.shape[0])


def scalefree(rows, rng):
    """A graph with a power law of degrees, as of links and citations."""
    each = int(rng.integers(2, 6))
    to = (rows * rng.random(each * rows) ** rng.uniform(1.5, 3)).astype(int)
    return shifted(shuffled(network(rows, np.stack([np.repeat(np.arange(rows), each), to], axis=1), np.ones(len(to))), rng), rng)


def nearest(rows, rng):
    """The nearest neighbours of points, as in learning, with weights that decay."""
    k = int(rng.integers(6, 13))
    points = rng.standard_normal((rows, int(rng.integers(2, 7))))
    distances, to = cKDTree(points).query(points, k + 1)  # the first is the point itself
    weights = np.exp(-((distances / distances.mean()) ** 2))[:, 1:].ravel()
    return shifted(network(rows, np.stack([np.repeat(np.arange(rows), k), to[:, 1:].ravel()], axis=1), weights), rng)


def smallworld(rows, rng):
    """A ring of near neighbours, of whose connections a few lead anywhere."""
    k = int(rng.integers(2, 6))
    start = np.repeat(np.arange(rows), k)
    to = (start + np.tile(np.arange(1, k + 1), rows)) % rows
    far = rng.random(len(to)) < power(rng, -2.5, -1)
    to[far] = rng.integers(0, rows, far.sum())
    return shifted(network(rows, np.stack([start, to], axis=1), np.ones(len(to))), rng)


def lines(rows, rng):
    """The lines of a power network, about 1.4 for each bus, and their susceptances over three decades."""
    points = rng.random((rows, 2))
    ends = edges(Delaunay(points).simplices)[0]
    length = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    tree = minimum_spanning_tree(sp.csr_matrix((length, (ends[:, 0], ends[:, 1])), shape=(rows, rows))).tocoo()
    more = ends[rng.random(len(ends)) < 0.13]
    ends = np.vstack([np.stack([tree.row, tree.col], axis=1), more])
    return ends, 10 ** rng.normal(0, 0.5, len(ends))


def powergrid(rows, rng):
    """The DC power flow; the angle of one bus is given."""
    return network(rows, *lines(rows, rng))[1:, 1:]
