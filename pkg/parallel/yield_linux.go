package parallel

import "golang.org/x/sys/unix"

// yield lets threads of other processes run: those that wait for a processor run at once, and nobody else takes its time.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
