package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// Affinity returns the logical processors that a process may run on, ascending; pid 0 is this process. It returns nil
// if they are unknown.
func Affinity(pid int) (processors []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil {
		return nil
	}
	for k, left := 0, set.Count(); left > 0; k++ {
		if set.IsSet(k) {
			processors = append(processors, k)
			left--
		}
	}
	return processors
}

// Node names the machine: processes with the same name share its processors, including those in containers.
func Node() string {
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		return string(boot)
	}
	name, _ := os.Hostname()
	return name
}
