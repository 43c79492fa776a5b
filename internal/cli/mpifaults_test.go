//go:build unix && cgo

package cli

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// spreads are the two ways in which a job solves a system: on rank 0, and on all ranks.
var spreads = []string{"", "--domains 3"}

// x.mtx has the same bytes with any MPI library and number of ranks, and without MPI. There is one report.
func TestRanksGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.must(t, "generate poisson2d --n 60 --decades 2 --seed 1 --output a.mtx")
		var random bytes.Buffer // cut by the graph
		inOrder, _ := plate(t)
		if err := matrixmarket.Write(&random, randomly(inOrder), matrixmarket.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		on.write(t, "random.mtx", random.String())
		validate := validator(t, "report.schema.json")
		for k, flags := range []string{"a.mtx " + spreads[1], "a.mtx " + spreads[0], "random.mtx --rhs random:1 " + spreads[1]} {
			on.must(t, "solve --output alone.mtx "+flags)
			for _, ranks := range on.numbers(k) {
				on := *on
				on.ranks = ranks
				e := on.mpsolve(t, "solve --json --threads 2 --output x.mtx "+flags)
				e.want(t, flags, 0, "")
				if byGraph := strings.Contains(e.out, "by the graph, ghosts "); byGraph != strings.HasPrefix(flags, "random.mtx") {
					t.Errorf("%s: by the graph: %v", flags, byGraph)
				}
				if on.file(t, "x.mtx") != on.file(t, "alone.mtx") {
					t.Errorf("%s: x of %d ranks is another", flags, ranks)
				}
				if err := validate(e.out); err != nil {
					t.Errorf("%s: %v", flags, err)
				}
				var report struct{ Ranks *struct{ Count int } }
				if err := json.Unmarshal([]byte(e.out), &report); err != nil {
					t.Errorf("%s: %v\n%s", flags, err, e.out)
				}
				if (report.Ranks != nil) != (ranks > 1) || ranks > 1 && report.Ranks.Count != ranks {
					t.Errorf("%s: ranks %+v in the report of %d", flags, report.Ranks, ranks)
				}
			}
		}
	})
}

// Ranks with a device each give the same bytes as one process with the same number of domains.
func TestRanksOnDevicesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	if !emulated(t) {
		t.Skip("there is no emulated device")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		const flags = "--device emulate --domains 3 --rhs random:1 --output "
		on.must(t, "generate convdiff2d --n 25 --output a.mtx")
		on.must(t, "solve a.mtx "+flags+"alone.mtx")
		e := on.mpsolve(t, "solve a.mtx "+flags+"x.mtx")
		e.want(t, flags, 0, "")
		if on.file(t, "x.mtx") != on.file(t, "alone.mtx") {
			t.Error("x of ranks with devices is another")
		}
		if !strings.Contains(e.out, "one for each of ") {
			t.Errorf("no line about devices:\n%s", e.out)
		}
	})
}

// A sequence over ranks has the same bytes in each x as without MPI, though domains differ from one matrix to the next. A singular matrix in it is solved with its null
// space, and a matrix of another size ends all ranks before any work.
func TestRanksSolveSequences(t *testing.T) {
	t.Parallel()
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.must(t, "generate poisson2d --n 40 --output a0.mtx")
		on.must(t, "generate convdiff2d --n 40 --output a1.mtx")
		var free strings.Builder // a Laplacian of a path, and some more connections at its begin
		fmt.Fprintf(&free, "%%%%MatrixMarket matrix coordinate real symmetric\n1600 1600 %d\n", 1600+1599+500)
		for i := 1; i <= 1600; i++ {
			diagonal := 2 - 1/i - i/1600
			if i <= 500 || i > 600 && i <= 1100 {
				diagonal++
				if i <= 500 {
					fmt.Fprintf(&free, "%d %d -1\n", i+600, i)
				}
			}
			fmt.Fprintf(&free, "%d %d %d\n", i, i, diagonal)
			if i < 1600 {
				fmt.Fprintf(&free, "%d %d -1\n", i+1, i)
			}
		}
		on.write(t, "a2.mtx", free.String())
		const flags = "solve a0.mtx a1.mtx a2.mtx --domains 3 --rhs random:3 --quiet --output "
		on.must(t, flags+"alone%d.mtx")
		e := on.mpsolve(t, flags+"x%d.mtx")
		e.want(t, flags, 0, "")
		for k := range 3 {
			if got := on.file(t, fmt.Sprintf("x%d.mtx", k)); got == "" || got != on.file(t, fmt.Sprintf("alone%d.mtx", k)) {
				t.Errorf("system %d: x of ranks is another", k)
			}
		}
		on.write(t, "small.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
		e = on.mpsolve(t, "solve a0.mtx a1.mtx small.mtx --domains 3")
		e.want(t, "another size", exitInput, "small.mtx: 1 x 1, but the matrix before it is 1600 x 1600")
	})
}

