package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend names the series above the panels.
type legend []entry

type entry struct {
	sample plot.Thumbnailer
	name   string
}

func (g *Figure) legend() (l legend) {
	for i, name := range g.series {
		if name != "" && (len(g.series) > 1 || g.published) {
			l = append(l, entry{g.measured(g.panels[0], i, nil), superscripts(name)})
		}
	}
	if g.published {
		mark := g.mark(0, true)
		mark.Shape = polygon{corners: 24, hollow: true}
		l = append(l, entry{&trace{mark: mark, every: 1}, "published"})
	}
	return l
}

// Measures of a legend.
const (
	sampleWidth = 0.75 * vg.Centimeter
	gap         = 0.15 * vg.Centimeter
)

// columns is how many entries fit side by side.
func (l legend) columns() (n int, each vg.Length) {
	for _, e := range l {
		each = max(each, sampleWidth+4*gap+textStyle(textSize).Width(e.name))
	}
	if each == 0 {
		return 1, 0
	}
	n = min(max(1, int(width/each)), len(l))
	rows := (len(l) + n - 1) / n
	return (len(l) + rows - 1) / rows, each // the rows are about as long as each other
}

func (l legend) height() vg.Length {
	n, _ := l.columns()
	return vg.Length((len(l)+n-1)/n)*lineHeight + gap
}

func (l legend) draw(c draw.Canvas) {
	n, each := l.columns()
	left := c.Min.X + (width-vg.Length(n)*each)/2
	style := textStyle(textSize)
	style.YAlign = draw.YCenter
	for i, e := range l {
		x := left + vg.Length(i%n)*each
		y := c.Max.Y - vg.Length(i/n)*lineHeight - lineHeight/2 - gap/2
		sample := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - 0.12*vg.Centimeter},
			Max: vg.Point{X: x + sampleWidth, Y: y + 0.12*vg.Centimeter},
		}}
		e.sample.Thumbnail(&sample)
		c.FillText(style, vg.Point{X: x + sampleWidth + gap, Y: y}, e.name)
	}
}
