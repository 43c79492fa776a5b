package cli

import (
	"os"
	"runtime/debug"
)

// memoryUses are the words of --memory.
var memoryUses = []string{"fast", "lean"}

// Percentages of garbage that the collector leaves besides what is in use. A solve has few
// and large objects without pointers, so that collecting takes a few hundredths of its time.
const (
	fastGarbage  = 10
	leanGarbage  = 2
	largeProcess = 16 << 20 // bytes of a matrix below which collections would come too often
)

// limitGarbage sets how much memory may be garbage in a solve with a matrix of that many
// bytes, unless the environment says it. A lean solve also gives back to the system now what
// reading left.
func limitGarbage(use string, matrix int64) {
	if os.Getenv("GOGC") != "" || matrix < largeProcess {
		return
	}
	if use == "lean" {
		debug.SetGCPercent(leanGarbage)
		debug.FreeOSMemory()
		return
	}
	debug.SetGCPercent(fastGarbage)
}
