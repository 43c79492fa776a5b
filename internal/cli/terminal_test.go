//go:build linux

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"golang.org/x/sys/unix"
)

// On a terminal of any width a solve shows its progress while it sets up and iterates. No line is too long, and only the report
// remains.
func TestStatusLineOnATerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.mtx")
	m, err := generate.Generate("poisson2d", generate.Params{"n": 300})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := matrixmarket.Write(f, m, matrixmarket.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, width := range []int{80, 40} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			out := onTerminal(t, width, nil, "solve", file, "--method", "minres", "--precond", "none", "--digits", "none", "--threads", "1", "--tol", "1e-13", "--formats", "FP64")
			drawn := regexp.MustCompile(`\r([^\r\n]*)\x1b\[K`).FindAllStringSubmatch(out, -1)
			iterations := 0
			for _, d := range drawn {
				if n := utf8.RuneCountInString(d[1]); n >= width {
					t.Errorf("%d columns: %q", n, d[1])
				}
				if strings.HasPrefix(d[1], "error ") {
					iterations++
				}
			}
			if iterations == 0 {
				t.Errorf("no line of iterations in %q", out)
			}
			left := screen(out)
			if !strings.HasPrefix(left, "matrix     a.mtx: 90000 x 90000") || !strings.Contains(left, "\nx          not written") || strings.Contains(left, " left") {
				t.Errorf("what is left:\n%s", left)
			}
			for line := range strings.SplitSeq(left, "\n") {
				if utf8.RuneCountInString(line) > width {
					t.Errorf("%q", line)
				}
			}
			if !strings.Contains(out, "\x1b[32mconverged") {
				t.Errorf("no colour: %q", left)
			}
		})
	}
}

// On a terminal the set-up of factors shows how much is done, and an estimate of the time left; in a pipe it shows nothing.
func TestSetupOnATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	file := filepath.Join(t.TempDir(), "a.mtx")
	if out, err := testsupport.Command(t, "mpsolve", "generate", "poisson2d", "--n", "200", "--output", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	args := []string{"solve", file, "--precond", "ict", "--drop-tol", "1e-6", "--fill", "100", "--digits", "none", "--threads", "1"}
	out := onTerminal(t, 100, nil, args...)
	if !regexp.MustCompile(`\rsetting up ict: [1-9][0-9]?% of 40000 rows, ~[0-9]+ s left, [0-9.]+ s\x1b`).MatchString(out) || strings.Contains(screen(out), "setting up") {
		t.Errorf("%q", out)
	}
	if out, err := testsupport.Command(t, "mpsolve", args...).CombinedOutput(); err != nil || strings.Contains(string(out), "setting up") {
		t.Errorf("%v: %s", err, out)
	}
}

// Colours can be switched off.
func TestNoColor(t *testing.T) {
	for _, c := range []struct {
		env, args []string
	}{
		{[]string{"NO_COLOR=1"}, nil},
		{nil, []string{"--no-color"}},
		{[]string{"TERM=dumb"}, nil},
	} {
		out := onTerminal(t, 80, c.env, append(c.args, "solve", filepath.Join("..", "..", "testdata", "poisson2d_20.mtx"))...)
		if !strings.Contains(out, "converged") || strings.Contains(out, "\x1b[3") {
			t.Errorf("%v %v: %q", c.env, c.args, out)
		}
	}
}

// An interrupted solve leaves its report and no status line. (Interrupt)
func TestInterruptedStatusLine(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	cmd, person := terminalCommand(t, 60, nil, "solve", "-")
	in, err := cmd.StdinPipe() // standard input is empty
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	untilAsleep(t, cmd.Process.Pid)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if left := screen(readTerminal(t, cmd, person)); !strings.Contains(left, "stopped by signal: interrupt") || strings.Count(left, "\n") != 1 {
		t.Errorf("what is left: %q", left)
	}
}

