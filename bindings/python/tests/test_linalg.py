"""Tests of mpsolve.linalg: the kinds of systems of SciPy's own test_iterative.py, and SciPy's direct solvers as the reference."""

import doctest
import pickle
import re
import sys
import unittest
import warnings
from unittest import mock

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as reference

import mpsolve
from mpsolve import linalg


def load_tests(loader, tests, pattern):
    finder = doctest.DocTestFinder()
    for name in linalg.__all__:
        for test in finder.find(getattr(linalg, name), name, globs={}):
            tests.addTest(doctest.DocTestCase(test))
    return tests


def poisson1d(n=40):
    return sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")


def cases():
    """Yields name, A, b and the functions that suit it."""
    every = [linalg.bicg, linalg.bicgstab, linalg.cgs, linalg.gmres, linalg.tfqmr]
    rng = np.random.default_rng(1234)
    yield "poisson1d", poisson1d(), np.arange(40.0), every + [linalg.cg, linalg.minres]
    yield "poisson1d in float32", poisson1d().astype("f"), np.arange(40.0), every + [linalg.cg, linalg.minres]
    yield "negative definite", -poisson1d(), np.arange(40.0), every + [linalg.minres]
    yield "poisson2d", sp.kronsum(poisson1d(12), poisson1d(12)), np.arange(144.0), every + [linalg.cg, linalg.minres]
    diagonal = rng.random(30) + 1
    q, _ = np.linalg.qr(rng.random((30, 30)))
    yield "random definite", sp.csr_matrix(q * diagonal @ q.T), rng.random(30), every + [linalg.cg]
    yield "random symmetric", sp.csr_matrix(q * np.where(np.arange(30) % 3, diagonal, -diagonal) @ q.T), rng.random(30), [linalg.gmres, linalg.minres]
    yield "random", sp.csr_matrix(rng.random((10, 10)) + 2 * np.eye(10)), np.arange(10.0), every
    c = rng.random((12, 12)) + 1j * rng.random((12, 12))
    yield "random complex", sp.csr_matrix(c + 6 * np.eye(12)), np.arange(12) * 1j, every
    yield "random Hermitian definite", sp.csr_matrix(c @ c.conj().T + np.eye(12)), np.arange(12.0), every + [linalg.cg]
    yield "real with complex b", poisson1d(), np.arange(40) * (1 + 2j), every + [linalg.cg]


def iterations(a, b):
    report = {}
    linalg.cg(a, b, rtol=1e-10, M="jacobi", report=report)
    return report["inner_iterations"]


