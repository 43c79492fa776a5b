package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// input reads Matrix Market files for a command.
type input struct {
	streams
	threads   int   // 0: all processors
	maxMemory int64 // 0: the memory of the machine
	parts     int   // float64 that hold a value; 0: one
	maps      bool  // a .mpx file is mapped, for as long as the process lives

	known map[string]*matrixmarket.Content // files that need not be read again

	check    func(h matrixmarket.Header, rows, cols int) error        // of the size line; nil: none
	realForm func(m *csr.Matrix, imag []float64) (*csr.Matrix, error) // of complex matrices; nil: these are refused
}

// matrix reads a real sparse matrix.
func (in input) matrix(ctx context.Context, path string) (*csr.Matrix, error) {
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, err
	}
	m, err := content.CSR()
	if err != nil {
		return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	return m, nil
}

// read reads a Matrix Market file, or standard input for "-", and prints its
// warnings. A progress bar is drawn on terminals only.
func (in input) read(ctx context.Context, path string) (*matrixmarket.Content, error) {
	if c := in.known[path]; c != nil {
		return c, nil
	}
	opt, done := in.options()
	defer done()
	var c *matrixmarket.Content
	var err error
	if path == "-" {
		c, err = matrixmarket.Read(ctx, in.in, "<stdin>", opt)
	} else {
		c, err = matrixmarket.ReadFile(ctx, path, opt)
	}
	if err != nil {
		return nil, readingError(path, err)
	}
	in.warn(path, c)
	return c, nil
}

// options are those of reading, with a progress bar, which ends with done.
func (in input) options() (opt matrixmarket.Options, done func()) {
	keepWithin(in.maxMemory)
	opt = in.limits()
	opt.Threads, opt.Check, opt.Parts = in.threads, in.check, in.parts
	opt.Other, opt.RealForm, opt.Map = matrixio.Recognise, in.realForm, in.maps
	status := newStatusLine(in.err)
	if status.console == nil {
		return opt, status.done
	}
	p := &reading{start: time.Now()}
	opt.Progress = func(done, total int64) {
		p.done.Store(done)
		p.total.Store(total)
		status.show(p.text)
	}
	return opt, status.done
}

// limits are those on memory.
func (in input) limits() matrixmarket.Options {
	return matrixmarket.Options{MaxMemory: in.maxMemory, Held: programBytes, Installed: host.Available()}
}

// fits is an error if so many bytes that a command takes for a matrix are beyond the limits.
func (in input) fits(path string, need float64, what string, args ...any) error {
	return in.limits().Fits(path, math.MaxInt64, need, what, args...)
}

// reading is how far a file has been read.
type reading struct {
	start       time.Time
	done, total atomic.Int64 // bytes
}

// text is the status line.
func (p *reading) text(width int) string {
	done, total, took := p.done.Load(), p.total.Load(), time.Since(p.start)
	share, left := "", ""
	if total > 0 && done > 0 {
		share = bar(float64(done)/float64(total)) + " of " + humanize.Bytes(uint64(total))
		left = about(time.Duration(float64(took)*float64(total-done)/float64(done))) + " left"
	}
	return fit(width, part{0, "reading"}, part{1, share}, part{3, left}, part{2, fmt.Sprintf("%.1f s", took.Seconds())})
}

// readingError is the error of reading a file with its exit code.
func readingError(path string, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &exitError{exitNotConverged, fmt.Errorf("time limit reached while reading %s", path)}
	case notOpened(err), isDirectory(path):
		return &exitError{exitInput, err}
	}
	return err
}

// warn prints the warnings about a file.
func (in input) warn(path string, c *matrixmarket.Content) {
	for _, w := range c.Warnings {
		fmt.Fprintf(in.err, "mpsolve: warning: %s: %s\n", report.Printable(path), w)
	}
}

// notOpened reports whether an error is that of opening a file.
func notOpened(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Op == "open"
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inFile names the file of a matrix that cannot be solved with.
func inFile(path string, err error) error {
	var fault *solve.InputError
	if errors.As(err, &fault) {
		if path == "-" {
			path = "<stdin>"
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}
