package matrixmarket

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// budget limits the memory of a read.
type budget struct {
	file      string
	max       int64 // bytes; 0: judged by the length of the text
	held      int64 // bytes that count against max besides
	installed int64 // bytes that can be had; 0: not known
	text      int64 // bytes of text, at least
}

// Without a limit by the user, a result may take freeBytes in any case, and freeRatio
// times the length of its text. The densest legal text, a pattern in two-byte numbers,
// stays far below; only a few entries in a huge empty matrix exceed both.
const (
	freeBytes = 1 << 30
	freeRatio = 1000
	mostBytes = 1 << 46 // no machine has more, and make would panic
)

// check returns an error if the thing described needs too much memory. The need is a
// float64, since products of dimensions may exceed 2^63.
func (b budget) check(need float64, what string, args ...any) error {
	thing := fmt.Sprintf(what, args...)
	switch {
	case need > mostBytes:
		return fmt.Errorf("%s: %w: %s would take %s of memory", b.file, ErrTooLarge, thing, bytesText(need))
	case b.max > 0 && need+float64(b.held) > float64(b.max):
		return fmt.Errorf("%s: %w: %s would take %s of memory, the limit is %s",
			b.file, ErrTooLarge, thing, bytesText(need+float64(b.held)), bytesText(float64(b.max)))
	case b.installed > 0 && need > float64(b.installed):
		return fmt.Errorf("%s: %w: %s would take %s of memory, this process can have %s",
			b.file, ErrTooLarge, thing, bytesText(need), bytesText(float64(b.installed)))
	case b.max <= 0 && need > freeBytes && need > freeRatio*float64(b.text):
		return fmt.Errorf("%s: %w: %s would take %s of memory, for %s of text (set a memory limit above that to allow it)",
			b.file, ErrTooLarge, thing, bytesText(need), bytesText(float64(b.text)))
	}
	return nil
}

func bytesText(n float64) string { return humanize.Bytes(uint64(n)) }