class Iterative(unittest.TestCase):
    def test_convergence(self):
        for name, a, b, functions in cases():
            for function in functions:
                for rtol in 1e-5, 1e-8:
                    with self.subTest(name, function=function.__name__, rtol=rtol):
                        x, info = function(a, b, rtol=rtol)
                        self.assertEqual((info, x.shape), (0, b.shape))
                        self.assertLessEqual(np.linalg.norm(b - a @ x), rtol * np.linalg.norm(b) * (1 + 1e-12))
                        self.assertEqual(np.iscomplexobj(x), np.iscomplexobj(a) or np.iscomplexobj(b))

    def test_tolerances(self):
        a, b = poisson1d(), np.arange(40.0)
        x, info = linalg.cg(a, b, rtol=0, atol=1e-3, M="none")
        self.assertEqual(info, 0)
        self.assertLessEqual(np.linalg.norm(b - a @ x), 1e-3)
        self.assertEqual(linalg.cg(a, b, tol=1e-9)[1], 0)
        x, info = linalg.cg(a, np.zeros(40))
        self.assertEqual((info, abs(x).max()), (0, 0))
        a, b = a + 2 * sp.identity(40), np.cos(b)
        for rtol in 0, -1, 1e-20:  # which rounding forbids
            for m in a, reference.aslinearoperator(a):
                x, info = linalg.gmres(m, b, rtol=rtol)
                self.assertEqual(info == 0, np.linalg.norm(b - a @ x) <= max(rtol, 0) * np.linalg.norm(b))

    def test_units(self):
        """Squares of elements need not be numbers."""
        a, b = poisson1d() + sp.identity(40), np.cos(np.arange(40.0))
        for unit in 1e200, 1e-200, 1e300, 1e-300:
            for m in a, a * unit:
                wanted, _ = mpsolve.solve(m, b * unit)
                for function in linalg.cg, linalg.gmres:
                    x, info = function(m, b * unit, rtol=1e-10)
                    self.assertEqual(info, 0)
                    self.assertLess(abs(x - wanted).max(), 1e-8 * abs(wanted).max())
                    self.assertEqual(function(m, b * unit, x0=wanted, rtol=1e-8)[1], 0)
                    x, info = function(reference.aslinearoperator(m), b * unit, rtol=1e-10)
                    self.assertTrue(info > 0 or abs(x - wanted).max() < 1e-8 * abs(wanted).max())
        for bad in np.inf, np.nan:
            for m in a, reference.aslinearoperator(a), a * 1j:
                with self.assertRaisesRegex(mpsolve.InputError, "element 40 of the right-hand side"):
                    linalg.cg(m, np.append(b[:39], bad))

    def test_limits(self):
        a, b = sp.kronsum(poisson1d(30), poisson1d(30)).tocsr(), np.ones(900)
        x, info = linalg.cg(a, b, rtol=1e-12, maxiter=40, M="none")
        self.assertGreater(info, 0)
        self.assertTrue(np.any(x != 0))
        report = {}
        wanted = reference.spsolve(a.tocsc(), b)
        self.assertEqual(linalg.cg(a, b, x0=wanted)[1], 0)
        x, info = linalg.cg(a, b, x0=wanted + 1e-9, rtol=1e-10, M="jacobi", report=report)
        self.assertEqual((info, report["preconditioner"]["kind"]), (0, "jacobi"))
        self.assertLess(report["inner_iterations"], iterations(a, b) / 2)

    def test_guess_that_suffices(self):
        a, report = poisson1d(), {}
        b = a @ np.ones(40)
        for x0 in np.ones(40), [1] * 40, (1.0,) * 40:
            x, info = linalg.cg(a, b, x0=x0, report=report)
            self.assertEqual((info, report["converged"], report["inner_iterations"]), (0, True, 0))

    def test_refused(self):
        a, b = poisson1d(), np.arange(40.0)
        with self.assertRaisesRegex(TypeError, "entries of A"):
            linalg.cg(a, b, M="amg", callback=print)
        with self.assertRaisesRegex(TypeError, "entries of A"):
            linalg.spsolve(reference.aslinearoperator(a), b)
        with self.assertRaisesRegex(mpsolve.UsageError, "precond needs the entries"):
            linalg.cg(reference.aslinearoperator(a), b, precond="amg")
        with self.assertRaisesRegex(mpsolve.UsageError, "stop row needs the entries"):
            linalg.cg(reference.aslinearoperator(a), b, stop="row")
        with self.assertRaisesRegex(mpsolve.UsageError, "jacobi"):
            linalg.cg(a, b, M="jacoby")
        with self.assertRaises(ValueError):
            linalg.gmres(a, np.ones(39))
        for function, argument in (linalg.minres, {"shift": 0.5}), (linalg.minres, {"show": True}), (linalg.tfqmr, {"show": True}):
            with self.assertRaisesRegex(NotImplementedError, "shift, show"):
                function(a, b, **argument)
        with self.assertRaisesRegex(ValueError, "^callback_type 'y'"):
            linalg.gmres(a, b, callback_type="y")

    def test_arguments_of_scipy(self):
        a, b = poisson1d(), np.arange(40.0)
        self.assertEqual(linalg.minres(a, b, shift=0.0, show=False, check=True)[1], 0)
        self.assertEqual(linalg.tfqmr(a, b, show=False)[1], 0)
        for kind in None, "legacy", "pr_norm", "x":
            self.assertEqual(linalg.gmres(a, b, restart=None, callback_type=kind)[1], 0)
        np.testing.assert_allclose(a @ linalg.spsolve(a, b, "NATURAL", False), b, atol=1e-10)


class Matvec:
    """The least that an operator needs."""

    def __init__(self, a):
        self.a, self.shape, self.dtype, self.products = a, a.shape, a.dtype, 0

    def matvec(self, x):
        self.products += 1
        return self.a @ x


