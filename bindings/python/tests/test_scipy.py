"""SciPy's own tests of its iterative methods, with the functions of mpsolve.linalg in their place."""

import importlib.util
import os
import re
import unittest
import warnings

import scipy

from mpsolve import linalg

# The cases that fail, as expressions for their names, and why.
DIFFERENT = {
    r"check_convergence (cgs|bicg|bicgstab|tfqmr) sym-nonpd": "wants failure where mpsolve finds x",
    r"test_x0_equals_Mb": "x0='Mb' is private to SciPy",
    r"test_maxiter_worsening": "a singular system without a solution: mpsolve's x is another one",
    r"test_defective_": "a singular system without a solution: mpsolve's x is another one",
    r"test_basic|test_callback_type|test_callback_x_monotonic": "maxiter counts iterations, not cycles",
    r"test_callback$": "the residual of the callback is not multiplied by M",
    r"test_atol_legacy": "wants x = 0 by a tolerance that SciPy calls strange",
    r"test_restrt_dep": "restrt is a deprecated name",
}

OURS = ["cg", "cgs", "bicg", "bicgstab", "gmres", "minres", "tfqmr"]


def load():
    """Returns the names of SciPy's file of tests, None if this SciPy or its tools are others."""
    if not scipy.__version__.startswith("1.10.") or importlib.util.find_spec("pytest") is None:
        return None
    spec = importlib.util.find_spec("scipy.sparse.linalg._isolve.tests")
    if spec is None:
        return None
    with open(os.path.join(os.path.dirname(spec.origin), "test_iterative.py")) as file:
        text = file.read()
    names = {"__name__": "test_iterative"}
    text = text.replace("\n\n# TODO", "\nimport mpsolve.linalg as m\n" + "".join(f"{n} = m.{n}\n" for n in OURS) + "\n# TODO", 1)
    exec(compile(text, "test_iterative.py", "exec"), names)
    return names


def calls(names):
    """Yields the name of each case with a function that runs it."""
    for name in OURS:
        solver = getattr(linalg, name)
        for check in "check_maxiter", "check_convergence", "check_precond_dummy":
            for case in names["params"].cases:
                if solver not in case.skip and (check == "check_convergence" or solver not in case.nonconvergence):
                    yield f"{check} {name} {case.name}", lambda: names[check](solver, case)
        for case in names["params"].Poisson1D, names["params"].Poisson2D:
            yield f"check_precond_inverse {name} {case.name}", lambda: names["check_precond_inverse"](solver, case)
        yield f"check_reentrancy {name}", lambda: names["_check_reentrancy"](solver, True)
        tests = {"test_zero_rhs": (), "test_x0_working": (), "test_atol": ("minres", "tfqmr"), "test_maxiter_worsening": ("minres", "cg"), "test_x0_equals_Mb": ("tfqmr",)}
        for test, without in tests.items():
            if name not in without:
                yield f"{test} {name}", lambda: names[test](solver)
    for test in sorted(vars(names["TestGMRES"])):
        if test.startswith("test"):
            yield test, getattr(names["TestGMRES"](), test)


class SciPy(unittest.TestCase):
    def test_iterative(self):
        names = load()
        if names is None:
            self.skipTest("needs SciPy 1.10 with its tests, and pytest")
        count = 0
        for name, call in calls(names):
            count += 1
            why = next((why for pattern, why in DIFFERENT.items() if re.match(pattern, name)), None)
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    call()
                    passed = True
                except BaseException:
                    if why is None:
                        raise
                    passed = False
                self.assertEqual(passed, why is None, f"passes, but the list says: {why}")
        self.assertGreater(count, 400)


if __name__ == "__main__":
    unittest.main()