// An error ends all ranks with one line and one exit code.
func TestRanksFailTogether(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.must(t, "generate poisson2d --n 60 --output a.mtx")
		on.write(t, "rubbish.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 5\n2 x 1\n")
		on.write(t, "binary.mtx", strings.Repeat("\x00\xff\x13rubbish", 1000))
		other := map[string]string{"openmpi": "mpich", "mpich": "openmpi"}[on.name]
		for k, c := range []struct {
			args string
			env  string
			code int
			want string
		}{
			{args: "solve missing.mtx", code: exitInput, want: "open missing.mtx"},
			{args: "solve rubbish.mtx", code: exitInput, want: "rubbish.mtx:4"},
			{args: "solve binary.mtx", code: exitInput, want: "binary.mtx"},
			{args: "solve a.mtx --rhs missing.mtx", code: exitInput, want: "missing.mtx"},
			{args: "solve a.mtx --max-iter 2 --quiet --precond none", code: exitNotConverged},
			{args: "solve a.mtx --max-time 1ns", code: exitNotConverged, want: "time limit reached while"},
			{args: "info a.mtx", code: exitUsage, want: "solve and bench mpi run over ranks"},
			{args: "solve a.mtx --output nowhere/x.mtx", code: exitUsage, want: "--output nowhere/x.mtx"},
			{args: "solve a.mtx --metod cg", code: exitUsage, want: "did you mean --method"},
			{args: "solve a.mtx --output /dev/full", env: "TMPDIR=" + t.TempDir(), code: exitFailure, want: "no space left on device"},
			{args: "solve a.mtx", env: "MPSOLVE_MPI=" + other, code: exitNoDevice, want: "MPI: "},
		} {
			flags := spreads[k%len(spreads)]
			if _, err := os.Stat("/dev/full"); err != nil && strings.Contains(c.args, "/dev/full") {
				continue
			}
			if strings.HasPrefix(c.env, "MPSOLVE_MPI") {
				find(t, other) // the launcher of that library
			}
			if c.env != "" {
				on.env = []string{c.env}
			}
			if !strings.HasPrefix(c.args, "solve") {
				flags = ""
			}
			on.mpsolve(t, c.args+" "+flags).want(t, c.args+" "+flags+" "+c.env, c.code, c.want)
			on.env = nil
		}
	})
}

// A matrix that is missing on one rank is an error of all ranks if that rank reads it, and no error if rank 0 reads for all. A full
// disk of one rank is an error of all ranks, and x goes elsewhere.
func TestRanksWithOtherDisks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		there, elsewhere := filepath.Join(on.dir, "there"), t.TempDir()
		if err := os.Mkdir(there, 0o777); err != nil {
			t.Fatal(err)
		}
		on.must(t, "generate poisson2d --n 60 --output there/a.mtx")
		for _, c := range []struct {
			dirs  [2]string // folders of the ranks
			flags string
			code  int
			want  string
		}{
			{[2]string{there, elsewhere}, "", 0, ""},
			{[2]string{there, elsewhere}, "--domains 3", exitInput, "rank 1: open a.mtx: no such file or directory (all ranks read a plain file"},
			{[2]string{elsewhere, there}, "", exitInput, "mpsolve: open a.mtx: no such file"},
			{[2]string{elsewhere, there}, "--domains 3", exitInput, "mpsolve: open a.mtx: no such file"},
		} {
			solve := strings.Fields("mpsolve solve a.mtx --quiet " + c.flags)
			args := append([]string{"-n", "1", "-wdir", c.dirs[0]}, solve...)
			args = append(append(args, ":", "-n", "1", "-wdir", c.dirs[1]), solve...)
			on.wait(t, on.start(t, args...)).want(t, fmt.Sprint(c), c.code, c.want)
		}

		// The limit on the size of files is some megabytes, which the files of MPI need. The part of rank 1 begins above the limit.
		limited := on.script(t, "limited", "[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ] && ulimit -f 10000\nexec mpsolve \"$@\"\n")
		on.must(t, "generate poisson2d --n 700 --output big.mtx")
		on.env = []string{"TMPDIR=" + elsewhere}
		e := on.wait(t, on.start(t, append([]string{"-n", "2", limited},
			strings.Fields("solve big.mtx --domains 3 --rhs random:1 --max-iter 1 --precond none --digits none --quiet --output x.mtx")...)...))
		e.want(t, "a full disk", exitFailure, "writing x.mtx: rank 1: file too large; x is in "+elsewhere)
		if x := on.file(t, "x.mtx"); x != "" {
			t.Errorf("x.mtx has %d bytes", len(x))
		}
		saved, err := filepath.Glob(filepath.Join(elsewhere, "mpsolve-*.mtx"))
		if err != nil || len(saved) != 1 {
			t.Fatalf("%v in the folder of temporary files (%v)", saved, err)
		}
		x, err := os.ReadFile(saved[0])
		if err != nil || strings.Count(string(x), "\n") < 490_000 {
			t.Errorf("x has %d bytes (%v)", len(x), err)
		}
		if left, err := filepath.Glob(filepath.Join(on.dir, ".mpsolve-*")); err != nil || len(left) > 0 {
			t.Errorf("%v are left (%v)", left, err)
		}
	})
}