class Operators(unittest.TestCase):
    def test_poisson(self):
        a = sp.kronsum(poisson1d(40), poisson1d(40)).tocsr()
        b, report, operator = np.sin(np.arange(1600.0)), {}, Matvec(a)
        x, info = linalg.cg(operator, b, rtol=1e-11, report=report)
        wanted = linalg.spsolve(a, b)
        self.assertEqual(info, 0)
        np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-8 * abs(wanted).max())
        self.assertLessEqual(report["relative_residual"], 1e-11)
        self.assertAlmostEqual(report["relative_residual"], np.linalg.norm(b - a @ x) / np.linalg.norm(b), delta=1e-13)
        self.assertEqual((report["backward_error"]["row"], report["digits"]["state"], report["stop"]), (None, "not estimated", "rel"))
        self.assertIn("products alone", report["cautions"][0])
        self.assertEqual(report["spmv_count"], operator.products)

    def test_convergence(self):
        for name, a, b, functions in cases():
            for function in functions:
                operator = reference.aslinearoperator(a.astype("D") if np.iscomplexobj(b) and len(name) % 2 else a)
                with self.subTest(name, function=function.__name__):
                    x, info = function(operator, b, rtol=1e-6)
                    self.assertEqual((info, x.shape), (0, b.shape))
                    self.assertLessEqual(np.linalg.norm(b - a @ x), 1e-6 * np.linalg.norm(b) * (1 + 1e-9))

    def test_preconditioner(self):
        a = sp.kronsum(poisson1d(30), poisson1d(30)).tocsc() + sp.diags(np.linspace(0, 1e4, 900))
        b, plain, report = np.ones(900), {}, {}
        linalg.cg(Matvec(a), b, rtol=1e-8, report=plain)
        for function in linalg.cg, linalg.gmres, linalg.bicgstab, linalg.minres:
            x, info = function(a, b, rtol=1e-8, M=sp.diags(1 / a.diagonal()), report=report)
            self.assertEqual((info, report["preconditioner"]["kind"]), (0, "given"))
            self.assertLess(report["inner_iterations"], plain["inner_iterations"] / 2)
        x, info = linalg.gmres(a, b, x0=x + 1e-6, rtol=1e-8, M=reference.LinearOperator(a.shape, reference.splu(a).solve), report=report)
        self.assertEqual((info, report["preconditioner"]["applications"] > 0), (0, True))

    def test_lies(self):
        n = 60
        rng = np.random.default_rng(3)
        turned = sp.diags([-1.0, 3.0, 2.5], [-1, 0, 1], shape=(n, n)) + sp.random(n, n, 0.1, random_state=5) * 10
        for function in linalg.cg, linalg.minres:
            report = {}
            x, info = function(Matvec(turned), rng.random(n), rtol=1e-10, maxiter=2000, report=report)
            self.assertGreater(info, 0)
            self.assertFalse(report["converged"])
            self.assertIn(report["reason"], ("not symmetric", "not positive definite", "iteration limit"))

        class Random(Matvec):  # another matrix each time
            def matvec(self, x):
                return (1 + rng.random()) * super().matvec(x)

        for function in linalg.cg, linalg.gmres, linalg.bicgstab:
            x, info = function(Random(poisson1d()), np.ones(40), rtol=1e-8, maxiter=500)
            self.assertGreater(info, 0)

        class Broken(Matvec):
            def matvec(self, x):
                return np.full(self.shape[0], np.nan)

        self.assertGreater(linalg.gmres(Broken(poisson1d()), np.ones(40))[1], 0)

    def test_exceptions(self):
        class Enough(Exception):
            pass

        class Failing(Matvec):
            def matvec(self, x):
                if self.products == 5:
                    raise Enough("product 5")
                return super().matvec(x)

        a, b = poisson1d(), np.arange(40.0)
        operator = Failing(a)
        with self.assertRaisesRegex(Enough, "product 5"):
            linalg.cg(operator, b)
        self.assertEqual(operator.products, 5)
        seen = []

        def callback(x):
            seen.append(x)
            if len(seen) == 3:
                raise Enough("callback")

        for function in linalg.cg, linalg.bicgstab, linalg.gmres:
            seen.clear()
            with self.assertRaisesRegex(Enough, "callback"):
                function(a, b, rtol=1e-12, callback=callback)
            self.assertEqual(len(seen), 3)
        with self.assertRaises(ValueError):
            linalg.cg(reference.LinearOperator((40, 40), lambda x: x[:3], dtype=float), b)
        self.assertEqual(linalg.cg(a, b)[1], 0)

    def test_exception_at_the_entry(self):
        """What a handler of signals raises before the try of a function that C calls, as a profiler does here, ends the solve, too."""

        class Noisy(Matvec):
            def matvec(self, x):
                Falling()
                return super().matvec(x)

        class Falling:
            def __del__(self):
                raise RuntimeError("not ours")

        def enter(frame, event, _):
            if event == "call" and frame.f_code.co_name == name and operator.products == 5:
                sys.setprofile(None)
                raise KeyboardInterrupt

        self.addCleanup(sys.setprofile, None)
        for name in "product", "iteration":
            operator, others = Noisy(poisson1d()), []
            with mock.patch("sys.unraisablehook", lambda event: others.append(str(event.exc_value))), self.assertRaises(KeyboardInterrupt):
                sys.setprofile(enter)
                linalg.cg(operator, np.arange(40.0), callback=lambda x: None)
            self.assertEqual((operator.products, others), (5, 5 * ["not ours"]))

    def test_callback(self):
        a, b = poisson1d(), np.arange(40.0)
        for function in linalg.cg, linalg.minres, linalg.bicgstab:
            seen, report = [], {}
            x, info = function(a, b, rtol=1e-8, callback=seen.append, report=report)
            self.assertEqual((info, len(seen)), (0, report["inner_iterations"]))
            np.testing.assert_allclose(seen[-1], x, rtol=1e-12)
            self.assertLess(np.linalg.norm(b - a @ seen[-1]), np.linalg.norm(b - a @ seen[0]))
        seen = []
        x, info = linalg.gmres(a.toarray().tolist(), b, rtol=1e-8, M=np.eye(40).tolist(), callback=seen.append)
        self.assertTrue(info == 0 and all(isinstance(r, float) for r in seen) and seen[-1] <= 1e-8 < seen[0])
        seen = []
        x, info = linalg.gmres(a, b, rtol=1e-8, restart=10, callback=seen.append, callback_type="x")
        self.assertTrue(info == 0 and len(seen) > 1)
        np.testing.assert_array_equal(seen[-1], x)

    def test_nested(self):
        a, b = poisson1d(), np.arange(40.0)
        inner = reference.LinearOperator(a.shape, lambda x: linalg.cg(a, x, rtol=1e-13)[0], dtype=float)
        x, info = linalg.gmres(inner, b, rtol=1e-9)
        self.assertEqual(info, 0)
        np.testing.assert_allclose(x, a @ b, rtol=1e-6, atol=1e-6)


