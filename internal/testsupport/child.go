// Package testsupport has matrices and vectors for tests, starts programs for tests, and compares results for each
// set of kernels with a record. A program that hangs does not hold up the tests until the end: after a while its
// process group gets SIGQUIT, at which a Go program prints the stacks of its goroutines, and then SIGKILL.
package testsupport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	limit = 2 * time.Minute // of a program
	grace = 5 * time.Second // between the signals
)

// Command is exec.Command for a test, which fails if the program has not ended after two minutes. The program has its
// own process group, unless SysProcAttr is set before it starts.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	return Within(t, limit, name, args...)
}

// Within is Command with another limit.
func Within(t testing.TB, limit time.Duration, name string, args ...string) *exec.Cmd {
	t.Helper()
	c, cancel := limited(limit, grace, func(c *exec.Cmd) { t.Errorf("%s: has not ended after %v", c, limit) }, name, args...)
	t.Cleanup(cancel)
	return c
}

// Run runs a program on the standard files of this process, as test scripts do, and returns its exit code. If the
// program has not ended after two minutes, Run prints the ends of the files err* in its folder.
func Run(name string, args ...string) int {
	var hung atomic.Bool
	c, cancel := limited(limit, grace, func(*exec.Cmd) { hung.Store(true) }, name, args...)
	defer cancel()
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	switch {
	case hung.Load():
		fmt.Fprintf(os.Stderr, "%s: has not ended after %v\n", c, limit)
		files, _ := filepath.Glob("err*")
		for _, name := range files {
			fmt.Fprintf(os.Stderr, "%s:\n%s\n", name, tail(name))
		}
		return 1
	case c.ProcessState == nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return c.ProcessState.ExitCode()
}

// limited returns a command that ends after so much time at the latest, and calls late if it had to be ended.
func limited(limit, grace time.Duration, late func(*exec.Cmd), name string, args ...string) (*exec.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	c := exec.CommandContext(ctx, name, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 2 * grace // for processes that have left the group and hold its pipes
	c.Cancel = func() error {
		group := c.Process.Pid
		if a := c.SysProcAttr; a == nil || !a.Setpgid && !a.Setsid {
			return c.Process.Kill()
		}
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) { // the test has ended before
			return syscall.Kill(-group, syscall.SIGKILL)
		}
		late(c)
		time.AfterFunc(grace, func() { _ = syscall.Kill(-group, syscall.SIGKILL) }) // which may have ended
		return syscall.Kill(-group, syscall.SIGQUIT)
	}
	return c, cancel
}

// tail returns the end of a file.
func tail(name string) []byte {
	const most = 1 << 16
	f, err := os.Open(name)
	if err != nil {
		return []byte(err.Error())
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	return text
}
