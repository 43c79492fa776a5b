package precond

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// distributed is the input of a preconditioner of a matrix that is spread over ranks. Its m is the part of this rank, in
// positions of vectors, and its pool does not end with the context, which ranks may look at only where they agree on
// what they see.
type distributed struct {
	setup
	a           *dist.Matrix
	description Description
}

// NewDistributed sets up a preconditioner of a matrix that is spread over ranks: scaled has the pattern of a.Local and the
// values. Vectors, also in Options.Multigrid.NearNull, have the layout a.Layout. Their ghosts need not be valid, and are not valid afterwards. M depends on the domains, and not
// on ranks and threads.
//
// Most kinds are made of the diagonal block of each domain, or of its segment with Options.Overlap. MaxBytes is a limit for all ranks
// together, and MaxWork is one for each domain; domains get as much of both as they have of the nonzeros. Worked is told once, what all domains have taken
// up to the first one that failed, and Log receives the lines of all of them; both are the same on all ranks, as errors are: that of
// the first domain that failed. The context may be done on some ranks alone; then there is an error on all.
//
// Cost is the cost on all ranks together, and Data is nil. Collective.
func NewDistributed(
	ctx context.Context, kind Kind, a *dist.Matrix, scaled *csr.Matrix, opt Options, pool *parallel.Pool,
) (Preconditioner, error) {
	d, ok := Lookup(kind)
	if !ok {
		return nil, fmt.Errorf("unknown preconditioner %q", kind)
	}
	opt.making = d.Making
	p, err := d.spreadOver(distributed{setup{Options: opt.withDefaults(), ctx: ctx, m: scaled, pool: pool}, a, d})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return p, nil
}

func (d Description) spreadOver(s distributed) (Preconditioner, error) {
	if d.distribute == nil {
		return nil, errors.New("not for matrices in several domains")
	}
	if err := d.suits(s.Symmetric); err != nil {
		return nil, err
	}
	if err := agree(s.a.Comm, s.checkRows()); err != nil {
		return nil, err
	}
	p, err := d.distribute(s)
	if err != nil {
		return nil, err
	}
	return p, s.checkMemory(p.Cost().Bytes)
}

// checkRows reports the first row of this rank with an entry that is not finite.
func (s *distributed) checkRows() error {
	bad := s.infiniteRow()
	if bad < 0 {
		return nil
	}
	return errInfinite(s.a.Global(bad))
}

// total returns the sum of what all ranks cost. Collective.
func (s *distributed) total(c Cost) Cost {
	x := []int64{c.Values, c.ValueBytes, c.Bytes, c.FP64Bytes}
	s.a.Comm.Sum(x)
	return Cost{x[0], x[1], x[2], x[3]}
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
var causes = []error{nil, ErrIndefinite, ErrNotDefinite, ErrMemory, ErrInterrupted, ErrWork, ErrSingular, errNoEstimate}

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
