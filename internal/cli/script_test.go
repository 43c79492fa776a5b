package cli

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/testsupport"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain lets scripts run this test binary as mpsolve, and as `bounded`, which ends a command that hangs
// (internal/testsupport).
func TestMain(m *testing.M) {
	testscript.Main(isolated{m}, map[string]func(){
		"mpsolve": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"bounded": func() { os.Exit(testsupport.Run(os.Args[1], os.Args[2:]...)) },
	})
}

// Tests are isolated: the programs that they start do not inherit files that were open when go test started.
type isolated struct{ *testing.M }

func (m isolated) Run() int {
	const usual = 3
	for fd := usual; fd < 1024; fd++ {
		syscall.CloseOnExec(fd)
	}
	return m.M.Run()
}

// TestScripts runs testdata/script/*.txtar: sessions at the command line with
// what they must print. $DATA is the folder testdata of the module; the command
// `status CODE mpsolve ...` demands an exit code; [gpu] holds where GPU support is built,
// [fakecuda] where $FAKECUDA_LIB is the driver of pkg/gpu/testdata/fakecuda.c, and [hup]
// where SIGHUP is not ignored; [fastslots] where the kernels make adaptive precision pay.
func TestScripts(t *testing.T) {
	all, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, slices.DeleteFunc(all, func(name string) bool { return slices.Contains(interrupted, name) }))
}

const scripts = "testdata/script"

// interrupted names the scripts about signals and limits.
var interrupted = []string{
	filepath.Join(scripts, "signals.txtar"), filepath.Join(scripts, "stops.txtar"), filepath.Join(scripts, "interrupts.txtar"),
	filepath.Join(scripts, "checkpoint.txtar"), filepath.Join(scripts, "timelimit.txtar"),
}

func TestInterruptedScripts(t *testing.T) { run(t, interrupted) }

func run(t *testing.T, files []string) {
	data, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	fake := fakeCUDA(t)
	testscript.Run(t, testscript.Params{
		Files:         files,
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", data)
			e.Setenv("FAKECUDA_LIB", fake)
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "gpu":
				return emulated(t), nil
			case "fakecuda":
				return fake != "", nil
			case "hup": // nohup ignores SIGHUP
				return !signal.Ignored(syscall.SIGHUP), nil
			case "fastslots":
				return kernels.Default().HasFastSlots(), nil
			case "race": // reading takes seconds with the race detector
				return raceDetector, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}
