//go:build cgo && (linux || darwin)

package mpi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/dist"
)

func init() {
	roles["sum"] = func(c dist.Comm) int {
		x := []int64{int64(c.Rank()), 1}
		c.Sum(x)
		c.Barrier()
		if n := int64(c.Size()); x[0] != n*(n-1)/2 || x[1] != n {
			return 1
		}
		fmt.Println("fine")
		return 0
	}
}

func TestSum(t *testing.T) {
	for _, j := range trials {
		t.Run(j.String(), func(t *testing.T) {
			j.role = "sum"
			out, code := j.run(t)
			if code != 0 || strings.Count(out, "fine") != j.ranks {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}
