package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/gpu"
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

// Tests are isolated: the programs that they start do not inherit files that were open when go test started. More of them run at once
// than there are processors, unless -parallel says otherwise, since most wait for signals, limits and launchers; under the race detector they compute.
type isolated struct{ *testing.M }

func (m isolated) Run() int {
	const usual = 3
	for fd := usual; fd < 1024; fd++ {
		syscall.CloseOnExec(fd)
	}
	_ = os.Setenv(modelVariable, "table")
	flag.Parse()
	if parallel := flag.Lookup("test.parallel").Value; !host.RaceDetector && parallel.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = parallel.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
	return m.M.Run()
}

// TestScripts runs testdata/script/*.txtar: sessions at the command line with
// what they must print. $DATA is the folder testdata of the module; the command
// `status CODE mpsolve ...` demands an exit code; [gpu] holds where GPU support is built,
// [fakecuda] where $FAKECUDA_LIB is the driver of pkg/gpu/testdata/fakecuda.c, and [hup]
// where SIGHUP is not ignored; [fastslots] where the kernels make adaptive precision pay.
func TestScripts(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, slices.DeleteFunc(all, func(name string) bool { return slices.Contains(interrupted, name) }))
}

const scripts = "testdata/script"

// interrupted names the scripts about signals and limits of time.
var interrupted = []string{
	filepath.Join(scripts, "signals.txtar"), filepath.Join(scripts, "interrupts.txtar"),
	filepath.Join(scripts, "checkpoint.txtar"), filepath.Join(scripts, "timelimit.txtar"),
}

func TestInterruptedScripts(t *testing.T) {
	t.Parallel()
	run(t, interrupted)
}

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
			e.Setenv(modelVariable, "table") // which is alike on all machines
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
				return host.RaceDetector, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// status runs a command and demands its exit code: status CODE COMMAND ARGS...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// emulated reports whether this build has an emulated device.
func emulated(t testing.TB) bool {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Log(err)
		return false
	}
	d.Close()
	return true
}

// fakeCUDA compiles a fake CUDA driver for the host and returns its path; "" if that is not possible.
func fakeCUDA(t testing.TB) string {
	cc, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" || !emulated(t) {
		return ""
	}
	lib := filepath.Join(t.TempDir(), "libcuda.so")
	source := filepath.Join("..", "..", "pkg", "gpu", "testdata", "fakecuda.c")
	if out, err := testsupport.Command(t, cc, "-std=c11", "-D_DEFAULT_SOURCE", "-O0", "-fPIC", "-shared", "-o", lib, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}
