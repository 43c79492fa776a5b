package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	barWidth  = 40 // characters of the longest bar, on a terminal that has room for it
	leastBar  = 4  // characters of the longest bar, on a terminal of any width
	besideBar = 34 // columns of the rest of a line
	maxBars   = 24 // if there are more decades, a bar stands for several
	minDecade = -324
)

// Histogram draws the number of nonzeros of each magnitude. A bar stands for one decade or, if magnitudes spread widely, for
// several.
func Histogram(w io.Writer, values []float64) {
	var count [2 * -minDecade]int
	lowest, highest := len(count), -1
	for _, v := range values {
		if v == 0 || v-v != 0 {
			continue
		}
		k := int(math.Floor(math.Log10(math.Abs(v)))) - minDecade
		count[k]++
		lowest, highest = min(lowest, k), max(highest, k)
	}
	if highest < 0 {
		return
	}
	decades := (highest-lowest)/maxBars + 1
	var bars []int
	for k := lowest; k <= highest; k += decades {
		n := 0
		for _, c := range count[k:min(k+decades, highest+1)] {
			n += c
		}
		bars = append(bars, n)
	}
	draw(w, bars, lowest+minDecade, decades)
}

// draw writes the bars, from the largest magnitude to the smallest.
func draw(w io.Writer, bars []int, lowest, decades int) {
	width := barWidth
	if n := Columns(w); n > 0 {
		width = min(width, max(leastBar, n-besideBar))
	}
	longest, all := 0, 0
	for _, n := range bars {
		longest = max(longest, n)
		all += n
	}
	t := newTable(w, "|a| from", "to", "nonzeros", "%", "")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, Align: text.AlignRight},
		{Number: 2, Align: text.AlignRight},
		{Number: 3, Align: text.AlignRight},
		{Number: 4, Align: text.AlignRight},
	})
	for k := len(bars) - 1; k >= 0; k-- {
		from, share := lowest+k*decades, float64(bars[k])/float64(all)
		length := int(math.Ceil(float64(width) * float64(bars[k]) / float64(longest)))
		t.AppendRow(table.Row{
			fmt.Sprintf("1e%+03d", from), fmt.Sprintf("1e%+03d", from+decades),
			bars[k], fmt.Sprintf("%.1f", 100*share), strings.Repeat("█", length),
		})
	}
	t.Render()
}

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
