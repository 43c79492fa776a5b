package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
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
