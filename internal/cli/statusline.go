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

// statusLine is one changing line on a terminal, and nothing elsewhere. It is drawn at intervals, even without news, so that
// the times in it go on.
type statusLine struct {
	console *console // nil: not a terminal

	mu   sync.Mutex
	text func(width int) string
	stop func() // ends drawing; nil: drawing has not begun
}

func newStatusLine(w io.Writer) *statusLine {
	if c := consoleOf(w); c.err != nil {
		return &statusLine{console: c}
	}
	return &statusLine{}
}

// show draws the line that text returns from now on. Another goroutine calls text with the number of columns.
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

// begin starts the goroutine that draws. The caller holds the lock.
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

// draw draws the line, cut so that the cursor stays on the same row.
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

// part is a part of a status line. If there is no room for all parts, those of the highest rank are left out first.
type part struct {
	rank int
	text string
}

// fit joins as many parts as fit into width columns.
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

// cut returns the beginning of a text, at most width columns.
func cut(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width])
	}
	return text
}
