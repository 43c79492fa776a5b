package records

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
)

// measured returns a record with that label and value.
func measured(formats string, seconds float64) Record {
	return Record{
		Kind: "product", Labels: map[string]string{"formats": formats, "epsilon": "2^-24"},
		Matrix:      &Matrix{Name: "ss", Surrogate: true, Source: "poisson2d,n=10", Rows: 100, NNZ: 460},
		Values:      map[string]float64{"seconds": seconds},
		Environment: host.Environment{Processor: "P", Kernels: "avx2", Version: "1", Commit: "c"},
	}
}

// open opens a store and checks that its records have these values.
func open(t *testing.T, path string, want ...float64) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var got []float64
	for _, r := range s.Records() {
		got = append(got, r.Values["seconds"])
	}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	return s
}

// fill adds records and closes the store.
func fill(t *testing.T, s *Store, list ...Record) {
	t.Helper()
	add(t, s, list...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, s *Store, list ...Record) {
	t.Helper()
	for _, r := range list {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	s := open(t, path)
	add(t, s, measured("AP2", 1), measured("AP7", 2))
	second := measured("AP2", 3)
	add(t, s, second)
	if !s.Keys()[second.Key()] {
		t.Error("a record that was added is not there")
	}
	fill(t, s)
	s = open(t, path, 2, 3) // only the later record of each key
	if absent := measured("AFX", 1); s.Keys()[absent.Key()] {
		t.Error("a record is there that was never made")
	}
}

// TestCutOff: a last line without its end is ignored, and removed before the next is written.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	fill(t, open(t, path), measured("AP2", 1), measured("AP7", 2))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 2, 40} { // 1: only the newline is missing
		if err := os.WriteFile(path, text[:len(text)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		fill(t, open(t, path, 1), measured("AFX", 3))
		fill(t, open(t, path, 1, 3))
	}
}

func TestBadLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	fill(t, open(t, path), measured("AP2", 1), measured("AP7", 2))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(string(text), "\n")
	bad := first + "\n\n{\"kind\": 1}\n" + second
	if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path+":3: not a measurement") {
		t.Errorf("got %v, want line 3", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != bad {
		t.Errorf("a file with a bad line was changed: %v", err)
	}
}

func TestKey(t *testing.T) {
	r := measured("AP2", 1)
	key := r.Key()
	for what, change := range map[string]func(r *Record){
		"kind":      func(r *Record) { r.Kind = "solve" },
		"label":     func(r *Record) { r.Labels["epsilon"] = "2^-53" },
		"labels":    func(r *Record) { r.Labels["drop"] = "no" },
		"matrix":    func(r *Record) { r.Matrix.Name = "ss1" },
		"source":    func(r *Record) { r.Matrix.Source = "ss.mtx" },
		"processor": func(r *Record) { r.Environment.Processor = "Q" },
		"kernels":   func(r *Record) { r.Environment.Kernels = "portable" },
		"version":   func(r *Record) { r.Environment.Version = "2" },
		"commit":    func(r *Record) { r.Environment.Commit = "d" },
		"quick":     func(r *Record) { r.Quick = true },
		"cores":     func(r *Record) { r.Environment.Cores = 64 },
	} {
		o := measured("AP2", 1)
		if change(&o); o.Key() == key {
			t.Errorf("another %s has the same key", what)
		}
	}
	same := measured("AP2", 2)
	same.Time = time.Unix(1e9, 0)
	same.Matrix.Rows = 101
	if same.Key() != key {
		t.Error("the same measurement at another time has another key")
	}
}

func TestDiskFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	s := &Store{path: "/dev/full", file: f, latest: map[string]int{}}
	defer s.Close()
	if err := s.Add(measured("AP2", 1)); err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("got %v, want an error that names the file", err)
	}
	if len(s.Records()) != 0 {
		t.Error("a record that was not written counts")
	}
}

func TestUnreadable(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("opened a folder")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none", "m.jsonl")); err == nil {
		t.Error("opened a file in no folder")
	}
}

func TestLookupValue(t *testing.T) {
	if v, ok := LookupValue("share.FP32"); !ok || v.Text != "FP32" || v.Format != Percent {
		t.Errorf("share.FP32: got %v, %t", v, ok)
	}
	for _, name := range []string{"", "share.", "bites"} {
		if _, ok := LookupValue(name); ok {
			t.Errorf("there is a value %q", name)
		}
	}
}

// Two processes that add would mix their lines: the second is refused. Reading is possible meanwhile, and after Close
// the file is free.
func TestInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Add(Record{Kind: "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrInUse) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("opened twice: %v", err)
	}
	if s, err := Load(path); err != nil || len(s.Records()) != 1 {
		t.Errorf("not readable meanwhile: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(second.Add(Record{Kind: "l"}), second.Close()); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || len(s.Records()) != 2 {
		t.Errorf("%v, %d records", err, len(s.Records()))
	}
}
