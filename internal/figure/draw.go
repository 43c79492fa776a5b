package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats of figures, which are the endings of their files as well.
const (
	SVG = "svg"
	PNG = "png"
)

// Formats lists the formats of figures.
var Formats = []string{SVG, PNG}

// Measures of figures.
const (
	width      = 16 * vg.Centimeter
	textSize   = 8 // points
	lineHeight = 0.42 * vg.Centimeter

	titleHeight = 0.55 * vg.Centimeter // of panels
	dpi         = 200                  // of PNG
)

// Write writes the figure in one of the formats, for print at a width of 16 cm.
func (g *Figure) Write(w io.Writer, format string) error {
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
	c.Fill(c.Path())
	legend.draw(draw.Crop(c, 0, 0, height-legend.height(), 0))
	g.draw(draw.Crop(c, 0, 0, 0, -legend.height()))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	out := b.Bytes()
	if format == SVG { // letters of the same widths, where the font is not there
		out = bytes.ReplaceAll(out, []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif"))
	}
	_, err := w.Write(out)
	return err
}

// fewCategories find room in half the width.
const fewCategories = 10

// columns is how many panels stand side by side.
func (g *Figure) columns() int {
	n := len(g.panels)
	if n > 1 && len(g.categories) == 0 || n >= 4 && n%2 == 0 && len(g.categories) <= fewCategories {
		return 2
	}
	return 1
}

func (g *Figure) rows() int { return (len(g.panels) + g.columns() - 1) / g.columns() }

// height of the panels, with titles and all that is below them.
func (g *Figure) height() vg.Length {
	each := 4 * vg.Centimeter
	if g.rows() == 1 {
		each = 6 * vg.Centimeter
	}
	labels := lineHeight
	if size, upright := g.categoryText(); upright {
		for _, name := range g.categories {
			labels = max(labels, textStyle(size).Width(superscripts(name))+gap)
		}
	}
	return vg.Length(g.rows())*(each+titleHeight) + labels + g.below()
}

// below is the room for the names of the x axes.
func (g *Figure) below() vg.Length {
	room := vg.Length(gap)
	if g.X.Text != "" {
		room = lineHeight
	}
	if g.note() != "" {
		room += lineHeight
	}
	return room
}

// draw draws the panels, their titles, and the names of the axes.
func (g *Figure) draw(c draw.Canvas) {
	if len(g.panels) == 0 {
		return
	}
	plots := g.plots()
	n := g.columns()
	tiles := draw.Tiles{Rows: len(plots), Cols: n, PadX: 0.4 * vg.Centimeter, PadY: titleHeight}
	if g.named() {
		tiles.PadX += lineHeight
	}
	style := textStyle(textSize)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	small := textStyle(0.8 * textSize)
	small.YAlign = draw.YCenter
	c.FillText(small, vg.Point{X: c.Min.X + gap, Y: c.Min.Y + lineHeight/2}, g.note())
	inner := draw.Crop(c, 1.1*lineHeight, -gap, g.below(), -titleHeight)
	aligned := plot.Align(plots, tiles, inner)
	left := slices.Repeat([]vg.Length{width}, n)
	for _, row := range aligned {
		for k := range row {
			left[k] = min(left[k], row[k].Min.X)
		}
	}
	for i, row := range aligned {
		for k, tile := range row {
			at := i*n + k
			if at >= len(g.panels) {
				continue
			}
			plots[i][k].Draw(tile)
			data := plots[i][k].DataCanvas(tile)
			center := data.Center()
			c.FillText(style, vg.Point{X: center.X, Y: data.Max.Y + titleHeight/2}, superscripts(g.panels[at].Title))
			if at+n >= len(g.panels) {
				c.FillText(style, vg.Point{X: center.X, Y: tile.Min.Y - lineHeight/2}, superscripts(g.X.Text))
			}
			if k == 0 || g.named() {
				sideways := style
				sideways.Rotation = math.Pi / 2
				name := g.panels[at].Y.Text
				if room := data.Size().Y + lineHeight/2; style.Width(name) > room {
					sideways.Font.Size *= max(0.6, room/style.Width(name))
				}
				c.FillText(sideways, vg.Point{X: left[k] - 0.6*lineHeight, Y: center.Y}, name)
			}
		}
	}
}

// named reports whether each panel of a row needs its own name of y.
func (g *Figure) named() bool {
	return slices.ContainsFunc(g.panels, func(p *Panel) bool { return p.Y.Text != g.panels[0].Y.Text })
}

// categoryText is the size of the names below nominal values, and whether they
// have to stand upright to find room.
func (g *Figure) categoryText() (size vg.Length, upright bool) {
	room := 14 * vg.Centimeter / vg.Length(max(len(g.categories), 1)*g.columns())
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
func (g *Figure) plots() [][]*plot.Plot {
	n := g.columns()
	var rows [][]*plot.Plot
	for i, p := range g.panels {
		if i%n == 0 {
			rows = append(rows, make([]*plot.Plot, n))
		}
		bottom := i+n >= len(g.panels)
		rows[len(rows)-1][i%n] = g.plot(p, bottom)
	}
	return rows
}

// plot sets up a panel; the bottom ones tell the categories.
func (g *Figure) plot(p *Panel, bottom bool) *plot.Plot {
	q := plot.New()
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		a.Tick.Label.Font, a.Tick.Label.Handler = textStyle(textSize).Font, textStyle(textSize).Handler
		a.LineStyle.Width, a.Tick.LineStyle.Width, a.Tick.Length = vg.Points(0.5), vg.Points(0.4), vg.Points(3)
		a.Padding = 0
	}
	level := g.scaleY(q, p)
	g.scaleX(q, p, bottom)
	g.grid(q)
	if level >= q.Y.Min && level <= q.Y.Max {
		q.Add(horizontal(level))
	}
	for k := range g.series {
		i := k
		if g.Kind == Stack {
			i = len(g.series) - 1 - k // lower bars lie on top of higher ones
		}
		if s := p.data[i]; s != nil {
			q.Add(g.measured(p, i, s.measured))
		}
	}
	for i := range g.series { // on top of the bars
		if s := p.data[i]; s != nil && len(s.published) > 0 {
			q.Add(&trace{points: g.dodge(p, i, s.published), mark: g.mark(i, true), every: 1})
		}
	}
	return q
}

// measured draws the measured values of series i.
func (g *Figure) measured(p *Panel, i int, points plotter.XYs) interface {
	plot.Plotter
	plot.Thumbnailer
} {
	if g.Kind == Bars || g.Kind == Stack {
		return &bars{fill: shade(i, len(g.series), 1), points: g.dodge(p, i, points), width: g.width(p)}
	}
	t := &trace{points: g.dodge(p, i, points), mark: g.mark(i, false), every: 1}
	if g.Kind != Points {
		t.line = draw.LineStyle{Color: t.mark.Color, Width: vg.Points(1), Dashes: dashes[i%len(dashes)]}
	}
	if g.Kind == History {
		t.every = max(1, (len(points)+7)/8)
	}
	return t
}

func (g *Figure) mark(i int, hollow bool) draw.GlyphStyle {
	shape := shapes[i%len(shapes)]
	shape.hollow = hollow
	style := draw.GlyphStyle{Color: shade(i, len(g.series), 0.78), Radius: vg.Points(2.2), Shape: shape}
	if g.Kind == Bars {
		style = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(1.5), Shape: polygon{corners: 24, hollow: true}}
	}
	return style
}
