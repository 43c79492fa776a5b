package machine

import (
	"runtime"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Environment is what a measurement depends on besides what was measured. It names
// nobody's machine.
type Environment struct {
	Processor   string `json:"processor"` // "" if not known
	Kernels     string `json:"kernels"`   // tier of SIMD instructions in use
	Cores       int    `json:"cores"`     // logical processors that Go uses
	LLCBytes    int64  `json:"llc_bytes"`
	MemoryBytes int64  `json:"memory_bytes"` // 0 if not known
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Go          string `json:"go"`      // version
	Version     string `json:"version"` // of mpsolve
	Commit      string `json:"commit"`  // with "+changes" if there were any; "" if not known
}

// Here is the environment of this process. The tier of the kernels in use and the
// version are the caller's to know.
func Here(kernels, version string) Environment {
	e := Environment{
		Processor: Processor(), Kernels: kernels, Cores: runtime.GOMAXPROCS(0),
		LLCBytes: Caches().LastLevel(), MemoryBytes: Memory(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Version: version,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		e.Commit = commit(info.Settings)
	}
	return e
}

// Memory returns the bytes of memory that this process can have: those of the machine or, in a
// container or a batch job with a smaller limit, those of its cgroup. 0 means unknown.
func Memory() int64 {
	installed, _ := memlimit.FromSystem() // 0 if unknown
	if limit, err := memlimit.FromCgroup(); err == nil && (installed == 0 || limit < installed) {
		return int64(limit)
	}
	return int64(installed)
}

// commit is what go build noted about the working tree; it does not always do so.
func commit(settings []debug.BuildSetting) (revision string) {
	changes := ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changes
}
