package reproduce

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// described is two groups of one matrix and one group of two formats: quick to measure.
const described = `{kind: matrix, matrices: [Serena, Transport], nonzeros: {quick: 3e3, full: 6e3}}, {kind: format, labels: {format: [FP64, FP32]}}`

// tiny returns an experiment that measures this.
func tiny(t *testing.T, measure string) records.Experiment {
	t.Helper()
	e, err := completed(t, "nnz", measure, `{name: v, rows: [matrix], values: [nnz]}`, "")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newStore(t *testing.T) *records.Store {
	t.Helper()
	s, err := records.Open(filepath.Join(t.TempDir(), "m.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// quick returns options of a quick run on one thread.
func quick() Options { return Options{Quick: true, Environment: host.Environment{Cores: 1}} }

// run runs an experiment and returns the notes.
func run(t *testing.T, e records.Experiment, opt Options, store *records.Store) (notes []string) {
	t.Helper()
	opt.Note = func(id, what string) { notes = append(notes, id+": "+what) }
	if err := Run(t.Context(), []records.Experiment{e}, opt, store); err != nil {
		t.Fatal(err)
	}
	return notes
}

func wantRecords(t *testing.T, store *records.Store, n int) {
	t.Helper()
	if got := len(store.Records()); got != n {
		t.Fatalf("%d records, want %d", got, n)
	}
}

func wantNote(t *testing.T, notes []string, words ...string) {
	t.Helper()
	if len(notes) != 1 {
		t.Fatalf("notes %q, want one", notes)
	}
	for _, w := range words {
		if !strings.Contains(notes[0], w) {
			t.Errorf("note %q, want %q", notes[0], w)
		}
	}
}

// wantLacking checks that what an experiment lacks contains all of these words in order.
func wantLacking(t *testing.T, e records.Experiment, opt Options, store *records.Store, want ...string) {
	t.Helper()
	all, err := Lacking([]records.Experiment{e}, opt, store.Records())
	if err != nil {
		t.Fatal(err)
	}
	got := all[e.ID]
	if len(got) != len(want) {
		t.Fatalf("lacking %q, want %q", got, want)
	}
	for i, w := range want {
		if !strings.Contains(got[i], w) {
			t.Errorf("lacking %q, want %q", got[i], w)
		}
	}
}

// TestRunAll: all points are measured, and none again.
func TestRunAll(t *testing.T) {
	e := tiny(t, strings.ReplaceAll(described, "{kind: format", "{kind: product, matrices: [Serena], nonzeros: {quick: 3e3, full: 6e3}, labels: {formats: [FP64, AP2], epsilon: [2^-53, 2^-24]}}, {kind: format"))
	store, opt := newStore(t), quick()
	var last Progress
	opt.Progress = func(p Progress) {
		if p.Done < last.Done || p.Experiment != "mine" {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	wantLacking(t, e, opt, store, "no run, or not enough time")
	if notes := run(t, e, opt, store); len(notes) > 0 {
		t.Errorf("noted %q", notes)
	}
	wantRecords(t, store, 7)
	if last.Done < 0.999 || last.Done > 1.001 {
		t.Errorf("done %v in the end", last.Done)
	}
	for _, r := range store.Records() {
		if r.Kind == "format" {
			continue
		}
		if r.Matrix == nil || !r.Matrix.Surrogate || r.Matrix.NNZ == 0 || !r.Quick || len(r.Values) == 0 {
			t.Errorf("got %+v", r)
		}
	}
	last = Progress{}
	run(t, e, opt, store)
	if last != (Progress{}) {
		t.Errorf("measured again: %+v", last)
	}
	wantRecords(t, store, 7)
	wantLacking(t, e, opt, store, "a full run")
	left, err := Expected([]records.Experiment{e}, opt, store)
	if err != nil || left != 0 {
		t.Errorf("expected %v, %v", left, err)
	}
	opt.Quick = false
	if left, err = Expected([]records.Experiment{e}, opt, store); err != nil || left == 0 {
		t.Errorf("of a full run expected %v, %v", left, err)
	}
}

// TestRunInterrupted: what was measured is kept, and only the rest is measured later.
func TestRunInterrupted(t *testing.T) {
	e := tiny(t, described)
	store, opt := newStore(t), quick()
	ctx, cancel := context.WithCancel(t.Context())
	opt.Progress = func(Progress) {
		if len(store.Records()) > 0 {
			cancel()
		}
	}
	if err := Run(ctx, []records.Experiment{e}, opt, store); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	wantRecords(t, store, 1)
	wantLacking(t, e, opt, store, "a full run", "3 of 4 measurements")
	first := store.Records()[0].Key()
	measured := map[string]bool{}
	opt.Progress = func(p Progress) { measured[p.Text] = true }
	run(t, e, opt, store)
	wantRecords(t, store, 4)
	if store.Records()[0].Key() != first || measured["Serena"] || !measured["Transport"] {
		t.Errorf("measured again: %v", measured)
	}
}

func TestRunBudget(t *testing.T) {
	e := tiny(t, described)
	store, opt := newStore(t), quick()
	opt.Budget = time.Nanosecond
	wantNote(t, run(t, e, opt, store), "mine: no time left for 3 of 3 groups")
	wantRecords(t, store, 0)
}

func TestRunAbsent(t *testing.T) {
	e := tiny(t, strings.Replace(described, "Transport", "nowhere", 1))
	store := newStore(t)
	wantNote(t, run(t, e, quick(), store), "mine: nowhere: neither in the folder")
	wantRecords(t, store, 3)
	wantLacking(t, e, quick(), store, "a full run", "nowhere")
}

// TestRunFolder: a file is used if it exists, and a later report that does not know the folder does not miss it.
func TestRunFolder(t *testing.T) {
	e := tiny(t, described)
	store, opt := newStore(t), quick()
	opt.Matrices = t.TempDir()
	write(t, opt.Matrices, "Serena.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 0.5\n2 2 -2\n")
	if notes := run(t, e, opt, store); len(notes) > 0 {
		t.Errorf("noted %q", notes)
	}
	wantRecords(t, store, 4)
	for _, r := range store.Records() {
		if r.Label("matrix") != "Serena" {
			continue
		}
		if m := *r.Matrix; m != (records.Matrix{Name: "Serena", Source: "Serena.mtx", Rows: 2, NNZ: 3}) {
			t.Errorf("got %+v", m)
		}
	}
	wantLacking(t, e, opt, store, "a full run")
	wantLacking(t, e, quick(), store, "a full run")
	opt.Quick = false // of the same file
	run(t, e, opt, store)
	wantRecords(t, store, 8)
	wantLacking(t, e, opt, store)
	wantLacking(t, e, quick(), store)
}

// TestRunBeyondCache: the matrix has the size that the last-level cache requires, and a report on another machine
// misses nothing.
func TestRunBeyondCache(t *testing.T) {
	e := tiny(t, `{kind: matrix, matrices: [Serena], nonzeros: {quick: 1e3, full: 3e3, share: 0.5}}`)
	store, opt := newStore(t), Options{Environment: host.Environment{Cores: 1, LLCBytes: 45_000}}
	run(t, e, opt, store)
	wantRecords(t, store, 1)
	if nnz := store.Records()[0].Matrix.NNZ; nnz < 20_000 || nnz > 45_000 {
		t.Errorf("%d nonzeros, want about 30,000", nnz)
	}
	opt.Environment.LLCBytes = 0
	wantLacking(t, e, opt, store)
}

// TestRunBroken: a broken file is noted, and the others are measured.
func TestRunBroken(t *testing.T) {
	e := tiny(t, described)
	store, opt := newStore(t), quick()
	opt.Matrices = t.TempDir()
	write(t, opt.Matrices, "Serena.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 one\n")
	wantNote(t, run(t, e, opt, store), "mine: Serena: ", "Serena.mtx:3")
	wantRecords(t, store, 3)
	wantLacking(t, e, opt, store, "a full run", "1 of 4 measurements")
}

func TestRunMemory(t *testing.T) {
	store, opt := newStore(t), quick()
	opt.MaxMemory = 1000
	wantNote(t, run(t, tiny(t, strings.Replace(described, ", Transport", "", 1)), opt, store), "mine: Serena: ", "memory limit")
	wantRecords(t, store, 2)
	// Without a matrix the reason is on record.
	run(t, tiny(t, described+`, {kind: accessor, labels: {kernel: GEMV, n: 256}}`), opt, store)
	wantRecords(t, store, 3)
	if r := store.Records()[2]; !strings.Contains(r.Notes["reason"], "memory limit") || len(r.Values) > 0 {
		t.Errorf("got %+v", r)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The efficiency on one thread is 100 %, and that on two threads is relative to the same measurement, also where one thread is
// measured with the others and where it is on record.
func TestEfficiencyOfOneThread(t *testing.T) {
	e := `{kind: scaling, matrices: Serena, nonzeros: {quick: 3e3, full: 3e3}, labels: {formats: FP64, threads: ["1", "2"]}}`
	opt := quick()
	opt.Environment.Cores = 2
	store := newStore(t)
	scaled := func(measure string) records.Experiment {
		e, err := completed(t, "efficiency", measure, `{name: v, rows: [threads], values: [efficiency]}`, "")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	run(t, scaled(e), opt, store)
	wantRecords(t, store, 2)
	alone, both := store.Records()[0].Values, store.Records()[1].Values
	if alone["efficiency"] != 1 || alone["speedup"] != 1 {
		t.Errorf("one thread: efficiency %g, speedup %g", alone["efficiency"], alone["speedup"])
	}
	if want := alone["seconds"] / both["seconds"]; math.Abs(both["speedup"]-want) > 1e-4*want {
		t.Errorf("two threads: speedup %g, want %g", both["speedup"], want)
	}
	store = newStore(t)
	run(t, scaled(strings.Replace(e, `"1", `, "", 1)), opt, store)
	wantRecords(t, store, 1)
	if r := store.Records()[0].Values; !(r["efficiency"] > 0) || r["efficiency"] != r["speedup"]/2 {
		t.Errorf("two threads alone: efficiency %g, speedup %g", r["efficiency"], r["speedup"])
	}
}
