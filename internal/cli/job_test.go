package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// printed is the output of a rank, and its exit code.
type printed struct {
	out, err bytes.Buffer
	code     int
}

// runJob runs a command line on ranks that are goroutines; args may depend on the rank.
func runJob(t *testing.T, size int, args func(rank int) []string) []printed {
	t.Helper()
	t.Setenv("GOMAXPROCS", "2") // ranks share this process, so no rank may change the number of threads
	all := make([]printed, size)
	dist.Run(size, func(c dist.Comm) {
		p := &all[c.Rank()]
		own := args(c.Rank())
		j, err := newJob(c, func() {}, own, &p.err)
		j.grace, j.late = time.Minute, time.Minute // enough on a busy machine
		p.code = j.run(own, j.streams(strings.NewReader("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"), &p.out, &p.err), err)
	})
	return all
}

// With any outcome, rank 0 prints what a single process prints, all ranks have the same exit code, and the others print nothing.
func TestConcurrentRanksPrintOnce(t *testing.T) {
	data := filepath.Join("..", "..", "testdata")
	poisson := filepath.Join(data, "poisson2d_20.mtx")
	x := filepath.Join(t.TempDir(), "x.mtx")
	for _, c := range []struct {
		args string
		code int
		want string // on standard output or standard error
	}{
		{"solve --quiet " + poisson, 0, "converged"},
		{"solve --quiet -", 0, "converged"},
		{"solve --quiet --output " + x + " " + poisson, 0, "converged"},
		{"solve --quiet --precond none --max-iter 2 " + filepath.Join(data, "convdiff2d_20.mtx"), 3, "NOT converged"},
		{"solve missing.mtx", 4, "missing.mtx"},
		{"solve --max-time 1ns " + poisson, 3, "time limit"},
		{"solve --metod cg " + poisson, 2, "did you mean --method"},
		{"solve --output /nowhere/x.mtx " + poisson, 2, "--output"},
		{"solve", 2, "want a matrix file"},
		{"info " + poisson, 2, "solve and bench mpi run over ranks"},
		{"bench stream", 2, "mpsolve bench stream runs in a single process"},
		{"version", 0, "mpsolve"},
		{"solve --help", 0, "Usage"},
		{"solv x.mtx", 2, "did you mean solve"},
	} {
		for _, size := range []int{1, 3} {
			if size == 1 && strings.Contains(c.want, "process") || size == 1 && strings.Contains(c.want, "over ranks") {
				continue
			}
			all := runJob(t, size, func(int) []string { return strings.Fields(c.args) })
			for r, p := range all {
				if p.code != c.code {
					t.Errorf("%s: rank %d of %d ends with %d, want %d: %s", c.args, r, size, p.code, c.code, p.err.String())
				}
				if text := p.out.String() + p.err.String(); r == 0 && !strings.Contains(text, c.want) || r > 0 && text != "" {
					t.Errorf("%s: rank %d of %d prints %q", c.args, r, size, text)
				}
			}
		}
	}
}

// Ranks with different arguments or programs refuse to work together.
func TestRanksMustBeAlikeConcurrent(t *testing.T) {
	for r, p := range runJob(t, 3, func(rank int) []string { return []string{"solve", []string{"a.mtx", "a.mtx", "b.mtx"}[rank]} }) {
		want := "mpsolve: rank 2 was started as mpsolve solve b.mtx, rank 0 as mpsolve solve a.mtx; all ranks need the same arguments\n"
		if r > 0 {
			want = ""
		}
		if p.code != exitUsage || p.err.String() != want {
			t.Errorf("rank %d: %d, %q", r, p.code, p.err.String())
		}
	}
}

