package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/mpsolve/mpsolve/internal/machine"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixio"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// input reads Matrix Market files for a command.
type input struct {
	streams
	threads   int   // 0: all processors
	maxMemory int64 // 0: the memory of the machine
	parts     int   // float64 that hold a value; 0: one

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
	opt = matrixmarket.Options{Threads: in.threads, MaxMemory: in.maxMemory, Installed: machine.Available(), Check: in.check, Parts: in.parts, Other: matrixio.Recognise, RealForm: in.realForm}
	if isTerminal(in.err) {
		bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(in.err),
			progressbar.OptionSetDescription("reading"), progressbar.OptionShowBytes(true),
			progressbar.OptionClearOnFinish())
		opt.Progress = func(done, total int64) {
			bar.ChangeMax64(total)
			_ = bar.Set64(done) // an error in drawing does no harm
		}
		return opt, func() { _ = bar.Finish() }
	}
	return opt, func() {}
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

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}
