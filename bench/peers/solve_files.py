"""A linear system in the files that mpsolve, PETSc and SciPy read, and the errors of
their solutions."""

import numpy
import scipy.io
import scipy.sparse

NOISE = 1e-12  # A·ones below this times the row sums of |A| is rounding noise


class System:
    """A x = b in a folder, A from a file or given. Without a given b it is A·ones, or A·x for a random x where A·ones is only noise."""

    def __init__(self, folder, path=None, coordinates=None, a=None, b=None):
        self.folder, self.matrix = folder, path or str(folder / "a.petsc")
        self.a = scipy.sparse.csr_matrix(scipy.io.mmread(path) if path else a, dtype=float)
        self.a.sum_duplicates()
        self.a.sort_indices()
        self.n = self.a.shape[0]
        self.weights = abs(self.a) @ numpy.ones(self.n)
        self.b = self.a @ numpy.ones(self.n) if b is None else b
        if b is None and (abs(self.b) <= NOISE * self.weights).all():
            self.b = self.a @ numpy.random.default_rng(1).uniform(-1, 1, self.n)
        self.coordinates = None
        scipy.io.mmwrite(self.file("b.mtx"), self.b.reshape(-1, 1), precision=17)
        numpy.save(self.file("b.npy"), self.b)
        scipy.sparse.save_npz(self.file("a.npz"), self.a, compressed=False)
        self.write_petsc_matrix(self.file("a.petsc"))
        write_petsc_vector(self.file("b.petsc"), self.b)
        if coordinates:
            self.coordinates = self.file("xyz.petsc")
            write_petsc_vector(self.coordinates, scipy.io.mmread(coordinates).ravel())

    def file(self, name):
        return str(self.folder / name)

    def write_petsc_matrix(self, path):
        a = self.a
        with open(path, "wb") as f:
            numpy.array([1211216, *a.shape, a.nnz], ">i4").tofile(f)
            numpy.diff(a.indptr).astype(">i4").tofile(f)
            a.indices.astype(">i4").tofile(f)
            a.data.astype(">f8").tofile(f)

    def errors(self, x):
        """The row-wise backward error max_i |b-Ax|_i / (sum_j |a_ij| ||x||_inf + |b_i|)
        and ||b-Ax||_2 / ||b||_2, summed in long double."""
        if len(x) != self.n or not numpy.isfinite(x).all():
            return numpy.inf, numpy.inf
        a, wide = self.a, numpy.longdouble
        r = self.b.astype(wide)
        full = numpy.flatnonzero(numpy.diff(a.indptr))
        products = a.data.astype(wide) * x[a.indices]
        r[full] -= numpy.add.reduceat(products, a.indptr[full])
        scale = self.weights.astype(wide) * abs(x).max() + abs(self.b)
        some = r != 0
        eta = (abs(r[some]) / scale[some]).max(initial=0)
        return float(eta), float(numpy.sqrt((r * r).sum()) / numpy.linalg.norm(self.b))


def write_petsc_vector(path, v):
    with open(path, "wb") as f:
        numpy.array([1211214, v.size], ">i4").tofile(f)
        v.astype(">f8").tofile(f)


def read_solution(path):
    """x as mpsolve (.mtx), SciPy (.npy) or PETSc (.petsc) wrote it."""
    if path.endswith(".mtx"):
        return scipy.io.mmread(path).ravel()
    if path.endswith(".npy"):
        return numpy.load(path)
    return numpy.fromfile(path, ">f8", offset=8).astype(float)
