package cli

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/host"
)

// memorySize is a flag for a number of bytes, such as 4GB or 512MiB.
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

// orInstalled returns the limit or, if that is less or there is none, the memory that this process can have.
func (m *memorySize) orInstalled() int64 {
	if had := host.Memory(); *m == 0 || had > 0 && had < int64(*m) {
		return had
	}
	return int64(*m)
}

// programBytes is what mpsolve takes without any data: its code, Go's runtime, stacks and buffers. A memory limit counts it.
const programBytes = 50e6

// outsideRuntime is the part of programBytes that the limit of Go's runtime does not count.
const outsideRuntime = 32e6

// keepWithin has Go's runtime collect garbage and give back memory so as to stay within the limits of this process, and within another
// one, in bytes, unless that is 0; above that the command ends, see watchMemory. The environment variable GOMEMLIMIT overrides the former.
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

// memoryLimit is that of the flag, or of the checkpoint that the solve goes on from; 0: neither has one.
func (f *solveFlags) memoryLimit() int64 {
	if f.maxMemory == 0 && f.opt.Checkpoint.Resume == nil {
		return 0
	}
	return f.opt.MaxMemory
}
