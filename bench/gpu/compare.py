"""Measures cuSPARSE with the matrices that `mpsolve bench gpu --export` wrote.

    compare.py products|cg FOLDER...

prints a JSON line for each: products y = A x in FP64 CSR, by cuSPARSE's generic interface
with preprocessing (each of its algorithms) and by PyTorch and CuPy with their defaults; or
conjugate gradients with such products. Needs NumPy and one of CuPy and PyTorch.
"""
import ctypes
import glob
import importlib
import importlib.util
import json
import os
import statistics
import sys
import time

import numpy

TOLERANCE, LIMIT = 1e-10, 5000
STRIDE = 16  # iterations between two checks of the residual


def imported(name):
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


cupy, torch = imported("cupy"), imported("torch")


def on_device(array):
    return cupy.asarray(array) if cupy else torch.from_numpy(array).cuda()


def zeros(n):
    return cupy.zeros(n) if cupy else torch.zeros(n, dtype=torch.float64, device="cuda")


def pointer(array):
    return ctypes.c_void_p(array.data.ptr if cupy else array.data_ptr())


def wait():
    cupy.cuda.Device().synchronize() if cupy else torch.cuda.synchronize()


class Matrix:
    """The arrays of a folder, on the host and on the device; offsets of 4 bytes."""

    def __init__(self, folder):
        with open(os.path.join(folder, "matrix.json")) as f:
            self.about = json.load(f)
        self.n, self.cols, self.nnz = (self.about[k] for k in ("rows", "cols", "nnz"))

        def read(name, kind):
            return numpy.fromfile(os.path.join(folder, name), kind)

        self.ptr = on_device(read("rowptr", "<i8").astype(numpy.int32))
        self.col, self.val = on_device(read("col", "<i4")), on_device(read("val", "<f8"))
        self.x, self.y = on_device(read("x", "<f8")), zeros(self.n)
        self.moved = 12 * self.nnz + 4 * (self.n + 1) + 8 * (self.n + self.cols)


