package host

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// Memory returns the bytes of memory that this process can have: those of the machine or, if
// that is less, those of its cgroup (of a container or a batch job) or those that ulimit -v
// and ulimit -d leave. 0 means unknown.
func Memory() int64 {
	installed, _ := memlimit.FromSystem() // 0 if unknown
	if limited := Limit(); limited > 0 {
		return lesser(int64(installed), limited)
	}
	return int64(installed)
}

// Limit returns what limits below the memory of the machine leave to this process; 0: there
// are none.
func Limit() (least int64) {
	for _, l := range all() {
		least = lesser(least, l.bytes-l.reserved)
	}
	return least
}

// asked is the limit of SetLimit; nil: none.
var asked atomic.Pointer[limit]

// SetLimit makes bytes a limit of this process, besides those that the system sets, under the name of what asked for it; 0: none.
// [Exhausted] watches it where the system tells how much is in use.
func SetLimit(name string, bytes int64) {
	if bytes == 0 {
		asked.Store(nil)
		return
	}
	asked.Store(&limit{name: name, bytes: bytes, used: resident})
}

// all returns the limits of the system and that of SetLimit.
func all() []limit {
	if own := asked.Load(); own != nil {
		return append(slices.Clip(limits()), *own)
	}
	return limits()
}

// Available returns the bytes that this process can have now: what [Memory] counts, less what
// is in use. 0 means unknown.
func Available() int64 {
	least := lesser(Memory(), systemAvailable())
	for _, l := range all() {
		least = lesser(least, l.bytes-l.used())
	}
	return least
}

// lesser returns the lesser of two sizes of memory, where 0 stands for unknown and nothing
// left is 1.
func lesser(known, size int64) int64 {
	switch size = max(1, size); {
	case size == 1 && known == 0:
		return 0
	case known == 0:
		return size
	}
	return min(known, size)
}

// limit is a limit of the memory of this process.
type limit struct {
	name     string
	bytes    int64
	reserved int64        // that the program takes without any data
	margin   int64        // that must be left
	used     func() int64 // 0: unknown
}

// MemoryError says that the memory is used up.
type MemoryError struct{ what string }

func (e *MemoryError) Error() string { return "out of memory: " + e.what }

// Exhausted reports as a [MemoryError] that so much of a limit, or of the memory of the
// machine, is in use that the next allocation may end the program. It takes some ten
// microseconds.
func Exhausted() error {
	for _, l := range all() {
		if used := l.used(); used > 0 && used > l.bytes-l.margin {
			return &MemoryError{fmt.Sprintf("%s in use, %s of %s allowed",
				humanize.Bytes(uint64(used)), l.name, humanize.Bytes(uint64(l.bytes)))}
		}
	}
	if left := systemAvailable(); left > 0 && left < systemMargin && resident() > systemMargin {
		return &MemoryError{fmt.Sprintf("%s in use, %s left on this machine",
			humanize.Bytes(uint64(resident())), humanize.Bytes(uint64(left)))}
	}
	return nil
}

// systemMargin is what must be left of the memory of the machine.
const systemMargin = 128 << 20
