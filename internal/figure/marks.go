package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ramp are colours from dark to light (viridis), distinct in grey as well.
var ramp = []color.RGBA{
	{68, 1, 84, 255},
	{71, 45, 123, 255},
	{59, 82, 139, 255},
	{44, 114, 142, 255},
	{33, 145, 140, 255},
	{40, 174, 128, 255},
	{94, 201, 98, 255},
	{173, 220, 48, 255},
	{253, 231, 37, 255},
}

// shade is colour i of n on the ramp up to the part most.
func shade(i, n int, most float64) color.RGBA {
	at := 0.0
	if n > 1 {
		at = most * float64(i) / float64(n-1) * float64(len(ramp)-1)
	}
	k := min(int(at), len(ramp)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (at-float64(k))*(float64(b)-float64(a))))
	}
	a, b := ramp[k], ramp[k+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

var thin = draw.LineStyle{Color: color.Black, Width: vg.Points(0.3)}

// bars are rectangles of one colour from the bottom of the plot up to points.
type bars struct {
	fill   color.Color
	points plotter.XYs
	width  float64
}

// Plot draws the bars; the axis cuts them off.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, at := range b.points {
		top := c.Y(p.Y.Norm(min(max(at.Y, p.Y.Min), p.Y.Max)))
		b.draw(&c, vg.Rectangle{Min: vg.Point{X: x(at.X - b.width/2), Y: c.Min.Y}, Max: vg.Point{X: x(at.X + b.width/2), Y: top}})
	}
}

// Thumbnail draws a bar for the legend.
func (b *bars) Thumbnail(c *draw.Canvas) { b.draw(c, c.Rectangle) }

func (b *bars) draw(c *draw.Canvas, r vg.Rectangle) {
	corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
	c.FillPolygon(b.fill, corners)
	c.StrokeLines(thin, corners)
}

// trace is a line with marks, or only one of them.
type trace struct {
	points plotter.XYs
	line   draw.LineStyle // of width 0: none
	mark   draw.GlyphStyle
	every  int // mark each of so many points; 0: none
}

// Plot draws the line and the marks on it.
func (t *trace) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var path []vg.Point
	for _, at := range t.points {
		path = append(path, vg.Point{X: x(at.X), Y: y(min(max(at.Y, p.Y.Min), p.Y.Max))})
	}
	if t.line.Width > 0 {
		c.StrokeLines(t.line, c.ClipLinesXY(path)...)
	}
	for i, at := range path {
		if t.every > 0 && i%t.every == 0 {
			c.DrawGlyphNoClip(t.mark, at)
		}
	}
}

// Thumbnail draws a sample for the legend.
func (t *trace) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	if t.line.Width > 0 {
		c.StrokeLine2(t.line, c.Min.X, y, c.Max.X, y)
	}
	if t.every > 0 {
		c.DrawGlyphNoClip(t.mark, c.Center())
	}
}

// polygon is a mark; hollow ones stand for published values.
type polygon struct {
	corners int
	turn    float64 // of the first corner from the top, in parts of a turn
	inner   float64 // radius of corners between these; 0: none
	hollow  bool
}

var (
	shapes = []polygon{
		{corners: 24},
		{corners: 4, turn: 0.125},
		{corners: 3},
		{corners: 4, inner: 0.35},
		{corners: 3, turn: 0.5},
		{corners: 4},
		{corners: 5, inner: 0.45},
		{corners: 4, turn: 0.125, inner: 0.35},
	}
	dashes = [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 1.5, 1, 1.5}, {3, 1.5}, {8, 2, 2, 2}, {1, 3}, {9, 3}}
)

// DrawGlyph draws the mark at a point.
func (g polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	n, radii := g.corners, []float64{1}
	if g.inner > 0 {
		n, radii = 2*n, []float64{1.25, g.inner * 1.25}
	}
	var path []vg.Point
	for i := range n + 1 {
		angle := 2 * math.Pi * (g.turn + float64(i%n)/float64(n))
		r := float64(style.Radius) * radii[i%len(radii)]
		path = append(path, vg.Point{X: at.X + vg.Length(r*math.Sin(angle)), Y: at.Y + vg.Length(r*math.Cos(angle))})
	}
	fill, outline := style.Color, thin
	if g.hollow {
		fill, outline = color.White, draw.LineStyle{Color: style.Color, Width: vg.Points(0.7)}
	}
	c.FillPolygon(fill, path)
	c.StrokeLines(outline, path)
}
