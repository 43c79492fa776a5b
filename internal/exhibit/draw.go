package exhibit

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/mpsolve/mpsolve/examples/experiments"
)

// Formats of figures, which are the endings of their files as well.
const (
	SVG = "svg"
	PNG = "png"
)

// Measures of figures.
const (
	width      = 16 * vg.Centimeter
	textSize   = 8 // points
	lineHeight = 0.42 * vg.Centimeter
	dpi        = 200 // of PNG
)

// Draw draws the figure of a table, as it is to be printed at a width of 16 cm.
// Published values are hollow marks.
func Draw(t *Table, f experiments.Figure, w io.Writer, format string) error {
	g := arrange(t, f)
	plots := g.plots()
	legend := g.legend()
	height := legend.height() + g.height()
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.New(width, height)
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	default:
		return fmt.Errorf("unknown format of figures %q", format)
	}
	c := draw.NewCanvas(canvas, width, height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	legend.draw(draw.Crop(c, 0, 0, height-legend.height(), 0))
	c = draw.Crop(c, 0, -0.2*vg.Centimeter, 0, -legend.height())
	if len(plots) > 0 {
		tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: 0.3 * vg.Centimeter, PadY: 0.2 * vg.Centimeter}
		for i, row := range plot.Align(plots, tiles, c) {
			for k, tile := range row {
				if plots[i][k] != nil {
					plots[i][k].Draw(tile)
				}
			}
		}
	}
	_, err := canvas.WriteTo(w)
	return err
}

// columns is how many panels stand side by side.
func (g *figure) columns() int {
	if len(g.panels) > 1 && (g.Kind == experiments.Lines || g.Kind == experiments.History) {
		return 2
	}
	return 1
}

// height of the panels, and of the labels of x below them.
func (g *figure) height() vg.Length {
	rows := (len(g.panels) + g.columns() - 1) / g.columns()
	each := 4.3 * vg.Centimeter
	if rows == 1 {
		each = 6 * vg.Centimeter
	}
	if g.columns() > 1 {
		each = 5.2 * vg.Centimeter
	}
	labels := 0.8 * vg.Centimeter
	if size, upright := g.categoryText(); upright {
		for _, name := range g.categories {
			labels = max(labels, textStyle(size).Width(superscripts(name))+0.4*vg.Centimeter)
		}
	}
	return vg.Length(rows)*each + labels
}

// categoryText is the size of the names below nominal values, and whether they
// have to stand upright to find room.
func (g *figure) categoryText() (size vg.Length, upright bool) {
	room := 14 * vg.Centimeter / vg.Length(max(len(g.categories), 1))
	for _, name := range g.categories {
		if textStyle(textSize).Width(superscripts(name))+2 > room {
			upright = true
		}
	}
	if !upright {
		return textSize, false
	}
	return max(min(textSize, 0.95*room), 5), true
}

// plots lays the panels out row by row; nil where there is none.
func (g *figure) plots() [][]*plot.Plot {
	n := g.columns()
	var rows [][]*plot.Plot
	for i, p := range g.panels {
		if i%n == 0 {
			rows = append(rows, make([]*plot.Plot, n))
		}
		bottom := i+n >= len(g.panels)
		rows[len(rows)-1][i%n] = g.plot(p, bottom, i%n == 0)
	}
	return rows
}

// plot draws a panel; the bottom ones have the names on x, the left ones those on y.
func (g *figure) plot(p *panel, bottom, left bool) *plot.Plot {
	q := plot.New()
	for _, style := range []*draw.TextStyle{&q.Title.TextStyle, &q.X.Label.TextStyle, &q.Y.Label.TextStyle, &q.X.Tick.Label, &q.Y.Tick.Label} {
		style.Font = textStyle(textSize).Font
	}
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		a.LineStyle.Width, a.Tick.LineStyle.Width, a.Tick.Length = vg.Points(0.5), vg.Points(0.4), vg.Points(3)
		a.Padding = 0
	}
	q.Title.Text = superscripts(p.title)
	q.Title.Padding = vg.Points(2)
	g.scaleY(q, p)
	g.scaleX(q, p, bottom)
	if left {
		q.Y.Label.Text = g.textY(p)
	}
	if bottom {
		q.X.Label.Text = g.textX()
	}
	g.grid(q)
	if isNumber(p.level) && p.level >= q.Y.Min && p.level <= q.Y.Max {
		q.Add(horizontal(p.level))
	}
	for k := range g.series {
		i := k
		if g.Kind == experiments.Stack {
			i = len(g.series) - 1 - k // lower bars lie on top of higher ones
		}
		if s := p.data[i]; s != nil {
			q.Add(g.measured(i, s))
		}
	}
	for i := range g.series { // on top of the bars
		if s := p.data[i]; s != nil && len(s.published) > 0 {
			q.Add(g.hollow(i, g.dodge(i, s.published)))
		}
	}
	return q
}

// textStyle is the one of all texts.
func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{
		Color:   color.Black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// slot is the part of a category that its series share.
const slot = 0.8

// dodge moves the points of series i to its place in the categories.
func (g *figure) dodge(i int, points plotter.XYs) plotter.XYs {
	if g.Kind != experiments.Bars && g.Kind != experiments.Points {
		return points
	}
	var moved plotter.XYs
	n := float64(len(g.series))
	for _, at := range points {
		moved = append(moved, xy{X: at.X + slot*((float64(i)+0.5)/n-0.5), Y: at.Y})
	}
	return moved
}

// measured draws the measured values of series i.
func (g *figure) measured(i int, s *series) plot.Plotter {
	points := g.dodge(i, s.measured)
	switch g.Kind {
	case experiments.Bars:
		half := slot / 2 / float64(len(g.series))
		return g.bars(i, points, half)
	case experiments.Stack:
		return g.bars(i, points, slot/2)
	}
	return g.trace(i, points)
}

// bars are those of series i, from the bottom of the plot.
func (g *figure) bars(i int, points plotter.XYs, half float64) *bars {
	b := &bars{fill: shade(i, len(g.series), 1)}
	for _, at := range points {
		b.boxes = append(b.boxes, box{at.X - half, at.X + half, math.Inf(-1), at.Y})
	}
	return b
}

// trace is series i with the line and the marks of its kind.
func (g *figure) trace(i int, points plotter.XYs) *trace {
	t := &trace{points: points, mark: g.mark(i, false), every: 1}
	if g.Kind != experiments.Points {
		t.line = draw.LineStyle{Color: t.mark.Color, Width: vg.Points(1), Dashes: dashes[i%len(dashes)]}
	}
	if g.Kind == experiments.History {
		t.every = max(1, (len(points)+7)/8)
	}
	return t
}

// hollow are published values of series i.
func (g *figure) hollow(i int, points plotter.XYs) *trace {
	return &trace{points: points, mark: g.mark(i, true), every: 1}
}

func (g *figure) mark(i int, hollow bool) draw.GlyphStyle {
	shape := shapes[i%len(shapes)]
	shape.hollow = hollow
	style := draw.GlyphStyle{Color: shade(i, len(g.series), 0.85), Radius: vg.Points(2.2), Shape: shape}
	if g.Kind == experiments.Bars {
		style = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(1.5), Shape: polygon{corners: 24, hollow: true}}
	}
	return style
}
