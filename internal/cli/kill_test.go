//go:build unix

package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

var (
	kills    = flag.Int("kills", 10, "number of times that TestKill ends mpsolve by SIGKILL")
	killSeed = flag.Uint64("kill-seed", 1, "of the moments at which TestKill does so")
)

// killCases are solves by all methods with checkpoints; with several right-hand sides and preconditioners, and with changes of
// precision and method during the solve.
var killCases = []struct {
	name     string
	generate string
	solve    string
}{
	{"cg", "poisson3d --n 36 --decades 3 --seed 1", "--precond none"},
	{"gmres", "convdiff3d --n 24 --peclet 1", "--precond none --restart 20 --rhs random:3"},
	{"bicgstab", "convdiff3d --n 32 --peclet 1", "--method bicgstab --precond none --inner-tol 0.01 --rhs random:3"},
	{"minres", "poisson2d --n 120 --decades 2 --seed 1", "--method minres"},
	{"fallbacks", "poisson2d --n 90 --decades 3 --seed 2", "--tol 1e-13 --rhs columns.mtx --threads 2"},
}

// TestKill ends solves with checkpoints by SIGKILL at random moments, also while a checkpoint is being written, and resumes
// them until they are done. x has the bytes of an uninterrupted run, and no checkpoint is ever refused. Some runs get SIGUSR1,
// which asks for a checkpoint, or SIGTERM. `make kill-test` kills 200 times.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	rng := rand.New(rand.NewPCG(*killSeed, 0))
	var total killCount
	for k, c := range killCases {
		share := (*kills + len(killCases) - 1 - k) / len(killCases)
		t.Run(c.name, func(t *testing.T) {
			s := newKilled(t, c.generate, c.solve, rng)
			for s.count.kills < share && !t.Failed() {
				s.one(t)
			}
			for !s.done && !t.Failed() { // lets the last solve end
				s.run(t, time.Minute)
			}
			total.add(s.count)
		})
	}
	t.Logf("%d of %d kills left a checkpoint that the next run went on from to the same bits, "+
		"%d came before the first one; %d runs ended by SIGTERM; %d solves finished and compared, %d temporary files left",
		total.resumable, total.kills, total.kills-total.resumable, total.terms, total.finished, total.stale)
	if total.resumable < max(1, total.kills/4) || total.finished < len(killCases) {
		t.Errorf("too few to show anything: %+v", total)
	}
}

// killCount counts the events of the runs.
type killCount struct{ kills, resumable, terms, finished, stale int }

func (c *killCount) add(o killCount) {
	c.kills += o.kills
	c.resumable += o.resumable
	c.terms += o.terms
	c.finished += o.finished
	c.stale += o.stale
}

// killed is a solve that is killed again and again.
type killed struct {
	dir   string
	args  []string
	want  []byte // x of an uninterrupted run
	takes time.Duration
	rng   *rand.Rand
	done  bool // the last run has finished
	count killCount
}

// newKilled makes the matrix and solves once without checkpoints.
func newKilled(t *testing.T, generate, flags string, rng *rand.Rand) *killed {
	t.Helper()
	s := &killed{dir: t.TempDir(), rng: rng, done: true}
	s.must(t, append(strings.Fields("generate "+generate), "--output", "a.mtx")...)
	info, err := os.ReadFile(filepath.Join(s.dir, "a.mtx"))
	if err != nil {
		t.Fatal(err)
	}
	var rows int
	for line := range strings.Lines(string(info)) {
		if !strings.HasPrefix(line, "%") {
			fmt.Sscan(line, &rows)
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix array real general\n%d 3\n", rows)
	for range 3 * rows {
		fmt.Fprintln(&b, rng.NormFloat64())
	}
	if err := os.WriteFile(filepath.Join(s.dir, "columns.mtx"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s.args = append(strings.Fields("solve a.mtx --quiet --output x.mtx --threads 1"), strings.Fields(flags)...)
	start := time.Now()
	s.must(t, s.args...)
	s.takes = time.Since(start)
	s.want = s.x(t)
	return s
}

// must runs mpsolve, which must succeed.
func (s *killed) must(t *testing.T, args ...string) {
	t.Helper()
	c := testsupport.Command(t, "mpsolve", args...)
	c.Dir = s.dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("mpsolve %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (s *killed) x(t *testing.T) []byte {
	t.Helper()
	x, err := os.ReadFile(filepath.Join(s.dir, "x.mtx"))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// one runs mpsolve until a random moment.
func (s *killed) one(t *testing.T) {
	t.Helper()
	s.run(t, time.Duration((0.3+1.4*s.rng.Float64())*float64(s.takes)))
}

// run starts mpsolve, from the checkpoint if there is one, and ends it after some time unless it has ended. The files that it
// leaves must be sound.
func (s *killed) run(t *testing.T, after time.Duration) {
	t.Helper()
	args := append(s.args, "--checkpoint", "run.ck", "--checkpoint-every", "5ms")
	if s.resumable(t) {
		args = append(args, "--resume", "run.ck")
	}
	c := testsupport.Command(t, "mpsolve", args...)
	c.Dir = s.dir
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	signal := syscall.SIGKILL
	if s.rng.IntN(5) == 0 {
		signal = syscall.SIGTERM
	}
	if half := after / 2; s.rng.IntN(4) == 0 && half > 100*time.Millisecond && half < s.takes { // mpsolve listens for signals by then
		time.Sleep(half)
		_ = c.Process.Signal(syscall.SIGUSR1)
		after -= half
	}
	var err error
	sent := false
	select {
	case err = <-ended:
	case <-time.After(after):
		sent = c.Process.Signal(signal) == nil
		err = <-ended
	}
	s.check(t, err, sent, signal, out.String())
}

// check checks the files that a run has left.
func (s *killed) check(t *testing.T, err error, sent bool, signal syscall.Signal, out string) {
	t.Helper()
	temps, _ := filepath.Glob(filepath.Join(s.dir, ".mpsolve-*.tmp"))
	for _, temp := range temps {
		s.count.stale++
		if err := os.Remove(temp); err != nil {
			t.Error(err)
		}
	}
	if err == nil {
		s.done = true
		s.count.finished++
		if !bytes.Equal(s.x(t), s.want) {
			t.Fatalf("x is another one, after %d kills", s.count.kills)
		}
		if _, err := os.Stat(filepath.Join(s.dir, "run.ck")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the checkpoint of a solve that is done is there: %v", err)
		}
		return
	}
	s.done = false
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !sent {
		t.Fatalf("%v\n%s", err, out)
	}
	switch status := exit.Sys().(syscall.WaitStatus); {
	case status.Signaled() && status.Signal() == syscall.SIGKILL && signal == syscall.SIGKILL:
		s.count.kills++
		if s.resumable(t) {
			s.count.resumable++
		}
	case signal == syscall.SIGTERM && (exit.ExitCode() == 143 || status.Signaled()):
		s.count.terms++
	default:
		t.Fatalf("%v\n%s", err, out)
	}
}

// resumable reports whether there is a checkpoint, which must be sound.
func (s *killed) resumable(t *testing.T) bool {
	t.Helper()
	f, err := os.Open(filepath.Join(s.dir, "run.ck"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := checkpoint.Read(f); err != nil {
		t.Fatalf("checkpoint %v", err)
	}
	return true
}
