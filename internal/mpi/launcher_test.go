package mpi

import (
	"fmt"
	"os"
	"testing"
)

func TestLaunched(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "none"},
		{map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "64"}, "none"},
		{map[string]string{"PMI_RANK": "x", "PMI_SIZE": "4"}, "none"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, "mpirun of Open MPI started 4 processes: 3 of [openmpi abi]"},
		{map[string]string{"PMI_RANK": "3", "PMI_SIZE": "4"}, "mpiexec of MPICH or its kin started 4 processes: 3 of [mpich abi openmpi]"},
		{map[string]string{"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4"}, "srun started 4 processes: 3 of [mpich openmpi abi]"},
		{map[string]string{"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4", "PMIX_RANK": "3"}, "srun started 4 processes: 3 of [openmpi mpich abi]"},
		{map[string]string{"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "PMI_RANK": "9", "PMI_SIZE": "16"}, "mpiexec of MPICH or its kin started 16 processes: 9 of [mpich abi openmpi]"},
		{map[string]string{"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "OMPI_COMM_WORLD_RANK": "9", "OMPI_COMM_WORLD_SIZE": "16"}, "mpirun of Open MPI started 16 processes: 9 of [openmpi abi]"},
		{map[string]string{"PMIX_RANK": "2"}, "a launcher with PMIx started this: 2 of [openmpi mpich abi]"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", Variable: "none"}, "none"},
	} {
		for _, row := range launchers {
			clearVariable(t, row.rank)
			clearVariable(t, row.size)
		}
		clearVariable(t, Variable)
		for name, value := range c.env {
			t.Setenv(name, value)
		}
		got := "none"
		if l := launched(); l != nil {
			got = fmt.Sprintf("%s: %d of %v", l.started(), l.rank, l.kinds)
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}

// clearVariable removes a variable of the environment for the rest of the test.
func clearVariable(t *testing.T, name string) {
	if name == "" {
		return
	}
	t.Setenv(name, "")
	os.Unsetenv(name)
}
