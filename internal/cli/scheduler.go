package cli

import (
	"os"
	"runtime"
	"strconv"
)

// heedScheduler limits mpsolve to the processors that SLURM gave to this task (SLURM_CPUS_PER_TASK), even if SLURM does not
// bind tasks to processors. The environment variable GOMAXPROCS takes precedence.
func heedScheduler() {
	given, err := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK"))
	if err == nil && given > 0 && given < runtime.GOMAXPROCS(0) && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(given)
	}
}
