//go:build cgo && linux

package mpi

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
)

func init() { roles["instructions"] = instructions }

// instructions compares the instructions of libc in memory with those in its file.
func instructions(dist.Comm) int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	compared := 0
	for line := range strings.Lines(string(maps)) {
		var from, to, offset int64
		var permissions, device, path string
		var inode int
		_, err := fmt.Sscanf(line, "%x-%x %s %x %s %d %s", &from, &to, &permissions, &offset, &device, &inode, &path)
		if err != nil || permissions != "r-xp" || !strings.Contains(path, "/libc.so") && !strings.Contains(path, "/libc-") {
			continue
		}
		if memory, file := read("/proc/self/mem", from, to-from), read(path, offset, to-from); !bytes.HasPrefix(memory, file) {
			fmt.Printf("the instructions of %s from %#x on differ from its file\n", path, offset)
			return 1
		}
		compared++
	}
	fmt.Println("compared:", compared > 0)
	return 0
}

// read returns what a file has of n bytes from an offset on.
func read(path string, offset, n int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, offset, n))
	if err != nil {
		panic(err)
	}
	return b
}

// TestInstructions: libraries of MPI leave the instructions of libc alone, which other threads may be running.
func TestInstructions(t *testing.T) {
	for _, k := range []kind{openMPI, mpich} {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			out, code := job{kind: k, ranks: 1, role: "instructions", env: []string{Variable + "=" + string(k)}}.run(t)
			if code != 0 || !strings.Contains(out, "compared: true") {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}
