package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/mpsolve/mpsolve/internal/host"
)

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
)

// garbage has the percentage to set after the first collection.
var garbage struct {
	sync.Mutex
	later int
}

// prepareMemory makes memory ready for a short solve while the matrix is read, unless the environment variable GOGC says how
// garbage is collected.
func prepareMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	garbage.Lock()
	defer garbage.Unlock()
	garbage.later = usualGarbage
	debug.SetGCPercent(patientGarbage)
	go func() {
		host.PrepareHeap() // a collection
		runtime.AddCleanup(&struct{ unused *int }{}, func(int) {
			garbage.Lock()
			defer garbage.Unlock()
			debug.SetGCPercent(garbage.later)
		}, 0)
	}()
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
