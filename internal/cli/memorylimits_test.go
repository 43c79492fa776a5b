//go:build linux && cgo

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// limited runs mpsolve in a shell after a command that sets a limit, and returns standard output, standard error and the exit
// code.
func limited(t *testing.T, dir, limit, args string) (out, errOut string, code int) {
	c := testsupport.Command(t, "sh", "-c", limit+"; exec mpsolve "+args)
	c.Dir = dir
	var text, errors strings.Builder
	c.Stdout, c.Stderr = &text, &errors
	_ = c.Run() // the exit code tells more
	return text.String(), errors.String(), c.ProcessState.ExitCode()
}

// refusal reports whether it ended with one line about memory and exit code 1.
func refusal(errOut string, code int) bool {
	return code == exitFailure && strings.Count(errOut, "\n") == 1 && strings.HasPrefix(errOut, "mpsolve: ") && strings.Contains(errOut, "memory")
}

// grids writes two matrices, and returns the folder and their names.
func grids(t *testing.T, n ...int) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	for _, n := range n {
		name := fmt.Sprintf("g%d.mtx", n)
		if _, errOut, code := limited(t, dir, ":", fmt.Sprintf("generate poisson2d --n %d --output %s", n, name)); code != 0 {
			t.Fatal(errOut)
		}
		names = append(names, name)
	}
	return dir, names
}

// With any limit by ulimit -v, a solve ends with an x or with one line about memory, never with a dump of Go's runtime: if nothing
// fits, if the matrix does not fit, if the solve does not, and if everything does.
func TestAddressSpace(t *testing.T) {
	if host.RaceDetector {
		t.Skip("the race detector takes terabytes of address space")
	}
	dir, names := grids(t, 500)
	solved, refused := 0, map[string]int{}
	limits := []int{100, 200, 700, 900, 1050, 1110, 1200, 1300, 1400, 1500, 3000} // in MB: Go's tables take between 0.6 and 1.2 GB of them
	if testing.Short() {
		limits = []int{1110, 1400, 3000}
	}
	for _, limit := range limits {
		_, errOut, code := limited(t, dir, fmt.Sprintf("ulimit -v %d", limit*1000), "solve --precond none --max-iter 2 --quiet "+names[0])
		switch {
		case code == exitNotConverged && errOut == "":
			solved++
		case refusal(errOut, code):
			words := strings.Fields(errOut)
			refused[strings.Join(words[1:min(4, len(words))], " ")]++
		default:
			t.Errorf("ulimit -v of %d MB: exit code %d, %s", limit, code, errOut)
		}
	}
	t.Logf("solved %d times, refused %v", solved, refused)
	if solved == 0 || len(refused) == 0 {
		t.Error("the limits do not tell what fits from what does not")
	}
}

// A small system is solved in 200 MB more than Go's tables take, also when mpsolve checks its memory, for which the matrix comes
// late: the heap is not prepared there, and threads have small stacks.
func TestSmallAddressSpace(t *testing.T) {
	if host.RaceDetector {
		t.Skip("the race detector takes terabytes of address space")
	}
	dir, names := grids(t, 20)
	for _, limit := range []int{1420, 1500} {
		late := fmt.Sprintf("ulimit -v %d; (sleep 0.3; cat %s) | { :", limit*1000, names[0])
		if _, errOut, code := limited(t, dir, late, "solve --quiet -; }"); code != 0 || errOut != "" {
			t.Errorf("ulimit -v of %d MB: exit code %d, %s", limit, code, errOut)
		}
	}
}

// memoryGroup makes a cgroup (version 1 or 2) with a memory limit in bytes, and returns its folder.
func memoryGroup(t *testing.T, bytes int64) string {
	t.Helper()
	for _, at := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		group, err := os.MkdirTemp(at.root, "mpsolve-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(group); err != nil {
				t.Error(err)
			}
		})
		if os.WriteFile(filepath.Join(group, at.limit), []byte(strconv.FormatInt(bytes, 10)), 0) == nil {
			return group
		}
	}
	t.Skip("this process may not make a cgroup with a limit of memory")
	return ""
}

// mpsolve keeps the limit of a cgroup: it solves systems that fit, refuses others in one line, and is not killed.
func TestCgroup(t *testing.T) {
	if host.RaceDetector {
		t.Skip("the race detector takes several times the memory")
	}
	group := memoryGroup(t, 100<<20)
	dir, names := grids(t, 150, 500)
	enter := fmt.Sprintf("echo $$ > %s/cgroup.procs", group)
	for _, c := range []struct {
		args string
		want string // words of the refusal; "": the system fits
	}{
		{"solve --quiet " + names[0], ""},
		{"solve --quiet " + names[1], "solving takes"},
		{"solve --quiet --max-memory 1GB " + names[1], "solving takes"},
		{"generate poisson2d --n 3000 --output big.mtx", "of memory, this process can have"},
	} {
		out, errOut, code := limited(t, dir, enter, c.args)
		switch {
		case c.want == "" && (code != 0 || errOut != ""):
			t.Errorf("%s: exit code %d, %s%s", c.args, code, out, errOut)
		case c.want != "" && !(refusal(errOut, code) && strings.Contains(errOut, c.want)):
			t.Errorf("%s: exit code %d, %s%s", c.args, code, out, errOut)
		}
	}
}
