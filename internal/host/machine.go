// An Environment describes the machine that this program runs on, its processor, caches and memory, and the build of
// the program itself.
package host

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Environment is what a measurement depends on besides its subject. It does not identify the machine.
type Environment struct {
	Processor   string `json:"processor"` // "" if not known
	Kernels     string `json:"kernels"`   // tier of SIMD instructions in use
	Cores       int    `json:"cores"`     // logical processors that Go uses
	LLCBytes    int64  `json:"llc_bytes"` // of the last-level cache, 0 if not known
	MemoryBytes int64  `json:"memory_bytes"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Go          string `json:"go"`      // version
	Version     string `json:"version"` // of mpsolve
	Commit      string `json:"commit"`  // with "+changes" if there were any; "" if not known
}

// Here returns the environment of this process, given the tier of the kernels in use
// and the version of mpsolve.
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

// Processor returns the processor's name, "" if it is unknown.
func Processor() string { return strings.TrimSpace(cpuid.CPU.BrandName) }

// ProcessorModel returns the processor's name with the numbers of its family and model (0 where it has none): virtual machines give one name to many.
func ProcessorModel() string {
	return fmt.Sprintf("%s %d.%d", cmp.Or(Processor(), "unknown"), cpuid.CPU.Family, cpuid.CPU.Model)
}

// CacheSizes are the bytes of one cache each; 0 if there is none or its size is unknown.
type CacheSizes struct{ L1d, L2, L3 int64 }

// Caches returns the sizes of the data caches that a core uses.
func Caches() CacheSizes {
	c := cpuid.CPU.Cache // -1 for unknown
	return CacheSizes{max(0, int64(c.L1D)), max(0, int64(c.L2)), max(0, int64(c.L3))}
}

// LastLevel returns the size of the cache next to memory, 0 if it is unknown.
func (c CacheSizes) LastLevel() int64 {
	for _, size := range []int64{c.L3, c.L2, c.L1d} {
		if size > 0 {
			return size
		}
	}
	return 0
}

// commit returns the commit that go build has recorded, which it does not always do.
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
