package cli

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/host"
)

// memorySize is the value of a flag for a number of bytes, such as 4GB or 512MiB.
type memorySize int64

// Set implements pflag.Value.
func (m *memorySize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 || n > math.MaxInt64 {
		return usage("%q is not a size such as 512MB or 4GiB", text)
	}
	*m = memorySize(n)
	return nil
}

func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return humanize.Bytes(uint64(*m))
}

// Type implements pflag.Value.
func (m *memorySize) Type() string { return "size" }

// orInstalled returns the limit, but at most the memory that this process can have; without a limit that memory.
func (m *memorySize) orInstalled() int64 {
	if had := host.Memory(); *m == 0 || had > 0 && had < int64(*m) {
		return had
	}
	return int64(*m)
}

// programBytes is the memory of mpsolve without any data: code, Go's runtime, stacks and buffers. Memory limits include it.
const programBytes = 50e6

// outsideRuntime is the part of programBytes that the memory limit of Go's runtime does not include.
const outsideRuntime = 32e6

// keepWithin makes Go's runtime collect garbage and give back memory to stay within the limits of this process and, unless it
// is 0, within limit in bytes. Above limit the command ends, see watchMemory. The environment variable GOMEMLIMIT replaces
// the limit of the runtime.
func keepWithin(limit int64) {
	soft := int64(math.MaxInt64)
	if system := host.Limit(); system > 0 {
		soft = system / 10 * 9
	}
	if limit > 0 && !raceDetector {
		host.SetLimit("--max-memory", limit)
		soft = min(soft, max(limit-outsideRuntime, programBytes-outsideRuntime))
	}
	if soft < math.MaxInt64 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(soft)
	}
}

// memoryLimit returns the limit of the flag or of the checkpoint that the solve continues from; 0: neither has a limit.
func (f *solveFlags) memoryLimit() int64 {
	if f.maxMemory == 0 && f.opt.Checkpoint.Resume == nil {
		return 0
	}
	return f.opt.MaxMemory
}
