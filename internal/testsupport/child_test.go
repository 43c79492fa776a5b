package testsupport

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// The whole group of a program that hangs gets SIGQUIT; what ends then does not get SIGKILL.
func TestLimitedInterrupts(t *testing.T) {
	for _, c := range []struct {
		name, script, says string
		by                 syscall.Signal
	}{
		{"heeds SIGQUIT", "(sleep 3; echo 1 >left); sleep 60", "", syscall.SIGQUIT},
		{"a child heeds it", "sh -c \"trap 'echo quit; exit' QUIT; while :; do sleep 0.05; done\"; while :; do sleep 1; done", "quit\n", syscall.SIGQUIT},
		{"heeds nothing", "trap '' QUIT; (sleep 3; echo 1 >left) & while :; do sleep 1; done", "", syscall.SIGKILL},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			late := 0
			cmd, cancel := limited(600*time.Millisecond, 300*time.Millisecond, func(*exec.Cmd) { late++ }, "sh", "-c", c.script)
			defer cancel()
			var out bytes.Buffer
			cmd.Stdout, cmd.Dir = &out, t.TempDir()
			start := time.Now()
			if err := cmd.Run(); err == nil || late != 1 || time.Since(start) > 20*time.Second {
				t.Errorf("%v after %v, late %d times", err, time.Since(start), late)
			}
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != c.by || out.String() != c.says {
				t.Errorf("ended by %v after %q, want %v after %q", status.Signal(), out.String(), c.by, c.says)
			}
			time.Sleep(time.Until(start.Add(3500 * time.Millisecond)))
			if _, err := os.Stat(filepath.Join(cmd.Dir, "left")); err == nil {
				t.Error("some of its group went on")
			}
		})
	}
}

// A program that ends in time is left alone.
func TestCommand(t *testing.T) {
	if out, err := Command(t, "sh", "-c", "echo said").CombinedOutput(); err != nil || string(out) != "said\n" {
		t.Errorf("%v, %q", err, out)
	}
	if code := Run("sh", "-c", "exit 7"); code != 7 {
		t.Errorf("exit code %d", code)
	}
}

// A missing case or set in a record is found on every processor, and so is a different result of an available set.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.txt")
	complete := record{"a": {}, "b": {}}
	for _, set := range kernels.Names() {
		complete.put("a", set, "1, {2}")
		complete.put("b", set, set)
	}
	if err := complete.write(path); err != nil {
		t.Fatal(err)
	}
	read, err := readRecord(path)
	if err != nil || !reflect.DeepEqual(read, complete) {
		t.Fatalf("%v (%v), want %v", read, err, complete)
	}
	count := func(want int, got map[string]string) {
		t.Helper()
		if faults := read.compare("neon", got); len(faults) != want {
			t.Errorf("faults %q, want %d", faults, want)
		}
	}
	count(0, map[string]string{"a": "1, {2}", "b": "neon"})
	count(1, map[string]string{"a": "3, {2}", "b": "neon"})
	count(1, map[string]string{"a": "1, {2}"})
	count(len(kernels.Names()), map[string]string{"a": "1, {2}", "b": "neon", "c": "new"})
	delete(read["b"], "avx512")
	count(1, map[string]string{"a": "1, {2}", "b": "neon"})
}
