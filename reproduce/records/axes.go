package records

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scaleY sets the range and the ticks of y. It returns the level of a horizontal line, or NaN.
func (g *Chart) scaleY(a *plot.Axis, p *Panel) (level float64) {
	var heights []float64
	for _, o := range g.panels {
		if o == p || p.Percent != "" && o.Percent == p.Percent {
			for _, at := range o.all() {
				heights = append(heights, at.Y)
			}
		}
	}
	level = math.NaN()
	switch {
	case p.Percent != "" && g.Kind != Stack && len(heights) > 0 && slices.Max(heights) >= 50:
		level = 100
	case p.Level != 0:
		level = p.Level
	}
	if isNumber(level) {
		heights = append(heights, level)
	}
	scale(a, heights, p.Y.Log, g.edge(p))
	if !p.Y.Log {
		a.Min = min(a.Min, 0)
		if g.Kind != Stack {
			a.Max *= 1.06
		}
	}
	return p.Y.place(level)
}

// place returns the coordinate of a value on an axis: gonum draws logarithms on linear axes here, since its
// logarithmic axes misplace their names.
func (a ChartAxis) place(value float64) float64 {
	if a.Log {
		return math.Log10(max(value, 0))
	}
	return value
}

// scale sets the range of an axis to the coordinates of the values up to edge; on a logarithmic axis, to whole
// decades of the positive ones.
func scale(a *plot.Axis, values []float64, log bool, edge float64) {
	if log {
		values = slices.DeleteFunc(values, func(v float64) bool { return v <= 0 })
	}
	a.Min, a.Max = 0.1, 1
	if len(values) > 0 {
		a.Min, a.Max = slices.Min(values), min(slices.Max(values), edge)
	}
	if log {
		a.Min, a.Max = math.Floor(math.Log10(a.Min)), math.Ceil(math.Log10(a.Max))
		a.Tick.Marker = plot.TickerFunc(decades)
	} else {
		a.Tick.Marker = plot.TickerFunc(linear)
	}
	if a.Max <= a.Min {
		a.Max = a.Min + 1
	}
}

// linear returns gonum's ticks; if it labels fewer than three, also those halfway between them.
func linear(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	named := slices.DeleteFunc(slices.Clone(ticks), plot.Tick.IsMinor)
	if len(named) != 2 {
		return ticks
	}
	step := (named[1].Value - named[0].Value) / 2
	for at := named[0].Value + step; at <= high; at += 2 * step {
		ticks = append(slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value == at }),
			plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 4, 64)})
	}
	return ticks
}

// decades returns the ticks of gonum's logarithmic axes, at the logarithms; at most six powers of 10 are labelled. Of one
// decade or two, their doubles and fivefolds are labelled as well.
func decades(low, high float64) (ticks []plot.Tick) {
	const rounding = 1e-9
	step := int(high-low)/6 + 1
	for _, t := range (plot.LogTicks{Prec: 4}).Ticks(math.Pow(10, low-0.5), math.Pow(10, high)) { // gonum rounds down to zero
		t.Value = math.Log10(t.Value)
		_, part := math.Modf((t.Value - low) / float64(step))
		named := !t.IsMinor() && min(math.Abs(part), 1-math.Abs(part)) < rounding
		if t.Value > low-rounding && t.Value < high+rounding && (named || step == 1 && t.IsMinor()) {
			if digit := math.Pow(10, t.Value-math.Floor(t.Value)); high-low < 2.5 && t.IsMinor() && (math.Round(digit) == 2 || math.Round(digit) == 5) {
				t.Label = strconv.FormatFloat(math.Round(digit)*math.Pow(10, math.Floor(t.Value)), 'g', 4, 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// scaleX sets the range and the ticks of x; categories are labelled only below the bottom panels.
func (g *Chart) scaleX(q *plot.Plot, p *Panel, bottom bool) {
	switch n := len(g.categories); {
	case !g.nominal():
		var places []float64
		for _, o := range g.panels {
			if o == p || g.Kind != History {
				for _, at := range o.all() {
					places = append(places, at.X)
				}
			}
		}
		scale(&q.X, places, g.X.Log, math.Inf(1))
		if g.Kind == Lines {
			q.X.Tick.Marker = g.namedTicks()
			if len(places) > 0 { // its own ticks need no whole decades
				q.X.Min, q.X.Max = g.X.place(slices.Min(places)), g.X.place(slices.Max(places))
			}
			margin := max(0.03*(q.X.Max-q.X.Min), 1e-3)
			q.X.Min, q.X.Max = q.X.Min-margin, q.X.Max+margin
		}
	default:
		q.X.Min, q.X.Max = -0.5, float64(max(n, 1))-0.5
		if !bottom || n == 0 {
			q.HideX()
			return
		}
		q.NominalX(g.categories...)
		q.Y.Padding = 0
		q.X.Tick.Label = g.categoryStyle()
	}
}

// categoryStyle returns the style of the names of categories, which are vertical if there is no room otherwise.
func (g *Chart) categoryStyle() draw.TextStyle {
	style := plot.New().X.Tick.Label
	style.Font.Size = textSize
	room := (g.extent() - 2*vg.Centimeter) / vg.Length(max(len(g.categories), 1)*g.columns())
	if slices.ContainsFunc(g.categories, func(name string) bool { return style.Width(name)+2 > room }) {
		style.Font.Size = max(min(textSize, 0.95*room), 5)
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, 1.05*draw.XRight, draw.YCenter // with room below the axis
	}
	return style
}

// namedTicks returns ticks at the values of x that Tick was called with, at most eight of them labelled.
func (g *Chart) namedTicks() plot.ConstantTicks {
	ticks := slices.SortedFunc(slices.Values(g.ticks), func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	step := (len(ticks)-1)/8 + 1
	for i := range ticks {
		ticks[i].Value = g.X.place(ticks[i].Value)
		if i%step != 0 {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// places returns the coordinates of points in a panel; points beyond the range of y move to its ends.
func (g *Chart) places(p *Panel, y plot.Axis, list plotter.XYs) plotter.XYs {
	list = slices.Clone(list)
	for i, at := range list {
		list[i].Y = min(max(p.Y.place(at.Y), y.Min), y.Max)
		if !g.nominal() {
			list[i].X = g.X.place(at.X)
		}
	}
	return list
}