// find skips the test if there is no launcher with that name.
func find(t *testing.T, name string) {
	t.Helper()
	for _, l := range launchers {
		if l.name == name {
			l.find(t)
		}
	}
}

// Ranks with different arguments, with different files, or without enough memory.
func TestRanksThatDiffer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.must(t, "generate poisson2d --n 60 --output a.mtx")
		e := on.wait(t, on.start(t, "-n", "1", "mpsolve", "solve", "a.mtx", ":", "-n", "1", "mpsolve", "solve", "b.mtx"))
		e.want(t, "different arguments", exitUsage, "rank 1 was started as mpsolve solve b.mtx, rank 0 as mpsolve solve a.mtx")
		e = on.wait(t, on.start(t, "-n", "1", "mpsolve", "solve", "a.mtx", ":", "-n", "1", "mpsolve", "solve", "a.mtx", "--unknown"))
		e.want(t, "an unknown flag on one rank", exitUsage, "all ranks need the same arguments")

		e = on.wait(t, on.start(t, "-n", "1", "mpsolve", "solve", "a.mtx", ":", "-n", "1", otherBuild(t), "solve", "a.mtx"))
		e.want(t, "another build on one rank", exitUsage, "rank 1 is another build of mpsolve ")

		// A rank that ends before MPI starts keeps others waiting for no longer than the limit.
		early := on.script(t, "early", "[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ] && exit 0\nMPSOLVE_MPI_TIMEOUT=3 exec mpsolve \"$@\"\n")
		if e = on.wait(t, on.start(t, "-n", "2", early, "solve", "a.mtx")); e.code == 0 {
			t.Errorf("a rank that ended early: exit code 0\n%s", e.err)
		}

		// This address space is too small for rank 0 to read the matrix, and for any rank to read its share.
		limited := on.script(t, "limited", "[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 0 ] && ulimit -v 1050000\nexec mpsolve \"$@\"\n")
		on.must(t, "generate poisson2d --n 500 --output big.mtx")
		for _, flags := range spreads {
			e = on.wait(t, on.start(t, append([]string{"-n", "2", limited}, strings.Fields("solve big.mtx --quiet --output x.mtx "+flags)...)...))
			if said := e.said(); e.code != exitFailure || len(said) > 1 || len(said) == 1 && !strings.Contains(said[0], "memory") {
				t.Errorf("little memory for rank 0: exit code %d\n%s", e.code, e.err)
			}
			if lines := strings.Count(on.file(t, "x.mtx"), "\n"); lines != 0 && lines < 250_000 { // the best x so far, or no x
				t.Errorf("there are %d lines of x", lines)
			}
			os.Remove(filepath.Join(on.dir, "x.mtx"))
		}
	})
}

// A process that a launcher with PMIx has started, without a server that connects it with others, says so: rank 0 before it solves alone, another one as an error.
func TestRanksWithoutServer(t *testing.T) {
	for rank, want := range map[string]struct {
		code int
		said string
	}{"0": {0, "sees a single process, which solves alone"}, "1": {5, "sees this process alone"}} {
		alone := exec.Command("mpsolve", "solve", filepath.Join("..", "..", "testdata", "convdiff2d_20.mtx"))
		alone.Env = append(os.Environ(), "PMIX_RANK="+rank)
		out, err := alone.CombinedOutput()
		if strings.Contains(string(out), "no MPI library was found") {
			t.Skip("no MPI")
		}
		if alone.ProcessState.ExitCode() != want.code || !strings.Contains(string(out), want.said) {
			t.Errorf("rank %s: %v\n%s", rank, err, out)
		}
	}
}

