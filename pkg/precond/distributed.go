package precond

import (
	"errors"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/dist"
)

type distributed struct {
	setup
	a *dist.Matrix
}

// agree returns, on all ranks, the error of the first rank that has one: with the same text and for errors.Is the same
// of the errors of New. Collective.
func agree(c dist.Comm, err error) error {
	var own []byte
	if err != nil {
		own = encodeError(err)
	}
	for _, b := range c.Gather(own) {
		if len(b) > 0 {
			return decodeError(b)
		}
	}
	return nil
}

// causes are the errors of New that others may be. Of two that an error is, the more special one comes first.
var causes = []error{nil, ErrIndefinite, ErrNotDefinite, ErrMemory, ErrInterrupted, ErrWork, ErrSingular, ErrNoEstimate}

// An agreedError is the error of another rank, or what this one said of its own.
type agreedError struct {
	text  string
	cause error // nil: none of causes
}

func (e *agreedError) Error() string { return e.text }
func (e *agreedError) Unwrap() error { return e.cause }

// encodeError returns the index of the cause and the text.
func encodeError(err error) []byte {
	cause := max(0, slices.IndexFunc(causes, func(c error) bool { return c != nil && errors.Is(err, c) }))
	return append([]byte{byte(cause)}, err.Error()...)
}

// decodeError is the inverse of encodeError.
func decodeError(b []byte) error {
	return &agreedError{string(b[1:]), causes[b[0]]}
}
