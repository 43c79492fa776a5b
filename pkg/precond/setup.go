package precond

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// setup is what a preconditioner is made from.
type setup struct {
	Options
	ctx  context.Context
	m    *csr.Matrix
	pool *linop.Pool
}

// logf passes a formatted line to Options.Log.
func (s *setup) logf(format string, args ...any) { s.Log(fmt.Sprintf(format, args...)) }

// interrupted returns ErrInterrupted if the context is done.
func (s *setup) interrupted() error {
	select {
	case <-s.ctx.Done():
		return ErrInterrupted
	default:
		return nil
	}
}

// checkWork returns ErrWork if that many multiplications exceed Options.MaxWork.
func (s *setup) checkWork(multiplications int64) error {
	if s.MaxWork > 0 && float64(multiplications) > s.MaxWork*float64(s.m.NNZ()) {
		return fmt.Errorf("%w: more than %g multiplications a nonzero", ErrWork, s.MaxWork)
	}
	return nil
}

// rowsBetweenChecks is the number of rows after which factorisations look at the context.
const rowsBetweenChecks = 1024

// checkRow returns the error that ends a factorisation at row i, if any, after that many
// multiplications.
func (s *setup) checkRow(i int, multiplications int64) error {
	if i%rowsBetweenChecks == 0 {
		if err := s.interrupted(); err != nil {
			return err
		}
	}
	return s.checkWork(multiplications)
}

// checkMemory returns ErrMemory if that many bytes exceed Options.MaxBytes. It comes before
// the memory is allocated.
func (s *setup) checkMemory(bytes int64) error {
	if s.MaxBytes > 0 && bytes > s.MaxBytes {
		return fmt.Errorf("%w: %.1f MB, the limit is %.1f MB", ErrMemory, float64(bytes)/1e6, float64(s.MaxBytes)/1e6)
	}
	return nil
}
