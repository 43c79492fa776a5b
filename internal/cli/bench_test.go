package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// Each line of --json is an object whose ratios agree with its times.
func TestBenchJSON(t *testing.T) {
	var out, errOut bytes.Buffer
	args := "bench spmv --json --generate poisson2d,n=12 --generate wathen,nx=5,ny=5 --formats AFX,AP3 --criterion nw,cw --threads 1,2 --repeat 3 --bandwidth=false"
	if code := Main(strings.Fields(args), nil, &out, &errOut); code != 0 || errOut.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, errOut.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2*2*(2+4) {
		t.Fatalf("%d lines", len(lines))
	}
	var ordinary, tuned float64
	for _, line := range lines {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		number := func(key string) float64 {
			f, ok := v[key].(float64)
			if !ok {
				t.Fatalf("no number %s in %s", key, line)
			}
			return f
		}
		seconds := number("seconds_min")
		switch v["layout"] {
		case "csr-ordinary":
			ordinary = seconds
		case "csr-tuned":
			tuned = seconds
		default:
			if !(number("build_spmvs") > 0) || !(number("speedup_tuned") == tuned/seconds) || !(number("speedup_ordinary") == ordinary/seconds) ||
				!(number("speedup_csr") == min(ordinary, tuned)/seconds) {
				t.Errorf("wrong ratios: %s", line)
			}
		}
		bytes := number("bytes_per_nnz")*number("nnz") + 8*number("rows") + 8*number("cols")
		if g := number("gbps"); math.Abs(g-bytes/seconds/1e9) > 1e-12*g {
			t.Errorf("%g GB/s: %s", g, line)
		}
		if !(number("seconds_median") >= seconds) || !(number("threads") >= 1) || !(number("epsilon") > 0) {
			t.Errorf("wrong numbers: %s", line)
		}
		for _, key := range []string{"read_limit_gbps", "triad_gbps", "llc_bytes"} {
			number(key)
		}
		for _, key := range []string{"matrix", "layout", "formats", "criterion", "processor", "kernels"} {
			if _, ok := v[key].(string); !ok {
				t.Errorf("no text %s: %s", key, line)
			}
		}
		if e, ok := v["backward_error"].(map[string]any); !ok || len(e) != 3 {
			t.Errorf("no errors: %s", line)
		}
	}
}

// spmv --json prints what its tables show, and nothing else.
func TestSpMVJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.mtx")
	if code, _, errOut := runMain(t, "generate poisson2d --n 12 --output "+file); code != 0 {
		t.Fatal(errOut)
	}
	for flags, want := range map[string]struct {
		lines int
		text  []string
		above []string // keys of numbers above zero
	}{
		"":                             {3, []string{"layout", "formats"}, []string{"seconds_min", "bytes_per_nnz", "speedup_tuned", "threads"}},
		"--vectors dd --layout csr":    {1, []string{"layout", "formats"}, []string{"seconds_min", "seconds_dd_min", "bytes_per_nnz", "error_dd"}},
		"--bits 106 --mp limbs,mpres ": {3, []string{"implementation"}, []string{"seconds_min", "bits", "threads", "bytes_per_nnz"}},
	} {
		code, out, errOut := runMain(t, "spmv --json --repeat 2 "+flags+" "+file)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if code != 0 || errOut != "" || len(lines) != want.lines {
			t.Errorf("%s: exit code %d, %s, %d lines: %s", flags, code, errOut, len(lines), out)
			continue
		}
		for _, line := range lines {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			for _, key := range append(want.text, "matrix", "processor", "version") {
				if text, _ := v[key].(string); text == "" {
					t.Errorf("no text %s: %s", key, line)
				}
			}
			for _, key := range want.above {
				if n, _ := v[key].(float64); !(n > 0) {
					t.Errorf("no number %s: %s", key, line)
				}
			}
		}
	}
}

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

