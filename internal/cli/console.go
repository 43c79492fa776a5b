package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
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

// standardOutput returns errOutputClosed once its reader has closed it, and keeps the first error.
type standardOutput struct {
	*stream
	failed error
	used   atomic.Bool // something has been written, or is being written
}

var errOutputClosed = errors.New("the reader of standard output has gone")

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
