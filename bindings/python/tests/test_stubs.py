"""The types that editors and type checkers read name what there is."""

import ast
import inspect
import os
import unittest

import mpsolve
from mpsolve import linalg


class Stubs(unittest.TestCase):
    def compare(self, module, name):
        path = os.path.join(os.path.dirname(mpsolve.__file__), name)
        with open(path) as stub:
            body = ast.parse(stub.read()).body
        seen = set()
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                self.assertTrue(inspect.isclass(getattr(module, node.name)), node.name)
                seen.add(node.name)
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        self.same(method, getattr(getattr(module, node.name), method.name))
            elif isinstance(node, ast.FunctionDef):
                seen.add(node.name)
                self.same(node, getattr(module, node.name))
        self.assertEqual(seen, set(module.__all__))

    def same(self, node, function):
        a = node.args
        names = [p.arg for p in a.args + [v for v in [a.vararg] if v] + a.kwonlyargs + [v for v in [a.kwarg] if v]]
        has = inspect.signature(function).parameters
        self.assertEqual(names, list(has), node.name)
        defaults = dict(zip([p.arg for p in a.args][len(a.args) - len(a.defaults):], a.defaults))
        defaults.update({p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d})
        for p in has.values():
            want = ast.literal_eval(defaults[p.name]) if p.name in defaults else inspect.Parameter.empty
            self.assertEqual(p.default, want, f"{node.name}: {p.name}")

    def test_solve(self):
        self.compare(mpsolve, "__init__.pyi")

    def test_linalg(self):
        self.compare(linalg, "linalg.pyi")


if __name__ == "__main__":
    unittest.main()
