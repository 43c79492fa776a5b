package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/attempt"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// curve is the error for one right-hand side in the course of a solve, as in a history.
type curve struct {
	name   string
	points []plotPoint
}

// plotPoint is a line of a history.
type plotPoint struct {
	iteration, seconds, estimate float64
	measured                     float64 // NaN: not measured
	verified                     bool    // the verified error, after the iterations
	marks                        []records.Mark
}

// at returns the position of a point on the horizontal axis, in seconds or iterations.
func (p plotPoint) at(seconds bool) float64 {
	if seconds {
		return p.seconds
	}
	return p.iteration
}

// The marks of the events of a history.
const (
	markStep    = records.Thin
	markRestart = records.Dotted
	markChange  = records.Dashed
)

// markTexts has the letters of the marks in a terminal, and their meaning.
var markTexts = []struct {
	kind   records.Mark
	letter byte
	text   string
}{
	{markStep, 's', "refinement step"}, {markRestart, 'r', "restart of gmres"}, {markChange, 'p', "other precision, preconditioner or method"},
}

// readCurves reads a history, a curve for each right-hand side. Seconds count from the first line of the curve.
func readCurves(path string) (curves []curve, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord, r.FieldsPerRecord = true, -1
	fault := func(what error) error {
		if syntax := (*csv.ParseError)(nil); errors.As(what, &syntax) {
			return &exitError{exitInput, fmt.Errorf("%s:%d: %w", path, syntax.Line, syntax.Err)}
		}
		line, _ := r.FieldPos(0)
		return &exitError{exitInput, fmt.Errorf("%s:%d: %w", path, line, what)}
	}
	header, err := r.Read()
	if err != nil || len(header) < 6 || !slices.Equal(header[:6], historyColumns[:6]) {
		return nil, &exitError{exitInput, fmt.Errorf("%s: is not a history; solve --history writes one", path)}
	}
	last, step, start := "", "", 0.0
	for {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fault(err)
		}
		p, err := parsePoint(line)
		if err != nil {
			return nil, fault(err)
		}
		if line[0] != last {
			last, step, start = strings.Clone(line[0]), strings.Clone(line[1]), p.seconds
			curves = append(curves, curve{name: "rhs " + last})
		}
		if line[1] != step {
			step = strings.Clone(line[1])
			p.marks = append(p.marks, markStep)
		}
		p.seconds -= start
		c := &curves[len(curves)-1]
		if n := len(c.points); n > 0 && p.verified { // the time between the last iteration and the verification does not count
			p.seconds = c.points[n-1].seconds
		}
		c.points = append(c.points, p)
	}
	if len(curves) == 0 {
		return nil, &exitError{exitInput, fmt.Errorf("%s: has no iterations", path)}
	}
	return curves, nil
}

// parsePoint parses a line of a history, except for the right-hand side and the step.
func parsePoint(line []string) (p plotPoint, err error) {
	if len(line) < 6 {
		return p, fmt.Errorf("%d columns, want %d", len(line), len(historyColumns))
	}
	p.measured = math.NaN()
	for _, column := range []struct {
		k  int
		to *float64
	}{{2, &p.iteration}, {4, &p.estimate}, {5, &p.seconds}, {6, &p.measured}} {
		if column.k >= len(line) || column.k == 6 && line[6] == "" {
			continue
		}
		if *column.to, err = strconv.ParseFloat(line[column.k], 64); err != nil {
			return p, fmt.Errorf("%s %q is not a number", historyColumns[column.k], line[column.k])
		}
	}
	if len(line) > 7 && line[7] != "" {
		for _, event := range strings.Split(line[7], "; ") {
			switch {
			case event == restarted:
				p.marks = append(p.marks, markRestart)
			case event == verified:
				p.verified = true
			case strings.Contains(event, attempt.Continuing):
				p.marks = append(p.marks, markChange)
			}
		}
	}
	return p, nil
}
