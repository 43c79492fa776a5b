package host

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestHere(t *testing.T) {
	e := Here("avx2", "1.2")
	if e.Kernels != "avx2" || e.Version != "1.2" || e.Cores != runtime.GOMAXPROCS(0) || e.Go != runtime.Version() ||
		e.OS != runtime.GOOS || e.Arch != runtime.GOARCH || e.LLCBytes < 0 || e.MemoryBytes < 0 {
		t.Errorf("%+v", e)
	}
	text, err := json.Marshal(Environment{Processor: "P", Cores: 2})
	want := `{"processor":"P","kernels":"","cores":2,"llc_bytes":0,"memory_bytes":0,"os":"","arch":"","go":"","version":"","commit":""}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestLastLevel(t *testing.T) {
	for c, want := range map[CacheSizes]int64{{1, 2, 3}: 3, {1, 2, 0}: 2, {1, 0, 0}: 1, {}: 0} {
		if got := c.LastLevel(); got != want {
			t.Errorf("%+v: %d, want %d", c, got, want)
		}
	}
}

func TestCommit(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	modified := func(v string) debug.BuildSetting { return debug.BuildSetting{Key: "vcs.modified", Value: v} }
	for _, c := range []struct {
		want     string
		settings []debug.BuildSetting
	}{
		{"", nil},
		{"", []debug.BuildSetting{modified("true")}},
		{"abc", []debug.BuildSetting{{Key: "-tags"}, revision, modified("false")}},
		{"abc+changes", []debug.BuildSetting{modified("true"), revision}},
	} {
		if got := commit(c.settings); got != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

func TestLesser(t *testing.T) {
	for _, c := range []struct{ known, size, want int64 }{
		{0, -5, 1}, {0, 5, 5}, {5, 3, 3}, {3, 5, 3}, {5, -1, 1}, // nothing left differs from unknown
	} {
		if got := lesser(c.known, c.size); got != c.want {
			t.Errorf("lesser(%d, %d) = %d, want %d", c.known, c.size, got, c.want)
		}
	}
}

func TestMemory(t *testing.T) {
	if all, free := Memory(), Available(); free < 0 || all > 0 && free > all {
		t.Errorf("%d available of %d", free, all)
	}
	if err := Exhausted(); err != nil {
		t.Error(err)
	}
	for _, l := range limits() {
		if used := l.used(); used < 0 || used > l.bytes {
			t.Errorf("%s: %d of %d used", l.name, used, l.bytes)
		}
	}
}

// The reserve is free again, does not count as memory in use, and is not allocated, and filled with zeros, for each solve.
func TestPrepareHeap(t *testing.T) {
	var before, after, again runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	PrepareHeap()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+64<<20 {
		t.Errorf("%d bytes in use, %d before", after.HeapAlloc, before.HeapAlloc)
	}
	PrepareHeap()
	if runtime.ReadMemStats(&again); again.TotalAlloc > after.TotalAlloc+1<<20 {
		t.Errorf("%d bytes are allocated again", again.TotalAlloc-after.TotalAlloc)
	}
}
