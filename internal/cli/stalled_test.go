//go:build linux

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// stalledPipe returns the writing end of a full pipe that nobody reads.
func stalledPipe(t *testing.T) *os.File {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	for full := error(nil); !errors.Is(full, syscall.EAGAIN); _, full = syscall.Write(fds[1], make([]byte, 4096)) {
	}
	if err := syscall.SetNonblock(fds[1], false); err != nil {
		t.Fatal(err)
	}
	w := os.NewFile(uintptr(fds[1]), "pipe")
	t.Cleanup(func() { w.Close(); syscall.Close(fds[0]) })
	return w
}

// One signal ends a command within about a second while a pipe that nobody reads blocks its output, x or the error itself.
func TestStalledInterrupted(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	held, err := os.OpenFile(fifo, os.O_RDWR, 0) // a reader that reads nothing
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	matrix := filepath.Join(t.TempDir(), "a.mtx")
	if out, err := testsupport.Command(t, "mpsolve", "generate", "poisson2d", "--n", "80", "--output", matrix).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		args     string
		out, err bool // true: stalled
	}{
		{"generate poisson2d --n 200", true, true},
		{"solve A", true, true},
		{"solve A --json", true, false},
		{"solve A --verbose", false, true},
		{"solve A --output /dev/stdout", true, false},
		{"solve A --tol 1e-3 --digits none --output " + fifo, false, false},
		{"info A", true, false},
		{"convert A - --to mtx", true, false},
	} {
		t.Run(strings.Fields(c.args)[0], func(t *testing.T) {
			t.Parallel()
			command := testsupport.Command(t, "mpsolve", strings.Fields(strings.ReplaceAll(c.args, "A", matrix))...)
			command.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			var said strings.Builder
			command.Stderr = &said
			if c.out {
				command.Stdout = stalledPipe(t)
			}
			if c.err {
				command.Stderr = stalledPipe(t)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond)
			sent := time.Now()
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal("ended before")
			}
			late := time.AfterFunc(10*time.Second, func() { _ = command.Process.Kill() })
			_ = command.Wait() // the exit code says more
			late.Stop()
			if code, took := command.ProcessState.ExitCode(), time.Since(sent); code != 143 || took > 2*time.Second {
				t.Errorf("exit code %d after %v: %s", code, took, said.String())
			}
		})
	}
}
