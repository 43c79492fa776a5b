//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
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
// the bytes of an uninterrupted solve.
func TestSlurmScript(t *testing.T) {
	s, takes := newBatch(t, "poisson3d --n 50 --decades 3 --seed 1")
	job := newSlurmJob(t, s.dir)
	runs, resumed := 0, 0
	for ; ; runs++ {
		if runs > 30 {
			t.Fatal("30 jobs did not finish the solve")
		}
		code, out := job.run(t, time.Duration((0.4+0.1*float64(runs))*float64(takes)))
		if code == 0 && !job.requeued(t) {
			break
		}
		if code != 0 && code != 143 { // 143: SIGUSR1 came before the first checkpoint
			t.Fatalf("exit code %d\n%s", code, out)
		}
		if _, err := os.Stat(filepath.Join(s.dir, "mpsolve-42.ck")); err == nil {
			resumed++
		}
	}
	if resumed == 0 {
		t.Error("no job was interrupted with a checkpoint")
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
