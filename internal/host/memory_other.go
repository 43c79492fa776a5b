//go:build !linux

package host

import "github.com/KimMachineGun/automemlimit/memlimit"

func limits() []limit {
	if group, err := memlimit.FromCgroup(); err == nil {
		return []limit{{name: "memory of the cgroup", bytes: int64(group), used: resident}}
	}
	return nil
}

func resident() int64        { return 0 }
func systemAvailable() int64 { return 0 }
