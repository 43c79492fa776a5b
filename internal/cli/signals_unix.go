//go:build unix

package cli

import (
	"os"
	"syscall"
)

// cpuLimit is the signal of a soft limit on the processor time, as batch systems set them.
var cpuLimit = []os.Signal{syscall.SIGXCPU}
