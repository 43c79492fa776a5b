package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain lets scripts run this test binary as mpsolve.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mpsolve": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script/*.txtar: sessions at the command line with
// what they must print. $DATA is the folder testdata of the module; the command
// `status CODE mpsolve ...` demands an exit code; [gpu] holds where GPU support is built.
func TestScripts(t *testing.T) {
	data, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", data)
			return nil
		},
		Condition: func(condition string) (bool, error) {
			if condition != "gpu" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return emulated(t), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}
