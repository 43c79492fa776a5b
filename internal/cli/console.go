package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/schollz/progressbar/v3"
)

// console is what standard output and standard error share: colours, and the status line below the output. Whatever is
// printed first removes the status line.
type console struct {
	plain bool            // without colours
	ended <-chan struct{} // closed by end; nil: never closed
	end   func()          // from now on no write waits for its reader

	mu    sync.Mutex
	err   *os.File // the terminal with the status line; nil: standard error is not a terminal
	shown bool
}

// newConsole makes the console of a process with this standard error.
func newConsole(errOut *os.File) *console {
	ctx, end := context.WithCancel(context.Background())
	c := &console{plain: os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb", ended: ctx.Done(), end: end}
	if columns(errOut) > 0 {
		c.err = errOut
	}
	return c
}

// draw replaces the status line. The new line must be shorter than the terminal is wide.
func (c *console) draw(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.err, "\r%s\x1b[K", line)
	c.shown = true
}

// print removes the status line and writes to one of the streams. Only writes to terminals exclude each other, so that a
// pipe that nobody reads cannot block messages.
func (c *console) print(f *os.File, p []byte) (int, error) {
	if columns(f) == 0 {
		if c.err != nil {
			host.WithinGrace(c.ended, c.clear)
		}
		return f.Write(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	return f.Write(p)
}

// clear removes the status line.
func (c *console) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

func (c *console) erase() {
	if c.shown {
		fmt.Fprint(c.err, "\r\x1b[K")
		c.shown = false
	}
}

// stream is standard output or standard error. After console.end its writes no longer wait for their reader.
type stream struct {
	*os.File
	console *console
	patient *host.Outlet
}

func newStream(f *os.File, c *console) *stream {
	return &stream{f, c, host.NewOutlet(c.ended, func(p []byte) (int, error) { return c.print(f, p) })}
}

func (s *stream) Write(p []byte) (int, error) { return s.patient.Write(p) }

// Columns implements report.Terminal.
func (s *stream) Columns() int { return columns(s.File) }

// Colored implements report.Terminal.
func (s *stream) Colored() bool { return !s.console.plain && s.Columns() > 0 }

// standardOut is the path of standard output.
const standardOut = "/dev/stdout"

// standardOutput returns errOutputClosed once its reader has closed it, and keeps the first error.
type standardOutput struct {
	*stream
	failed error
	used   atomic.Bool // something has been written, or is being written
}

var errOutputClosed error = &exitError{exitBrokenPipe, errors.New("the reader of standard output has gone")}

// orClosed returns errOutputClosed in place of an error of writing to path that means it, and other errors as they are.
func orClosed(path string, err error) error {
	if errors.Is(err, syscall.EPIPE) && host.Same(path, standardOut) {
		return errOutputClosed
	}
	return err
}

func (s *standardOutput) Write(p []byte) (int, error) {
	if len(p) > 0 && !s.used.Swap(true) {
		matrixio.OutputUsed()
	}
	n, err := s.stream.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = errOutputClosed
	}
	if s.failed == nil {
		s.failed = err
	}
	return n, err
}

// consoleOf returns the console of w if w is a stream; else a new one.
func consoleOf(errOut io.Writer) *console {
	if s, ok := errOut.(*stream); ok {
		return s.console
	}
	return &console{}
}

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

// barSteps is the number of steps of a bar, and barCells the number of characters that draw it.
const (
	barSteps = 1000
	barCells = 12
)

// bar draws which share of a work is done, 0 to 1.
func bar(share float64) string {
	b := progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(barCells),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	_ = b.Set(min(max(int(share*barSteps), 0), barSteps-1)) // the last step would end it
	_ = b.RenderBlank()                                     // whatever the time since the last drawing
	return strings.TrimSpace(b.String())
}
