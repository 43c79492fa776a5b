package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	widestSpy  = 76 // largest number of columns of a picture
	highestSpy = 19 // largest number of rows, which leaves room for a prompt on a terminal with 24 rows
)

// brailleDots has the bits of the dots of a braille character, by row and column: four rows and two columns.
var brailleDots = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// Spy draws the pattern of a matrix in braille dots, which are about as wide as high.
func Spy(w io.Writer, m *csr.Matrix) {
	if m.Rows == 0 || m.Cols == 0 {
		return
	}
	wide := widestSpy - 4
	if n := Columns(w); n > 0 {
		wide = min(wide, n-4)
	}
	rows, columns := spySize(m.Rows, m.Cols, max(1, wide))
	count := m.Density(4*rows, 2*columns)
	what := "for each entry"
	if high, wide := (m.Rows+4*rows-1)/(4*rows), (m.Cols+2*columns-1)/(2*columns); high*wide > 1 {
		what = fmt.Sprintf("where a part of about %d x %d has entries", high, wide)
	}
	Line(w, "pattern", "a dot %s", what)
	edge := strings.Repeat("─", columns)
	fmt.Fprintf(w, " ┌%s┐\n", edge)
	for r := range rows {
		line := make([]rune, columns)
		for c := range line {
			line[c] = 0x2800
			for dr, dots := range brailleDots {
				for dc, bit := range dots {
					if count[(4*r+dr)*2*columns+2*c+dc] > 0 {
						line[c] |= bit
					}
				}
			}
		}
		fmt.Fprintf(w, " │%s│\n", string(line))
	}
	fmt.Fprintf(w, " └%s┘\n", edge)
}

// spySize returns the numbers of rows and columns of characters of a picture: as many as there is room for, in the shape of
// the matrix.
func spySize(m, n, wide int) (rows, columns int) {
	columns, rows = wide, int(int64(2*wide)*int64(m)/(4*int64(n)))
	if rows > highestSpy {
		rows = highestSpy
		columns = int(int64(4*rows) * int64(n) / (2 * int64(m)))
	}
	return max(1, rows), max(1, columns)
}
