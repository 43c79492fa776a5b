package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// convertFlags are the flags of `mpsolve convert`.
type convertFlags struct {
	to, rhs   string
	threads   int
	maxMemory memorySize
	quiet     bool
}

const convertLong = `Write a matrix or vectors in another format.

IN is a file of any format that mpsolve reads, which its content tells; - is standard input. --to or the name of OUT
tells the format to write:

  .mtx, .mtx.gz  mtx    Matrix Market
  .mpx           mpx    our own, with checksums: loads at the speed of the disk
  .npz           npz    SciPy's sparse matrices, and NumPy's archives
  .npy           npy    NumPy's arrays: vectors and dense matrices
  .petsc         petsc  PETSc's binary files, which MatLoad and VecLoad read
  .rb, .rb.gz    rb     Rutherford-Boeing

Values are kept exactly, but for signs of zeros in a triangle that is not written. convert finds out whether a matrix is
symmetric, skew-symmetric or hermitian, and then writes one triangle if the format allows that. OUT appears when it is
complete. docs/formats.md says which parts of each format are read and written.`

func newConvert(s streams) *cobra.Command {
	var f convertFlags
	c := &cobra.Command{
		Use: "convert IN OUT", Short: "Write a matrix or vectors in another format", Long: convertLong,
		Example: "  mpsolve convert matrix.mtx.gz matrix.mpx\n" +
			"  mpsolve convert scipy.npz matrix.mtx\n" +
			"  mpsolve convert Problem.mat matrix.petsc\n" +
			"  mpsolve convert b.mtx b.dat --to petsc\n" +
			"  mpsolve convert west0989.rua A.mtx --rhs b.mtx\n" +
			"  mpsolve generate poisson3d --n 50 | mpsolve convert - - --to npz > matrix.npz",
		Args: exactly(2, "a file to read and one to write"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkGivenThreads(c, f.threads); err != nil {
				return err
			}
			return f.run(c.Context(), s, args[0], args[1])
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.to, "to", "", "`format` to write: "+strings.Join(matrixio.Written(), ", ")+" (default: as the name of OUT says)")
	fl.StringVar(&f.rhs, "rhs", "", "write the right-hand sides that a Harwell-Boeing file holds beside its matrix to this `file`")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	fl.IntVar(&f.threads, "threads", 0, "number of threads (default: all processors)")
	fl.BoolVar(&f.quiet, "quiet", false, "print nothing")
	completeWords(c, "to", matrixio.Written())
	return c
}

// rhsFormat returns the format for right-hand sides, by the name of the file of --rhs.
func (f *convertFlags) rhsFormat(from, out string) (to *matrixio.Format, err error) {
	if f.rhs == "" {
		return nil, nil
	}
	if err := checkFile("--rhs", f.rhs, true, []string{from}); err != nil {
		return nil, err
	}
	if host.Same(f.rhs, out) {
		return nil, usage("--rhs %s is OUT as well", f.rhs)
	}
	return formatOf(f.rhs, "")
}

// formatOf returns the format to write to path: the one that word names, or if word is "", the one of the name.
func formatOf(path, word string) (*matrixio.Format, error) {
	words := strings.Join(matrixio.Written(), ", ")
	var to *matrixio.Format
	switch {
	case word != "":
		if err := oneOf("to", &word, matrixio.Written()); err != nil {
			return nil, err
		}
		to = matrixio.ByWord(word)
	case path == "-":
		return nil, usage("OUT is standard output: --to says in which format (%s)", words)
	default:
		if to = matrixio.BySuffix(path); to == nil {
			return nil, usage("%s: the name does not tell the format; --to does (%s)", path, words)
		}
	}
	if !to.Writes(strings.HasSuffix(path, ".gz")) {
		if to.Writes(false) {
			return nil, usage("%s: %s files are not written compressed", path, to.Name)
		}
		return nil, usage("%s: %s files are only read; formats that are written are %s", path, to.Name, words)
	}
	return to, nil
}

func (f *convertFlags) run(ctx context.Context, s streams, from, path string) error {
	to, err := formatOf(path, f.to)
	if err != nil {
		return err
	}
	if path != "-" {
		if err := checkFile("OUT", path, true, []string{from}); err != nil {
			return err
		}
	}
	rhsTo, err := f.rhsFormat(from, path)
	if err != nil {
		return err
	}
	capThreads(&f.threads, s.err)
	in := input{streams: s, threads: f.threads, maxMemory: int64(f.maxMemory)}
	content, err := in.read(ctx, from)
	if err != nil {
		return err
	}
	writing := func(to *matrixio.Format, c *matrixmarket.Content) func(io.Writer) error {
		return func(w io.Writer) error {
			return to.Write(heeding{ctx, w}, c, matrixio.WriteOptions{Threads: f.threads, Comment: "mpsolve convert " + report.Printable(from)})
		}
	}
	switch {
	case content.RHS != nil && f.rhs == "":
		fmt.Fprintf(s.err, "mpsolve: warning: %s: the right-hand sides in the file are not written; --rhs FILE writes them\n", report.Printable(from))
	case content.RHS == nil && f.rhs != "":
		return &exitError{exitInput, fmt.Errorf("%s: the file has no right-hand sides that mpsolve reads; leave out --rhs", from)}
	}
	if err := f.fits(path, to, content); err != nil {
		return err
	}
	if path == "-" {
		err = writing(to, content)(s.out)
	} else {
		err = writeFile(ctx, path, writing(to, content))
	}
	if err == nil && f.rhs != "" {
		err = writeFile(ctx, f.rhs, writing(rhsTo, content.RHS))
	}
	if err != nil || path == "-" {
		return err
	}
	if f.quiet {
		return nil
	}
	out := &firstError{w: s.out}
	report.Line(out, "read", "%s: %s", from, contentText(content))
	report.Line(out, "wrote", "%s: %s%s", path, to.Name, triangleText(to, content))
	return out.err
}

// fits returns an error if writing the matrix takes more memory than the limit.
func (f *convertFlags) fits(path string, to *matrixio.Format, c *matrixmarket.Content) error {
	need := to.Memory(c)
	if need == 0 {
		return nil
	}
	has := csr.Bytes(int64(c.Rows), c.Stored)
	opt := matrixmarket.Options{MaxMemory: int64(f.maxMemory), Held: programBytes + has, Installed: host.Available()}
	return opt.Fits(path, has, need, "the transpose of a %d x %d matrix with %d %s",
		c.Rows, c.Cols, c.Stored, english.PluralWord(int(c.Stored), "entry", "entries"))
}

// contentText describes the content of a file.
func contentText(c *matrixmarket.Content) string {
	form := ""
	if c.Form != "" {
		form = c.Form + ", "
	}
	return fmt.Sprintf("%s%v %v %v %v, %d x %d, %d %s stored", form, c.Object, c.Format, c.Field, c.Symmetry, c.Rows, c.Cols,
		c.Stored, english.PluralWord(int(c.Stored), "entry", "entries"))
}

// triangleText says that only one triangle of a symmetric matrix was written; "": both were.
func triangleText(to *matrixio.Format, c *matrixmarket.Content) string {
	if !to.Triangle {
		return ""
	}
	if symmetry := matrixio.Symmetry(c); symmetry != matrixmarket.General {
		return fmt.Sprintf(", the lower triangle of a %v matrix", symmetry)
	}
	return ""
}
