package matrixmarket

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/dist"
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

// errorKind is the kind of an error, the same on all ranks.
type errorKind uint8

const (
	otherError errorKind = iota
	faultError           // an *Error
	sizeError            // wraps ErrTooLarge
	openError            // an *fs.PathError of opening a file
	cancelError
	deadlineError
)

// sentError is an error as ranks send it.
type sentError struct {
	Kind  errorKind
	Text  string
	Fault Error
	Path  string
}

// remoteError is an error of another rank.
type remoteError struct {
	text  string
	cause error // what errors.Is and errors.As find
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.cause }

// agree returns the error of the smallest rank that has one, on all ranks. Collective.
func agree(c dist.Comm, err error) error {
	rank := dist.First(c, err != nil)
	if rank < 0 {
		return nil
	}
	var b []byte
	if c.Rank() == rank {
		b = encoded(sent(err, rank))
	}
	var e sentError
	decode(dist.Share(c, rank, b), &e)
	if c.Rank() == rank && rank == 0 {
		return err // with all that it wraps: rank 0 reports it
	}
	return e.received()
}

// sent returns what is sent of an error of a rank. Where it was matters unless it is about the file.
func sent(err error, rank int) sentError {
	e := sentError{Text: err.Error()}
	var at *fs.PathError
	var fault *Error
	switch {
	case errors.As(err, &fault):
		return sentError{Kind: faultError, Fault: Error{File: fault.File, Line: fault.Line, Column: fault.Column, Msg: fault.Msg}}
	case errors.Is(err, context.Canceled):
		e.Kind = cancelError
		return e
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind = deadlineError
		return e
	case errors.Is(err, ErrTooLarge):
		e.Kind = sizeError
	case errors.As(err, &at) && at.Op == "open":
		e.Kind, e.Path = openError, at.Path
	}
	if rank > 0 {
		e.Text = fmt.Sprintf("rank %d: %s", rank, e.Text)
	}
	return e
}

// received returns the error that was sent.
func (e sentError) received() error {
	switch e.Kind {
	case faultError:
		return &e.Fault
	case cancelError:
		return context.Canceled
	case deadlineError:
		return context.DeadlineExceeded
	case sizeError:
		return &remoteError{e.Text, ErrTooLarge}
	case openError:
		return &remoteError{e.Text, &fs.PathError{Op: "open", Path: e.Path, Err: errors.New(e.Text)}}
	}
	return &remoteError{text: e.Text}
}

// encoded returns v as bytes for decode.
func encoded(v any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		panic(err) // types of this package, all of which gob knows
	}
	return b.Bytes()
}

func decode(b []byte, v any) {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		panic(&dist.Error{Call: "Broadcast", Reason: "what came is not what was sent: " + err.Error()})
	}
}
