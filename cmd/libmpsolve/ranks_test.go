package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/cli"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// programVariable makes this test binary the program mpsolve, instead of tests.
const programVariable = "MPSOLVE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// mpi is an implementation of MPI, by the names of its programs.
type mpi struct {
	name             string
	run, cc, fortran string
	flags            []string
	spins            bool // ranks beyond the processors take a hundred times as long
}

var implementations = []mpi{
	{name: "Open MPI", run: "mpirun.openmpi", cc: "mpicc.openmpi", fortran: "mpif90.openmpi", flags: []string{"--oversubscribe"}},
	{name: "MPICH", run: "mpirun.mpich", cc: "mpicc.mpich", fortran: "mpif90.mpich", spins: true},
}

// eachMPI tests the library in a folder with each implementation that is installed, by Debian's names.
func eachMPI(t *testing.T, folder string) {
	lib, include := filepath.Join(folder, "lib"), filepath.Join(folder, "include")
	link := []string{"-I", include, "-L", lib, "-lmpsolve", "-lm", "-lpthread"}
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	for _, on := range implementations {
		t.Run(on.name, func(t *testing.T) {
			needs(t, on.run, on.cc)
			if testsupport.Command(t, on.cc, "-E", "-include", "mpi.h", "-x", "c", os.DevNull).Run() != nil {
				t.Skipf("%s has no mpi.h: nothing is tested with it", on.cc)
			}
			program := func(from ...string) string {
				to := filepath.Join(t.TempDir(), "program")
				run(t, on.cc, slices.Concat([]string{"-std=c99", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", filepath.Join(from...)}, link, []string{"-o", to})...)
				return to
			}
			ranks(t, on, program("testdata", "ranks.c"))
			mesh := program(root, "examples", "mpi", "mesh.c")
			out := on.ranks(t, 1, mesh)
			converged(t, out[0])
			if other := on.ranks(t, 2, mesh); !slices.Equal(out, other) {
				t.Errorf("the example prints %q on 1 rank, %q on 2", out, other)
			}
			t.Run("Fortran", func(t *testing.T) {
				needs(t, on.fortran, "gfortran")
				dir := t.TempDir()
				to := filepath.Join(dir, "program")
				run(t, on.fortran, slices.Concat([]string{"-std=f2008", "-Wall", "-J", dir, filepath.Join(include, "mpsolve.f90"), filepath.Join("testdata", "ranks.f90")}, link, []string{"-o", to})...)
				converged(t, on.ranks(t, 2, to)[0])
			})
		})
	}
}

// jobTime is the time that a job may take.
const jobTime = time.Minute

// ranks runs a program on so many ranks, and returns its lines.
func (on mpi) ranks(t *testing.T, size int, program ...string) []string {
	t.Helper()
	c := testsupport.Within(t, jobTime, on.run, slices.Concat(on.flags, []string{"-n", strconv.Itoa(size)}, program)...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// ranks solves the system of testdata/ranks.c over ranks.
func ranks(t *testing.T, on mpi, program string) {
	dir := t.TempDir()
	system := filepath.Join(dir, "system")
	on.ranks(t, 1, program, "write", system)
	for _, domains := range []string{"1", "3"} {
		var first []float64
		want := on.mpsolve(t, system, domains)
		for size := 1; size <= 3; size++ {
			if on.spins && size > runtime.NumCPU() {
				t.Logf("%d ranks of %s need as many processors: not tested", size, on.name)
				continue
			}
			file := filepath.Join(dir, "x")
			if out := on.ranks(t, size, program, "solve", file, domains); len(out) > 0 {
				t.Errorf("%s domains, %d ranks: %q", domains, size, out)
			}
			all := slices.Collect(slices.Chunk(numbers(t, file), 2*len(want))) // x, and x of other values, for each cut
			if len(all) != 3 {
				t.Fatalf("%s domains, %d ranks: %d cuts", domains, size, len(all))
			}
			for k, x := range all {
				if !sameBits(x[:len(want)], want) {
					t.Errorf("%s domains, %d ranks, cut %d: x has other bits than with mpsolve solve", domains, size, k)
				}
				if first == nil {
					first = x
				}
				if !sameBits(x, first) {
					t.Errorf("%s domains, %d ranks, cut %d: x of other values has other bits than on one rank", domains, size, k)
				}
			}
		}
	}
	for what, want := range map[string]string{
		"threads": "threads  5 MPI: the program has initialised MPI without threads: it must call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE\n",
		"faults": `matrix  2 rank 1: there is a matrix already
null  2 rank 1: a pointer is NULL
offsets  4 rank 1: the offsets of the rows do not begin at the base, or decrease
column  4 rank 1: csr: row 1: column index 1728 out of range [0, 1728)
n  4 rank 1 says that the matrix has 1729 rows, rank 0 says 1728
overlap  4 rank 1 has the rows 864 to 1727, counted from 1, and row 865 is the first that no rank before has: each row must be on one rank
gap  4 the ranks have 1727 rows of 1728
options  2 rank 1 has the options tol=0.001, rank 0 the options tol=1e-12; all ranks need the same arguments
domains 5000 4 5000 domains of 1728 rows: each needs a row at least
infinite 1 4 A (in memory): the matrix has 1 entry that is NaN or Inf, the first in row 866, column 722
infinite 3 4 A (in memory): the matrix has 1 entry that is NaN or Inf, the first in row 866, column 722
null b 3 2 rank 1: a pointer is NULL
element 1 4 element 866 of the right-hand side is NaN
element 3 4 element 866 of the right-hand side is NaN
count 3 2 a rank solves for 2 right-hand sides, another for 1
guess 3 2 no initial guess, while another rank has one
iterations 1 3 iteration limit
iterations 3 3 iteration limit
interrupt 1 130 interrupted
interrupt 3 130 interrupted
`,
	} {
		on.ranks(t, 2, program, what, filepath.Join(dir, what))
		for r := range 2 {
			text, err := os.ReadFile(filepath.Join(dir, what+"."+strconv.Itoa(r)))
			if string(text) != want {
				t.Errorf("%s, rank %d: %v\n%s\nwant\n%s", what, r, err, text, want)
			}
		}
	}
}

// mpsolve returns the x of the program mpsolve on two ranks.
func (on mpi) mpsolve(t *testing.T, system, domains string) []float64 {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(programVariable, "mpsolve")
	on.ranks(t, 2, self, "solve", system+".a", "--rhs", system+".b", "--tol", "1e-12", "--domains", domains, "--output", system+".mtx", "--quiet")
	t.Setenv(programVariable, "")
	return numbers(t, system+".mtx")[2:] // after the dimensions
}

// numbers returns the numbers in a file, without comments.
func numbers(t *testing.T, file string) (x []float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "%") {
			continue
		}
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			x = append(x, v)
		}
	}
	return x
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}
