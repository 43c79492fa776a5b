package host

import (
	"runtime"
	"testing"
)

// The reserve is free again, and does not count as memory in use.
func TestPrepareHeap(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	PrepareHeap()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+64<<20 {
		t.Errorf("%d bytes in use, %d before", after.HeapAlloc, before.HeapAlloc)
	}
}
