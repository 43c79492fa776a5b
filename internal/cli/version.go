package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/machine"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/internal/report"
)

func newVersion(s streams) *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version", Args: exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			out := &firstError{w: s.out}
			fmt.Fprintf(out, "mpsolve %s %s %s/%s\n", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			if verbose {
				writePlatform(out)
			}
			return out.err
		},
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "also print the processor, its caches, the kernels in use, the model that layouts are chosen by, the MPI library and the build tags")
	return c
}

// writePlatform writes what the speed of a machine or a build depends on.
func writePlatform(out *firstError) {
	report.Line(out, "processor", "%s, %d logical processors", report.Known(machine.Processor()), runtime.NumCPU())
	c := machine.Caches()
	report.Line(out, "caches", "L1d %s, L2 %s, L3 %s", report.Size(c.L1d), report.Size(c.L2), report.Size(c.L3))
	report.Line(out, "kernels", "%s; the processor has %s", kernels.Default(), strings.Join(setNames(), ", "))
	report.Line(out, "model", "%s", modelText())
	if lib := mpi.Library(); lib.Path != "" {
		report.Line(out, "MPI", "%s: %s", lib.Path, lib.Version)
	} else {
		report.Line(out, "MPI", "no library: not started by mpirun or srun as one of several processes")
	}
	report.Line(out, "build tags", "%s", buildTags())
}

func buildTags() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				return s.Value
			}
		}
	}
	return "none"
}
