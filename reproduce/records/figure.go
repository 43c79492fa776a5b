// Figures draw panels of bars, points or lines under one legend, in the style of all figures of mpsolve, as SVG or
// PNG. The same figure always gives the same bytes.
package records

import (
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ChartKind is a kind of figure.
type ChartKind string

// The kinds of figures.
const (
	Bars    ChartKind = "bars"    // series side by side in categories
	Points  ChartKind = "points"  // as Bars, with marks
	Lines   ChartKind = "lines"   // through the values of x that Tick names
	Stack   ChartKind = "stack"   // a bar for each category; y is the top of each part
	History ChartKind = "history" // lines through many points
)

// Kinds lists the kinds of figures.
var Kinds = []ChartKind{Bars, Points, Lines, Stack, History}

// Chart is a figure to be drawn.
type Chart struct {
	Kind ChartKind
	X    ChartAxis
	Note string // below the panels

	// Narrow draws for a column of 10.5 cm, all panels below each other and without Note, instead of 16 cm.
	Narrow bool

	panels     []*Panel
	series     []string    // in the order of the legend
	categories []string    // at x = 0, 1, ...
	ticks      []plot.Tick // of x
	rings      string      // meaning of hollow marks; "": there are none
}

// ChartAxis is an axis of a panel.
type ChartAxis struct {
	Text string
	Log  bool
}

// Panel is a plot of a figure.
type Panel struct {
	Title string
	Y     ChartAxis

	// Percent names what the panel shows in percent, "" for other units. Panels of the same name have the same range
	// of y, with a line at 100 if a value reaches 50.
	Percent string

	Level  float64 // y of a horizontal line; 0: none
	Guides []Guide // drawn below the series, within the range of their points
	X      string  // text of the axis of x that replaces the figure's; "": the figure's text

	marks []mark
	data  map[int]*points // by index in Figure.series
}

// Guide is a straight line that belongs to no series, such as a limit, with a name at its first or its last point.
type Guide struct {
	Name     string
	From, To [2]float64 // x and y
	AtEnd    bool       // the name ends at To
}

// Mark is the style of a vertical line in a panel; the figure's Note explains it.
type Mark int

// The marks, from the least to the most conspicuous.
const (
	Thin   Mark = iota // grey
	Dotted             // grey dots
	Dashed             // red dashes
)

type mark struct {
	kind Mark
	x    float64
}

// Mark draws a vertical line.
func (p *Panel) Mark(kind Mark, x float64) { p.marks = append(p.marks, mark{kind, x}) }

// points holds the points of one series.
type points struct{ measured, published plotter.XYs }

// AddPanel appends a panel.
func (g *Chart) AddPanel(p Panel) *Panel {
	p.data = map[int]*points{}
	g.panels = append(g.panels, &p)
	return &p
}

// Add appends a point to a series of a panel. A point that cannot be drawn, such as NaN or x = 0 on a logarithmic
// axis, is left out, but its series is in the legend.
func (g *Chart) Add(p *Panel, series string, x, y float64) {
	s := g.points(p, series)
	if g.inRange(x) && isNumber(y) {
		s.measured = append(s.measured, plotter.XY{X: x, Y: y})
	}
}

// AddPublished appends a published value, drawn as a hollow mark.
func (g *Chart) AddPublished(p *Panel, series string, x, y float64) {
	g.AddRing(p, series, x, y, "published")
}

// AddRing appends a value drawn as a hollow mark, which has that name in the legend; a figure has one name for all
// its hollow marks.
func (g *Chart) AddRing(p *Panel, series string, x, y float64, name string) {
	s := g.points(p, series)
	if g.inRange(x) && isNumber(y) {
		s.published = append(s.published, plotter.XY{X: x, Y: y})
		g.rings = name
	}
}

func (g *Chart) points(p *Panel, series string) *points {
	i := index(&g.series, series)
	if p.data[i] == nil {
		p.data[i] = &points{}
	}
	return p.data[i]
}

// Category returns the x of a category, which it appends if it is new.
func (g *Chart) Category(name string) float64 { return float64(index(&g.categories, name)) }

// index returns the index of a word in a list, to which it appends the word if it is new.
func index(list *[]string, word string) int {
	i := slices.Index(*list, word)
	if i < 0 {
		i = len(*list)
		*list = append(*list, word)
	}
	return i
}

// Tick labels a value of x.
func (g *Chart) Tick(x float64, name string) {
	if !g.inRange(x) || slices.ContainsFunc(g.ticks, func(t plot.Tick) bool { return t.Value == x }) {
		return
	}
	g.ticks = append(g.ticks, plot.Tick{Value: x, Label: name})
}

// inRange reports whether x can be drawn on the axis.
func (g *Chart) inRange(x float64) bool { return isNumber(x) && (x > 0 || !g.X.Log) }

func isNumber(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// nominal reports whether x stands for categories.
func (g *Chart) nominal() bool { return g.Kind != Lines && g.Kind != History }

// all returns the points of a panel.
func (p *Panel) all() (list plotter.XYs) {
	for _, s := range p.data {
		list = slices.Concat(list, s.measured, s.published)
	}
	return list
}

// drawn returns the series that have points in the panel.
func (p *Panel) drawn() (list []int) {
	for i, s := range p.data {
		if len(s.measured)+len(s.published) > 0 {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list
}

// share is the part of a category that its series occupy.
const share = 0.8

// width returns the part of a category that each series of a panel occupies.
func (g *Chart) width(p *Panel) float64 {
	if g.Kind != Bars && g.Kind != Points {
		return share
	}
	return share / float64(max(1, len(p.drawn())))
}

// dodge moves points of series i to their part of the category.
func (g *Chart) dodge(p *Panel, i int, list plotter.XYs) plotter.XYs {
	if g.Kind != Bars && g.Kind != Points {
		return list
	}
	drawn := p.drawn()
	k := slices.Index(drawn, i)
	list = slices.Clone(list)
	for j := range list {
		list[j].X += share * ((float64(k)+0.5)/float64(len(drawn)) - 0.5)
	}
	return list
}

// edge returns the upper end of a logarithmic axis of marks, 1000 times a value above nine tenths of the points, so
// that a few outliers do not flatten the others.
func (g *Chart) edge(p *Panel) float64 {
	if g.Kind != Points || !p.Y.Log {
		return math.Inf(1)
	}
	var heights []float64
	for _, at := range p.all() {
		if at.Y > 0 {
			heights = append(heights, at.Y)
		}
	}
	if len(heights) == 0 {
		return math.Inf(1)
	}
	slices.Sort(heights)
	return 1000 * heights[len(heights)*9/10]
}

// note returns Note, with a remark if points lie beyond the edge of a panel.
func (g *Chart) note() string {
	if !slices.ContainsFunc(g.panels, func(p *Panel) bool {
		edge := g.edge(p)
		return slices.ContainsFunc(p.all(), func(at plotter.XY) bool { return at.Y > edge })
	}) {
		return g.Note
	}
	return strings.TrimPrefix(g.Note+"; marks on the upper edge lie beyond it", "; ")
}

// Spy draws the pattern of a matrix as SVG, given the number of entries in each cell of a grid of high by wide cells, row
// by row. More entries give a darker cell.
func Spy(w io.Writer, count []int, high, wide, rows, columns int, title string) error {
	const sharp = 4 // pixels along a cell, which viewers would blur
	room := math.Ceil(float64(rows)/float64(high)) * math.Ceil(float64(columns)/float64(wide))
	pixels := image.NewGray(image.Rect(0, 0, sharp*wide, sharp*high))
	for i := range pixels.Pix {
		pixels.Pix[i] = uint8(grey(count[i/pixels.Stride/sharp*wide+i%pixels.Stride/sharp], room))
	}
	q := plot.New()
	q.Title.Text, q.X.Label.Text, q.Y.Label.Text = title, "column", "row"
	q.Title.Padding, q.X.Padding, q.Y.Padding = 2*gap, 0, 0
	for _, style := range []*draw.TextStyle{&q.Title.TextStyle, &q.X.Label.TextStyle, &q.Y.Label.TextStyle, &q.X.Tick.Label, &q.Y.Tick.Label} {
		style.Font.Size = textSize
	}
	m, n := float64(rows), float64(columns)
	q.Add(plotter.NewImage(pixels, 0.5, -m-0.5, n+0.5, -0.5), &plotter.Line{
		XYs:       plotter.XYs{{X: 0.5, Y: -0.5}, {X: n + 0.5, Y: -0.5}, {X: n + 0.5, Y: -m - 0.5}},
		LineStyle: q.X.LineStyle,
	})
	q.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return countTicks(columns, 1) })
	q.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return countTicks(rows, -1) }) // row 1 at the top
	const side, margin = 13 * vg.Centimeter, 2 * vg.Centimeter
	across, down := side*vg.Length(min(1, n/m)), side*vg.Length(min(1, m/n))
	width, height := max(across, side/3)+margin, max(down, side/8)+margin
	return paint(w, SVG, width, height, func(c draw.Canvas) { q.Draw(draw.Crop(c, gap, -3*gap, gap, -gap)) })
}

// countTicks returns ticks at the first of count rows or columns and at multiples of a round number, drawn at sign times
// their number.
func countTicks(count int, sign float64) []plot.Tick {
	ticks := []plot.Tick{{Value: sign, Label: "1"}}
	for _, t := range (plot.DefaultTicks{}).Ticks(0, float64(count)) {
		if number := int(t.Value); !t.IsMinor() && number > 0 && number <= count && t.Value == math.Floor(t.Value) {
			ticks = append(ticks, plot.Tick{Value: sign * t.Value, Label: strconv.Itoa(number)})
		}
	}
	return ticks
}

// grey returns the shade of a cell with so many of room possible entries, in eight steps; a single entry is visible.
func grey(count int, room float64) int {
	if count == 0 {
		return 255
	}
	return 160 - 20*int(math.Min(8, 8*math.Pow(float64(count)/room, 0.25)))
}
