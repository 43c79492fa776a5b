package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"

	"github.com/mpsolve/mpsolve/internal/report"
)

const (
	plotHeight  = 16 // rows
	labelColumn = 9  // columns of the labels and the axis of y
	widestPlot  = 100
)

// plotColors are the colours of the curves on a terminal.
var plotColors = []asciigraph.AnsiColor{
	asciigraph.Default, asciigraph.Green, asciigraph.Red, asciigraph.Blue, asciigraph.Yellow, asciigraph.Purple, asciigraph.Cyan, asciigraph.White,
}

// plotText draws curves with characters, as wide as the terminal.
func plotText(w io.Writer, curves []curve, seconds bool) {
	width := 80
	if n := report.Columns(w); n > 0 {
		width = min(n, widestPlot)
	}
	columns := max(10, width-labelColumn-2)
	end := 0.0
	for _, c := range curves {
		end = math.Max(end, c.points[len(c.points)-1].at(seconds))
	}
	var series [][]float64
	var names []string
	for _, c := range curves {
		series, names = append(series, c.sample(columns, end, seconds)), append(names, c.name)
	}
	over := overIterations
	number := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	if seconds {
		over, number = overSeconds, func(v float64) string { return fmt.Sprintf("%.3g", v) }
	}
	low, high := decades(series)
	opt := []asciigraph.Option{
		asciigraph.Height(rows(high - low)), asciigraph.LowerBound(low), asciigraph.UpperBound(high), asciigraph.YAxisValueFormatter(power),
		asciigraph.XAxisRange(0, end), asciigraph.XAxisTickCount(max(2, columns/16)), asciigraph.XAxisValueFormatter(number),
	}
	if report.Colored(w) && len(curves) > 1 {
		opt = append(opt, asciigraph.SeriesColors(plotColors[:len(curves)]...))
	}
	plot := asciigraph.PlotMany(series, opt...)
	fmt.Fprintf(w, "%s over %s: %s\n", errorName(curves), over, strings.Join(names, ", "))
	for line := range strings.SplitSeq(plot, "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		if at := strings.IndexRune(line, '└'); at >= 0 {
			fmt.Fprint(w, curves[0].markRow(utf8.RuneCountInString(line[:at])+1, columns, end, seconds))
		}
	}
	if legend := curves[0].legend(); legend != "" {
		fmt.Fprintln(w, report.Wrap(legend, 0, report.Columns(w)))
	}
}

// decades returns the range of whole decades that contains the series.
func decades(series [][]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, v := range s {
			if !math.IsNaN(v) {
				low, high = math.Min(low, math.Floor(v)), math.Max(high, math.Ceil(v))
			}
		}
	}
	if low > high {
		return 0, 1
	}
	return low, math.Max(high, low+1)
}

// rows returns the number of rows of the plot: the same for each decade, unless there are more decades than rows.
func rows(decades float64) int {
	if decades > plotHeight {
		return plotHeight
	}
	return int(decades) * (plotHeight / int(decades))
}

// power returns the label of a decade; spaces between decades.
func power(log float64) string {
	if math.Abs(log-math.Round(log)) > 1e-6 {
		return "     "
	}
	return fmt.Sprintf("%5s", fmt.Sprintf("1e%d", int(math.Round(log))))
}

// sample returns the decimal logarithm of the last error at each column, for columns from 0 to end; NaN: there is no error.
func (c curve) sample(columns int, end float64, seconds bool) []float64 {
	list := make([]float64, columns)
	k := 0
	for i := range list {
		for k+1 < len(c.points) && c.points[k+1].at(seconds) <= end*float64(i)/float64(columns-1) {
			k++
		}
		list[i] = math.Log10(c.points[k].estimate)
		if last := c.points[len(c.points)-1].at(seconds); math.IsInf(list[i], 0) || end*float64(i-1)/float64(columns-1) > last {
			list[i] = math.NaN()
		}
	}
	return list
}

// markRow returns the line of letters below the axis; "" if there are no marks.
func (c curve) markRow(indent, columns int, end float64, seconds bool) string {
	row := bytes.Repeat([]byte{' '}, columns)
	for _, m := range markTexts {
		for _, p := range c.points {
			if slices.Contains(p.marks, m.kind) {
				row[min(int(p.at(seconds)/math.Max(end, 1e-9)*float64(columns-1)), columns-1)] = m.letter
			}
		}
	}
	if row = bytes.TrimRight(row, " "); len(row) == 0 {
		return ""
	}
	return fmt.Sprintf("%*s%s\n", indent, "", row)
}

// legend says what the letters mean.
func (c curve) legend() string {
	var texts []string
	for _, m := range markTexts {
		if slices.ContainsFunc(c.points, func(p plotPoint) bool { return slices.Contains(p.marks, m.kind) }) {
			texts = append(texts, fmt.Sprintf("%c: %s", m.letter, m.text))
		}
	}
	return strings.Join(texts, "; ")
}
