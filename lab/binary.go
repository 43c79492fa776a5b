package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// BinaryVariable is the environment variable that names the program mpsolve for the classes that attack it from
// outside. Without it these classes do nothing.
const BinaryVariable = "STRESS_MPSOLVE"

// victim is a folder with a matrix on which the program runs.
type victim struct {
	dir     string
	program string
	rows    int
	out     *Outcome
}

// newVictim writes the matrix of s into a new folder. It returns nil if there is no program or writing fails.
func newVictim(s *System, out *Outcome) *victim {
	v := &victim{program: os.Getenv(BinaryVariable), rows: s.A.Rows, out: out}
	if v.program == "" {
		out.Verdict = "skipped"
		return nil
	}
	dir, err := os.MkdirTemp("", "stress")
	if err == nil {
		v.dir = dir
		var text bytes.Buffer
		if err = matrixmarket.Write(&text, s.A, matrixmarket.WriteOptions{}); err == nil {
			err = os.WriteFile(filepath.Join(dir, "a.mtx"), text.Bytes(), 0o644)
		}
	}
	if err != nil {
		out.fault(Odd, "%v", err)
		return nil
	}
	return v
}

func (v *victim) close() { _ = os.RemoveAll(v.dir) }

// ended describes how a program ended.
type ended struct {
	code           int // -1: by a signal
	stdout, stderr string
}

// run runs a shell command in the folder with $MPSOLVE set. After the given time it sends the signal, unless that is
// 0. It kills what exceeds the time limit.
func (v *victim) run(command string, signal syscall.Signal, after time.Duration) ended {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir = v.dir
	cmd.Env = append(os.Environ(), "MPSOLVE="+v.program)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	v.out.Solves++
	if err := cmd.Start(); err != nil {
		v.out.fault(Odd, "%v", err)
		return ended{}
	}
	if signal != 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(signal) })
		defer timer.Stop()
	}
	err := cmd.Wait()
	v.out.Seconds += time.Since(start).Seconds()
	if ctx.Err() != nil {
		v.out.fault(Late, "killed after 20 s: %s; %s", command, v.out.Text)
	}
	code := 0
	if err != nil {
		code = 1
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		}
	}
	return ended{code, stdout.String(), stderr.String()}
}

// check demands one of the exit codes, at most a few lines on standard error, and a file x.mtx that is complete or
// missing as before; the folder may hold no other file.
func (v *victim) check(e ended, codes ...int) {
	v.out.count(fmt.Sprintf("exit %d", e.code))
	if !slices.Contains(codes, e.code) {
		v.out.fault(Odd, "exit %d, want one of %v: %.300q; %s", e.code, codes, e.stderr, v.out.Text)
	}
	for _, dump := range []string{"goroutine ", "fatal error", "panic:", "runtime:"} {
		if strings.Contains(e.stderr, dump) {
			v.out.fault(Panicked, "%.300q; %s", e.stderr, v.out.Text)
			break
		}
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		v.out.fault(Odd, "%v", err)
	}
	for _, f := range entries {
		switch f.Name() {
		case "a.mtx":
		case "x.mtx":
			v.complete()
		default:
			v.out.fault(Partial, "%s is left; exit %d; %s", f.Name(), e.code, v.out.Text)
		}
		if f.Name() != "a.mtx" {
			_ = os.RemoveAll(filepath.Join(v.dir, f.Name()))
		}
	}
}

// complete demands that x.mtx has an element for each row.
func (v *victim) complete() {
	c, err := matrixmarket.ReadFile(context.Background(), filepath.Join(v.dir, "x.mtx"), matrixmarket.Options{})
	if err != nil || len(c.Dense) != v.rows {
		v.out.fault(Partial, "x.mtx: %v; %s", err, v.out.Text)
	}
}

