// Package draw draws rooflines.
package draw

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/mpsolve/mpsolve/internal/roofline"
)

// MostLines is the number of lines that a figure has at most: more cannot be told
// apart.
const MostLines = 8

// preferred are the configurations to draw where there are more than MostLines.
var preferred = []string{
	roofline.FP64, roofline.FP32, roofline.FP64OverFP32, "RP48", "RP16", "RPRE24", "AFX24", "AFX8",
}

// Formats are the formats of figures that Write knows.
var Formats = []string{"svg", "png"}

// Write draws performance over arithmetic intensity, both logarithmic, on the largest
// number of threads among the points, a line with dashes and marks of its own for
// each configuration.
func Write(w io.Writer, format string, points []roofline.Point) error {
	threads := 0
	for _, p := range points {
		threads = max(threads, p.Threads)
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Roofline, threads: %d", threads)
	p.X.Label.Text, p.Y.Label.Text = "FLOP per value", "GFLOP/s"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	p.X.Tick.Marker = ticks(points)
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for k, name := range lines(points) {
		var xy plotter.XYs
		for _, point := range points {
			if point.Config == name && point.Threads == threads {
				xy = append(xy, plotter.XY{X: float64(point.Intensity), Y: point.GFLOPS})
			}
		}
		line, marks, err := plotter.NewLinePoints(xy)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line.Color, line.Dashes, line.Width = plotutil.DarkColors[k%len(plotutil.DarkColors)], plotutil.Dashes(k), vg.Points(1.2)
		marks.Color, marks.Shape, marks.Radius = line.Color, plotutil.Shape(k), vg.Points(3)
		p.Add(line, marks)
		p.Legend.Add(name, line, marks)
	}
	figure, err := p.WriterTo(16*vg.Centimeter, 11*vg.Centimeter, format)
	if err != nil {
		return err
	}
	_, err = figure.WriteTo(w)
	return err
}

// lines are the configurations to draw.
func lines(points []roofline.Point) []string {
	names := roofline.Names(points)
	if len(names) <= MostLines {
		return names
	}
	some := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(preferred, name) })
	if len(some) == 0 {
		return names[:MostLines]
	}
	return some
}

// ticks are the intensities that were measured.
func ticks(points []roofline.Point) (t plot.ConstantTicks) {
	for _, p := range points {
		if !slices.ContainsFunc(t, func(other plot.Tick) bool { return other.Value == float64(p.Intensity) }) {
			t = append(t, plot.Tick{Value: float64(p.Intensity), Label: strconv.Itoa(p.Intensity)})
		}
	}
	return t
}
