//go:build cgo && (linux || darwin)

package mpi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// compiled returns a shared library made from a file of testdata, with macros defined.
func compiled(t *testing.T, file string, macros ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: libraries with faults are not tested")
	}
	lib := filepath.Join(t.TempDir(), "libstub.so")
	args := []string{"-shared", "-fPIC", "-o", lib, filepath.Join("testdata", file), "-ldl"}
	for _, m := range macros {
		args = append(args, "-D"+m)
	}
	if out, err := testsupport.Command(t, cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

// alone runs a role without a launcher, in the given environment, and returns its output and exit code.
func alone(t *testing.T, role string, env ...string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := testsupport.Command(t, self)
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !launchersVariable(name) {
			command.Env = append(command.Env, v)
		}
	}
	command.Env = append(command.Env, append(env, roleVariable+"="+role)...)
	out, _ := command.CombinedOutput()
	return string(out), command.ProcessState.ExitCode()
}

// launchersVariable reports whether a variable belongs to a launcher, under which the tests themselves may run.
func launchersVariable(name string) bool {
	for _, row := range launchers {
		if name == row.rank || name == row.size {
			return true
		}
	}
	return name == Variable
}

// TestLibraries tries faulty libraries, and none.
func TestLibraries(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "libmpi.so")
	for _, c := range []struct {
		name, library string
		size          string
		role          string
		code          int
		says          string
	}{
		{"missing", missing, "2", "code", 5, "MPI: MPSOLVE_MPI: no " + missing + ": set it to openmpi, mpich, abi, none, or the path of an MPI library\n"},
		{"no MPI", "libm.so.6", "2", "code", 5, "MPI: mpiexec of MPICH or its kin started 2 processes, but libm.so.6 has no MPI_Get_library_version: too old, or no MPI: set "},
		{"old", compiled(t, "stub.c", "OLD"), "1", "code", 5, " has no MPI_Ibarrier: too old, or no MPI: set MPSOLVE_MPI to "},
		{"unknown", compiled(t, "stub.c", "UNKNOWN"), "1", "code", 5, " is of an unknown kind: Exotic MPI 7: set MPSOLVE_MPI to "},
		{"single", compiled(t, "stub.c", "SINGLE"), "1", "code", 5, " has no MPI_THREAD_SERIALIZED: set MPSOLVE_MPI to "},
		{"alone", compiled(t, "stub.c"), "2", "code", 5, "(the MPICH family) sees 1 of them: "},
		{"signals taken", compiled(t, "stub.c", "TAKEN"), "1", "nil", 0, "recovered: runtime error: invalid memory address"},
		{"fine", compiled(t, "stub.c"), "1", "code", 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, code := alone(t, c.role, "PMI_RANK=0", "PMI_SIZE="+c.size, Variable+"="+c.library)
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d\n%s\nwant %s", code, c.code, out, c.says)
			}
			if code == 5 && strings.Count(out, "\n") != 1 {
				t.Errorf("more than a line:\n%s", out)
			}
		})
	}
}

// TestNoLibrary: no library is opened without a launcher, for a single process, or on request.
func TestNoLibrary(t *testing.T) {
	const bad = Variable + "=/no/such/library"
	for _, env := range [][]string{
		{},
		{bad},
		{"SLURM_PROCID=0", "SLURM_NTASKS=8", bad}, // the shell of a batch script
		{"PMI_RANK=0", "PMI_SIZE=1"},
		{"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4", Variable + "=none"},
	} {
		if out, code := alone(t, "code", env...); code != 3 || out != "" {
			t.Errorf("%v: exit code %d, %s", env, code, out)
		}
	}
}
