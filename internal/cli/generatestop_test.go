//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// written returns the size of the unnamed file of a folder that a process writes; -1: there is none.
func written(pid int, dir string) int64 {
	fds := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(fds) // the process may have ended
	for _, e := range entries {
		path := filepath.Join(fds, e.Name())
		if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, dir+"/") {
			if info, err := os.Stat(path); err == nil {
				return info.Size()
			}
		}
	}
	return -1
}

// generate stops at once in any state, within seconds on a busy machine, and leaves nothing behind. Nobody reads its standard output.
func TestGenerateInterrupted(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	divisor := 1
	if host.RaceDetector { // every phase takes longer
		divisor = 2
	}
	for _, c := range []struct {
		phase  string
		signal syscall.Signal
		begun  func(pid int) bool
		kind   string
		n      int
	}{
		{"building", syscall.SIGINT, func(pid int) bool { return processorTime(t, pid) > 500*time.Millisecond }, "poisson3d", 200},
		{"checking the symmetry", syscall.SIGTERM, func(pid int) bool { return written(pid, dir) == 0 }, "poisson3d", 130},
		{"writing", syscall.SIGTERM, func(pid int) bool { return written(pid, dir) > 0 }, "poisson3d", 90},
		{"compressing", syscall.SIGINT, func(pid int) bool { return written(pid, dir) > 0 }, "poisson3d", 40},
		{"waiting for a reader", syscall.SIGINT, func(pid int) bool { return false }, "poisson2d", 180},
	} {
		command := testsupport.Command(t, "mpsolve", "generate", c.kind, "--n", fmt.Sprint(c.n/divisor))
		var stdout interface{ Close() error }
		if c.phase == "waiting for a reader" {
			out, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout = out
			c.begun = func(int) bool { _, err := out.Read(make([]byte, 1)); return err == nil }
		} else {
			name := "a.mtx"
			if c.phase == "compressing" {
				name += ".gz"
			}
			command.Args = append(command.Args, "--output", filepath.Join(dir, name))
		}
		var errOut strings.Builder
		command.Stderr = &errOut
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for !c.begun(command.Process.Pid) && time.Since(began) < 20*time.Second {
			time.Sleep(time.Millisecond)
		}
		sent := time.Now()
		if err := command.Process.Signal(c.signal); err != nil {
			t.Errorf("%s: ended after %v: %s", c.phase, time.Since(began), errOut.String())
		}
		late := time.AfterFunc(10*time.Second, func() { _ = command.Process.Signal(syscall.SIGQUIT) }) // prints where it hangs
		_ = command.Wait()                                                                             // the exit code says more
		late.Stop()
		took := time.Since(sent)
		if stdout != nil {
			stdout.Close()
		}
		if code := command.ProcessState.ExitCode(); code != 128+int(c.signal) || took > 5*time.Second {
			t.Errorf("%s: exit code %d after %v: %s", c.phase, code, took, errOut.String())
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v %v", c.phase, left, err)
		}
		t.Logf("%s: after %v, stopped in %v", c.phase, sent.Sub(began), took)
	}
}
