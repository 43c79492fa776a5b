//go:build cgo

package main

import (
	"context"
	"math"
	"sync"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/cli"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// solver is the Go side of an mpsolve_solver.
type solver struct {
	*cli.Embedded
	turn       sync.Mutex // held by a call
	broken     string     // the panic that ended a call; "": none did
	rows, cols int64
	remake     func(val *float64) (*csr.Matrix, error) // makes the matrix with other values

	running sync.Mutex // guards stop
	stop    context.CancelCauseFunc
}

func newSolver() *solver { return &solver{Embedded: cli.NewEmbedded()} }

// Codes of mpsolve.h.
const (
	usage       = 2
	input       = 4
	interrupted = 130
)

var (
	errNull        = cli.WithCode(usage, "a pointer is NULL")
	errInterrupted = cli.WithCode(interrupted, "interrupted")
	errCaller      = cli.WithCode(interrupted, "a function of the caller failed")
	errSize        = cli.WithCode(input, "the matrix has a negative number of rows or columns, too many, or a base other than 0 and 1")
	errOffsets     = cli.WithCode(input, "the offsets of the rows do not begin at the base, or decrease")
	errCount       = cli.WithCode(input, "the number of right-hand sides is not positive, or too large")
)

// setMatrix sets the matrix.
func setMatrix[I int32 | int64](v *solver, rows, cols int64, base I, start, col *I, val *float64) error {
	m, err := makeMatrix(rows, cols, base, start, col, val)
	if err != nil {
		return err
	}
	v.rows, v.cols = rows, cols
	v.remake = func(val *float64) (*csr.Matrix, error) { return makeMatrix(rows, cols, base, start, col, val) }
	return v.SetMatrix(m)
}

// setRows sets this rank's rows of a matrix of n rows that the ranks of a communicator share.
func (v *solver) setRows(communicator int, n, base, first, rows int64, start, col *int64, val *float64) (err error) {
	if err := v.Join(communicator); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			v.Leave()
		}
	}()
	remake := func(val *float64) (*csr.Matrix, error) { return makeMatrix(rows, n, base, start, col, val) }
	m, err := remake(val)
	if err = v.Agree(err); err != nil {
		return err
	}
	if err := v.SetRows(first-base, m); err != nil {
		return err
	}
	v.rows, v.cols, v.remake = rows, rows, remake
	return nil
}

// update replaces the values of the matrix.
func (v *solver) update(val *float64) error {
	if v.remake == nil {
		return v.Update(context.Background(), nil) // returns the error of a solver without a matrix
	}
	m, err := v.remake(val)
	if err = v.Agree(err); err != nil {
		return err
	}
	return v.interruptible(func(ctx context.Context) error { return v.Update(ctx, m) })
}

// makeMatrix uses the arrays without a copy if they are in the form of csr.Matrix, and copies them otherwise.
func makeMatrix[I int32 | int64](rows, cols int64, base I, start, col *I, val *float64) (*csr.Matrix, error) {
	if rows < 0 || cols < 0 || rows > csr.MaxDim || cols > csr.MaxDim || base < 0 || base > 1 {
		return nil, errSize
	}
	if start == nil && rows > 0 {
		return nil, errNull
	}
	starts, offsets := []I{base}, make([]int64, rows+1)
	if rows > 0 {
		starts = unsafe.Slice(start, rows+1)
	}
	for i, p := range starts {
		offsets[i] = int64(p - base)
		if i > 0 && offsets[i] < offsets[i-1] || i == 0 && offsets[i] != 0 {
			return nil, errOffsets
		}
	}
	nonzeros := offsets[rows]
	if nonzeros > 0 && (col == nil || val == nil) {
		return nil, errNull
	}
	m := &csr.Matrix{Rows: int(rows), Cols: int(cols), RowPtr: offsets, Val: unsafe.Slice(val, nonzeros)}
	switch c := any(col).(type) {
	case *int32:
		m.Col = unsafe.Slice(c, nonzeros)
	case *int64:
		m.Col = make([]int32, nonzeros)
		for k, j := range unsafe.Slice(c, nonzeros) {
			m.Col[k] = int32(max(-1, min(j, math.MaxInt32)))
		}
	}
	if base == 0 && m.Validate() == nil {
		return m, nil
	}
	columns := make([]int64, nonzeros)
	for k, j := range m.Col {
		columns[k] = int64(j) - int64(base)
	}
	m, err := csr.New(m.Rows, m.Cols, offsets, columns, m.Val)
	if err != nil {
		return nil, cli.WithCode(input, err.Error())
	}
	return m, nil
}

// interruptible runs f with a context that interrupt cancels.
func (v *solver) interruptible(f func(ctx context.Context) error) error {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	v.setStop(stop)
	defer v.setStop(nil)
	err := f(ctx)
	if v.Any(context.Cause(ctx) != nil) && err != nil {
		return errInterrupted
	}
	return err
}

func (v *solver) setStop(stop context.CancelCauseFunc) {
	v.running.Lock()
	defer v.running.Unlock()
	v.stop = stop
}

func (v *solver) interrupt() {
	v.running.Lock()
	defer v.running.Unlock()
	if v.stop != nil {
		v.stop(errInterrupted)
	}
}

func (v *solver) setUp() error { return v.interruptible(v.SetUp) }

// solve solves for count right-hand sides. guess may be x.
func (v *solver) solve(count int64, b, guess, x *float64) error {
	var err error
	switch {
	case count < 1 || v.rows > 0 && count > math.MaxInt64/8/v.rows || v.cols > 0 && count > math.MaxInt64/8/v.cols:
		err = errCount
	case b == nil && v.rows > 0 || x == nil && v.cols > 0:
		err = errNull
	}
	if err = v.Agree(err); err != nil {
		return err
	}
	guesses := make([][]float64, count)
	if guess != nil {
		guesses = columns(guess, count, v.cols)
	}
	return v.interruptible(func(ctx context.Context) error {
		return v.Solve(ctx, columns(b, count, v.rows), guesses, columns(x, count, v.cols))
	})
}

// columns returns count vectors of n elements, which are one after the other in v.
func columns(v *float64, count, n int64) [][]float64 {
	all := unsafe.Slice(v, count*n)
	list := make([][]float64, count)
	for k := range list {
		list[k] = all[int64(k)*n : (int64(k)+1)*n : (int64(k)+1)*n]
	}
	return list
}
