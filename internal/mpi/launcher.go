package mpi

import (
	"os"
	"strconv"
)

// A launcher is the program that has started this process as a part of a job.
type launcher struct {
	name  string // for messages
	rank  int
	size  int    // 0 if unknown
	kinds []kind // of libraries that understand it, the likely one first
}

// launchers are recognised by environment variables, and the first whose variables are set counts: within a SLURM
// job, mpirun starts helpers by srun, and the ranks by these. The shell of a batch script has a SLURM_PROCID too, but
// is not a step.
var launchers = []struct {
	rank, size string
	launcher
}{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", launcher{name: "mpirun of Open MPI", kinds: []kind{openMPI, abi}}},
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", launcher{name: "mpirun of MVAPICH", kinds: []kind{mpich, abi}}},
	{"PMI_RANK", "PMI_SIZE", launcher{name: "mpiexec of MPICH or its kin", kinds: []kind{mpich, abi, openMPI}}},
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", launcher{name: "srun", kinds: []kind{mpich, openMPI, abi}}},
	{"PMIX_RANK", "", launcher{name: "a launcher with PMIx", kinds: []kind{openMPI, mpich, abi}}},
}

// launched returns the launcher of this process, or nil if the process is alone.
func launched() *launcher {
	if os.Getenv(Variable) == "none" {
		return nil
	}
	for _, row := range launchers {
		rank, ranked := number(row.rank)
		size, sized := number(row.size)
		if !ranked || row.size != "" && !sized {
			continue
		}
		l := row.launcher
		l.rank, l.size = rank, size
		if _, pmix := number("PMIX_RANK"); pmix && l.name == "srun" { // which MPICH does without
			l.kinds = []kind{openMPI, mpich, abi}
		}
		return &l
	}
	return nil
}

// number returns the value of a variable that is a number of 0 or more.
func number(variable string) (int, bool) {
	n, err := strconv.Atoi(os.Getenv(variable))
	return n, err == nil && n >= 0
}
