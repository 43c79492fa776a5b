package machine

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestHere(t *testing.T) {
	e := Here("avx2", "1.2")
	if e.Kernels != "avx2" || e.Version != "1.2" || e.Cores != runtime.GOMAXPROCS(0) || e.Go != runtime.Version() ||
		e.OS != runtime.GOOS || e.Arch != runtime.GOARCH || e.Processor != Processor() ||
		e.LLCBytes != Caches().LastLevel() || e.MemoryBytes != Memory() || e.MemoryBytes < 0 {
		t.Errorf("%+v", e)
	}
	text, err := json.Marshal(Environment{Processor: "P", Cores: 2})
	want := `{"processor":"P","kernels":"","cores":2,"llc_bytes":0,"memory_bytes":0,"os":"","arch":"","go":"","version":"","commit":""}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
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
