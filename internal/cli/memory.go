package cli

import (
	"math"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/machine"
)

// memorySize is a flag for a number of bytes, such as 4GB or 512MiB.
type memorySize int64

// Set implements pflag.Value.
func (m *memorySize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 || n > math.MaxInt64 {
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

// orInstalled returns the limit or, if there is none, the memory of the machine.
func (m *memorySize) orInstalled() int64 {
	if *m > 0 {
		return int64(*m)
	}
	return machine.Memory()
}
