"""Runs ranks.py over ranks."""

import os
import shutil
import subprocess
import sys
import unittest

import mpsolve

FOLDER = os.path.dirname(os.path.abspath(__file__))
MESH = os.path.join(FOLDER, "..", "..", "..", "examples", "mpi", "mesh.py")


class Ranks(unittest.TestCase):
    def setUp(self):
        version = subprocess.run([sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"], capture_output=True, text=True)
        if version.returncode:
            self.skipTest("no mpi4py")
        names = ["mpirun.openmpi", "mpirun"] if "Open MPI" in version.stdout else ["mpirun.mpich", "mpirun"]
        self.mpirun = next(filter(None, map(shutil.which, names)), None)
        if self.mpirun is None:
            self.skipTest("no mpirun of mpi4py's library")
        self.flags = ["--oversubscribe"] if "Open MPI" in version.stdout else []

    def run_ranks(self, size, program):
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(mpsolve.__file__))), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        job = subprocess.run([self.mpirun, *self.flags, "-n", str(size), sys.executable, program], capture_output=True, text=True, timeout=120, env=environment)
        self.assertEqual(job.returncode, 0, job.stdout + job.stderr)
        return job.stdout

    def test_same_bits(self):
        self.assertEqual(len({self.run_ranks(size, os.path.join(FOLDER, "ranks.py")) for size in (1, 2, 3)}), 1)

    def test_example(self):
        if not os.path.exists(MESH):
            self.skipTest("the package's tests have no examples")
        self.assertRegex(self.run_ranks(2, MESH), "^converged.*; largest error .*e-1")


if __name__ == "__main__":
    unittest.main()
