# Recipe of BinaryBuilder for mpsolve_sparse_jll, for Yggdrasil's M/mpsolve_sparse. The checksum is that of the released archive.
# Licence: BSD-3-Clause
using BinaryBuilder

name = "mpsolve_sparse"
version = v"0.1.0"
sources = [ArchiveSource("https://github.com/mpsolve/mpsolve/archive/refs/tags/v$version.tar.gz", "SHA256_OF_THE_RELEASE")]

# The program and the C library; what cgo opens at run time is no dependency.
script = raw"""
cd ${WORKSPACE}/srcdir/mpsolve-*
export CGO_ENABLED=1
go build -trimpath -ldflags "-s -w -X github.com/mpsolve/mpsolve/internal/cli.Version=v0.1.0" -o ${bindir}/mpsolve ./cmd/mpsolve
make libmpsolve LIBMPSOLVE=${prefix} VERSION=v0.1.0
install_license LICENSE
"""

platforms = [Platform("x86_64", "linux"; libc = "glibc"), Platform("aarch64", "linux"; libc = "glibc")]
products = [ExecutableProduct("mpsolve", :mpsolve), LibraryProduct("libmpsolve", :libmpsolve)]
dependencies = Dependency[]

build_tarballs(ARGS, name, version, sources, script, platforms, products, dependencies; compilers = [:c, :go], julia_compat = "1.6")