// onTerminal runs mpsolve on a terminal with that width and returns its output.
func onTerminal(t *testing.T, width int, env []string, args ...string) string {
	t.Helper()
	cmd, person := terminalCommand(t, width, env, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return readTerminal(t, cmd, person)
}

func terminalCommand(t *testing.T, width int, env []string, args ...string) (cmd *exec.Cmd, person *os.File) {
	t.Helper()
	exe, err := exec.LookPath("mpsolve") // the binary of testscript
	if err != nil {
		t.Skip(err)
	}
	person, terminal := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	cmd = testsupport.Command(t, exe, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR="), env...)
	cmd.Stdout, cmd.Stderr = terminal, terminal
	return cmd, person
}

// readTerminal reads the output of a started command until it ends.
func readTerminal(t *testing.T, cmd *exec.Cmd, person *os.File) string {
	t.Helper()
	cmd.Stdout.(*os.File).Close() // the command has its own copy
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(person) // the end of the terminal is an error
		text <- string(all)
	}()
	_ = cmd.Wait()
	return strings.ReplaceAll(<-text, "\r\n", "\n")
}

// screen returns what a terminal shows at the end.
func screen(out string) string {
	out = regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(out, "")
	lines := strings.Split(out, "\n")
	for k, line := range lines {
		if at := strings.LastIndex(line, "\r"); at >= 0 {
			lines[k] = strings.TrimPrefix(line[at+1:], "\x1b[K")
		}
	}
	return strings.Join(lines, "\n")
}

// openTerminal returns the two ends of a terminal: the one of a person, and the one of programs.
func openTerminal(t *testing.T) (person, programs *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	programs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { programs.Close() })
	return person, programs
}

// stalledPipe returns the writing end of a full pipe that nobody reads.
func stalledPipe(t *testing.T) *os.File {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	for full := error(nil); !errors.Is(full, syscall.EAGAIN); _, full = syscall.Write(fds[1], make([]byte, 4096)) {
	}
	if err := syscall.SetNonblock(fds[1], false); err != nil {
		t.Fatal(err)
	}
	w := os.NewFile(uintptr(fds[1]), "pipe")
	t.Cleanup(func() { w.Close(); syscall.Close(fds[0]) })
	return w
}

// One signal ends a command at once, within seconds on a busy machine, while a pipe that nobody reads blocks its output, x or the error itself.
func TestStalledInterrupted(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	held, err := os.OpenFile(fifo, os.O_RDWR, 0) // a reader that reads nothing
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	matrix := filepath.Join(t.TempDir(), "a.mtx")
	if out, err := testsupport.Command(t, "mpsolve", "generate", "poisson2d", "--n", "80", "--output", matrix).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		args     string
		out, err bool // true: stalled
	}{
		{"generate poisson2d --n 200", true, true},
		{"solve A", true, true},
		{"solve A --json", true, false},
		{"solve A --verbose", false, true},
		{"solve A --output /dev/stdout", true, false},
		{"solve A --tol 1e-3 --digits none --output " + fifo, false, false},
		{"info A", true, false},
		{"convert A - --to mtx", true, false},
	} {
		t.Run(strings.Fields(c.args)[0], func(t *testing.T) {
			t.Parallel()
			command := testsupport.Command(t, "mpsolve", strings.Fields(strings.ReplaceAll(c.args, "A", matrix))...)
			command.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			var said strings.Builder
			command.Stderr = &said
			if c.out {
				command.Stdout = stalledPipe(t)
			}
			if c.err {
				command.Stderr = stalledPipe(t)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			untilAsleep(t, command.Process.Pid)
			sent := time.Now()
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal("ended before")
			}
			late := time.AfterFunc(10*time.Second, func() { _ = command.Process.Kill() })
			_ = command.Wait() // the exit code says more
			late.Stop()
			if code, took := command.ProcessState.ExitCode(), time.Since(sent); code != 143 || took > 5*time.Second {
				t.Errorf("exit code %d after %v: %s", code, took, said.String())
			}
		})
	}
}
