package cli

import (
	"bytes"
	"os"
	"strconv"
)

// peakRSS is the largest resident set of this process so far, in bytes; 0 if the system does not tell. That of getrusage would include
// what the process that started this one had.
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
