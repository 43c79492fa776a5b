package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scaleY sets the range and the ticks of y, and returns the level of a horizontal
// line or NaN. On a logarithmic axis values of 0 lie at its end.
func (g *Figure) scaleY(q *plot.Plot, p *Panel) (level float64) {
	lowest, highest := math.Inf(1), 0.0
	if p.Y.Log {
		highest = math.Inf(-1)
	}
	grow := func(y float64) {
		if !p.Y.Log || y > 0 {
			lowest, highest = min(lowest, y), max(highest, y)
		}
	}
	for _, o := range g.panels {
		if o == p || p.Percent != "" && o.Percent == p.Percent {
			for _, at := range o.all() {
				grow(at.Y)
			}
		}
	}
	level = math.NaN()
	if p.Level != 0 {
		level = p.Level
		grow(level)
	}
	if p.Percent != "" && g.Kind != Stack && highest >= 50 {
		level = 100
		grow(level)
	}
	if lowest > highest { // nothing is there
		lowest, highest = 0.1, 1
	}
	if p.Y.Log {
		highest = min(highest, g.edge(p))
		margin := math.Pow(min(max(highest/lowest, 10), 1e100), 0.06)
		q.Y.Min, q.Y.Max = lowest/margin, highest*margin
		q.Y.Scale = plot.LogScale{}
		q.Y.Tick.Marker = plot.TickerFunc(decades)
		return level
	}
	q.Y.Min, q.Y.Max = min(0, lowest), 1.06*highest
	q.Y.Tick.Marker = plot.TickerFunc(round)
	if g.Kind == Stack {
		q.Y.Max = highest
	}
	if q.Y.Max <= q.Y.Min {
		q.Y.Max = q.Y.Min + 1
	}
	return level
}

// round marks four to nine multiples of 1, 2 or 5 times a power of 10.
func round(low, high float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, f := range []float64{5, 2} {
		if (high-low)/(f*step) >= 4 {
			step *= f
			break
		}
	}
	for k := int(math.Ceil(low / step)); float64(k)*step <= high; k++ {
		value := float64(k) * step
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)})
	}
	return ticks
}

// decades marks powers of 10, at most seven of them by name.
func decades(low, high float64) (ticks []plot.Tick) {
	first, last := int(math.Ceil(math.Log10(low))), int(math.Floor(math.Log10(high)))
	step := (last-first)/7 + 1
	for k := first; k <= last; k++ {
		tick := plot.Tick{Value: math.Pow(10, float64(k))}
		if (k-last)%step == 0 {
			tick.Label = decade(k)
		}
		ticks = append(ticks, tick)
	}
	if last-first > 1 {
		return ticks
	}
	for k := first - 1; k <= last; k++ { // too few: their parts as well
		for m := 2; m <= 9; m++ {
			tick := plot.Tick{Value: float64(m) * math.Pow(10, float64(k))}
			if tick.Value < low || tick.Value > high {
				continue
			}
			if m == 2 || m == 5 {
				tick.Label = strconv.Itoa(m) + "·" + decade(k)
			}
			ticks = append(ticks, tick)
		}
	}
	if low >= 0.1 && high <= 9999 {
		for i := range ticks {
			if ticks[i].Label != "" {
				ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'g', 6, 64)
			}
		}
	}
	return ticks
}

// scaleX sets the range and the ticks of x; categories are named only below the
// bottom panels.
func (g *Figure) scaleX(q *plot.Plot, p *Panel, bottom bool) {
	if g.Kind != Lines && g.Kind != History {
		g.nominal(q, bottom)
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, o := range g.panels {
		if o != p && g.Kind == History {
			continue
		}
		for _, at := range o.all() {
			if !g.X.Log || at.X > 0 {
				low, high = min(low, at.X), max(high, at.X)
			}
		}
	}
	if low > high {
		low, high = 0.1, 1
	}
	if g.X.Log {
		margin := math.Pow(max(high/low, 10), 0.03)
		q.X.Min, q.X.Max = low/margin, high*margin
		q.X.Scale = plot.LogScale{}
	} else {
		margin := 0.03 * max(high-low, 1e-300)
		q.X.Min, q.X.Max = low-margin, high+margin
	}
	if g.Kind == Lines {
		q.X.Tick.Marker = g.namedTicks()
	} else if g.X.Log {
		q.X.Tick.Marker = plot.TickerFunc(decades)
	} else {
		q.X.Tick.Marker = plot.TickerFunc(round)
	}
}

// namedTicks marks the values of x that Tick was called with, at most eight by name.
func (g *Figure) namedTicks() plot.ConstantTicks {
	ticks := slices.SortedFunc(slices.Values(g.ticks), func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	step := (len(ticks)-1)/8 + 1
	for i := range ticks {
		if i%step != 0 {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// nominal sets up an axis of categories.
func (g *Figure) nominal(q *plot.Plot, bottom bool) {
	q.X.Min, q.X.Max = -0.5, float64(len(g.categories))-0.5
	q.X.Tick.Length = 0
	q.X.Tick.Marker = plot.ConstantTicks{}
	if !bottom {
		return
	}
	size, upright := g.categoryText()
	q.X.Tick.Label.Font.Size = size
	room := ""
	if upright {
		room = "  " // between the name and the axis
		q.X.Tick.Label.Rotation = math.Pi / 2
		q.X.Tick.Label.XAlign, q.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	var ticks plot.ConstantTicks
	for i, name := range g.categories {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: superscripts(name) + room})
	}
	q.X.Tick.Marker = ticks
}

var faint = draw.LineStyle{Color: color.Gray{225}, Width: vg.Points(0.4)}

// grid draws faint lines at the ticks and between categories.
func (g *Figure) grid(q *plot.Plot) {
	lines := plotter.NewGrid()
	lines.Horizontal, lines.Vertical = faint, faint
	if len(g.categories) > 0 {
		lines.Vertical.Color = nil
		for i := 1; i < len(g.categories); i++ {
			x := float64(i) - 0.5
			q.Add(&trace{points: plotter.XYs{{X: x, Y: q.Y.Min}, {X: x, Y: q.Y.Max}}, line: faint})
		}
	}
	q.Add(lines)
}

// horizontal is a line across a panel, at 100 % or at the epsilon.
type horizontal float64

// Plot draws the line.
func (h horizontal) Plot(c draw.Canvas, q *plot.Plot) {
	_, y := q.Transforms(&c)
	style := draw.LineStyle{Color: color.Gray{70}, Width: vg.Points(0.6), Dashes: []vg.Length{4, 2}}
	c.StrokeLine2(style, c.Min.X, y(float64(h)), c.Max.X, y(float64(h)))
}