// otherBuild returns a copy of this program with another build ID.
func otherBuild(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(own)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	program, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	note := f.Section(".note.go.buildid")
	program[note.Offset+note.Size-8] ^= 1
	path := filepath.Join(t.TempDir(), "mpsolve")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// script writes a shell script.
func (on *onRanks) script(t *testing.T, name, text string) string {
	t.Helper()
	on.write(t, name, "#!/bin/sh\n"+text)
	return filepath.Join(on.dir, name)
}

// rankWrapper is a script that writes the process id of the rank to a file and runs mpsolve. Standard error of the ranks goes to a
// file, see ranksSaid, since a launcher may lose the last lines of a rank that ends.
func (on *onRanks) rankWrapper(t *testing.T) string {
	t.Helper()
	return on.script(t, "rank", "echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexec mpsolve \"$@\" 2>>said\n")
}

// ranksSaid returns what ranks in the wrapper have printed on standard error since the last call.
func (on *onRanks) ranksSaid(t *testing.T) string {
	t.Helper()
	defer os.Remove(filepath.Join(on.dir, "said"))
	return on.file(t, "said")
}

// slowly has the arguments of a solve that takes long although the matrix is small, so that writing x is fast.
const slowly = "solve a.mtx --method gmres --restart 3 --precond none --tol 1e-15 --digits none --verbose --output x.mtx --rhs random:1 "

// A signal to a rank or to the launcher during a solve ends the job at once. x.mtx is complete or absent, and no other file is
// left. (Interrupt)
func TestInterruptOfRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.must(t, "generate poisson2d --n 200 --output a.mtx")
		wrapper := on.rankWrapper(t)
		for k, c := range []struct {
			to     string // the rank that gets the signal; "": the launcher
			signal syscall.Signal
			code   int
			x      bool // x must be written
		}{
			{to: "1", signal: syscall.SIGTERM, code: 143, x: true},
			{to: "0", signal: syscall.SIGTERM, code: 143, x: true},
			{to: "1", signal: syscall.SIGINT, code: 130, x: true},
			{to: "1", signal: syscall.SIGKILL, code: on.killed},
			{to: "0", signal: syscall.SIGKILL, code: on.killed},
			{to: "", signal: syscall.SIGTERM, code: on.terminated, x: true},
			{to: "", signal: syscall.SIGKILL, code: -1},
		} {
			flags := spreads[k%len(spreads)]
			name := fmt.Sprintf("%v to rank %q %s", c.signal, c.to, flags)
			args := strings.Fields(slowly + flags)
			s := on.start(t, append([]string{"-n", "2", wrapper}, args...)...)
			on.untilSolving(t)
			pid := s.Process.Pid
			if c.to != "" {
				fmt.Sscan(on.file(t, "pid."+c.to), &pid)
			}
			if err := syscall.Kill(pid, c.signal); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			e := on.wait(t, s)
			e.err += on.ranksSaid(t)
			if c.to == "" && c.signal == syscall.SIGTERM && on.loses && e.code == 0 {
				e.code = c.code
			}
			if took := time.Since(start); e.code != c.code || took > 10*time.Second {
				t.Errorf("%s: exit code %d after %v, want %d\n%s", name, e.code, took, c.code, e.err)
			}
			on.gone(t, name)
			x := on.file(t, "x.mtx")
			if c.x && !strings.HasSuffix(x, "\n") || x != "" && strings.Count(x, "\n") < 40_000 {
				t.Errorf("%s: x.mtx has %d bytes", name, len(x))
			}
			if c.code == 143 || c.code == 130 {
				e.want(t, name, c.code, "stopped by signal: ")
			}
			os.Remove(filepath.Join(on.dir, "x.mtx"))
		}
	})
}

// untilSolving waits until the job prints iterations.
func (on *onRanks) untilSolving(t *testing.T) {
	t.Helper()
	for start := time.Now(); !strings.Contains(on.file(t, errFile)+on.file(t, "said"), "iteration"); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > jobTime {
			t.Fatalf("it does not solve: %s", on.file(t, errFile))
		}
	}
}

// gone waits until all ranks have ended.
func (on *onRanks) gone(t *testing.T, name string) {
	t.Helper()
	start := time.Now()
	for r := range 2 {
		var pid int
		fmt.Sscan(on.file(t, fmt.Sprintf("pid.%d", r)), &pid)
		for ; pid > 0 && syscall.Kill(pid, 0) == nil; time.Sleep(20 * time.Millisecond) {
			if time.Since(start) > 10*time.Second {
				t.Fatalf("%s: rank %d is still there", name, r)
			}
		}
	}
}
