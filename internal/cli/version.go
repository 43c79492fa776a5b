package cli

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/internal/report"
)

// development is the version of builds that are not releases.
const development = "0.1.0-dev"

func init() {
	if info, ok := debug.ReadBuildInfo(); ok && Version == development && released(info.Main.Version) {
		Version = info.Main.Version // by go install
	}
}

var (
	semantic = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	pseudo   = regexp.MustCompile(`\d{14}-[0-9a-f]{12}$`)
)

// released reports whether a version of a module is a tag, and not a commit or a changed working tree.
func released(version string) bool {
	return semantic.MatchString(version) && !pseudo.MatchString(version)
}

// versionLine returns the version and, if it is known, the commit.
func versionLine() string {
	line := fmt.Sprintf("mpsolve %s %s %s/%s", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return line
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["vcs.revision"] == "" {
		return line
	}
	line += fmt.Sprintf(" commit %.12s of %s", set["vcs.revision"], set["vcs.time"])
	if set["vcs.modified"] == "true" {
		line += ", modified"
	}
	return line
}

func newVersion(s streams) *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version", Args: exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			out := &firstError{w: s.out}
			fmt.Fprintln(out, versionLine())
			if verbose {
				writePlatform(out)
			}
			return out.err
		},
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "also print the processor, its caches, the kernels in use, the model that layouts are chosen by, the MPI library and the build tags")
	return c
}

// writePlatform writes the properties of the machine and of the build that the speed depends on.
func writePlatform(out *firstError) {
	report.Line(out, "processor", "%s, %d logical processors", report.Known(host.Processor()), runtime.NumCPU())
	c := host.Caches()
	report.Line(out, "caches", "L1d %s, L2 %s, L3 %s", report.Size(c.L1d), report.Size(c.L2), report.Size(c.L3))
	report.Line(out, "kernels", "%s; the processor has %s", kernels.Default(), strings.Join(setNames(), ", "))
	report.Line(out, "model", "%s", modelText())
	report.Line(out, "MPI", "%s", mpiText())
	report.Line(out, "build tags", "%s", buildTags())
}

// mpiText names the MPI library, which is opened only under a launcher.
func mpiText() string {
	if library := mpi.Library(); library.Path != "" {
		return library.Path + ", " + library.Version
	}
	return "not opened: no mpirun or srun has started several processes"
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
