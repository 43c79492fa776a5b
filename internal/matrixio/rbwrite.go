package matrixio

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// writeRB writes a sparse matrix in the Rutherford-Boeing format, one triangle if that suffices, with 17 digits.
func writeRB(w io.Writer, c *matrixmarket.Content, opt WriteOptions) error {
	if err := sparseOnly(c, "Rutherford-Boeing"); err != nil {
		return err
	}
	if err := below32(c.Matrix); err != nil {
		return err
	}
	symmetry := Symmetry(c)
	t, imag := transposed(c) // its rows are the columns
	word := map[matrixmarket.Symmetry]string{matrixmarket.General: "u", matrixmarket.Symmetric: "s", matrixmarket.SkewSymmetric: "z", matrixmarket.Hermitian: "h"}[symmetry]
	if t.Rows != t.Cols {
		word = "r"
	}
	field := "r"
	switch {
	case c.Imag != nil:
		field = "c"
	case c.Field == matrixmarket.Pattern:
		field = "p"
	}
	// If one triangle suffices, only the part of each column on and below the diagonal is written.
	first := func(j int, rows []int32) int {
		if symmetry == matrixmarket.General {
			return 0
		}
		k := 0
		for k < len(rows) && (int(rows[k]) < j || int(rows[k]) == j && symmetry == matrixmarket.SkewSymmetric) {
			k++
		}
		return k
	}
	ptr := make([]int, t.Rows+1)
	for j := range t.Rows {
		rows, _ := t.Row(j)
		ptr[j+1] = ptr[j] + len(rows) - first(j, rows)
	}
	out := &cardWriter{w: bufio.NewWriterSize(w, pieceBytes)}
	entries, values := ptr[t.Rows], ptr[t.Rows]
	switch field {
	case "c":
		values *= 2
	case "p":
		values = 0
	}
	const whole, real = 7, 3 // numbers on a line of 80 bytes
	lines := [3]int{(t.Rows + whole) / whole, (entries + whole - 1) / whole, (values + real - 1) / real}
	out.print("%-72.72s%-8s\n", strings.ReplaceAll(opt.Comment, "\n", " "), "mpsolve")
	out.print("%14d %13d %13d %13d\n", lines[0]+lines[1]+lines[2], lines[0], lines[1], lines[2])
	out.print("%-14s%14d %13d %13d %13d\n", field+word+"a", t.Cols, t.Rows, entries, 0)
	format := "(3E26.16)"
	if field == "p" {
		format = ""
	}
	out.print("%-16s%-16s%-20s\n", "(7I11)", "(7I11)", format)
	for _, p := range ptr {
		out.number(whole, "%11d", p+1)
	}
	out.end()
	for j := range t.Rows {
		rows, _ := t.Row(j)
		for _, i := range rows[first(j, rows):] {
			out.number(whole, "%11d", i+1)
		}
	}
	out.end()
	for j := 0; j < t.Rows && values > 0; j++ {
		rows, vals := t.Row(j)
		for k := first(j, rows); k < len(rows); k++ {
			out.number(real, "%26.16E", vals[k])
			if imag != nil {
				out.number(real, "%26.16E", imag[t.RowPtr[j]+int64(k)])
			}
		}
	}
	out.end()
	return out.close()
}

// cardWriter writes numbers in lines. It keeps its first error.
type cardWriter struct {
	w   *bufio.Writer
	on  int // numbers on the line
	err error
}

func (o *cardWriter) print(format string, args ...any) {
	if o.err == nil {
		_, o.err = fmt.Fprintf(o.w, format, args...)
	}
}

// number writes a number, perLine numbers to a line.
func (o *cardWriter) number(perLine int, format string, v any) {
	o.print(format, v)
	if o.on++; o.on == perLine {
		o.end()
	}
}

// end ends the line, unless it is empty.
func (o *cardWriter) end() {
	if o.on > 0 {
		o.print("\n")
	}
	o.on = 0
}

func (o *cardWriter) close() error {
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}