class Direct(unittest.TestCase):
    def test_same_as_scipy(self):
        rng = np.random.default_rng(7)
        a = sp.random(60, 60, 0.1, random_state=3, format="csc") + 5 * sp.identity(60)
        c = (a + 1j * sp.random(60, 60, 0.1, random_state=4)).tocsc()
        for m in a, c, a.tocsr(), a.tocoo(), a.toarray():
            for b in rng.random(60), rng.random((60, 1)), rng.random((60, 3)), rng.random(60) * 1j, rng.random((60, 2)) * (1 + 1j):
                x = linalg.spsolve(m, b)
                wanted = reference.spsolve(sp.csc_matrix(m), b)
                self.assertEqual(x.shape, wanted.shape)
                np.testing.assert_allclose(x, wanted, rtol=1e-10, atol=1e-12)
                with linalg.factorized(m) as solve:
                    np.testing.assert_array_equal(solve(b), x.reshape(b.shape))
        for kind in sp.csc_matrix, sp.coo_matrix, getattr(sp, "csr_array", sp.csr_matrix):  # since SciPy 1.8
            for columns in 1, 4:
                b = kind(sp.random(60, columns, 0.2, random_state=5))
                x, wanted = linalg.spsolve(a, b), reference.spsolve(a.tocsc(), b.tocsc())
                self.assertIs(type(x), kind if columns > 1 else np.ndarray)
                np.testing.assert_allclose(x.toarray() if columns > 1 else x, wanted.toarray() if columns > 1 else wanted, rtol=1e-10, atol=1e-12)

    def test_shapes(self):
        a, b = poisson1d(), np.ones(40)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for m in a, a * 1j, a * 0:
                for kind in np.asarray, sp.csr_matrix:
                    self.assertEqual(linalg.spsolve(m, kind(np.ones((40, 0)))).shape, (40, 0))
        for m in a, a * 1j:
            for k in 3.0, np.ones(39), np.ones((39, 2)) * 1j:
                with self.assertRaisesRegex(ValueError, f"^b has the shape {re.escape(str(np.shape(k)))}, want "):
                    linalg.factorized(m)(k)
        with self.assertRaisesRegex(ValueError, "^b has no columns"):
            mpsolve.solve(a, np.ones((40, 0)))
        for m, k in (a[:30], b[:30]), (a[:, :30], b):
            for function in linalg.spsolve, linalg.cg:
                with self.assertRaisesRegex(ValueError, f"^the matrix must be square, but is {m.shape[0]} x {m.shape[1]}"):
                    function(m, k)

    def test_singular(self):
        a = sp.csr_matrix([[1.0, 2.0], [2.0, 4.0]])
        for m, words in (a, r"inconsistent: .*check b \(rhs\)"), (0 * a, "no nonzero"), (sp.csr_matrix((2, 2), dtype=complex), "no nonzero"):
            with self.assertWarnsRegex(reference.MatrixRankWarning, words):
                x = linalg.spsolve(m, np.array([1.0, 3.0]))
            self.assertTrue(np.isnan(x).all())
            self.assertEqual(x.dtype, m.dtype)
            self.assertEqual(linalg.spsolve(m, np.zeros((2, 2))).tolist(), [[0, 0], [0, 0]])

    def test_factorized(self):
        a = sp.kronsum(poisson1d(10), poisson1d(10)).tocsc()
        solve = linalg.factorized(a)
        other = reference.factorized(a)
        for b in np.ones(100), np.arange(100.0):
            np.testing.assert_allclose(solve(b), other(b), rtol=1e-11)
        self.assertEqual(repr(solve), "<solves with a 100x100 matrix>")


