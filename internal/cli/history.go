package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/internal/atomicfile"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// history writes a line of CSV for every iteration. The nil history writes
// nothing.
type history struct {
	file  *atomicfile.File
	csv   *csv.Writer
	rhs   int
	start time.Time
}

func newHistory(ctx context.Context, path string) (*history, error) {
	if path == "" {
		return nil, nil
	}
	f, err := atomicfile.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	h := &history{file: f, csv: csv.NewWriter(f), start: time.Now()}
	return h, h.csv.Write([]string{"rhs", "step", "iteration", "residual", "estimate", "seconds"})
}

// begin starts right-hand side k, counted from 0.
func (h *history) begin(k int) {
	if h != nil {
		h.rhs = k + 1
	}
}

func (h *history) add(e krylov.Event) {
	if h == nil {
		return
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	_ = h.csv.Write([]string{ // the writer keeps the error
		strconv.Itoa(h.rhs), strconv.Itoa(e.Outer), strconv.Itoa(e.Iteration),
		number(e.Residual), number(e.Estimate), number(time.Since(h.start).Seconds()),
	})
}

// publish lets the file be seen from now on.
func (h *history) publish() error {
	if h == nil {
		return nil
	}
	h.csv.Flush()
	if err := h.csv.Error(); err != nil {
		return err
	}
	return h.file.Publish()
}

// close completes the file.
func (h *history) close() error {
	if h == nil {
		return nil
	}
	h.csv.Flush()
	if err := h.file.Commit(h.csv.Error()); err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	return nil
}
