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
