package host

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sys/unix"
)

// Go requests memory from the system in pieces of arenaBytes. A program without data has some gigabytes of address
// space for its tables, and will need some for threads.
const (
	arenaBytes   = 64 << 20
	threadsSpace = 64 << 20
	tablesSpace  = 896 << 20
	dataReserved = 64 << 20
)

// limits returns the limits that are set. It must be called first before there is any data.
var limits = sync.OnceValue(func() (list []limit) {
	for _, r := range []struct {
		resource int
		limit
	}{
		{unix.RLIMIT_AS, limit{name: "address space", reserved: max(tablesSpace, statm(0)) + threadsSpace, margin: arenaBytes, used: addressSpace}},
		{unix.RLIMIT_DATA, limit{name: "data segment", reserved: dataReserved, margin: 2 * arenaBytes, used: dataSegment}},
	} {
		var set unix.Rlimit
		if unix.Getrlimit(r.resource, &set) == nil && set.Cur < 1<<62 {
			r.bytes = int64(set.Cur)
			list = append(list, r.limit)
		}
	}
	if group, err := memlimit.FromCgroup(); err == nil && group < 1<<62 {
		list = append(list, limit{name: "memory of the cgroup", bytes: int64(group), margin: int64(group) / 50, used: resident})
	}
	return list
})

// statm returns a field of /proc/self/statm in bytes, 0 if it cannot be read.
func statm(field int) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	words := bytes.Fields(text)
	if field >= len(words) {
		return 0
	}
	pages, _ := strconv.ParseInt(string(words[field]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// codeBytes are about the bytes of code that a solve touches. The system may map far more of the file of the program, and of files that are read: 39 MB of a program that has
// just been linked, and 23 MB of its copy. Such pages cost nothing, since they are in the cache of files.
const codeBytes = 16e6

func addressSpace() int64 { return statm(0) - reusable() - untouched() }
func resident() int64     { return statm(1) - max(0, statm(2)-codeBytes) }
func dataSegment() int64  { return statm(5) - reusable() }

// reusable returns the bytes of address space that are free for Go's allocations.
func reusable() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	var sum int64
	for _, s := range sample {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += int64(s.Value.Uint64())
		}
	}
	return sum
}

// untouched returns the bytes of address space at the ends of arenas that Go has reserved and not used yet.
func untouched() (sum int64) {
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range bytes.Lines(maps) {
		var from, to int64
		var access string
		if n, _ := fmt.Sscanf(string(line), "%x-%x %s", &from, &to, &access); n == 3 && access == "---p" && to%arenaBytes == 0 && to-from < arenaBytes {
			sum += to - from
		}
	}
	return sum
}

// systemAvailable returns the kernel's estimate of the memory that programs can have without swapping.
func systemAvailable() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(words[0], 10, 64)
	return kilobytes << 10
}

// Affinity returns the logical processors that a process may run on, ascending; pid 0 is this process. It returns nil
// if they are unknown.
func Affinity(pid int) (processors []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil {
		return nil
	}
	for k, left := 0, set.Count(); left > 0; k++ {
		if set.IsSet(k) {
			processors = append(processors, k)
			left--
		}
	}
	return processors
}

// Node names the machine: processes with the same name share its processors, including those in containers.
func Node() string {
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		return string(boot)
	}
	name, _ := os.Hostname()
	return name
}

// PrepareHeap asks the system to back the first heapReserve bytes of the heap by huge pages when they are first used.
// A page fault takes some microseconds in a virtual machine, and a small solve touches tens of thousands of small
// pages. PrepareHeap does nothing if the address space is limited to less than reserveShare times as much. When a process has
// called it before, it only collects garbage: Go would write zeros into the memory, which takes longer than a small solve.
// Until it returns nothing else may set the percentage of garbage.
func PrepareHeap() {
	if limit := Limit(); limit > 0 && limit < reserveShare*heapReserve {
		return
	}
	reserveHeap()
	runtime.GC() // frees the reserve, so that the following data use this memory
}

var reserveHeap = sync.OnceFunc(func() {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // else allocating it would begin a collection of its own
	reserve := make([]byte, heapReserve)
	LargePages(reserve)
	runtime.KeepAlive(reserve)
})

const (
	heapReserve  = 128 << 20
	reserveShare = 32
)

// unnamed creates a file without a name, which vanishes with the process however the process ends. It returns nil if
// the file system does not support such files.
func unnamed(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil
	}
	if _, err := os.Stat("/proc/self/fd/" + strconv.Itoa(fd)); err != nil { // name needs /proc
		_ = unix.Close(fd)
		return nil
	}
	return os.NewFile(uintptr(fd), dir)
}

// name gives an unnamed file a name.
func name(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}
