"""The wheel holds libmpsolve.so, which `make wheel` puts beside the package, and no code for a certain Python."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    version=os.environ.get("MPSOLVE_VERSION") or "0",
    packages=["mpsolve"],
    package_data={"mpsolve": ["libmpsolve.so"]},
    distclass=Binary,
    cmdclass={"bdist_wheel": AnyPython},
)
