package adaptive

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// drawing is an SVG file in the making.
type drawing struct{ strings.Builder }

const drawingHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 %d" font-family="sans-serif" font-size="14">
<style>
.box { fill: #f4f4f4; stroke: #999 } .dark { fill: #e0e0e0; stroke: #999 } .chunk { fill: #dbe9f6; stroke: none }
.lane { fill: #ffb347; stroke: #b35900 } .dot { fill: #888 } .hot { fill: #b35900 } .line { stroke: #b35900; fill: none; stroke-width: 1.5 }
.title { font-weight: bold } .mono { font-family: monospace } .small { font-family: monospace; font-size: 11px } .note { fill: #666; font-size: 12px }
.middle { text-anchor: middle }
</style>
<rect width="960" height="%d" fill="white"/>
`

func (d *drawing) box(x, y, w, h float64, class string) {
	fmt.Fprintf(d, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" class=\"%s\"/>\n", x, y, w, h, class)
}

func (d *drawing) text(x, y float64, class, format string, values ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, values...), "-", "−")
	fmt.Fprintf(d, "<text x=\"%g\" y=\"%g\" class=\"%s\" xml:space=\"preserve\">%s</text>\n", x, y, class, text)
}

func (d *drawing) line(x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, "<path d=\"M%g %gL%g %g\" class=\"line\"/>\n", x1, y1, x2, y2)
}

// class tells the lane of the element from the others.
func class(hot bool, other string) string {
	if hot {
		return "lane"
	}
	return other
}

// draw draws how the element lies in memory and is read.
func (f *trace) draw() string {
	const height = 905
	d := new(drawing)
	fmt.Fprintf(d, drawingHead, height, height)
	f.drawMatrix(d, 40)
	f.drawChunk(d, 305)
	f.drawSlot(d, 535)
	f.drawProduct(d, 745)
	d.WriteString("</svg>\n")
	return d.String()
}

// drawMatrix is the pattern, and the way from a_ij to an integer.
func (f *trace) drawMatrix(d *drawing, y float64) {
	const cell = 12
	d.text(20, y-14, "title", "1. An element becomes an integer")
	d.box(20, y, cell*16, cell*16, "box")
	d.box(20, y+float64(cell*f.first), cell*16, cell*lanes, "chunk")
	for i := range f.m.Rows {
		cols, _ := f.m.Row(i)
		for _, j := range cols {
			hot := i == f.row && int(j) == f.col
			size, kind := 5., "dot"
			if hot {
				size, kind = 9, "hot"
			}
			d.box(20+cell*(float64(j)+0.5)-size/2, y+cell*(float64(i)+0.5)-size/2, size, size, kind)
		}
	}
	d.text(20, y+212, "note", "A, 16 x 16; blue: the chunk of rows %d to %d", f.first, f.first+lanes-1)
	for k, line := range []struct{ what, value string }{
		{"the element", fmt.Sprintf("a = %.13g in row i = %d, column j = %d", f.value, f.row, f.col)},
		{"unit of row i, about Σ |a_ij|", fmt.Sprintf("2^e = 2^%d", f.unit)},
		{"quantum, 2 θ", fmt.Sprintf("q = 2^(e-%d) = 2^%d", f.unit-f.quant, f.quant)},
		{"integer", fmt.Sprintf("m = round(a / q) = round(%.4f) = %d", f.value/exp2(f.quant), f.integer)},
		{"its bits, with the sign", fmt.Sprint(kernels.BitsOf(f.integer))},
		{"stored value", fmt.Sprintf("m q = %g, off by %.1e", float64(f.integer)*exp2(f.quant), float64(f.integer)*exp2(f.quant)-f.value)},
		{"chunk and lane", fmt.Sprintf("chunk %d, lane l = i - %d = %d", f.first/lanes, f.first, f.lane)},
	} {
		at := y + 24 + 26*float64(k)
		d.text(250, at, "", "%s", line.what)
		d.text(470, at, "mono", "%s", line.value)
	}
}

func exp2(e int) float64 {
	if e < 0 {
		return 1 / float64(uint64(1)<<-e)
	}
	return float64(uint64(1) << e)
}

// drawChunk is the slots of the chunk as eight lanes.
func (f *trace) drawChunk(d *drawing, y float64) {
	d.text(20, y-14, "title", "2. A chunk: eight rows side by side, the widest integers of each row first")
	const left, w, h = 180., 76., 32.
	for l := range lanes {
		d.text(left+w*(float64(l)+0.5), y+4, "note middle", "row %d", f.first+l)
		d.text(left+w*(float64(l)+0.5), y+18, "note middle", "lane %d", l)
	}
	for k, s := range f.slots {
		top := y + 24 + h*float64(k)
		d.text(20, top+20, "mono", "slot %d: w = %d", k, s.width)
		for l := range lanes {
			x := left + w*float64(l)
			d.box(x, top, w, h, class(k == f.slot && l == f.lane, "box"))
			if s.filled[l] {
				d.text(x+w/2, top+14, "mono middle", "%d", s.m[l])
				d.text(x+w/2, top+27, "note middle", "column %d", s.base+int(s.index[l]))
			} else {
				d.text(x+w/2, top+14, "note middle", "0")
				d.text(x+w/2, top+27, "note middle", "padding")
			}
		}
	}
	d.text(left+w*8+16, y+44, "note", "one group:")
	d.text(left+w*8+16, y+60, "note", "base column %d,", f.slots[0].base)
	d.text(left+w*8+16, y+76, "note", "%d slots, Last", len(f.slots))
}

// drawSlot is the bytes of the slot.
func (f *trace) drawSlot(d *drawing, y float64) {
	s := f.slots[f.slot]
	d.text(20, y-14, "title", "3. Slot %d in memory: 1 + 16 + w = %d bytes in three arrays", f.slot, 1+2*lanes+s.width)
	d.text(20, y+6, "note", "width")
	d.box(20, y+12, 40, 28, "dark")
	d.text(40, y+31, "mono middle", "%d", s.width)
	d.text(90, y+6, "note", "index: column - base, 16 bits each")
	for l, j := range s.index {
		d.box(90+32*float64(l), y+12, 32, 28, class(l == f.lane, "box"))
		d.text(90+32*(float64(l)+0.5), y+31, "mono middle", "%d", j)
	}
	const left, cell = 20, 12.5
	d.text(left, y+66, "note", "values: w bytes, and their %d bits with the lowest of each byte left; lane l has w bits from bit l w on", 8*s.width)
	for k, v := range f.bytes {
		d.box(left+8*cell*float64(k), y+74, 8*cell, 24, "dark")
		d.text(left+8*cell*(float64(k)+0.5), y+91, "mono middle", "byte %d: %02x", k, v)
	}
	for b := range 8 * s.width {
		l := b / s.width
		other := "box"
		if l%2 == 1 {
			other = "dark"
		}
		x := left + cell*float64(b)
		d.box(x, y+98, cell, 20, class(l == f.lane, other))
		d.text(x+cell/2, y+112, "small middle", "%d", f.bytes[b/8]>>(b%8)&1)
	}
	for l := range lanes {
		x := left + cell*float64(l*s.width)
		d.line(x, y+118, x, y+126)
		d.text(x+4, y+134, "note", "lane %d: bit %d on", l, l*s.width)
	}
	low := uint64(f.integer) & (1<<s.width - 1)
	d.text(left, y+158, "mono", "%d = %0*b in %d bits; read from its lowest bit: %0*b", f.integer, s.width, low, s.width,
		s.width, bits.Reverse64(low)>>(64-s.width))
}

// drawProduct is what the kernel does.
func (f *trace) drawProduct(d *drawing, y float64) {
	s := f.slots[f.slot]
	j := s.base + int(s.index[f.lane])
	d.text(20, y-14, "title", "4. The way back, in all eight lanes at once; here lane %d", f.lane)
	for k, line := range []struct{ name, what, value string }{
		{"VPERMB", fmt.Sprintf("the eight bytes from byte %d, that of bit l w, on", f.bit/8), fmt.Sprintf("%016x", f.word)},
		{"VPSLLVQ", fmt.Sprintf("up by 64 - w - (l w mod 8) = %d: the sign is the top bit", f.upBy), fmt.Sprintf("%016x", f.up)},
		{"VPSRAVQ", fmt.Sprintf("down by 64 - w = %d, with the sign", f.downBy), fmt.Sprintf("%016x = %d", uint64(f.decoded), f.decoded)},
		{"VCVTQQ2PD", "to float64, exact", fmt.Sprintf("%d.0", f.decoded)},
		{"VGATHERDPD", "x[base + index]", fmt.Sprintf("x[%d + %d] = x[%d] = %g (x[j] = j + 1)", s.base, s.index[f.lane], j, f.x[j])},
		{"VFMADD231PD", fmt.Sprintf("sum += m x; here after all %d slots", len(f.slots)), f.terms()},
		{"VMULPD", fmt.Sprintf("y[%d] = sum times the quantum 2^%d", f.row, f.quant), fmt.Sprintf("y[%d] = %g", f.row, f.y)},
	} {
		at := y + 12 + 22*float64(k)
		d.text(20, at, "mono", "%s", line.name)
		d.text(140, at, "", "%s", line.what)
		d.text(545, at, "mono", "%s", line.value)
	}
}

// terms is the sum of the row.
func (f *trace) terms() string {
	var list []string
	for _, s := range f.slots {
		if s.filled[f.lane] {
			list = append(list, fmt.Sprintf("%d·%g", s.m[f.lane], f.x[s.base+int(s.index[f.lane])]))
		}
	}
	return strings.ReplaceAll(strings.Join(list, " + "), "+ -", "- ") + fmt.Sprintf(" = %g", f.sum)
}
