package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/fetch"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
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
	return matrixOf(path, content)
}

// matrixOf returns the matrix of a file.
func matrixOf(path string, content *matrixmarket.Content) (*csr.Matrix, error) {
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
	if path == "-" {
		return in.readText(ctx, path, "<stdin>", in.in)
	}
	return in.content(path, func(opt matrixmarket.Options) (*matrixmarket.Content, error) {
		return matrixmarket.ReadFile(ctx, path, opt)
	})
}

// readText is read for what is open already, and has a name in messages.
func (in input) readText(ctx context.Context, path, name string, text io.Reader) (*matrixmarket.Content, error) {
	return in.content(path, func(opt matrixmarket.Options) (*matrixmarket.Content, error) {
		return matrixmarket.Read(ctx, text, name, opt)
	})
}

// content is read, by a function of package matrixmarket.
func (in input) content(path string, read func(matrixmarket.Options) (*matrixmarket.Content, error)) (*matrixmarket.Content, error) {
	opt, done := in.options()
	defer done()
	c, err := read(opt)
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
	opt.Other, opt.RealForm = matrixio.Recognise, in.realForm
	opt.Map = func(int64) bool { return in.maps }
	status := newStatusLine(in.err)
	if status.console == nil {
		return opt, status.done
	}
	opt.Progress = status.follow("reading")
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

// reading is the progress of reading or downloading a file.
type reading struct {
	what        string // is done, such as reading
	start       time.Time
	done, total atomic.Int64 // bytes; total is 0 or less where it is not known
}

// follow returns a function that draws the progress of what is done, from now on, in bytes.
func (l *statusLine) follow(what string) func(done, total int64) {
	p := &reading{what: what, start: time.Now()}
	return func(done, total int64) {
		p.done.Store(done)
		p.total.Store(total)
		l.show(p.text)
	}
}

// text returns the status line.
func (p *reading) text(width int) string {
	done, total, took := p.done.Load(), p.total.Load(), time.Since(p.start)
	share, left := "", ""
	if total > 0 && done > 0 {
		share = bar(float64(done)/float64(total)) + " of " + humanize.Bytes(uint64(total))
		left = about(time.Duration(float64(took)*float64(total-done)/float64(done))) + " left"
	}
	return fit(width, part{0, p.what}, part{1, share}, part{3, left}, part{2, fmt.Sprintf("%.1f s", took.Seconds())})
}

// readingError gives the error of reading a file its exit code.
func readingError(path string, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &exitError{exitNotConverged, fmt.Errorf("time limit reached while reading %s", path)}
	case notOpened(err) && fetch.IsName(path) && !isDirectory(filepath.Dir(path)):
		return &exitError{exitInput, fmt.Errorf("%w; mpsolve fetch %s downloads the matrix of this name from the SuiteSparse collection", err, path)}
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

// exactInput is the flag --exact-input, and the digits of the right-hand sides that float64 does not hold.
type exactInput struct {
	asked bool
	bits  int           // that the sums keep of a value; 0: all
	b     [][][]float64 // for each right-hand side of the file, the parts that are added to its float64
}

func (f *exactInput) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.asked, "exact-input", false, "with --digits above 15 or --x-bits: keep all digits of the files of A and b, not only their nearest float64")
}

// check returns an error if the flag does not suit the other options, which must be complete.
func (f *exactInput) check(s *solveFlags) error {
	switch {
	case !f.asked:
		return nil
	case s.opt.Digits <= solve.MaxDigits:
		return usage("--exact-input needs --digits %d or more, or --x-bits", solve.MaxDigits+1)
	}
	return nil
}

// input returns in, reading as many float64 for each value of a file as the options need, and more of a small file.
func (f *exactInput) input(in input, opt solve.Options, path string) input {
	if !f.asked {
		return in
	}
	in.parts = rules.Parts(opt)
	if info, err := os.Stat(path); err == nil {
		in.parts = max(in.parts, int(partsBytes/max(1, info.Size())))
	}
	in.parts = min(in.parts, matrixmarket.MaxParts)
	return in
}

// partsBytes bounds the bytes of a file times the parts of its values beyond those that the digits need: more are for a matrix of a
// large condition.
const partsBytes = 32 << 20

// lowerParts returns the matrices that are added to the matrix of float64 to get the values of the file exactly.
func lowerParts(c *matrixmarket.Content) (parts []*csr.Matrix, err error) {
	for _, low := range c.Lower {
		m, err := low.CSR()
		if err != nil {
			return nil, err
		}
		parts = append(parts, m)
	}
	return parts, nil
}

// read reads right-hand sides of that many rows, and keeps their lower parts.
func (f *exactInput) read(ctx context.Context, in input, path string, rows int) (b [][]float64, err error) {
	in.check = ofLength(path, rightHandSide, int64(rows))
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, err
	}
	columns, err := content.ColumnParts()
	if err != nil {
		return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	f.b = nil
	f.keeps(content, in)
	for _, parts := range columns {
		b, f.b = append(b, parts[0]), append(f.b, parts[1:])
	}
	return b, checkColumns(path, rightHandSide, b, func(name string, v []float64) error { return rules.CheckVector(name, v, rows) })
}

// keeps notes how many bits of its least value the sums keep, of so many float64 and down to the least float64.
func (f *exactInput) keeps(c *matrixmarket.Content, in input) {
	values, least := c.Dense, math.MaxInt
	if c.Matrix != nil {
		values = c.Matrix.Val
	}
	for _, v := range values {
		if v != 0 {
			least = min(least, math.Ilogb(v))
		}
	}
	if f.asked && len(c.Lower) > 0 {
		f.bits = max(1, min(cmp.Or(f.bits, math.MaxInt), 53*in.parts, least+1074))
	}
}

// parts returns the float64 vectors whose sum is right-hand side k exactly; b is the first of them.
func (f *exactInput) parts(k int, b []float64) [][]float64 {
	all := [][]float64{b}
	if k < len(f.b) {
		all = append(all, f.b[k]...)
	}
	return all
}

// text says how many float64 hold a value exactly, given the number of lower parts of the matrix.
func (f *exactInput) text(lower int) string {
	text := fmt.Sprintf("input exact: each element of A is a sum of %d float64", 1+lower)
	if len(f.b) > 0 {
		text += fmt.Sprintf(", each element of b of %d", 1+len(f.b[0]))
	}
	return text
}
