package solve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// errorCauses are the errors that a rank tells from others when it learns of one of another rank.
var errorCauses = []error{
	context.Canceled, context.DeadlineExceeded, ErrMemory,
	precond.ErrInterrupted, precond.ErrMemory, precond.ErrWork, precond.ErrNotDefinite, precond.ErrIndefinite,
}

// sentError is an error on its way to another rank.
type sentError struct {
	Text  string
	Input bool  // an InputError
	Is    []int // those of errorCauses
}

func sendError(err error) *sentError {
	if err == nil {
		return nil
	}
	s := &sentError{Text: err.Error()}
	var input *InputError
	s.Input = errors.As(err, &input)
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
		return &InputError{s.Text}
	}
	e := &recalled{text: s.Text}
	for _, k := range s.Is {
		e.is = append(e.is, errorCauses[k])
	}
	return e
}

// encoded is v by encoding/gob.
func encoded(v any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		panic(fmt.Sprintf("solve: %v", err))
	}
	return b.Bytes()
}

// decode is the inverse of encoded.
func decode(b []byte, v any) {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		panic(fmt.Sprintf("solve: a message of another rank: %v", err))
	}
}

// outcome is what a rank tells others.
type outcome[T any] struct {
	Value T
	Err   *sentError
}

// shareRoot runs what on rank 0 and returns its value and error on all ranks. Collective.
func shareRoot[T any](c dist.Comm, run func() (T, error)) (v T, err error) {
	if c.Size() == 1 {
		return run()
	}
	var message []byte
	length := make([]byte, 8)
	if c.Rank() == 0 {
		v, err = run()
		message = encoded(outcome[T]{v, sendError(err)})
		binary.LittleEndian.PutUint64(length, uint64(len(message)))
	}
	c.Broadcast(0, length)
	if c.Rank() > 0 {
		message = make([]byte, binary.LittleEndian.Uint64(length))
	}
	c.Broadcast(0, message)
	if c.Rank() > 0 {
		var o outcome[T]
		decode(message, &o)
		v, err = o.Value, o.Err.received()
	}
	return v, err
}

// agreeError returns the error of the first rank that has one, on all ranks. Collective.
func agreeError(c dist.Comm, err error) error {
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
	for rank, b := range c.Gather(encoded(outcome[bool]{Err: sendError(err)})) {
		var o outcome[bool]
		if decode(b, &o); o.Err == nil {
			continue
		}
		if rank == c.Rank() {
			return err
		}
		return o.Err.received()
	}
	panic("solve: ranks are out of step")
}
