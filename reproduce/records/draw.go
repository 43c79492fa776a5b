package records

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats of figures, which are also their file extensions.
const (
	SVG = "svg"
	PNG = "png"
)

// Formats lists the formats of figures.
var Formats = []string{SVG, PNG}

// Sizes in figures.
const (
	pageWidth  = 16 * vg.Centimeter
	narrow     = 10.5 * vg.Centimeter
	textSize   = vg.Length(8) // points
	lineHeight = 0.42 * vg.Centimeter
	gap        = 0.15 * vg.Centimeter
	dpi        = 200 // of PNG
)

func init() { plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"} }

// extent returns the width of the figure.
func (g *Chart) extent() vg.Length {
	if g.Narrow {
		return narrow
	}
	return pageWidth
}

// Write writes the figure in one of the formats, for print.
func (g *Chart) Write(w io.Writer, format string) error {
	width := g.extent()
	legends, top := g.legends()
	each := 4.8 * vg.Centimeter
	if g.rows() == 1 {
		each = 6.8 * vg.Centimeter
	}
	names := lineHeight // room below the last panels
	for _, name := range g.categories {
		style := g.categoryStyle()
		names = max(names, style.Height(name))
	}
	height := top + vg.Length(g.rows())*each + names + 2*lineHeight
	return paint(w, format, width, height, func(c draw.Canvas) {
		for i := range legends {
			x := gap + vg.Length(i)*width/vg.Length(len(legends))
			legends[i].Draw(draw.Crop(c, x, 0, 0, -gap))
		}
		if !g.Narrow {
			note := plot.New().Title.TextStyle
			note.XAlign, note.YAlign, note.Font.Size = draw.XLeft, draw.YBottom, 0.8*textSize
			c.FillText(note, vg.Point{X: gap, Y: gap}, g.note())
		}
		if len(g.panels) > 0 {
			g.draw(draw.Crop(c, gap, -2*gap, lineHeight, -top))
		}
	})
}

// paint writes what draws on a white canvas in one of the formats.
func paint(w io.Writer, format string, width, height vg.Length, draws func(draw.Canvas)) error {
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
	draws(c)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	out := b.Bytes()
	if format == SVG { // fallback fonts with letters of the same widths
		out = bytes.ReplaceAll(out, []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif"))
	}
	_, err := w.Write(out)
	return err
}

// fewCategories is the largest number of categories that fit into half the width.
const fewCategories = 10

// columns returns the number of panels side by side.
func (g *Chart) columns() int {
	n := len(g.panels)
	if g.Narrow {
		return 1
	}
	if n > 1 && len(g.categories) == 0 || n >= 4 && n%2 == 0 && len(g.categories) <= fewCategories {
		return 2
	}
	return 1
}

func (g *Chart) rows() int { return (len(g.panels) + g.columns() - 1) / g.columns() }

// draw draws the panels, aligned with each other.
func (g *Chart) draw(c draw.Canvas) {
	n := g.columns()
	tiles := draw.Tiles{Rows: g.rows(), Cols: n, PadX: 0.4 * vg.Centimeter, PadY: gap}
	plots := make([][]*plot.Plot, g.rows())
	for i := range plots {
		plots[i] = make([]*plot.Plot, n)
	}
	for i, p := range g.panels {
		plots[i/n][i%n] = g.plot(p, i%n == 0, i+n >= len(g.panels))
	}
	for i, row := range plot.Align(plots, tiles, c) {
		for k, tile := range row {
			if plots[i][k] != nil {
				plots[i][k].Draw(tile)
			}
		}
	}
}

// plot sets up a panel; the left panels name y if all have the same y, the bottom ones name x.
func (g *Chart) plot(p *Panel, left, bottom bool) *plot.Plot {
	q := plot.New()
	q.Title.Text, q.Title.Padding = p.Title, gap
	for _, style := range []*draw.TextStyle{
		&q.Title.TextStyle, &q.X.Label.TextStyle, &q.Y.Label.TextStyle, &q.X.Tick.Label, &q.Y.Tick.Label,
	} {
		style.Font.Size = textSize
	}
	q.X.Padding, q.Y.Padding, q.X.Tick.Length, q.Y.Tick.Length = 0, 0, 3, 3
	if bottom {
		q.X.Label.Text = cmp.Or(p.X, g.X.Text)
	}
	if left || slices.ContainsFunc(g.panels, func(o *Panel) bool { return o.Y.Text != g.panels[0].Y.Text }) {
		q.Y.Label.Text = p.Y.Text
		room := 3.2 * vg.Centimeter
		if g.rows() == 1 {
			room = 5 * vg.Centimeter
		}
		q.Y.Label.TextStyle.Font.Size *= min(1, room/max(room, q.Y.Label.TextStyle.Width(p.Y.Text)))
	}
	level := g.scaleY(&q.Y, p)
	g.scaleX(q, p, bottom)
	x, y := q.X, q.Y // Add would widen the ranges
	grid := plotter.NewGrid()
	if g.nominal() {
		grid.Vertical.Color = nil
		for i := 1; i < len(g.categories); i++ {
			at := float64(i) - 0.5
			q.Add(&plotter.Line{XYs: plotter.XYs{{X: at, Y: y.Min}, {X: at, Y: y.Max}}, LineStyle: grid.Horizontal})
		}
	}
	q.Add(grid)
	if level >= y.Min && level <= y.Max {
		style := draw.LineStyle{Color: color.Gray{70}, Width: 0.6, Dashes: []vg.Length{4, 2}}
		q.Add(&plotter.Line{XYs: plotter.XYs{{X: x.Min, Y: level}, {X: x.Max, Y: level}}, LineStyle: style})
	}
	for _, guide := range p.Guides {
		q.Add(g.guide(p, guide)...)
	}
	for _, m := range p.marks {
		q.Add(&plotter.Line{XYs: plotter.XYs{{X: m.x, Y: y.Min}, {X: m.x, Y: y.Max}}, LineStyle: markStyles[m.kind]})
	}
	for k := range g.series {
		i := k
		if g.Kind == Stack {
			i = len(g.series) - 1 - k // lower bars are drawn over higher ones
		}
		if s := p.data[i]; s != nil {
			for _, part := range g.measured(i, g.dodge(p, i, g.places(p, y, s.measured)), g.width(p), y.Min) {
				q.Add(part)
			}
		}
	}
	for i := range g.series { // over the bars
		if s := p.data[i]; s != nil {
			q.Add(g.publishedMarks(i, g.dodge(p, i, g.places(p, y, s.published))))
		}
	}
	q.X, q.Y = x, y
	return q
}

// guide draws a guide with its name above it.
func (g *Chart) guide(p *Panel, guide Guide) []plot.Plotter {
	line := plotter.XYs{{X: g.X.place(guide.From[0]), Y: p.Y.place(guide.From[1])}, {X: g.X.place(guide.To[0]), Y: p.Y.place(guide.To[1])}}
	name := &plotter.Labels{XYs: line[:1], Labels: []string{guide.Name}, TextStyle: []draw.TextStyle{plot.New().X.Tick.Label}, Offset: vg.Point{X: 2, Y: 2}}
	style := &name.TextStyle[0]
	style.Font.Size, style.XAlign, style.YAlign = 0.85*textSize, draw.XLeft, draw.YBottom
	if guide.From[1] != guide.To[1] { // a rising guide passes close to its label
		name.Offset = vg.Point{X: -4, Y: 10}
	}
	if guide.AtEnd {
		name.XYs, style.XAlign, name.Offset.X = line[1:], draw.XRight, 0
	}
	return []plot.Plotter{
		&plotter.Line{XYs: line, LineStyle: draw.LineStyle{Color: color.Gray{70}, Width: 0.8, Dashes: []vg.Length{4, 2}}}, name,
	}
}

// part is a part of a drawn series.
type part interface {
	plot.Plotter
	plot.Thumbnailer
}

// measured draws the measured values of series i; bars rise from bottom.
func (g *Chart) measured(i int, list plotter.XYs, width, bottom float64) []part {
	c := g.colour(i)
	if g.Kind == Bars || g.Kind == Stack {
		b := &plotter.Polygon{Color: c, LineStyle: draw.LineStyle{Color: color.Black, Width: 0.3}}
		for _, at := range list {
			left, right := at.X-width/2, at.X+width/2
			b.XYs = append(b.XYs, plotter.XYs{{X: left, Y: bottom}, {X: left, Y: at.Y}, {X: right, Y: at.Y}, {X: right, Y: bottom}})
		}
		return []part{b}
	}
	every := 1
	if g.Kind == History { // about eight marks
		every = max(1, (len(list)+7)/8)
	}
	marks := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: c, Radius: 2.2, Shape: shapes[i%len(shapes)]}}
	for k := 0; k < len(list); k += every {
		marks.XYs = append(marks.XYs, list[k])
	}
	if g.Kind == Points {
		return []part{marks}
	}
	return []part{&plotter.Line{XYs: list, LineStyle: draw.LineStyle{Color: c, Width: 1, Dashes: plotutil.Dashes(i)}}, marks}
}

