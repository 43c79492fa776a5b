package records

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// TestLittle draws figures of nothing, of one point, and of zeros on a logarithmic axis.
func TestLittle(t *testing.T) {
	for _, kind := range Kinds {
		for name, y := range map[string][]float64{"nothing": nil, "NaN": {math.NaN()}, "a point": {1}, "zeros": {0, 0}, "outliers": {1, 1, 1, 1e9}} {
			for _, log := range []bool{false, true} {
				g := Chart{Kind: kind, X: ChartAxis{Log: log}}
				if y != nil {
					p := g.AddPanel(Panel{Y: ChartAxis{Text: "y", Log: log}, Percent: "all", Level: 0.5})
					for i, v := range y {
						g.Tick(float64(i), "tick")
						g.Add(p, "a series", g.Category(string(rune('a'+i))), v)
					}
					g.AddPublished(p, "a series", 0, y[0])
				}
				var b bytes.Buffer
				if err := g.Write(&b, SVG); err != nil || !strings.HasSuffix(b.String(), "</svg>\n") {
					t.Errorf("%s of %s, logarithmic %t: %v", kind, name, log, err)
				}
			}
		}
	}
	var g Chart
	if err := g.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("wrote a PDF")
	}
}

// TestTwice: a figure drawn again has the same bytes.
func TestTwice(t *testing.T) {
	g := Chart{Kind: Points, Note: "a note"}
	p := g.AddPanel(Panel{Title: "ε = 2^-53", Y: ChartAxis{Text: "error", Log: true}, Level: 0x1p-53})
	for i := range 20 {
		x := g.Category(string(rune('a' + i)))
		g.Add(p, "one", x, math.Pow(10, float64(-i%3)))
		g.Add(p, "two", x, 1e-3)
	}
	g.Add(p, "two", 0, 1e20)
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := g.Write(b, SVG); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("drawn again the figure differs")
	}
	for _, want := range []string{"a note; ", "one", "two"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
}
