//go:build unix

package cli

import (
	"os"
	"syscall"
)

// cpuLimit is the signal of a soft limit on processor time, which batch systems set.
var cpuLimit = []os.Signal{syscall.SIGXCPU}
