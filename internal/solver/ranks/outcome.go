package ranks

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// errorCauses are the errors that a rank recognises in an error of another rank.
var errorCauses = []error{
	context.Canceled, context.DeadlineExceeded, solve.ErrMemory,
	precond.ErrInterrupted, precond.ErrMemory, precond.ErrWork, precond.ErrNotDefinite, precond.ErrIndefinite,
}

// sentError is an error on its way to another rank.
type sentError struct {
	Text       string
	Input      bool  // an InputError
	Checkpoint bool  // a CheckpointError
	Is         []int // indices of errorCauses
}

func sendError(err error) *sentError {
	if err == nil {
		return nil
	}
	s := &sentError{Text: err.Error()}
	var input *solve.InputError
	var refused *solve.CheckpointError
	s.Input, s.Checkpoint = errors.As(err, &input), errors.As(err, &refused)
	for k, cause := range errorCauses {
		if errors.Is(err, cause) {
			s.Is = append(s.Is, k)
		}
	}
	return s
}

func (s *sentError) received() error {
	switch {
	case s == nil:
		return nil
	case s.Input:
		return &solve.InputError{Msg: s.Text}
	case s.Checkpoint:
		return &solve.CheckpointError{Msg: s.Text}
	}
	e := &Recalled{Text: s.Text}
	for _, k := range s.Is {
		e.Is = append(e.Is, errorCauses[k])
	}
	return e
}

// Encoded returns v, encoded by encoding/gob.
func Encoded(v any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		panic(fmt.Sprintf("solve: %v", err))
	}
	return b.Bytes()
}

// Decode is the inverse of Encoded.
func Decode(b []byte, v any) {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		panic(fmt.Sprintf("solve: a message of another rank: %v", err))
	}
}

// outcome is a message of a rank to the others.
type outcome[T any] struct {
	Value T
	Err   *sentError
}

// ShareRoot runs a function on rank 0, and returns its value and error on all ranks. Collective.
func ShareRoot[T any](c dist.Comm, run func() (T, error)) (v T, err error) {
	if c.Size() == 1 {
		return run()
	}
	var message []byte
	length := make([]byte, 8)
	if c.Rank() == 0 {
		v, err = run()
		message = Encoded(outcome[T]{v, sendError(err)})
		binary.LittleEndian.PutUint64(length, uint64(len(message)))
	}
	c.Broadcast(0, length)
	if c.Rank() > 0 {
		message = make([]byte, binary.LittleEndian.Uint64(length))
	}
	c.Broadcast(0, message)
	if c.Rank() > 0 {
		var o outcome[T]
		Decode(message, &o)
		v, err = o.Value, o.Err.received()
	}
	return v, err
}

// AgreeError returns the error of the first rank that has one, on all ranks. Collective.
func AgreeError(c dist.Comm, err error) error {
	if c.Size() == 1 {
		return err
	}
	failed := []int64{0}
	if err != nil {
		failed[0] = 1
	}
	if c.Max(failed); failed[0] == 0 {
		return nil
	}
	for rank, b := range c.Gather(Encoded(outcome[bool]{Err: sendError(err)})) {
		var o outcome[bool]
		if Decode(b, &o); o.Err == nil {
			continue
		}
		if rank == c.Rank() {
			return err
		}
		return o.Err.received()
	}
	panic("solve: ranks are out of step")
}

// Recalled is an error that another rank, or the solve before a checkpoint, has met.
type Recalled struct {
	Text string
	Is   []error
}

func (e *Recalled) Error() string { return e.Text }

func (e *Recalled) Unwrap() []error { return e.Is }
