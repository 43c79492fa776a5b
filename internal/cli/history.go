package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// history writes a line of CSV for every iteration, and one for the verified error of each x. A nil history writes nothing.
type history struct {
	file   *host.File
	stop   string // name of the stopping criterion, whose error the estimates are
	csv    *csv.Writer
	rhs    int
	start  time.Time
	last   map[int]krylov.Event // the last event of each right-hand side
	events []string             // events since the last line
}

// historyColumns are the names of the columns; docs/usage.md describes them.
var historyColumns = []string{"rhs", "step", "iteration", "residual", "estimate", "seconds", "measured", "event", "stop"}

// Events of a history other than decisions.
const (
	restarted = "restart"
	verified  = "verified"
)

func newHistory(ctx context.Context, path, stop string) (*history, error) {
	if path == "" {
		return nil, nil
	}
	f, err := host.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	h := &history{file: f, stop: stop, csv: csv.NewWriter(f), start: time.Now(), last: map[int]krylov.Event{}}
	return h, h.csv.Write(historyColumns)
}

// begin starts right-hand side k, counted from 0.
func (h *history) begin(k int) {
	if h != nil {
		if h.rhs == 0 { // decisions before the first solve belong to no iteration
			h.events = nil
		}
		h.rhs = k + 1
	}
}

// note keeps a decision for the line of the next iteration.
func (h *history) note(line string) {
	if h != nil {
		h.events = append(h.events, line)
	}
}

func (h *history) add(e krylov.Event) {
	if h == nil {
		return
	}
	measured := math.NaN()
	if e.Outer != h.last[h.rhs].Outer {
		measured = e.Measured
	}
	if e.Restart {
		h.events = append(h.events, restarted)
	}
	h.write(e, measured)
	h.last[h.rhs] = e
}

// end writes the verified error of x.
func (h *history) end(e float64) {
	if h == nil {
		return
	}
	h.events = append(h.events, verified)
	last := h.last[h.rhs]
	last.Estimate = e
	h.write(last, e)
}

// write writes a line; measured is NaN if the error was not measured.
func (h *history) write(e krylov.Event, measured float64) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	line := []string{
		strconv.Itoa(h.rhs), strconv.Itoa(e.Outer), strconv.Itoa(e.Iteration),
		number(e.Residual), number(e.Estimate), number(time.Since(h.start).Seconds()), "", strings.Join(h.events, "; "), h.stop,
	}
	if !math.IsNaN(measured) {
		line[6] = number(measured)
	}
	_ = h.csv.Write(line) // the writer keeps the error
	h.events = h.events[:0]
}

// publish gives the file its name, so that others can read it from now on.
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
