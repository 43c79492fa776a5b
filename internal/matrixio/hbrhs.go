package matrixio

import (
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// hbRHS is what the header says about right-hand sides after the matrix.
type hbRHS struct {
	lines  int64 // of right-hand sides, guesses and solutions
	kind   string
	count  int64
	format fortran
}

// rhsHeader reads the fifth line of the header, and the last format of the fourth. If it is not understood, the
// matrix is read nevertheless.
func (t *hbText) rhsHeader(h *hbHeader, fourth string) error {
	line, err := t.next("the header")
	if err != nil {
		return err
	}
	h.rhs.kind = strings.ToUpper(strings.TrimSpace(cut(string(line), 0, 3)))
	h.rhs.count, _ = strconv.ParseInt(strings.TrimSpace(cut(string(line), 14, 28)), 10, 64)
	var ok bool
	if h.rhs.format, ok = parseFortran(strings.TrimSpace(cut(fourth, 52, 72))); !ok || h.rhs.format.letter == 'I' {
		h.rhs.kind = ""
	}
	return nil
}

// rightHandSides adds right-hand sides to the content of the matrix: full ones (type F), one after the other.
func (t *hbText) rightHandSides(h *hbHeader, c *matrixmarket.Content) error {
	switch {
	case h.rhs.lines == 0:
		return nil
	case !strings.HasPrefix(h.rhs.kind, "F") || h.rhs.count < 1 || h.rhs.count > (1<<46)/max(1, h.rows):
		c.Warnings = append(c.Warnings, "right-hand sides that follow in the file are not read: they are not full ones (type F)")
		return nil
	}
	complex := h.Field == matrixmarket.Complex
	if err := t.fitsDense(h.rows, h.rhs.count, complex); err != nil {
		return err
	}
	v, imag, err := t.floats(h.rows*h.rhs.count, h.rhs.format, complex, "the right-hand sides")
	if err != nil {
		return err
	}
	c.RHS = t.dense(h.rows, h.rhs.count, v, imag)
	if len(h.rhs.kind) > 1 {
		c.Warnings = append(c.Warnings, "guesses and solutions that follow in the file are not read")
	}
	return nil
}
