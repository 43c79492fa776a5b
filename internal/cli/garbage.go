package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/mpsolve/mpsolve/internal/host"
)

// memoryUses are the words of --memory.
var memoryUses = []string{"fast", "lean"}

// Percentages of garbage that the collector leaves besides what is in use. A solve has few
// and large objects without pointers, so that collecting takes a few hundredths of its time.
// Go collects first when the heap has 4 MB times GOGC / 100: a small solve ends before.
const (
	patientGarbage = 1600 // until the first collection, at 64 MB
	usualGarbage   = 100
	fastGarbage    = 10
	leanGarbage    = 2
	largeProcess   = 16 << 20 // bytes of a matrix below which collections would come too often
)

// garbage is the percentage in use, and that after the first collection.
var garbage struct {
	sync.Mutex
	later int
}

// prepareMemory has memory ready for a solve that is short, while the matrix is read, unless the
// environment says how garbage is to be collected.
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

// limitGarbage sets how much memory may be garbage in a solve with a matrix of that many
// bytes, unless the environment says it. A lean solve also gives back to the system now what
// reading left.
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

// manySolves sets how much memory may be garbage in solves that follow each other, each as in a process of its own,
// with a matrix of that many bytes. Garbage is collected between them.
func manySolves(matrix int64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	host.PrepareHeap()
	if debug.SetGCPercent(patientGarbage); matrix >= largeProcess {
		debug.SetGCPercent(fastGarbage)
	}
}
