//go:build linux && cgo

package cli

import (
	"strings"
	"testing"
	"time"
)

// Ctrl-C at a terminal goes to the launcher, and ends the job with the best x written. (Interrupt)
func TestInterruptOfRanksAtATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.must(t, "generate poisson2d --n 200 --output a.mtx")
		keyboard, terminal := openTerminal(t)
		on.terminal = terminal
		on.env = append(on.env, "OMPI_MCA_odls_base_sigkill_timeout=3") // seconds; 1, the default, is short on a machine with other work
		wrapper := on.rankWrapper(t)
		s := on.start(t, append([]string{"-n", "2", wrapper}, strings.Fields(slowly+"--domains 3")...)...)
		on.untilSolving(t)
		if _, err := keyboard.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		e := on.wait(t, s)
		e.err += on.ranksSaid(t)
		if took := time.Since(start); took > 15*time.Second { // the exit code is that of the launcher, with MPICH sometimes 0
			t.Errorf("it ends after %v, exit code %d\n%s", took, e.code, e.err)
		}
		on.gone(t, "Ctrl-C")
		if lines := strings.Count(on.file(t, "x.mtx"), "\n"); lines < 40_000 {
			t.Errorf("x.mtx has %d lines", lines)
		}
		if said := e.said(); len(said) != 1 || !strings.Contains(said[0], "stopped by signal: ") {
			t.Errorf("it says %q\n%s", said, e.err)
		}
	})
}
