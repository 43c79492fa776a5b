package cli

import (
	"os"
	"runtime"
	"strconv"
)

// heedScheduler has mpsolve use the processors that SLURM gave to this task (SLURM_CPUS_PER_TASK), also where it does not bind tasks to
// them, unless the environment variable GOMAXPROCS says how many.
func heedScheduler() {
	given, err := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK"))
	if err == nil && given > 0 && given < runtime.GOMAXPROCS(0) && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(given)
	}
}
