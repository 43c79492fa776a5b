package matrixmarket

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mpsolve/mpsolve/internal/dist"
)

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
