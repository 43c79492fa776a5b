package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// runMain runs a command line.
func runMain(t *testing.T, line string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(strings.Fields(line), nil, &o, &e)
	return code, o.String(), e.String()
}

func TestBenchGPU(t *testing.T) {
	if d, err := gpu.Open(gpu.Emulate, 0); err != nil {
		t.Skip(err)
	} else {
		d.Close()
	}
	dir := t.TempDir()
	const measure = "bench gpu --device emulate --generate poisson2d,n=9 --solve cg --repeat 1 --time 1ms"
	code, out, errOut := runMain(t, measure+" --json --export "+dir)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || errOut != "" || len(lines) < 4 {
		t.Fatalf("exit code %d, %s%s", code, errOut, out)
	}
	kinds := map[any]int{}
	for _, line := range lines {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		kinds[v["kind"]]++
		if v["matrix"] != "poisson2d,n=9" || v["backend"] != "emulate" || v["nnz"] != 369.0 || !(v["seconds_min"].(float64) > 0) {
			t.Error(line)
		}
	}
	if kinds["product"] != kinds["solve"] || len(kinds) != 2 {
		t.Errorf("%v", kinds)
	}
	for name, bytes := range map[string]int64{"rowptr": 8 * 82, "col": 4 * 369, "val": 8 * 369, "x": 8 * 81} {
		if s, err := os.Stat(filepath.Join(dir, "0", name)); err != nil || s.Size() != bytes {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "0", "matrix.json")); err != nil {
		t.Error(err)
	}
	code, out, errOut = runMain(t, measure+" --copy=false --layout csr32")
	for _, want := range []string{"device     emulate:0", "matrix     poisson2d,n=9: 81 x 81, 369 nonzeros\n", " csr FP64 ", " csr32 FP32 ", " converged "} {
		if !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s no %q in\n%s", code, errOut, want, out)
		}
	}
}

func TestBenchGPUUsage(t *testing.T) {
	for flags, want := range map[string]string{
		"":                                "want a matrix",
		"--device nvidia":                 "cuda, hip, opencl",
		"--device cuda:-1":                "want a device number",
		"--device auto":                   "cuda, hip, opencl",
		"--layout slot":                   "layout",
		"--solve bicg":                    "solve",
		"--epsilon 2":                     "--epsilon",
		"--repeat 0":                      "at least one turn",
		"--tol 1":                         "tolerance",
		"--generate poison2d,n=3":         "poisson2d",
		"--device emulate:1 --repeat 100": "",
	} {
		line := "bench gpu " + flags
		if flags != "" && !strings.Contains(flags, "--generate") {
			line += " --generate poisson2d,n=3"
		}
		code, _, errOut := runMain(t, line)
		if want == "" && code == 0 || want != "" && (code != exitUsage || !strings.Contains(errOut, want)) {
			t.Errorf("%s: exit code %d, %s", line, code, errOut)
		}
	}
}
