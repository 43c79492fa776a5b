//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// untilAsleep waits until all threads of a process have slept for a while, so that it waits for something and handles signals.
func untilAsleep(t *testing.T, pid int) {
	t.Helper()
	const pause, times = 10 * time.Millisecond, 30
	for asleep, waited := 0, time.Duration(0); asleep < times; waited += pause {
		if waited > 30*time.Second {
			t.Fatal("it does not wait for anything")
		}
		asleep++
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, thread := range threads {
			if f := statFields(thread); len(f) > 0 && string(f[0]) != "S" {
				asleep = 0
			}
		}
		time.Sleep(pause)
	}
}

// processorTime is what a process has used of all processors.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	f := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if len(f) < 13 {
		t.Fatalf("no process %d", pid)
	}
	user, _ := strconv.Atoi(string(f[11]))
	system, _ := strconv.Atoi(string(f[12]))
	return time.Duration(user+system) * 10 * time.Millisecond // Linux shows hundredths of a second on all platforms
}

// statFields returns the fields of a file stat of /proc after the name in brackets, from the state on; none if the file is gone.
func statFields(name string) [][]byte {
	text, _ := os.ReadFile(name)
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}
