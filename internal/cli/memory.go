package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/host"
)

// memorySize is the value of a flag for a number of bytes, such as 4GB or 512MiB.
type memorySize int64

// Set implements pflag.Value.
func (m *memorySize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 || n > math.MaxInt64 || strings.Contains(text, ",") { // ParseBytes leaves commas out
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
	if limit > 0 && !host.RaceDetector {
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

// memoryUses are the values of --memory.
var memoryUses = []string{"fast", "lean"}

// Percentages of garbage that the collector leaves, relative to the memory in use. The objects of a solve are few and large
// and have no pointers, so that collecting takes a few hundredths of the time. Go collects first when the heap has 4 MB
// times GOGC / 100: a small solve ends before.
const (
	patientGarbage = 1600 // until the first collection, at 64 MB
	usualGarbage   = 100
	fastGarbage    = 10
	leanGarbage    = 2
	largeProcess   = 16 << 20 // bytes of a matrix below which collections would come too often
	tinyFile       = 64 << 10 // bytes of a file below which no memory is reserved
)

// garbage has the percentage to set after the first collection.
var garbage struct {
	sync.Mutex
	later int // 0: nothing has been prepared, or GOGC says it
}

// prepareMemory makes memory ready for a short solve while the matrix is read, unless it is tiny, or the environment variable
// GOGC says how garbage is collected. ready waits until that is done: a collection beside a small solve would take longer than
// the solve.
func prepareMemory(tiny bool) (ready func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	garbage.Lock()
	defer garbage.Unlock()
	garbage.later = usualGarbage
	debug.SetGCPercent(patientGarbage)
	var reserve sync.WaitGroup
	reserve.Go(func() {
		if !tiny {
			garbage.Lock()
			host.PrepareHeap() // a collection
			garbage.Unlock()
		}
		runtime.AddCleanup(&struct{ unused *int }{}, func(int) {
			garbage.Lock()
			defer garbage.Unlock()
			debug.SetGCPercent(garbage.later)
		}, 0)
	})
	return reserve.Wait
}

// prepareEmbedded is prepareMemory for a solve inside another program. It collects garbage before the first one alone: a collection takes as long as
// a small solve.
func prepareEmbedded() {
	garbage.Lock()
	prepared := garbage.later != 0
	if prepared && garbage.later != usualGarbage { // the matrix before was large
		garbage.later = usualGarbage
		debug.SetGCPercent(usualGarbage)
	}
	garbage.Unlock()
	if !prepared {
		prepareMemory(false)
	}
}

// isTiny reports whether the file is so small that page faults of its solve take less time than a collection.
func isTiny(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() < tinyFile
}

// limitGarbage sets how much memory may be garbage in a solve with a matrix of that many bytes, unless GOGC says it. With
// --memory lean it also gives the memory that reading left back to the system.
func limitGarbage(use string, matrix int64) {
	if os.Getenv("GOGC") != "" || matrix < largeProcess {
		return
	}
	garbage.Lock()
	defer garbage.Unlock()
	if garbage.later = fastGarbage; use == "lean" {
		garbage.later = leanGarbage
		defer debug.FreeOSMemory()
	}
	debug.SetGCPercent(garbage.later)
}

// manySolves collects garbage, and sets how much memory may be garbage in the next of several solves with a matrix of that
// many bytes, so that each solve runs as in a process of its own.
func manySolves(matrix int64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	host.PrepareHeap()
	if debug.SetGCPercent(patientGarbage); matrix >= largeProcess {
		debug.SetGCPercent(fastGarbage)
	}
}

// heedScheduler limits mpsolve to the processors that SLURM gave to this task (SLURM_CPUS_PER_TASK), even if SLURM does not
// bind tasks to processors. The environment variable GOMAXPROCS takes precedence.
func heedScheduler() {
	given, err := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK"))
	if err == nil && given > 0 && given < runtime.GOMAXPROCS(0) && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(given)
	}
}