// markStyles are the line styles of marks.
var markStyles = map[Mark]draw.LineStyle{
	Thin:   {Color: color.Gray{150}, Width: 0.5},
	Dotted: {Color: color.Gray{110}, Width: 0.5, Dashes: []vg.Length{1, 2}},
	Dashed: {Color: color.RGBA{200, 30, 30, 255}, Width: 0.8, Dashes: []vg.Length{4, 2}},
}

// shapes are the shapes of measured values; published values are rings.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	draw.BoxGlyph{},
	draw.PyramidGlyph{},
	draw.CrossGlyph{},
	draw.PlusGlyph{},
	draw.SquareGlyph{},
	draw.TriangleGlyph{},
}

// publishedMarks draws the published values of series i.
func (g *Chart) publishedMarks(i int, list plotter.XYs) *plotter.Scatter {
	c := g.colour(i)
	if g.Kind == Bars {
		c = color.Black
	}
	return &plotter.Scatter{XYs: list, GlyphStyle: draw.GlyphStyle{Color: c, Radius: 2.4, Shape: draw.RingGlyph{}}}
}

// viridis is a palette from dark to light, distinct in grey and for the colour-blind as well.
var viridis = []color.Color{
	color.RGBA{68, 1, 84, 255},
	color.RGBA{59, 82, 139, 255},
	color.RGBA{33, 145, 140, 255},
	color.RGBA{94, 201, 98, 255},
	color.RGBA{253, 231, 37, 255},
}

