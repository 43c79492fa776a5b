# Spack recipe, for var/spack/repos/builtin/packages/mpsolve-sparse/package.py. The checksum is that of the released archive.
from spack.package import *


class MpsolveSparse(GoPackage):
    """Sparse linear systems by mixed-precision iterative methods, with a verified solution."""

    homepage = "https://github.com/mpsolve/mpsolve"
    url = "https://github.com/mpsolve/mpsolve/archive/refs/tags/v0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0", sha256="SHA256_OF_THE_RELEASE")

    variant("cgo", default=True, description="GPUs and MPI, whose libraries are opened at run time")

    depends_on("go@1.26:", type="build")
    depends_on("c", type="build", when="+cgo")

    build_directory = "."

    def setup_build_environment(self, env):
        env.set("CGO_ENABLED", "1" if self.spec.satisfies("+cgo") else "0")

    @property
    def build_args(self):
        version = f"-X github.com/mpsolve/mpsolve/internal/cli.Version=v{self.version}"
        return ["-o", "mpsolve", "-ldflags", f"-s -w {version}", "./cmd/mpsolve"]

    def install(self, spec, prefix):
        mkdirp(prefix.bin)
        install("mpsolve", prefix.bin)
        Executable("./mpsolve")("man", "--output", prefix.share.man.man1)

    def test_version(self):
        """mpsolve --version has the version of the package"""
        assert f"mpsolve v{self.version} " in Executable(self.prefix.bin.mpsolve)("--version", output=str)
