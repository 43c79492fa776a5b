//go:build !linux

package host

import "os"

// Affinity returns nil: the processors are unknown.
func Affinity(int) []int { return nil }

// Node names the machine: processes with the same name share its processors.
func Node() string {
	name, _ := os.Hostname()
	return name
}
