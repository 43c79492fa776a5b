package cli

import (
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
)

const liveInterval = 100 * time.Millisecond

// statusLine is one changing line on a terminal, and nothing elsewhere. It is drawn at intervals, also while
// nothing new is shown, so that times go on.
type statusLine struct {
	console *console // nil: no terminal

	mu   sync.Mutex
	text func(width int) string
	stop func() // drawing; nil: it has not begun
}

func newStatusLine(w io.Writer) *statusLine {
	if c := consoleOf(w); c.err != nil {
		return &statusLine{console: c}
	}
	return &statusLine{}
}

// show has the line drawn from now on. The function gets the number of columns that there are, and is called by another goroutine.
func (l *statusLine) show(text func(width int) string) {
	if l.console == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text = text; l.stop == nil {
		l.begin()
	}
}

// begin starts to draw, under the lock.
func (l *statusLine) begin() {
	end, ended := make(chan struct{}), make(chan struct{})
	l.stop = func() { close(end); <-ended }
	go func() {
		defer close(ended)
		for tick := time.NewTicker(liveInterval); ; {
			select {
			case <-end:
				tick.Stop()
				return
			case <-tick.C:
				l.draw()
			}
		}
	}()
}

// draw draws the line, at most as long as the terminal is wide less the column of the cursor.
func (l *statusLine) draw() {
	l.mu.Lock()
	text := l.text
	l.mu.Unlock()
	if width := columns(l.console.err) - 1; width > 0 {
		l.console.draw(cut(report.Printable(text(width)), width))
	}
}

// done removes the line.
func (l *statusLine) done() {
	l.mu.Lock()
	stop := l.stop
	l.stop = nil
	l.mu.Unlock()
	if stop != nil {
		host.WithinGrace(l.console.ended, func() {
			stop()
			l.console.clear()
		})
	}
}

// part is a part of a status line; those of a higher rank go first where there is no room.
type part struct {
	rank int
	text string
}

// fit joins the parts, as many of them as there is room for.
func fit(width int, parts ...part) string {
	for {
		line, last := "", -1
		for k, p := range parts {
			if p.text == "" {
				continue
			}
			if line != "" {
				line += ", "
			}
			line += p.text
			if last < 0 || p.rank > parts[last].rank {
				last = k
			}
		}
		if last < 0 || utf8.RuneCountInString(line) <= width || line == parts[last].text {
			return line
		}
		parts[last].text = ""
	}
}

// cut is the beginning of a text, of so many columns.
func cut(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width])
	}
	return text
}
