package figure

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// textStyle is the one of all texts.
func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: raiser{text.Plain{Fonts: font.DefaultCache}},
	}
}

const raisedSigns = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"

var (
	raise = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	lower = strings.NewReplacer("⁻", "–", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
)

var power = regexp.MustCompile(`(\d+)\^(-?\d+)`)

// superscripts writes 2^-53 with raised digits.
func superscripts(text string) string {
	return power.ReplaceAllStringFunc(text, func(m string) string {
		base, exponent, _ := strings.Cut(m, "^")
		return base + raise.Replace(exponent)
	})
}

// decade writes a power of 10.
func decade(exponent int) string { return "10" + raise.Replace(strconv.Itoa(exponent)) }

// raiser draws raised digits, of which the fonts lack some, as small ordinary ones.
type raiser struct{ text.Plain }

// A run is a word, or a part of one that is raised as a whole or not at all: where
// a viewer has other fonts, each still begins at its place.
type run struct {
	text   string
	raised bool
}

func runs(txt string) (list []run) {
	for _, r := range txt {
		raised := strings.ContainsRune(raisedSigns, r)
		if n := len(list); n == 0 || list[n-1].raised != raised || strings.HasSuffix(list[n-1].text, " ") {
			list = append(list, run{raised: raised})
		}
		list[len(list)-1].text += lower.Replace(string(r))
	}
	return list
}

// gap is the room before a run.
func (r run) gap(f font.Font) vg.Length {
	if r.raised {
		return 0.1 * f.Size
	}
	return 0
}

// font is the one of a run.
func (r run) font(f font.Font) font.Font {
	if r.raised {
		f.Size *= 0.7
	}
	return f
}

// Box returns the size of a line.
func (h raiser) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	for _, r := range runs(txt) {
		w, _, _ := h.Plain.Box(r.text, r.font(f))
		width += r.gap(f) + w
	}
	_, height, depth = h.Plain.Box(txt, f)
	return width, height, depth
}

// Draw draws a text; of several lines only without raised digits.
func (h raiser) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	if !strings.ContainsAny(txt, raisedSigns) {
		h.Plain.Draw(c, txt, style, at)
		return
	}
	base := func(f font.Font) vg.Length { return f.Size - h.Extents(f).Ascent } // of letters above the point
	x, y := vg.Length(style.XAlign)*style.Width(txt), vg.Length(style.YAlign)*style.Height(txt)+base(style.Font)
	sin, cos := math.Sincos(style.Rotation)
	for _, r := range runs(txt) {
		x += r.gap(style.Font)
		part := style
		part.Font, part.XAlign, part.YAlign = r.font(style.Font), draw.XLeft, draw.YBottom
		up := y - base(part.Font)
		if r.raised {
			up += 0.35 * style.Font.Size
		}
		h.Plain.Draw(c, r.text, part, at.Add(vg.Point{
			X: x*vg.Length(cos) - up*vg.Length(sin),
			Y: x*vg.Length(sin) + up*vg.Length(cos),
		}))
		x += part.Width(r.text)
	}
}
