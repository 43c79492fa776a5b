"""Times y = A x in SciPy: spmv_scipy.py FILE NAME REPEAT"""

import json
import sys
import time

import numpy
import scipy
import scipy.io


def main(path, name, repeat):
    a = scipy.io.mmread(path).tocsr()
    rows, cols = a.shape
    x = numpy.random.default_rng(1).uniform(-1, 1, cols)
    least = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        y = a @ x
        least = min(least, time.perf_counter() - start)
    if not numpy.isfinite(y).all():
        sys.exit("the product is not finite")
    size = a.data.nbytes + a.indices.nbytes + a.indptr.nbytes + 8 * rows + 8 * cols
    print(json.dumps({
        "matrix": name, "peer": "SciPy " + scipy.__version__,
        "rows": rows, "cols": cols, "nnz": int(a.nnz), "threads": 1,
        "seconds_min": least, "gbps": size / least / 1e9,
    }, separators=(",", ":")))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
