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

// input reads files of matrices and vectors for a command.
type input struct {
	streams
	threads   int   // 0: all processors
	maxMemory int64 // 0: the memory of the machine
	parts     int   // number of float64 that hold a value; 0: one
	maps      bool  // map .mpx files, for as long as the process lives

	known map[string]*matrixmarket.Content // contents of files that have been read already

	check    func(h matrixmarket.Header, rows, cols int) error        // checks the size line; nil: no check
	realForm func(m *csr.Matrix, imag []float64) (*csr.Matrix, error) // makes the real form of complex matrices; nil: refuse them
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

// read reads a file of any format, or standard input for "-", and prints the warnings about it. On a terminal it draws a
// progress bar.
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

// options returns the options of reading, with a progress bar, which done removes.
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

// limits returns the limits on memory.
func (in input) limits() matrixmarket.Options {
	return matrixmarket.Options{MaxMemory: in.maxMemory, Held: programBytes, Installed: host.Available()}
}

// fits returns an error if the bytes that a command needs for the matrix of a file exceed the limits.
func (in input) fits(path string, need float64, what string, args ...any) error {
	return in.limits().Fits(path, math.MaxInt64, need, what, args...)
}

// reading is the progress of reading a file.
type reading struct {
	start       time.Time
	done, total atomic.Int64 // bytes
}

// text returns the status line.
func (p *reading) text(width int) string {
	done, total, took := p.done.Load(), p.total.Load(), time.Since(p.start)
	share, left := "", ""
	if total > 0 && done > 0 {
		share = bar(float64(done)/float64(total)) + " of " + humanize.Bytes(uint64(total))
		left = about(time.Duration(float64(took)*float64(total-done)/float64(done))) + " left"
	}
	return fit(width, part{0, "reading"}, part{1, share}, part{3, left}, part{2, fmt.Sprintf("%.1f s", took.Seconds())})
}

// readingError gives the error of reading a file its exit code.
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

// notOpened reports whether an error comes from opening a file.
func notOpened(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Op == "open"
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inFile adds the name of the file to an error about its matrix.
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
