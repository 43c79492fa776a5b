package host

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// Memory returns the bytes of memory that this process can have: the memory of the machine or, if it is less, what
// the limit of its cgroup (of a container or a batch job) or of ulimit -v and ulimit -d allows. 0 means unknown.
func Memory() int64 {
	installed, _ := memlimit.FromSystem() // 0 if unknown
	if limited := Limit(); limited > 0 {
		return lesser(int64(installed), limited)
	}
	return int64(installed)
}

// Limit returns the bytes that limits below the memory of the machine leave to this process; 0: there are none. It is at least leastLimit, since what the
// program reserves is not known exactly, and small systems may fit.
func Limit() (least int64) {
	for _, l := range all() {
		least = lesser(least, max(l.bytes-l.reserved, min(l.bytes, leastLimit)))
	}
	return least
}

const leastLimit = 64 << 20

// asked is the limit of SetLimit; nil if there is none.
var asked atomic.Pointer[limit]

// SetLimit sets a limit of this process in bytes, besides those of the system, and the name of its origin for
// messages; 0 removes it. [Exhausted] checks it where the system reports the memory in use.
func SetLimit(name string, bytes int64) {
	if bytes == 0 {
		asked.Store(nil)
		return
	}
	asked.Store(&limit{name: name, bytes: bytes, used: resident})
}

// all returns the limits of the system and the limit of SetLimit.
func all() []limit {
	if own := asked.Load(); own != nil {
		return append(slices.Clip(limits()), *own)
	}
	return limits()
}

// Available returns the bytes that this process can have now: [Memory] minus the memory in use. 0 means unknown.
func Available() int64 {
	least := Memory()
	if left := systemAvailable(); left > 0 {
		least = lesser(least, left)
	}
	for _, l := range all() {
		least = lesser(least, l.bytes-l.used())
	}
	return least
}

// lesser returns the lesser of two sizes of memory. The first may be 0, for unknown. 1 stands for nothing left.
func lesser(known, size int64) int64 {
	if size = max(1, size); known == 0 {
		return size
	}
	return min(known, size)
}

// limit is a limit of the memory of this process.
type limit struct {
	name     string
	bytes    int64
	reserved int64        // that the program reserves without any data
	margin   int64        // that must remain
	used     func() int64 // 0: unknown
}

// MemoryError says that the memory is exhausted.
type MemoryError struct{ what string }

func (e *MemoryError) Error() string { return "out of memory: " + e.what }

// Exhausted returns a [MemoryError] if so much of a limit, or of the memory of the machine, is in use that the next
// allocation may end the program. It takes some ten microseconds.
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

// systemMargin is the part of the memory of the machine that must remain.
const systemMargin = 128 << 20