class CuSparse:
    """y = A x by cusparseSpMV, after cusparseSpMV_preprocess where the library has it."""

    ALGORITHMS = {"default": 0, "csr_alg1": 2, "csr_alg2": 3}
    INDEX32, REAL64 = 2, 1

    def __init__(self):
        self.lib = self.load()
        self.handle = ctypes.c_void_p()
        self.call("cusparseCreate", ctypes.byref(self.handle))
        self.one, self.zero = ctypes.c_double(1), ctypes.c_double(0)

    @staticmethod
    def load():
        if cupy:
            importlib.import_module("cupyx.cusparse")  # it knows where its libraries are
        names = ["libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"]
        for path in sys.path:
            names += glob.glob(os.path.join(path, "nvidia", "*", "lib", "libcusparse.so.*"))
        names += glob.glob("/usr/local/cuda*/lib64/libcusparse.so*")
        for name in names:
            try:
                return ctypes.CDLL(name)
            except OSError:
                pass
        raise OSError("no libcusparse.so")

    def call(self, name, *args):
        status = getattr(self.lib, name)(*args)
        if status:
            raise RuntimeError(f"{name} returned {status}")

    def vector(self, array, n):
        v = ctypes.c_void_p()
        self.call("cusparseCreateDnVec", ctypes.byref(v), ctypes.c_int64(n), pointer(array), self.REAL64)
        return v

    def matrix(self, m):
        a = ctypes.c_void_p()
        self.call("cusparseCreateCsr", ctypes.byref(a), ctypes.c_int64(m.n), ctypes.c_int64(m.cols),
                  ctypes.c_int64(m.nnz), pointer(m.ptr), pointer(m.col), pointer(m.val),
                  self.INDEX32, self.INDEX32, 0, self.REAL64)
        return a

    def product(self, m, x, y, algorithm):
        """Returns a function that computes y = A x."""
        args = (self.handle, 0, ctypes.byref(self.one), self.matrix(m), self.vector(x, m.cols),
                ctypes.byref(self.zero), self.vector(y, m.n), self.REAL64, self.ALGORITHMS[algorithm])
        size = ctypes.c_size_t()
        self.call("cusparseSpMV_bufferSize", *args, ctypes.byref(size))
        buffer = zeros(size.value // 8 + 1)
        if hasattr(self.lib, "cusparseSpMV_preprocess"):
            self.call("cusparseSpMV_preprocess", *args, pointer(buffer))

        def run():
            self.call("cusparseSpMV", *args, pointer(buffer))

        run.buffer = buffer
        return run


def seconds(run, turns=20, batch=0.02):
    """Least and median seconds of one run, in batches."""
    run()
    wait()
    start = time.perf_counter()
    for _ in range(3):
        run()
    wait()
    count = max(1, int(3 * batch / (time.perf_counter() - start)))
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        for _ in range(count):
            run()
        wait()
        times.append((time.perf_counter() - start) / count)
    return min(times), statistics.median(times)


def report(kind, library, m, **more):
    print(json.dumps({"kind": kind, "library": library, **m.about, **more}), flush=True)


def attempt(library, f):
    try:
        f()
    except Exception as e:  # noqa: BLE001: the other libraries are still to come
        print(f"compare.py: {library}: {type(e).__name__}: {e}", file=sys.stderr)


def products(m, sparse):
    def report_times(library, run):
        least, median = seconds(run)
        report("product", library, m, seconds_min=least, seconds_median=median, gbps=m.moved / least / 1e9)

    for algorithm in CuSparse.ALGORITHMS:
        name = "cusparse " + algorithm
        attempt(name, lambda: report_times(name, sparse.product(m, m.x, m.y, algorithm)))
    if cupy:
        def with_cupy():
            import cupyx.scipy.sparse
            a = cupyx.scipy.sparse.csr_matrix((m.val, m.col, m.ptr), shape=(m.n, m.cols))
            report_times("cupy", lambda: a @ m.x)
        attempt("cupy", with_cupy)
    if torch:
        def with_torch():
            def tensor(v):
                return torch.as_tensor(v, device="cuda")
            a = torch.sparse_csr_tensor(tensor(m.ptr), tensor(m.col), tensor(m.val), size=(m.n, m.cols))
            x = tensor(m.x)
            report_times("torch", lambda: a @ x)
        attempt("torch", with_torch)


def updates():
    """x += a p, and p = r + b p, each in one pass over the vectors, a and b on the device."""
    if cupy:
        axpy = cupy.ElementwiseKernel("float64 a, float64 p", "float64 x", "x += a * p", "axpy")
        xpay = cupy.ElementwiseKernel("float64 r, float64 b", "float64 p", "p = r + b * p", "xpay")
        return (lambda x, a, p: axpy(a, p, x)), (lambda p, r, b: xpay(r, b, p)), cupy.dot

    def torch_xpay(p, r, b):
        torch.addcmul(r, p, b, out=p)
    return (lambda x, a, p: x.addcmul_(p, a)), torch_xpay, torch.dot


def cg(m, sparse):
    """Conjugate gradients for b = ones, as mpsolve bench gpu --solve cg has them."""
    axpy, xpay, dot = updates()

    def once(algorithm):
        b = on_device(numpy.ones(m.n))
        x, r, p, q = zeros(m.n), b + 0, b + 0, zeros(m.n)
        apply = sparse.product(m, p, q, algorithm)
        wait()
        start = time.perf_counter()
        rr = dot(r, r)
        goal, iterations = float(rr) * TOLERANCE**2, 0
        while iterations < LIMIT:
            apply()
            alpha = rr / dot(p, q)
            axpy(x, alpha, p)
            axpy(r, -alpha, q)
            before, rr = rr, dot(r, r)
            iterations += 1
            if iterations % STRIDE == 0 and not float(rr) > goal:
                break
            xpay(p, r, rr / before)
        wait()
        took = time.perf_counter() - start
        final = sparse.product(m, x, q, algorithm)
        final()
        res = b - q
        return took, iterations, float(dot(res, res) / dot(b, b)) ** 0.5

    for algorithm in CuSparse.ALGORITHMS:
        def run(algorithm=algorithm):
            once(algorithm)
            took, iterations, residual = min(once(algorithm) for _ in range(3))
            report("solve", "cusparse " + algorithm, m, method="cg", iterations=iterations,
                   relative_residual=residual, seconds_min=took)
        attempt("cusparse " + algorithm, run)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("products", "cg"):
        sys.exit(__doc__)
    if not cupy and not torch:
        print("compare.py: neither CuPy nor PyTorch here", file=sys.stderr)
        sys.exit(75)
    sparse = CuSparse()
    for folder in sys.argv[2:]:
        m = Matrix(folder)
        (products if sys.argv[1] == "products" else cg)(m, sparse)
        del m


if __name__ == "__main__":
    main()
