//go:build cgo && (linux || darwin)

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// second makes what the role of the second rank; the others wait for it.
func second(what func(c dist.Comm)) func(c dist.Comm) int {
	return func(c dist.Comm) int {
		if c.Rank() == 1 {
			what(c)
		}
		c.Barrier()
		fmt.Println("passed")
		return 0
	}
}

func init() {
	roles["kill"] = second(func(dist.Comm) { syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	roles["abort"] = second(func(c dist.Comm) { c.Abort(4) })
	roles["panic"] = second(func(dist.Comm) { panic("rank 1") })
	roles["exit"] = second(func(dist.Comm) { os.Exit(3) })
	roles["code"] = func(dist.Comm) int { return 3 }
	roles["nil"] = func(c dist.Comm) int {
		defer func() { fmt.Println("recovered:", recover()) }()
		c.Barrier()
		var p *int
		*p = 1
		return 0
	}
	roles["no such rank"] = func(c dist.Comm) int {
		defer func() { fmt.Println("recovered:", recover().(*dist.Error)) }()
		c.Connect([]dist.Channel{{Rank: 7, Bytes: 8}}, nil)
		return 0
	}
}

// TestFaults: no rank waits for one that has failed, and the exit code is that of the failure.
func TestFaults(t *testing.T) {
	const killed, killedHydra = 128 + 9, 9
	for _, c := range []struct {
		role         string
		code, ofMPCH int
		says         string
		times        int
	}{
		{"kill", killed, killedHydra, "passed", 0},
		{"abort", 4, 4, "passed", 0},
		{"panic", 2, 2, "panic: rank 1", 1},
		{"exit", 3, 3, "passed", 0},
		{"code", 3, 3, "", 0},
		{"nil", 0, 0, "recovered: runtime error: invalid memory address", 2},
		{"no such rank", 0, 0, "recovered: MPI_Send_init: ", 2},
	} {
		for k, want := range map[kind]int{openMPI: c.code, mpich: c.ofMPCH} {
			t.Run(c.role+" with "+string(k), func(t *testing.T) {
				t.Parallel()
				out, code := job{kind: k, ranks: 2, role: c.role}.run(t)
				if c.role == "exit" && k == mpich && (code == 1 || code == killedHydra) {
					code = want // rarely the launcher reports the code of the waiting rank, which the library ends with 1, or the launcher by a signal
				}
				if code != want || c.says != "" && strings.Count(out, c.says) != c.times {
					t.Errorf("exit code %d, want %d, and %q %d times:\n%s", code, want, c.says, c.times, out)
				}
			})
		}
	}
}

// TestOtherLibrary starts ranks with the launcher of another MPI: each would be alone.
func TestOtherLibrary(t *testing.T) {
	for k, other := range map[kind]kind{openMPI: mpich, mpich: openMPI} {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			mpirun(t, other) // or the library is missing
			out, code := job{kind: k, ranks: 2, role: "code", env: []string{Variable + "=" + string(other)}}.run(t)
			if code != 5 || strings.Count(out, "MPI: ") != 1 || !strings.Contains(out, "started 2 processes, but ") || !strings.Contains(out, "sees 1 of them: ") {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}

func init() {
	roles["connections"] = func(c dist.Comm) int {
		open := func() int { return len(c.(*comm).open) }
		to := []dist.Channel{{Rank: (c.Rank() + 1) % c.Size(), Bytes: 1 << 16}}
		from := []dist.Channel{{Rank: (c.Rank() + c.Size() - 1) % c.Size(), Bytes: 1 << 16}}
		for range 100 {
			n := c.Connect(to, from)
			n.Start()
			n.Wait()
			n.In(0)[0]++
		}
		for range 100 {
			runtime.GC()
			c.Connect(nil, nil).Close()
			if open() <= 1 { // the last one may still be on the stack
				return 0
			}
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println("open:", open())
		return 1
	}
}

// A connection that nothing refers to any more is closed: its requests and its memory go back to MPI and C.
func TestConnectionsAreClosed(t *testing.T) {
	for _, k := range []kind{openMPI, mpich} {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			if out, code := (job{kind: k, ranks: 2, role: "connections"}).run(t); code != 0 {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}

// TestABI runs all methods through the ABI of MPI 5.0, over Open MPI.
func TestABI(t *testing.T) {
	t.Parallel()
	job{kind: openMPI, ranks: 2, env: []string{Variable + "=" + compiled(t, "abi.c")}}.methods(t)
}
