//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// TestSlurmScript runs the batch script of examples/slurm as SLURM does, with a fake scontrol that writes down its arguments:
// SIGUSR1 before the time is up, SIGTERM soon afterwards, and the job again after "scontrol requeue", until it is done. x has
// the bytes of an uninterrupted solve. The time of a job adapts to the machine, whose other work may end or begin.
func TestSlurmScript(t *testing.T) {
	s, after := newBatch(t, "poisson3d --n 50 --decades 3 --seed 1")
	after = after * 2 / 5
	job := newSlurmJob(t, s.dir)
	runs, resumed := 0, 0
	for ; ; runs++ {
		if runs > 40 {
			t.Fatal("40 jobs did not finish the solve")
		}
		code, out := job.run(t, after)
		if code == 0 && !job.requeued(t) {
			if resumed > 0 {
				break
			}
			after = after * 2 / 3 // once more: it was done before its time was up
			continue
		}
		after = after * 9 / 8
		if code != 0 && code != 143 { // 143: SIGUSR1 came before the first checkpoint
			t.Fatalf("exit code %d\n%s", code, out)
		}
		if _, err := os.Stat(filepath.Join(s.dir, "mpsolve-42.ck")); err == nil {
			resumed++
		}
	}
	x, err := os.ReadFile(filepath.Join(s.dir, "mpsolve-42.mtx"))
	if err != nil || !bytes.Equal(x, s.want) {
		t.Errorf("another x after %d jobs (%v)", runs, err)
	}
	var report struct {
		Converged bool
		Reason    string
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "mpsolve-42.json"))
	if err != nil || json.Unmarshal(text, &report) != nil || !report.Converged {
		t.Errorf("report %s (%v)", text, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "mpsolve-42.ck")); err == nil {
		t.Error("the checkpoint is still there")
	}
	if out, err := testsupport.Command(t, job.script).CombinedOutput(); err == nil || !strings.Contains(string(out), "usage") {
		t.Errorf("without a matrix: %v, %s", err, out)
	}
}

// TestRanksScripts runs the scripts for several ranks, with fake launchers that start one process.
func TestRanksScripts(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	s := &killed{dir: t.TempDir()}
	s.must(t, strings.Fields("generate poisson2d --n 20 --output a.mtx")...)
	s.must(t, strings.Fields("solve a.mtx --output x.mtx")...)
	want := s.x(t)
	for script, launcher := range map[string]string{"ranks.sbatch": "srun", "ranks.pbs": "mpiexec"} {
		job := newSlurmJob(t, s.dir)
		start := "#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nexec \"$@\"\n"
		if err := os.WriteFile(filepath.Join(job.bin, launcher), []byte(start), 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(filepath.Dir(job.script), script)
		c := testsupport.Command(t, "bash", path, "a.mtx")
		c.Dir = s.dir
		c.Env = append(os.Environ(), "SLURM_JOB_ID="+script, "PBS_JOBID="+script, "MATRIX=a.mtx", "PATH="+job.path)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		x, err := os.ReadFile(filepath.Join(s.dir, "mpsolve-"+script+".mtx"))
		if err != nil || !bytes.Equal(x, want) {
			t.Errorf("%s: another x (%v)", script, err)
		}
		if out, err := testsupport.Command(t, "bash", path).CombinedOutput(); err == nil || !strings.Contains(string(out), "usage") {
			t.Errorf("%s without a matrix: %v, %s", script, err, out)
		}
	}
}

// newBatch makes a matrix a.mtx and solves once without a preconditioner. It returns the folder, x and the time of the solve.
func newBatch(t *testing.T, matrix string) (s *killed, takes time.Duration) {
	t.Helper()
	if testing.Short() {
		t.Skip("seconds")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	s = &killed{dir: t.TempDir()}
	s.must(t, strings.Fields("generate "+matrix+" --output a.mtx")...)
	start := time.Now()
	s.must(t, strings.Fields("solve a.mtx --precond none --threads 1 --output x.mtx")...)
	takes = time.Since(start)
	s.want = s.x(t)
	return s, takes
}

// slurmJob is a job with the batch script, which finds a fake scontrol in its path.
type slurmJob struct{ dir, bin, script, path string }

func newSlurmJob(t *testing.T, dir string) *slurmJob {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "examples", "slurm", "solve.sbatch"))
	if err != nil {
		t.Fatal(err)
	}
	j := &slurmJob{dir: dir, bin: t.TempDir(), script: script}
	j.path = j.bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	scontrol := "#!/bin/sh\necho \"$@\" >>'" + dir + "/scontrol'\n"
	if err := os.WriteFile(filepath.Join(j.bin, "scontrol"), []byte(scontrol), 0o755); err != nil {
		t.Fatal(err)
	}
	return j
}

// run runs the job until its time is up.
func (j *slurmJob) run(t *testing.T, after time.Duration) (code int, out string) {
	t.Helper()
	c := testsupport.Command(t, "bash", j.script, "a.mtx", "--precond", "none")
	c.Dir = j.dir
	c.Env = append(os.Environ(), "SLURM_JOB_ID=42", "SLURM_CPUS_PER_TASK=1", "PATH="+j.path)
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGTERM} {
		select {
		case <-ended:
			return c.ProcessState.ExitCode(), text.String()
		case <-time.After(after):
			_ = c.Process.Signal(s)
			after = 20 * time.Millisecond
		}
	}
	<-ended
	return c.ProcessState.ExitCode(), text.String()
}

// requeued reports whether the last run asked for another run.
func (j *slurmJob) requeued(t *testing.T) bool {
	t.Helper()
	name := filepath.Join(j.dir, "scontrol")
	asked, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	if string(asked) != "requeue 42\n" {
		t.Errorf("scontrol was asked for %q", asked)
	}
	if err := os.Remove(name); err != nil {
		t.Error(err)
	}
	return true
}

// TestArrayScript runs the tasks of a job array as SLURM does.
func TestArrayScript(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	s := &killed{dir: t.TempDir()}
	s.must(t, strings.Fields("generate poisson2d --n 12 --output a.mtx")...)
	if err := os.Rename(filepath.Join(s.dir, "a.mtx"), filepath.Join(s.dir, "a b.mtx")); err != nil {
		t.Fatal(err)
	}
	s.must(t, strings.Fields("generate convdiff2d --n 12 --output b.mtx")...)
	if err := os.WriteFile(filepath.Join(s.dir, "list"), []byte("'a b.mtx' --precond none\nb.mtx --method \"gmres\"\n"), 0o600); err != nil {
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
		if err != nil || !bytes.Contains(report, []byte(`"method":"`+method)) || !bytes.Contains(report, []byte(`"threads":1,`)) {
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