class LeastSquares(unittest.TestCase):
    def test_same_as_scipy(self):
        rng = np.random.default_rng(5)
        a, c = sp.random(80, 20, 0.3, random_state=2, format="csr"), 1j * sp.random(80, 20, 0.3, random_state=3, format="csr")
        singular = poisson1d() @ sp.diags([0.0] + [1.0] * 39)
        tall, square = np.cos(np.arange(80.0)), np.arange(40.0)
        for name, m, b, damps in (
            ("tall", a, tall, (0, 0.5)), ("consistent", a, a @ np.ones(20), (0, 0.5)), ("complex", a + c, tall, (0, 0.5)), ("complex b", a, tall * 1j, (0,)),
            ("square", poisson1d(), square, (0, 0.5)), ("singular", singular, square, (0, 0.5)), ("wide", a.T, np.arange(20.0), (0.5,)), ("wide complex", (a + c).T, np.arange(20) * 1j, (0.5,)),
        ):
            for damp in damps:
                for x0 in None, rng.random(m.shape[1]):
                    for operator in False, True:
                        if name == "singular" and not damp and x0 is not None:
                            continue  # of the many x, the one nearest to x0 is wanted by neither
                        with self.subTest(name, damp=damp, x0=x0 is not None, operator=operator):
                            got = linalg.lsqr(reference.aslinearoperator(m) if operator else m, b, damp, atol=1e-12, btol=1e-12, x0=x0)
                            want = reference.lsqr(m, b, damp, atol=1e-14, btol=1e-14, iter_lim=10000, x0=x0)
                            np.testing.assert_allclose(got[0], want[0], rtol=1e-7, atol=1e-8)
                            np.testing.assert_allclose(got[3:5], want[3:5], rtol=1e-6, atol=1e-7)
                            self.assertEqual(got[1], 1 if name in ("consistent", "square") and damp == 0 else 2)
                            if not operator and damp == 0:
                                self.assertAlmostEqual(got[5], sp.linalg.norm(m))

    def test_least_norm(self):
        wide = sp.random(20, 80, 0.3, random_state=2) @ sp.diags(np.logspace(-3, 3, 80))
        tall = sp.vstack([wide, sp.csr_matrix((90, 80))])
        for m, options in (wide, {}), (wide * 1j, {}), (tall, {"scale": "none"}):
            b, x0 = m @ np.ones(80), np.cos(np.arange(80.0))
            x, istop = linalg.lsqr(m, b, atol=1e-13, btol=1e-13, x0=x0, **options)[:2]
            want = x0 + np.linalg.lstsq(m.toarray(), b - m @ x0, rcond=None)[0]
            self.assertEqual(istop, 1)
            np.testing.assert_allclose(x, want, rtol=0, atol=1e-6 * abs(want).max())

    def test_verdict(self):
        a, b, report = reference.aslinearoperator(sp.random(80, 20, 0.3, random_state=2)), np.ones(80), {}
        x, istop, itn = linalg.lsqr(a, b, atol=1e-10, btol=1e-10, report=report)[:3]
        r = b - a @ x
        error = np.linalg.norm(a.rmatvec(r)) / np.linalg.norm(r) / np.linalg.norm(a @ np.identity(20), 2)
        self.assertEqual((istop, report["reason"]), (2, "least squares"))
        self.assertLessEqual(error, report["least_squares"]["normal"] * (1 + 1e-3))
        self.assertLessEqual(report["least_squares"]["normal"], 1e-10)
        self.assertEqual(linalg.lsqr(a, b, atol=1e-10, btol=1e-10, iter_lim=itn // 2)[1], 7)
        with self.assertRaisesRegex(NotImplementedError, "rmatvec"):
            linalg.lsqr(reference.LinearOperator((40, 20), lambda x: np.zeros(40)), np.ones(40))
        wrong = reference.LinearOperator((40, 40), poisson1d().dot, rmatvec=lambda y: np.roll(y, 1), dtype=float)  # no transpose of it
        self.assertEqual(linalg.lsqr(wrong, np.arange(40.0), atol=1e-10, btol=1e-10)[1], 7)

    def test_guess_that_suffices(self):
        for a in sp.csr_matrix((5, 3)), sp.csr_matrix((3, 3)), sp.csr_matrix(([1e-200], ([0], [0])), shape=(5, 3)):
            b = np.array([0.0] * (a.shape[0] - 1) + [1e-200])
            for m in a, reference.aslinearoperator(a):
                for damp, x0 in (0, np.array([0.0, 1.0, 2.0])), (0.5, None):
                    x, istop, itn = linalg.lsqr(m, b, damp, x0=x0)[:3]
                    self.assertEqual((x.tolist(), istop, itn, linalg.lsqr(m, 0 * b, damp, x0=x0)[1]), ([0.0] * 3 if x0 is None else x0.tolist(), 2, 0, 1))

    def test_guess_far_away(self):
        """The verdict is on x and b, not on the correction of the guess."""
        a, b, rng = poisson1d() + sp.identity(40), np.ones(40), np.random.default_rng(1)
        tall = sp.csr_matrix(rng.random((60, 20)))
        for size in 1e3, 1e6, 1e10, 1e20:
            for m in a, reference.aslinearoperator(a):
                report = {}
                x, istop = linalg.lsqr(m, b, x0=np.full(40, size), report=report)[:2]
                self.assertEqual(istop == 1, np.linalg.norm(b - a @ x) <= 1e-6 * np.linalg.norm(b), size)
                self.assertEqual((istop, report["converged"]), (1, True) if size < 1e10 else (istop, istop != 7))
            x, istop = linalg.lsqr(tall, np.ones(60), x0=np.full(20, size))[:2]
            r = np.ones(60) - tall @ x
            self.assertEqual(istop == 2, np.linalg.norm(tall.T @ r) <= 1e-6 * sp.linalg.norm(tall) * np.linalg.norm(r), size)

    def test_lengths(self):
        for a in sp.random(9, 5, 0.5), reference.aslinearoperator(sp.random(9, 5, 0.5)):
            with self.assertRaisesRegex(ValueError, r"^b has the shape \(5,\), want \(9,\)"):
                linalg.lsqr(a, np.ones(5))
            with self.assertRaisesRegex(ValueError, r"^x0 has the shape \(9,\), want \(5,\)"):
                linalg.lsqr(a, np.ones(9), x0=np.ones(9))


class Objects(unittest.TestCase):
    def test_repr_and_pickle(self):
        a = poisson1d()
        with mpsolve.Solver(a) as solver:
            self.assertEqual(repr(solver), "<mpsolve.Solver of a 40x40 matrix>")
            result = solver.solve(np.ones(40))
        self.assertEqual(repr(solver), "<mpsolve.Solver of a 40x40 matrix, closed>")
        x, report = pickle.loads(pickle.dumps(result))
        self.assertEqual(report["reason"], "converged")
        error = pickle.loads(pickle.dumps(mpsolve.NotConvergedError("slow", x, report)))
        self.assertEqual((str(error), error.report["reason"]), ("slow", "converged"))


if __name__ == "__main__":
    unittest.main()
