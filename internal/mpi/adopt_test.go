//go:build cgo && (linux || darwin)

package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// world returns the handle of MPI_COMM_WORLD in Fortran.
func world() int {
	if Library().kind == openMPI {
		return 0
	}
	return 0x44000000
}

func init() {
	roles["adopted"] = func(c dist.Comm) int {
		a, end, err := Adopt(world())
		if err != nil {
			fmt.Println(err)
			return 1
		}
		code := roles["methods"](a)
		kept := a.Connect([]dist.Channel{{Rank: a.Rank(), Bytes: 8}}, []dist.Channel{{Rank: a.Rank(), Bytes: 8}}) // still open at the end
		end()
		if n := len(a.(*comm).open); n > 0 {
			fmt.Println(n, "connections are open")
		}
		kept.Close()
		c.Barrier() // MPI goes on
		return code
	}
	roles["many"] = func(dist.Comm) int {
		const many = 2100 // MPICH has room for 2048 communicators
		for range many {
			a, end, err := Adopt(world())
			if err != nil {
				fmt.Println(err)
				return 1
			}
			a.Connect([]dist.Channel{{Rank: a.Rank(), Bytes: 8}}, []dist.Channel{{Rank: a.Rank(), Bytes: 8}})
			end()
		}
		return 0
	}
	roles["no adoption"] = func(dist.Comm) int {
		_, _, err := Adopt(0)
		if !errors.Is(err, ErrUnavailable) {
			return 1
		}
		fmt.Fprintln(os.Stderr, err)
		return 0
	}
}

// TestAdopt compares ranks of a communicator of the program with ranks that are goroutines.
func TestAdopt(t *testing.T) {
	for _, j := range jobs {
		t.Run(j.String(), func(t *testing.T) {
			t.Parallel()
			j.role = "adopted"
			j.env = []string{Variable + "=" + string(j.kind)}
			j.methods(t)
		})
	}
}

// Communicators and requests go back to the library.
func TestAdoptMany(t *testing.T) {
	for _, k := range []kind{openMPI, mpich} {
		t.Run(string(k), func(t *testing.T) {
			if out, code := (job{kind: k, ranks: 2, role: "many"}).run(t); code != 0 {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}

// A program without MPI, and one that has not initialised it.
func TestAdoptNothing(t *testing.T) {
	stub := compiled(t, "stub.c")
	for _, c := range []struct {
		env  []string
		says string
	}{
		{nil, "MPI: the program has loaded no MPI library\n"},
		{[]string{"PMI_RANK=0", "PMI_SIZE=1", Variable + "=" + stub}, "MPI: the program has not initialised MPI, or has ended it\n"},
	} {
		if out, code := alone(t, "no adoption", c.env...); code != 0 || !strings.HasSuffix(out, c.says) {
			t.Errorf("%v: exit code %d, %s", c.env, code, out)
		}
	}
}
