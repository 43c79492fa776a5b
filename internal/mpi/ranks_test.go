//go:build cgo && (linux || darwin)

package mpi

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// roleVariable names the role of this test binary as a rank under mpirun, instead of tests.
const roleVariable = "MPSOLVE_TEST_ROLE"

// roles are the programs of ranks, by name; the result is the exit code.
var roles = map[string]func(c dist.Comm) int{}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	c, stop, err := Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(5)
	}
	code := roles[role](c)
	stop()
	os.Exit(code)
}

// mpiruns are the launchers of the two implementations, as Debian names them, and by their usual names.
var mpiruns = map[kind][]string{
	openMPI: {"mpirun.openmpi", "mpirun"},
	mpich:   {"mpirun.mpich", "mpiexec.hydra", "mpirun"},
}

// mpirun returns the launcher of a kind, or skips the test.
func mpirun(t *testing.T, k kind) string {
	for _, name := range mpiruns[k] {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, _ := testsupport.Command(t, path, "--version").CombinedOutput()
		if bytes.Contains(version, []byte("Open MPI")) == (k == openMPI) {
			return path
		}
	}
	t.Skipf("no mpirun of %s: nothing is tested with it", k.title())
	return ""
}

// job is a run of this test binary under mpirun.
type job struct {
	kind  kind
	ranks int
	role  string
	env   []string // NAME=value, for the ranks
}

// run returns the output of the job and its exit code.
func (j job) run(t *testing.T) (out string, code int) {
	t.Helper()
	command := j.command(t)
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return text.String(), command.ProcessState.ExitCode()
}

// jobTime is the time that a job may take.
const jobTime = 60 * time.Second

func (j job) command(t *testing.T) *exec.Cmd {
	t.Helper()
	args := []string{"-n", fmt.Sprint(j.ranks)}
	if j.kind == openMPI {
		args = append(args, "--oversubscribe")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := testsupport.Within(t, jobTime, mpirun(t, j.kind), append(args, self)...)
	command.Env = append(os.Environ(), roleVariable+"="+j.role, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	command.Env = append(command.Env, j.env...)
	return command
}

// jobs are the kinds and numbers of ranks of the tests; MPICH spins, so there are no more ranks than processors.
var jobs = []job{
	{kind: openMPI, ranks: 1},
	{kind: openMPI, ranks: 3},
	{kind: openMPI, ranks: 8},
	{kind: mpich, ranks: 1},
	{kind: mpich, ranks: 2},
}

func (j job) String() string {
	return fmt.Sprintf("%s on %d", strings.ReplaceAll(string(j.kind), " ", ""), j.ranks)
}
