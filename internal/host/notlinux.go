//go:build !linux

package host

import (
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func limits() []limit {
	if group, err := memlimit.FromCgroup(); err == nil {
		return []limit{{name: "memory of the cgroup", bytes: int64(group), used: resident}}
	}
	return nil
}

func resident() int64        { return 0 }
func systemAvailable() int64 { return 0 }

// Affinity returns nil: the processors are unknown.
func Affinity(int) []int { return nil }

// Node names the machine: processes with the same name share its processors.
func Node() string {
	name, _ := os.Hostname()
	return name
}

// PrepareHeap does nothing on this system.
func PrepareHeap() {}

func unnamed(string) *os.File { return nil }

func name(*os.File, string) error { return nil } // there are no unnamed files
