package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// A short solve collects garbage late, a longer one as usual, and a large one as --memory says.
func TestGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	for _, c := range []struct {
		use         string
		matrix      int64
		first, then uint64
	}{
		{"fast", largeProcess - 1, patientGarbage, usualGarbage},
		{"fast", largeProcess, fastGarbage, fastGarbage},
		{"lean", largeProcess, leanGarbage, leanGarbage},
	} {
		prepareMemory(false)
		limitGarbage(c.use, c.matrix)
		if got := garbagePercent(); got != c.first && got != c.then {
			t.Errorf("%s, %d bytes: %d %%, want %d", c.use, c.matrix, got, c.first)
		}
		for end := time.Now().Add(10 * time.Second); garbagePercent() != c.then && time.Now().Before(end); time.Sleep(time.Millisecond) {
			runtime.GC()
		}
		if got := garbagePercent(); got != c.then {
			t.Errorf("%s, %d bytes: %d %% after collections, want %d", c.use, c.matrix, got, c.then)
		}
	}
}

// Memory is reserved for all but small files, and for what is not a file.
func TestTiny(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtx")
	for _, c := range []struct {
		size int
		want bool
	}{{100, true}, {tinyFile - 1, true}, {tinyFile, false}} {
		if err := os.WriteFile(path, make([]byte, c.size), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := isTiny(path); got != c.want {
			t.Errorf("%d bytes: %v", c.size, got)
		}
	}
	if isTiny("-") || isTiny(t.TempDir()) {
		t.Error("standard input or a folder is tiny")
	}
}

func garbagePercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