// signals sends SIGINT, SIGTERM or SIGHUP at random moments: x is written completely or not at all, standard output
// holds one JSON object or nothing, and the exit code tells why.
func signals(r *rand.Rand, out *Outcome) {
	v := newVictim(pick(r, []func(*rand.Rand) *System{generated, stressConvection, differentSizes})(r), out)
	if v == nil {
		return
	}
	defer v.close()
	for range attempts {
		s := pick(r, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP})
		after := time.Duration(r.IntN(60)) * time.Millisecond
		out.Text = fmt.Sprintf("signal %v after %v", s, after)
		e := v.run("exec $MPSOLVE solve a.mtx -o x.mtx --json --threads 1 --tol 1e-15", s, after)
		// -1: before the program has installed its signal handler.
		v.check(e, 0, 3, 4, 128+int(s), -1)
		var object map[string]any
		d := json.NewDecoder(strings.NewReader(e.stdout))
		if err := d.Decode(&object); err != nil && err != io.EOF {
			out.fault(Partial, "JSON: %v; %s", err, out.Text)
		}
	}
}

// addressSpace runs the program with RLIMIT_AS in steps, from the least value with which it starts at all.
func addressSpace(r *rand.Rand, out *Outcome) {
	v := newVictim(generated(r), out)
	if v == nil {
		return
	}
	defer v.close()
	kilobytes := 100_000
	for v.run(fmt.Sprintf("ulimit -v %d; exec $MPSOLVE version", kilobytes), 0, 0).code != 0 {
		if kilobytes = kilobytes * 5 / 4; kilobytes > 1<<26 {
			out.Verdict = "skipped"
			return
		}
	}
	top := 2 * kilobytes
	for ; kilobytes < top; kilobytes += kilobytes/20 + r.IntN(kilobytes/20) {
		out.Text = fmt.Sprintf("ulimit -v %d", kilobytes)
		v.check(v.run(fmt.Sprintf("ulimit -v %d; exec $MPSOLVE solve a.mtx -o x.mtx", kilobytes), 0, 0), 0, 1, 3, 4)
	}
}

// fileSize runs the program with RLIMIT_FSIZE in steps, and lets it write to a full device.
func fileSize(r *rand.Rand, out *Outcome) {
	v := newVictim(generated(r), out)
	if v == nil {
		return
	}
	defer v.close()
	for _, blocks := range []int{0, 1, 2, 4, 8, 16, 32, 64} {
		out.Text = fmt.Sprintf("ulimit -f %d", blocks)
		v.check(v.run(fmt.Sprintf("ulimit -f %d; exec $MPSOLVE solve a.mtx -o x.mtx >/dev/null", blocks), 0, 0), 0, 1, 3, 4)
	}
	out.Text = "-o a link to /dev/full"
	link := filepath.Join(v.dir, "x.mtx")
	_ = os.Symlink("/dev/full", link)
	e := v.run("exec $MPSOLVE solve a.mtx -o x.mtx", 0, 0)
	if to, err := os.Readlink(link); err != nil || to != "/dev/full" {
		out.fault(Partial, "the link was replaced: %v; %s", err, out.Text)
	}
	_ = os.Remove(link)
	v.check(e, 1)
	out.Text = "standard output to /dev/full"
	v.check(v.run("exec $MPSOLVE solve a.mtx -o x.mtx >/dev/full", 0, 0), 1)
}

// fullDisk writes x to a small file system in memory, if the system lets a user mount one.
func fullDisk(r *rand.Rand, out *Outcome) {
	v := newVictim(generated(r), out)
	if v == nil {
		return
	}
	defer v.close()
	const mount = "mkdir m && unshare -rm sh -c 'mount -t tmpfs -o size=%dk none m && "
	if v.run(fmt.Sprintf(mount+"true'", 4), 0, 0).code != 0 {
		out.Verdict = "skipped"
		return
	}
	_ = os.Remove(filepath.Join(v.dir, "m"))
	for _, size := range []int{4, 8, 16, 64} {
		out.Text = fmt.Sprintf("a file system of %d kB", size)
		script := fmt.Sprintf(mount+"$MPSOLVE solve a.mtx -o m/x.mtx; code=$?; ls -A m >left; cp m/x.mtx x.mtx 2>/dev/null; exit $code'; code=$?; rmdir m; exit $code", size)
		e := v.run(script, 0, 0)
		left, _ := os.ReadFile(filepath.Join(v.dir, "left"))
		_ = os.Remove(filepath.Join(v.dir, "left"))
		if names := strings.TrimSpace(string(left)); names != "" && names != "x.mtx" {
			out.fault(Partial, "%q is left; %s", names, out.Text)
		}
		v.check(e, 0, 1, 3, 4)
	}
}
