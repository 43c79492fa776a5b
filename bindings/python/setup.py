"""The wheel holds libmpsolve.so, which `make wheel` puts beside the package, and no code for a certain Python."""

import os
import re

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


def oldest_glibc():
    """The version of glibc that the library needs, such as 2.34, by the names of the symbols that it takes from there."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpsolve", "libmpsolve.so"), "rb") as library:
        versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", library.read())
    return max((int(major), int(minor)) for major, minor in versions)


class AnyPython(bdist_wheel):
    """The library needs nothing but glibc, which the tag says (PEP 600): pip refuses the wheel where glibc is older."""

    def get_tag(self):
        platform = super().get_tag()[2]
        return "py3", "none", platform.replace("linux", "manylinux_%d_%d" % oldest_glibc(), 1)


setup(
    version=os.environ.get("MPSOLVE_VERSION") or "0",
    packages=["mpsolve"],
    package_data={"mpsolve": ["libmpsolve.so", "py.typed", "*.pyi"]},
    distclass=Binary,
    cmdclass={"bdist_wheel": AnyPython},
)
