//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// TestArrayScript runs the tasks of a job array as SLURM does.
func TestArrayScript(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	s := &killed{dir: t.TempDir()}
	s.must(t, strings.Fields("generate poisson2d --n 12 --output a.mtx")...)
	s.must(t, strings.Fields("generate convdiff2d --n 12 --output b.mtx")...)
	if err := os.WriteFile(filepath.Join(s.dir, "list"), []byte("a.mtx --precond none\nb.mtx --method gmres\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	job := newSlurmJob(t, s.dir)
	folder := filepath.Dir(job.script)
	task := func(k string) (string, error) {
		c := testsupport.Command(t, "bash", filepath.Join(folder, "array.sbatch"), "list")
		c.Dir = s.dir
		c.Env = append(os.Environ(), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID="+k, "SLURM_CPUS_PER_TASK=1", "MPSOLVE_SCRIPTS="+folder, "PATH="+job.path)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for k, method := range []string{"cg", "gmres"} {
		if out, err := task(fmt.Sprint(k + 1)); err != nil || !strings.Contains(out, "converged") {
			t.Errorf("task %d: %v\n%s", k+1, err, out)
		}
		report, err := os.ReadFile(filepath.Join(s.dir, fmt.Sprintf("mpsolve-7_%d.json", k+1)))
		if err != nil || !bytes.Contains(report, []byte(`"method": "`+method)) || !bytes.Contains(report, []byte(`"threads": 1,`)) {
			t.Errorf("task %d: %v\n%s", k+1, err, report)
		}
	}
	if out, err := task("3"); err == nil || !strings.Contains(out, "no line 3") {
		t.Errorf("task 3 of 2: %v\n%s", err, out)
	}
}

// TestPBSScript runs a job whose time is up before the solve is done. Its qsub runs the job again with more time, until the
// solve is done: x has the bytes of an uninterrupted solve.
func TestPBSScript(t *testing.T) {
	s, limit := newBatch(t, "poisson2d --n 300")
	job := newSlurmJob(t, s.dir)
	script := filepath.Join(filepath.Dir(job.script), "solve.pbs")
	wrapper := "#!/bin/bash\nfor last; do :; done\necho \"$2\" >>asked\n(IFS=,; for v in $2; do export \"$v\"; done\n LIMIT=60s exec bash \"$last\")\n"
	own := "#!/bin/bash\nexec '" + mpsolvePath(t) + "' \"$@\" --precond none\n"
	for name, text := range map[string]string{"qsub": wrapper, "mpsolve": own} {
		if err := os.WriteFile(filepath.Join(job.bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var asked []byte
	for tries := 0; asked == nil; tries++ { // finds a limit that ends the solve while it iterates, on any machine
		if tries == 12 {
			t.Fatalf("no time limit was up in the middle, the last one %v", limit)
		}
		c := testsupport.Command(t, "bash", script)
		c.Dir = s.dir
		c.Env = append(os.Environ(), "MATRIX=a.mtx", "PBS_JOBID=9", "NCPUS=1", fmt.Sprint("LIMIT=", limit), "SCRIPT="+script, "PATH="+job.path)
		out, err := c.CombinedOutput()
		asked, _ = os.ReadFile(filepath.Join(s.dir, "asked")) // absent if the job did not call qsub
		switch code := c.ProcessState.ExitCode(); {
		case code == 0:
			limit = limit * 2 / 3
		case code == exitNotConverged && asked == nil: // the limit came before the first checkpoint
			limit = limit * 5 / 4
		default:
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if !strings.Contains(string(asked), "MATRIX=a.mtx,NAME=9,") {
		t.Errorf("qsub was asked for %q", asked)
	}
	x, err := os.ReadFile(filepath.Join(s.dir, "mpsolve-9.mtx"))
	if err != nil || !bytes.Equal(x, s.want) {
		t.Errorf("another x (%v)", err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*.ck")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if out, err := testsupport.Command(t, "bash", script).CombinedOutput(); err == nil || !strings.Contains(string(out), "usage") {
		t.Errorf("without a matrix: %v, %s", err, out)
	}
}

func mpsolvePath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("mpsolve")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
