package matrixmarket

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrTooLarge is wrapped by errors about files that need more memory than
// Options.MaxMemory allows.
var ErrTooLarge = errors.New("too large")

// Error is a fault in the content of a file and its position. Line and
// Column count from 1, columns in bytes. A Line of 0 means the file as a
// whole, a Column of 0 the line as a whole.
type Error struct {
	File         string
	Line, Column int64
	Msg          string // one printable line

	cause error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	b.WriteString(": ")
	b.WriteString(e.Msg)
	return b.String()
}

// Unwrap returns the error of the decompressor, if that was the cause.
func (e *Error) Unwrap() error { return e.cause }

// maxQuoted is the most bytes of a file that an error message shows.
const maxQuoted = 40

// quote makes a piece of a file fit for an error message.
func quote(s string) string {
	if len(s) > maxQuoted {
		return strconv.QuoteToASCII(s[:maxQuoted]) + "..."
	}
	return strconv.QuoteToASCII(s)
}
