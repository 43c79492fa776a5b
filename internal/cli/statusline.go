package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/mpsolve/mpsolve/internal/report"
)

const liveInterval = 100 * time.Millisecond

// statusLine is one changing line on a terminal, and nothing elsewhere.
type statusLine struct {
	bar   *progressbar.ProgressBar // nil: no terminal
	drawn time.Time
}

func newStatusLine(w io.Writer) (l statusLine) {
	if isTerminal(w) {
		l.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(w),
			progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish())
	}
	return l
}

// show draws the text, unless the last one was drawn less than liveInterval ago.
func (l *statusLine) show(text func() string) {
	if l.bar == nil || time.Since(l.drawn) < liveInterval {
		return
	}
	l.drawn = time.Now()
	l.bar.Describe(report.Printable(text()))
	_ = l.bar.Add(1) // an error in drawing does no harm
}

// clear erases the line, so that another one can be printed.
func (l *statusLine) clear() {
	if l.bar != nil {
		_ = l.bar.Clear()
	}
}

// done removes the line.
func (l *statusLine) done() {
	if l.bar != nil {
		_ = l.bar.Finish()
		l.bar = nil
	}
}