// The checksums in the report are those of whole vectors.
func TestConcurrentRanksChecksums(t *testing.T) {
	for _, domains := range []string{"1", "3"} {
		var first string
		for _, size := range []int{1, 2, 3} {
			all := runJob(t, size, func(int) []string {
				return []string{"solve", filepath.Join("..", "..", "testdata", "poisson2d_20.mtx"), "--rhs", "random:1", "--domains", domains, "--json"}
			})
			var report struct {
				SHA256 struct{ RHS, X, Matrix string }
			}
			if err := json.Unmarshal(all[0].out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			sums := report.SHA256.RHS + " " + report.SHA256.X
			if first == "" {
				first = sums
			}
			if sums != first || report.SHA256.X == "" || (report.SHA256.Matrix != "") != (domains == "1") {
				t.Errorf("%s domains, %d ranks: %+v, want rhs and x %s", domains, size, report.SHA256, first)
			}
		}
	}
}

// An error of one rank is the error of all, with its exit code. What stops one rank stops all.
func TestConcurrentRanksAgree(t *testing.T) {
	for _, c := range []struct {
		errs [3]error
		code int
		text string
	}{
		{[3]error{}, 0, ""},
		{[3]error{nil, &solve.InputError{Msg: "bad"}, nil}, exitInput, "rank 1: bad"},
		{[3]error{nil, &exitError{exitUsage, errors.New("b")}, errors.New("c")}, exitUsage, "rank 1: b"},
		{[3]error{errors.New("a"), errors.New("b"), nil}, exitFailure, "a"},
		{[3]error{nil, nil, signalError{syscall.SIGTERM}}, 143, "stopped by signal: terminated"},
		{[3]error{&exitError{code: exitNotConverged}, nil, nil}, exitNotConverged, ""},
	} {
		dist.Run(3, func(comm dist.Comm) {
			j := &job{comm: dist.NewTimed(comm)}
			err := j.agree(c.errs[comm.Rank()])
			if exitCode(err) != c.code || err != nil && err.Error() != c.text {
				t.Errorf("rank %d: %v, exit code %d, want %q, %d", comm.Rank(), err, exitCode(err), c.text, c.code)
			}
		})
	}
}

// A signal to a waiting rank interrupts rank 0, which works (Interrupt).
func TestInterruptOfRankThatWaits(t *testing.T) {
	t.Setenv("GOMAXPROCS", "2")
	var once sync.Once
	began := make(chan struct{})
	dist.Run(3, func(comm dist.Comm) {
		j := &job{comm: dist.NewTimed(comm), ranks: make([]profile, 3)}
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		if comm.Rank() == 2 {
			go func() { <-began; cancel(signalError{syscall.SIGTERM}) }()
		}
		err := j.onFirst(ctx, func(ctx context.Context) error {
			once.Do(func() { close(began) })
			<-ctx.Done()
			return &exitError{code: exitNotConverged}
		})
		if exitCode(err) != exitNotConverged {
			t.Errorf("rank %d: %v", comm.Rank(), err)
		}
		if err := j.outcome(ctx, err); exitCode(err) != 143 {
			t.Errorf("rank %d ends with %v", comm.Rank(), err)
		}
	})
}

// Ranks of a node share the processors that several ranks may run on.
func TestThreadsOfRanks(t *testing.T) {
	some := func(lo, hi int) (p []int) {
		for k := lo; k < hi; k++ {
			p = append(p, k)
		}
		return p
	}
	at := func(node string, threads int, processors []int) profile {
		return profile{Node: node, Threads: threads, Processors: processors}
	}
	for _, c := range []struct {
		name  string
		ranks []profile
		want  []int
	}{
		{"alone", []profile{at("a", 16, some(0, 16))}, []int{16}},
		{"unbound", slices.Repeat([]profile{at("a", 16, some(0, 16))}, 4), []int{4, 4, 4, 4}},
		{"unbound, with a rest", slices.Repeat([]profile{at("a", 16, some(0, 16))}, 3), []int{5, 5, 5}},
		{"bound to sockets", []profile{at("a", 8, some(0, 8)), at("a", 8, some(8, 16))}, []int{8, 8}},
		{"two to a socket", []profile{at("a", 8, some(0, 8)), at("a", 8, some(8, 16)), at("a", 8, some(0, 8))}, []int{4, 8, 4}},
		{"bound to cores", []profile{at("a", 1, some(0, 1)), at("a", 1, some(1, 2))}, []int{1, 1}},
		{"more ranks than processors", slices.Repeat([]profile{at("a", 2, some(0, 2))}, 4), []int{1, 1, 1, 1}},
		{"two nodes", []profile{at("a", 4, some(0, 4)), at("b", 4, some(0, 4)), at("b", 4, some(0, 4))}, []int{4, 2, 2}},
		{"a container of 4 out of 16", slices.Repeat([]profile{at("a", 4, some(0, 16))}, 2), []int{2, 2}},
		{"not known", slices.Repeat([]profile{at("a", 8, nil)}, 2), []int{4, 4}},
	} {
		for r, want := range c.want {
			if got := threadsOf(c.ranks, r); got != want {
				t.Errorf("%s: rank %d has %d threads, want %d", c.name, r, got, want)
			}
		}
	}
}
