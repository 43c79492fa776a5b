//go:build unix && cgo

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// A launcher starts ranks.
type launcher struct {
	name  string // value of MPSOLVE_MPI for its library
	paths []string
	flags []string
	ranks int // number of ranks in tests: MPICH spins if there are fewer processors

	terminated int  // its exit code after SIGTERM
	loses      bool // the exit code after SIGTERM is sometimes 0
	killed     int  // its exit code after one of its ranks was killed
}

var launchers = []launcher{
	{name: "openmpi", paths: []string{"mpirun.openmpi", "mpirun"}, flags: []string{"--oversubscribe"}, ranks: 3, terminated: 1, killed: 137},
	{name: "mpich", paths: []string{"mpirun.mpich", "mpiexec.hydra", "mpirun"}, ranks: 2, terminated: 143, loses: true, killed: 9},
}

// eachLauncher runs a test with each launcher that is installed. Launchers wait most of the time, so that tests may run beside others, except
// where the launcher gives ranks a second to end before it kills them.
func eachLauncher(t *testing.T, test func(t *testing.T, on *onRanks)) {
	for _, l := range launchers {
		t.Run(l.name, func(t *testing.T) { test(t, &onRanks{launcher: l, mpirun: l.find(t), dir: t.TempDir()}) })
	}
}

// find returns the path of the launcher, or skips the test.
func (l launcher) find(t *testing.T) string {
	t.Helper()
	for _, name := range l.paths {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, _ := testsupport.Command(t, path, "--version").CombinedOutput()
		if bytes.Contains(version, []byte("Open MPI")) == (l.name == "openmpi") {
			return path
		}
	}
	t.Skipf("no mpirun of %s: nothing is tested with it", l.name)
	return ""
}

// onRanks runs mpsolve under a launcher, in a folder of its own.
type onRanks struct {
	launcher
	mpirun string
	dir    string
	env    []string

	terminal *os.File // terminal at which jobs start; nil: none
}

// numbers returns numbers of ranks for case k of a test: all of them for the first case, two for each of the others, since ranks
// that wait for each other take seconds of processor time.
func (on *onRanks) numbers(k int) (ranks []int) {
	if k > 0 {
		return []int{2}
	}
	for r := range on.ranks {
		ranks = append(ranks, r+1)
	}
	return ranks
}

// ended is the output of a job, and its exit code.
type ended struct {
	out, err string
	code     int
}

// said returns the lines of mpsolve on standard error, without those of the launcher.
func (e ended) said() (lines []string) {
	for line := range strings.Lines(e.err) {
		if strings.HasPrefix(line, "mpsolve: ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// mpsolve runs mpsolve on all ranks.
func (on *onRanks) mpsolve(t *testing.T, args string) ended {
	t.Helper()
	return on.wait(t, on.start(t, append([]string{"-n", fmt.Sprint(on.ranks), "mpsolve"}, strings.Fields(args)...)...))
}

// jobTime bounds a job, which hangs if it takes longer.
const jobTime = 2 * time.Minute

// started is a running job.
type started struct{ *exec.Cmd }

// The output of a job goes to these files in its folder.
const (
	outFile = "standard.output"
	errFile = "standard.error"
)

// start starts the launcher with additional arguments.
func (on *onRanks) start(t *testing.T, args ...string) *started {
	t.Helper()
	s := &started{Cmd: testsupport.Within(t, jobTime, on.mpirun, append(on.flags, args...)...)}
	s.Dir, s.Stdout, s.Stderr = on.dir, on.create(t, outFile), on.create(t, errFile)
	s.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	s.Env = append(s.Env, on.env...)
	if on.terminal != nil {
		s.Stdin, s.SysProcAttr = on.terminal, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (on *onRanks) create(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(on.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (on *onRanks) wait(t *testing.T, s *started) ended {
	t.Helper()
	start := time.Now()
	err := s.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || time.Since(start) > jobTime {
		t.Fatalf("%v after %v: %s", err, time.Since(start), on.file(t, errFile))
	}
	return ended{on.file(t, outFile), on.file(t, errFile), s.ProcessState.ExitCode()}
}

// alone runs mpsolve without a launcher.
func (on *onRanks) alone(t *testing.T, args string) ended {
	t.Helper()
	c := testsupport.Command(t, "mpsolve", strings.Fields(args)...)
	var out, errOut bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = on.dir, &out, &errOut
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{out.String(), errOut.String(), c.ProcessState.ExitCode()}
}

// must is alone for a run that must end with exit code 0.
func (on *onRanks) must(t *testing.T, args string) {
	t.Helper()
	if e := on.alone(t, args); e.code != 0 {
		t.Fatalf("mpsolve %s: %d, %s", args, e.code, e.err)
	}
}

// file returns the content of a file in the folder; "" without a file.
func (on *onRanks) file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(on.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// write writes a file in the folder.
func (on *onRanks) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(on.dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// want checks the exit code and, unless line is "", the only line of mpsolve on standard error.
func (e ended) want(t *testing.T, what string, code int, line string) {
	t.Helper()
	said := e.said()
	if e.code != code || line == "" && len(said) > 0 || line != "" && (len(said) != 1 || !strings.Contains(said[0], line)) {
		t.Errorf("%s: exit code %d, want %d and once %q\n%s%s", what, e.code, code, line, e.out, e.err)
	}
}
