//go:build unix && cgo

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
)

// Ranks that are killed at any moment leave a whole checkpoint, from which another number of ranks goes on to the same bytes of x. A damaged
// block is refused, whichever rank reads it.
func TestRanksKilledWithCheckpoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		const flags = "--domains 5 --precond none --tol 1e-13 --rhs random:1 --output x.mtx "
		on.must(t, "generate poisson2d --n 100 --output a.mtx")
		on.must(t, "solve a.mtx "+flags)
		want := on.file(t, "x.mtx")
		wrapper := on.rankWrapper(t)
		path := filepath.Join(on.dir, "run.ck")
		more, found := "", 0
		for k := range 6 {
			args := append([]string{"-n", fmt.Sprint(2 + k%2), wrapper}, strings.Fields("solve a.mtx "+flags+"--verbose --checkpoint run.ck --checkpoint-every 1ms "+more)...)
			s := on.start(t, args...)
			on.untilSolving(t)
			time.Sleep(time.Duration(17*k) * time.Millisecond)
			var pid int
			fmt.Sscan(on.file(t, fmt.Sprintf("pid.%d", k%2)), &pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			on.wait(t, s)
			on.ranksSaid(t)
			on.gone(t, "killed")
			f, err := os.Open(path)
			if err != nil {
				more = ""
				continue
			}
			if _, err := checkpoint.Read(f); err != nil {
				t.Errorf("kill %d: checkpoint %v", k, err)
			}
			f.Close()
			more = "--resume run.ck"
			found++
		}
		if found == 0 {
			t.Fatal("no checkpoint")
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []int{1, 2} { // of three ranks
			bad := append([]byte{}, b...)
			bad[len(b)/3*part+len(b)/6] ^= 1
			on.write(t, "bad.ck", string(bad))
			on.mpsolve(t, "solve a.mtx "+flags+"--resume bad.ck").want(t, "a bit", exitInput, "mpsolve: checkpoint bad.ck is damaged: a checksum is wrong")
		}
		on.mpsolve(t, "solve a.mtx "+flags+more).want(t, more, 0, "")
		if on.file(t, "x.mtx") != want {
			t.Error("another x")
		}
	})
}

// Rank 0 writes and reads checkpoints for a rank that has another file system.
func TestRanksWithoutTheCheckpoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		const flags = "solve a.mtx --domains 3 --precond none --max-iter 20 --quiet "
		on.must(t, "generate poisson2d --n 60 --output a.mtx")
		on.alone(t, flags+"--output alone.mtx").want(t, "alone", exitNotConverged, "")
		elsewhere := t.TempDir()
		for _, f := range []struct{ name, text string }{{"a.mtx", on.file(t, "a.mtx")}, {"run.ck", "mpsolve checkpoint 2\n"}} { // run.ck is another file there
			if err := os.WriteFile(filepath.Join(elsewhere, f.name), []byte(f.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, more := range []string{"--checkpoint run.ck --checkpoint-every 1us", "--output x.mtx --resume run.ck"} {
			solve := append([]string{"mpsolve"}, strings.Fields(flags+more)...)
			args := append([]string{"-n", "1", "-wdir", on.dir}, solve...)
			args = append(append(args, ":", "-n", "1", "-wdir", elsewhere), solve...)
			on.wait(t, on.start(t, args...)).want(t, more, exitNotConverged, "")
		}
		if on.file(t, "x.mtx") != on.file(t, "alone.mtx") {
			t.Error("another x")
		}
	})
}
