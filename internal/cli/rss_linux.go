package cli

import (
	"bytes"
	"os"
	"strconv"
)

// peakRSS returns the largest resident set of this process so far, in bytes; 0: not known. It does not use getrusage, whose
// figure includes the resident set of the process that started this one.
func peakRSS() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	words := bytes.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(words[0]), 10, 64)
	return kilobytes << 10
}