// colour returns the colour of series i; marks and lines, which are thin, have no very light colours.
func (g *Chart) colour(i int) color.Color {
	ramp, err := moreland.NewLuminance(viridis)
	if err != nil {
		panic(err) // the colours above are in order
	}
	ramp.SetMax(1)
	most := 0.8
	if g.Kind == Bars || g.Kind == Stack {
		most = 1
	}
	c, err := ramp.At(most * float64(i) / float64(max(1, len(g.series)-1)))
	if err != nil {
		panic(err)
	}
	return c
}

// legends returns the names of the series, in columns above the panels, and their height.
func (g *Chart) legends() (columns []plot.Legend, height vg.Length) {
	type entry struct {
		name  string
		parts []plot.Thumbnailer
	}
	var entries []entry
	for i, name := range g.series {
		if len(g.series) > 1 && name != "" || g.rings != "" || g.Kind == History && name != "" {
			e := entry{name: cmp.Or(name, "measured")}
			for _, part := range g.measured(i, nil, 0, 0) {
				e.parts = append(e.parts, part)
			}
			entries = append(entries, e)
		}
	}
	if g.rings != "" {
		entries = append(entries, entry{g.rings, []plot.Thumbnailer{g.publishedMarks(0, nil)}})
	}
	if len(entries) == 0 {
		return nil, gap
	}
	l := plot.NewLegend()
	l.Top, l.Left, l.Padding, l.TextStyle.Font.Size = true, true, gap, textSize
	widest := l.ThumbnailWidth
	for _, e := range entries {
		widest = max(widest, l.ThumbnailWidth+4*gap+l.TextStyle.Width(e.name))
	}
	n := min(max(1, int(g.extent()/widest)), len(entries))
	rows := (len(entries) + n - 1) / n
	for some := range slices.Chunk(entries, rows) {
		column := l
		for _, e := range some {
			column.Add(e.name, e.parts...)
		}
		columns = append(columns, column)
	}
	return columns, vg.Length(rows)*lineHeight + 2*gap
}
