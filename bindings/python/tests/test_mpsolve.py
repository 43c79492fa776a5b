"""Tests of the package with SciPy: python3 -m unittest discover -s tests (MPSOLVE_LIBRARY names the library)."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse as sp

import mpsolve


def poisson(n):
    d = sp.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
    return (sp.kron(d, sp.identity(n)) + sp.kron(sp.identity(n), d)).tocsr()


def skew(n, seed=1):
    """An unsymmetric matrix whose diagonal is larger than the rest of its rows."""
    a = sp.random(n, n, 0.02, random_state=seed, format="csr")
    return (a + sp.diags(np.asarray(abs(a).sum(axis=1)).ravel() + 1)).tocsr()


class Solving(unittest.TestCase):
    def right(self, a, b, x, report, tol=1e-10):
        self.assertTrue(report["converged"], report["reason"])
        r = b - a @ x
        scale = abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max()
        self.assertLess(abs(r).max() / scale, tol)

    def test_solve(self):
        for a in poisson(20), skew(300):
            b = a @ np.linspace(-1, 2, a.shape[0])
            x, report = mpsolve.solve(a, b)
            self.right(a, b, x, report)
            self.assertEqual(report["matrix"]["nnz"], a.nnz)
            self.assertEqual(report["matrix"]["rows"], a.shape[0])

    def test_arrays_of_wrong_lengths(self):
        for change, words in (
            (lambda a: setattr(a, "data", a.data[:3]), "there are 64 indices and 3 values"),
            (lambda a: setattr(a, "indices", a.indices[:5]), "there are 5 indices and 64 values"),
            (lambda a: a.indptr.__setitem__(-1, 10**8), "A.indptr ends at 100000000"),
            (lambda a: a.indptr.__setitem__(-1, -1), "A.indptr ends at -1"),
            (lambda a: a.indptr.__setitem__(3, 10**8), ""),
            (lambda a: a.indices.__setitem__(3, 10**8), ""),
            (lambda a: setattr(a, "indptr", a.indptr[:-1]), "A.indptr has 16 offsets, want 17"),
        ):
            a = poisson(4)
            change(a)
            with self.assertRaisesRegex(mpsolve.InputError, words):
                mpsolve.solve(a, np.ones(16))

    def test_fork(self):
        a = poisson(5)
        solver = mpsolve.Solver(a)
        solver.solve(np.ones(25))
        child = os.fork()
        if child == 0:
            wrong = 1
            try:
                solver.solve(np.ones(25))
            except RuntimeError:
                try:
                    mpsolve.solve(a, np.ones(25))
                except RuntimeError:
                    wrong = 0
            solver.close()
            os._exit(wrong)
        for _ in range(500):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                break
            time.sleep(0.02)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self.fail("the child hangs")
        self.assertEqual(status, 0)
        solver.close()

    def test_same_as_spsolve(self):
        from scipy.sparse.linalg import spsolve

        a = skew(200)
        b = np.cos(np.arange(200.0))
        x, _ = mpsolve.solve(a, b, tol=1e-14)
        np.testing.assert_allclose(x, spsolve(a.tocsc(), b), rtol=1e-9)

    def test_options(self):
        a = poisson(15)
        b = np.ones(a.shape[0])
        x, report = mpsolve.solve(a, b, method="gmres", precond="none", tol=1e-6, max_iter=np.int64(500), refine=True, max_time="90s")
        self.right(a, b, x, report, 1e-5)
        self.assertEqual(report["method"], "gmres")
        self.assertEqual(report["tolerance"], 1e-6)
        self.assertEqual(report["preconditioner"]["kind"], "none")
        for options, words in (
            ({"tolerence": 1e-6}, "tol"),
            ({"method": "cgg"}, "^method .* did you mean cg"),
            ({"tol": "small"}, "number"),
            ({"output": "x.mtx"}, "argument"),
            ({"tol": -1}, "^tol -1: want"),
            ({"precond": "amg", "near_null": np.ones((len(b), 1))}, "^option near_null is of the type ndarray, want .* the name of a file$"),
            ({"precond": "amg", "coordinates": None}, "^option coordinates is of the type NoneType"),
            ({"restart": 10, "method": "cg", "max_iter": -1}, "^max_iter -1: want"),
        ):
            with self.assertRaisesRegex(mpsolve.UsageError, words):
                mpsolve.solve(a, b, **options)

    def test_formats(self):
        """Any matrix of SciPy, any order of its entries, 64-bit indices, dense ones, float32."""
        a = skew(100)
        b = a @ np.ones(100)
        wide = a.copy()
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        shuffled = a.tocsc().T.tocsr().T.tocsr()
        order = np.concatenate([np.arange(hi - 1, lo - 1, -1) for lo, hi in zip(a.indptr, a.indptr[1:])])
        unsorted = sp.csr_matrix((a.data[order], a.indices[order], a.indptr), shape=a.shape)
        twice = sp.csr_matrix((np.repeat(a.data / 2, 2), np.repeat(a.indices, 2), 2 * a.indptr), shape=a.shape)
        arrays = [sp.csr_array(a)] if hasattr(sp, "csr_array") else []  # since SciPy 1.8
        for m in (a.tocoo(), a.tocsc(), a.tolil(), a.toarray(), wide, shuffled, unsorted, twice, *arrays):
            x, report = mpsolve.solve(m, b)
            self.right(a, b, x, report)
        x, report = mpsolve.solve(a.astype(np.float32), b.astype(np.float32))
        self.right(a.astype(np.float32).astype(np.float64), b.astype(np.float32), x, report)

    def test_no_copies(self):
        a = skew(50)
        with mpsolve.Solver(a) as solver:
            _, _, col, val = solver._arrays
            self.assertTrue(np.shares_memory(col, a.indices) and np.shares_memory(val, a.data))
        b = np.asfortranarray(np.ones((50, 3)))
        self.assertTrue(np.shares_memory(mpsolve._solver._vectors("b", b, 50)[0], b))
        self.assertTrue(np.shares_memory(mpsolve._solver._vectors("b", b[:, 1], 50)[0], b))

    def test_several_right_hand_sides(self):
        a = skew(120)
        wanted = np.random.default_rng(1).random((120, 3))
        with mpsolve.Solver(a, tol=1e-13) as solver:
            solver.setup()
            x, report = solver.solve(a @ wanted)
            self.assertEqual(len(report["solutions"]), 3)
            np.testing.assert_allclose(x, wanted, rtol=1e-7)
            for k in range(3):
                one, report = solver.solve(a @ wanted[:, k])
                self.assertEqual(one.shape, (120,))
                self.assertEqual(len(report["solutions"]), 1)
                np.testing.assert_allclose(one, wanted[:, k], rtol=1e-7)
            _, report = solver.solve(a @ wanted, guess=wanted)
            self.assertLess(report["inner_iterations"], 3)
        with self.assertRaisesRegex(ValueError, "closed"):
            solver.solve(a @ wanted)

    def test_update(self):
        a = skew(120)
        unsorted = a.copy()
        for row in range(0, 120, 2):
            part = slice(a.indptr[row], a.indptr[row + 1])
            unsorted.indices[part], unsorted.data[part] = a.indices[part][::-1].copy(), a.data[part][::-1].copy()
        for first in a, unsorted:
            with mpsolve.Solver(first, tol=1e-13) as solver:
                for factor in 1.0, 3.0, 0.25:
                    now = first.copy()
                    now.data = first.data * factor
                    solver.update(now)
                    x, report = solver.solve(now @ np.full(120, factor))
                    np.testing.assert_allclose(x, factor, rtol=1e-8)
                with self.assertRaisesRegex(ValueError, "pattern"):
                    solver.update(skew(120, seed=2))

    def test_not_converged(self):
        a = poisson(40)
        b = np.ones(a.shape[0])
        options = {"max_iter": 40, "precond": "none", "method": "cg"}
        x, report = mpsolve.solve(a, b, **options)
        self.assertFalse(report["converged"])
        self.assertTrue(np.any(x != 0))
        with self.assertRaises(mpsolve.NotConvergedError) as raised:
            mpsolve.solve(a, b, raises=True, **options)
        np.testing.assert_array_equal(raised.exception.x, x)
        self.assertRegex(str(raised.exception), r"^iteration limit: allow more iterations \(max_iter 80\)")
        self.assertEqual(mpsolve._errors.verdict({"reason": "slow"}), "slow")

    def test_bad_input(self):
        a = skew(10)
        b = np.ones(10)
        with self.assertRaisesRegex(ValueError, "shape"):
            mpsolve.solve(a, np.ones(9))
        with self.assertRaisesRegex(ValueError, "complex"):
            mpsolve.solve(a * 1j, b)
        with self.assertRaises(mpsolve.InputError):
            mpsolve.solve(a, np.full(10, np.nan))
        with self.assertRaises(mpsolve.InputError):
            mpsolve.solve(sp.csr_matrix((10, 10)), b)
        broken = a.copy()
        broken.indices = broken.indices + 100
        with self.assertRaisesRegex(mpsolve.InputError, "out of range"):
            mpsolve.solve(broken, b)
        broken = a.copy()
        broken.indptr = broken.indptr[::-1].copy()
        with self.assertRaisesRegex(mpsolve.InputError, "offsets"):
            mpsolve.solve(broken, b)

    def test_arrays_live_as_long_as_the_solver(self):
        solver = mpsolve.Solver(skew(200))
        gc.collect()
        np.random.random(10**6)
        a = skew(200)
        x, report = solver.solve(a @ np.ones(200))
        self.right(a, a @ np.ones(200), x, report)
        solver.close()
        solver.close()

    def test_threads(self):
        a = skew(150)
        results = [None] * 4

        def work(k):
            results[k] = mpsolve.solve(a, a @ np.full(150, k + 1.0), threads=1)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k, (x, report) in enumerate(results):
            self.assertTrue(report["converged"])
            np.testing.assert_allclose(x, k + 1, rtol=1e-6)

    def test_shared_by_threads(self):
        """Each call gets its own report, and close waits for the calls that have begun."""
        a = skew(150)
        with mpsolve.Solver(a) as solver, ThreadPoolExecutor(8) as pool:
            for k, job in enumerate([pool.submit(solver.solve, np.ones((150, k % 5 + 1))) for k in range(500)]):
                x, report = job.result()
                self.assertEqual(len(report["solutions"]), k % 5 + 1)
                np.testing.assert_allclose(a @ x, 1, rtol=1e-6)
        with mpsolve.Solver(poisson(100), method="cg", precond="none") as solver, ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(solver.solve, np.ones(10**4)) for _ in range(20)]
            jobs[0].result()
            solver.close()
            self.assertLessEqual({str(job.exception()) for job in jobs}, {"None", "the Solver is closed"})

    def test_copies(self):
        with mpsolve.Solver(skew(20)) as solver:
            for copied in copy.copy, copy.deepcopy, pickle.dumps:
                with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                    copied(solver)


ENDLESS = """
import signal, sys, numpy as np, scipy.sparse as sp, mpsolve
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
n = 800
d = sp.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
a = (sp.kron(d, sp.identity(n)) + sp.kron(sp.identity(n), d)).tocsr()
solver = mpsolve.Solver(a, method="cg", precond="none", tol=1e-30, max_iter=10**8)
solver.setup()
print("solving", flush=True)
try:
    solver.solve(np.ones(n * n))
except KeyboardInterrupt:
    print("interrupted", flush=True)
x, report = mpsolve.solve(sp.identity(4, format="csr") * 2, np.ones(4))
print(report["converged"], x[0])
"""


class Interrupting(unittest.TestCase):
    def test_keyboard_interrupt(self):
        """Ctrl-C ends a solve, and the library can be used again."""
        child = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
        with child:
            self.assertEqual(child.stdout.readline(), "solving\n")
            time.sleep(0.2)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.stdout.readline(), "interrupted\n")
            self.assertEqual(child.stdout.readline(), "True 0.5\n")
        self.assertLess(time.monotonic() - sent, 10)  # the solve does not go on
        self.assertEqual(child.returncode, 0)


if __name__ == "__main__":
    unittest.main()