// Vectors of a solve are as long as A has rows, so that a solve with a wide A would read beyond them.
func TestBenchGPUSolvesSquare(t *testing.T) {
	if d, err := gpu.Open(gpu.Emulate, 0); err != nil {
		t.Skip(err)
	} else {
		d.Close()
	}
	wide := filepath.Join(t.TempDir(), "wide.mtx")
	if err := os.WriteFile(wide, []byte("%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1\n1 2 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	line := "bench gpu --device emulate --copy=false --repeat 1 " + wide
	if code, out, errOut := runMain(t, line); code != 0 || errOut != "" {
		t.Errorf("products: exit code %d, %s%s", code, errOut, out)
	}
	if code, _, errOut := runMain(t, line+" --solve cg"); code != exitInput || !strings.Contains(errOut, "wide.mtx: the matrix is 1 x 2; --solve needs a square one\n") {
		t.Errorf("solves: exit code %d, %s", code, errOut)
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
		"--repeat 0":                      "at least one round",
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

// Rank 0 prints tables, or an object for each row.
func TestConcurrentBenchMPI(t *testing.T) {
	run := func(args string) printed {
		t.Helper()
		all := runJob(t, 2, func(int) []string { return strings.Fields("bench mpi --rows 500 --repeat 1 " + args) })
		if text := all[1].out.String() + all[1].err.String(); text != "" || all[0].code != all[1].code {
			t.Errorf("%s: rank 1 ends with %d and prints %s", args, all[1].code, text)
		}
		return all[0]
	}
	p := run("--kinds stencil27 --json")
	measured := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(p.out.String()), "\n") {
		var row struct {
			Measured string
			Sent     struct{ Messages int } `json:"sent_per_iteration"`
			On       int                    `json:"on_ranks"`
			Ranks    int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Ranks != 2 {
			t.Errorf("%s: %v", line, err)
		}
		if row.On == 2 && row.Sent.Messages != 2 {
			t.Errorf("%d messages: %s", row.Sent.Messages, line)
		}
		measured[row.Measured]++
	}
	if p.code != 0 || measured["message"] != 14 || measured["scaling"] != 4 {
		t.Errorf("exit code %d, %v\n%s", p.code, measured, p.err.String())
	}
	p = run("--kinds poisson3d,elasticity3d")
	for _, want := range []string{"ranks      2, of ", "dot, exact", "2 x 8 B", "poisson3d, weak", "elasticity3d, strong", "ranks 2"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("no %q in\n%s%s", want, p.out.String(), p.err.String())
		}
	}
	for args, want := range map[string]string{
		"--kinds poisson2d":    "--kinds poisson2d: want poisson3d, stencil27, elasticity3d",
		"--iterations 0":       "want at least 1",
		"--rows 2000000000":    "a rank needs ",
		"x.mtx":                "takes no files",
		"--iterations 1000000": "want more rows, or fewer iterations",
	} {
		if p := run(args); p.code == 0 || !strings.Contains(p.err.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, p.code, p.err.String())
		}
	}
}

// The first use measures a processor that the table does not have, and later ones read what it kept; not where the environment
// forbids it, or where nothing can be kept.
func TestFirstModel(t *testing.T) {
	k := kernels.Default()
	if !k.HasFastSlots() {
		t.Skip("without fast kernels for slots there is nothing to choose")
	}
	quick := lab.Quick
	quick.Share = 0 // other tests run meanwhile
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv(modelVariable, "table")
	if m, err := firstModel(k, false, quick); m != nil || err != nil {
		t.Errorf("%s=table: %v, %v", modelVariable, m, err)
	}
	t.Setenv(modelVariable, "")
	if m, err := firstModel(k, true, quick); m != nil || err != nil {
		t.Errorf("known: %v, %v", m, err)
	}
	host.SetLimit("test", 1<<30)
	defer host.SetLimit("", 0)
	had := host.Available()
	busy := quick
	busy.Share = 2
	if m, err := firstModel(k, false, busy); runtime.GOOS == "linux" && (m != nil || err != nil) {
		t.Errorf("other programs run: %v, %v", m, err)
	}
	if held := had - host.Available(); held > 32<<20 {
		t.Errorf("measuring holds %d bytes of memory", held)
	}
	first, err := firstModel(k, false, quick)
	if err != nil || first == nil || !strings.Contains(first.Name, "at the first use") {
		t.Fatalf("%v, %v", first, err)
	}
	if again, err := firstModel(k, false, quick); err != nil || again == nil || *again != *first {
		t.Errorf("again: %v, %v", again, err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "file", "below"))
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := firstModel(k, false, quick); m != nil || err != nil {
		t.Errorf("nowhere to keep it: %v, %v", m, err)
	}
}

// A model is read as it was written. A damaged file is an error that says what to do.
func TestReadModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if m, err := readModel(path); m != nil || err != nil {
		t.Errorf("no file: %v, %v", m, err)
	}
	data, err := json.Marshal(adaptive.ModelOf(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data string
		good bool
	}{
		{string(data), true}, {string(data[:len(data)/2]), false}, {"", false}, {"{}", false},
	} {
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readModel(path)
		switch {
		case c.good && (err != nil || *m != *adaptive.ModelOf("")):
			t.Errorf("%v, %v", m, err)
		case !c.good && (err == nil || !strings.Contains(err.Error(), "calibrate --remove")):
			t.Errorf("%q: %v", c.data, err)
		}
	}
	if m, err := readModel(filepath.Join(path, "model.json")); m != nil || err != nil {
		t.Errorf("below a file: %v, %v", m, err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err == nil {
		return // root may read any file
	}
	if m, err := readModel(path); m != nil || err != nil {
		t.Errorf("of another user: %v, %v", m, err)
	}
}
