package adaptive

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// drawing is an SVG file in the making.
type drawing struct{ strings.Builder }

const drawingHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 %d" font-family="sans-serif" font-size="14">
<style>
.box { fill: #f4f4f4; stroke: #999 } .dark { fill: #e0e0e0; stroke: #999 } .slice { fill: #dbe9f6; stroke: none }
.lane { fill: #ffb347; stroke: #b35900 } .whole { fill: #b7e1b0; stroke: #3c7a33 } .dot { fill: #888 } .line { stroke: #b35900; fill: none; stroke-width: 1.5 }
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
func (f *trace) class(slot, lane int, other string) string {
	if lane == f.lane && slot == f.bits.number {
		return "lane"
	}
	return other
}

// draw draws how the element lies in memory and is read.
func (f *trace) draw() string {
	const height = 1271
	d := new(drawing)
	fmt.Fprintf(d, drawingHead, height, height)
	f.drawMatrix(d, 40)
	f.drawSlice(d, 305)
	f.drawPanel(d, 535)
	f.drawSlot(d, 628)
	f.drawBits(d, 888)
	f.drawBytes(d, 1014)
	f.drawProduct(d, 1194)
	d.WriteString("</svg>\n")
	return d.String()
}

// drawMatrix is the pattern, and the way from a_ij to an integer.
func (f *trace) drawMatrix(d *drawing, y float64) {
	const cell = 12
	d.text(20, y-14, "title", "1. An element becomes an integer, at ε = 2^-%d", f.bits.accuracy)
	d.box(20, y, cell*16, cell*16, "box")
	d.box(20, y+float64(cell*f.first), cell*16, cell*lanes, "slice")
	for i := range f.m.Rows {
		cols, _ := f.m.Row(i)
		for _, j := range cols {
			size, kind := 5., "dot"
			if i == f.row && int(j) == f.col {
				size, kind = 9, "lane"
			}
			d.box(20+cell*(float64(j)+0.5)-size/2, y+cell*(float64(i)+0.5)-size/2, size, size, kind)
		}
	}
	d.text(20, y+212, "note", "A, 16 x 16; blue: the slice of rows %d to %d", f.first, f.first+lanes-1)
	e := &f.bits
	stored := float64(e.integer) * math.Ldexp(1, e.quant)
	for k, line := range []struct{ what, value string }{
		{"the orange element", fmt.Sprintf("a = %.13g in row i = %d, column j = %d", f.value, f.row, f.col)},
		{"unit of row i, about Σ |a_ij|", fmt.Sprintf("2^e = 2^%d", e.unit)},
		{"quantum, 2 θ", fmt.Sprintf("q = 2^(e-%d) = 2^%d", e.unit-e.quant, e.quant)},
		{"integer", fmt.Sprintf("m = round(a / q) = round(%.4f) = %d", f.value/math.Ldexp(1, e.quant), e.integer)},
		{"its bits, with the sign", fmt.Sprint(kernels.BitsOf(e.integer))},
		{"stored value", fmt.Sprintf("m q = %.13g, off by %.1e", stored, stored-f.value)},
		{"slice and lane", fmt.Sprintf("slice %d, lane l = i - %d = %d", f.first/lanes, f.first, f.lane)},
	} {
		at := y + 24 + 26*float64(k)
		d.text(250, at, "", "%s", line.what)
		d.text(470, at, "mono", "%s", line.value)
	}
}

// drawSlice is the slots of the slice as eight lanes.
func (f *trace) drawSlice(d *drawing, y float64) {
	d.text(20, y-14, "title", "2. A slice: eight rows side by side, the widest integers of each row first")
	const left, w, h = 150., 82., 32.
	for l := range lanes {
		d.text(left+w*(float64(l)+0.5), y+4, "note middle", "row %d", f.first+l)
		d.text(left+w*(float64(l)+0.5), y+18, "note middle", "lane %d", l)
	}
	for k, s := range f.bits.slice {
		top := y + 24 + h*float64(k)
		d.text(20, top+15, "mono", "slot %d: w = %d", k, s.width)
		if s.width == s.needs {
			d.text(20, top+28, "note", "%d bits", s.needs)
		} else {
			d.text(20, top+28, "note", "%d bits, one more", s.needs)
		}
		for l := range lanes {
			x := left + w*float64(l)
			d.box(x, top, w, h, f.class(k, l, "box"))
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
	d.text(left+w*8+16, y+60, "note", "base column %d,", f.bits.slice[0].base)
	d.text(left+w*8+16, y+76, "note", "%d slots, Last", len(f.bits.slice))
}

// drawPanel is the two streams of values.
func (f *trace) drawPanel(d *drawing, y float64) {
	d.text(20, y-14, "title", "3. The values of the panel: even slots, then odd ones (at byte %d), then %d bytes of padding", f.bits.odd, kernels.SlotPadding)
	scale := 920 / float64(f.bits.end+kernels.SlotPadding)
	box := func(at, n int, class, above, below string) {
		x, w := 20+scale*float64(at), scale*float64(n)
		d.box(x, y, w, 34, class)
		d.text(x+w/2, y+14, "note middle", "%s", above)
		d.text(x+w/2, y+28, "note middle", "%s", below)
	}
	for _, s := range f.bits.panel {
		class := "box"
		if s.number%2 == 1 {
			class = "dark"
		}
		if s.slice == f.row/lanes {
			class = f.class(s.number, f.lane, class)
		}
		box(s.at, s.width, class, fmt.Sprintf("slice %d", s.slice), fmt.Sprintf("slot %d: %d", s.number, s.width))
	}
	box(f.bits.end, kernels.SlotPadding, "box", "padding", fmt.Sprint(kernels.SlotPadding))
}

// drawSlot is the bytes of the slot, and the bits of eight of them.
func (f *trace) drawSlot(d *drawing, y float64) {
	const left, width = 20., 920.
	e := &f.bits
	d.text(left, y-14, "title", "4. Slot %d in memory: 1 + 16 + w = %d bytes in three arrays", e.number, 1+2*lanes+e.width)
	d.text(left, y+6, "note", "width")
	d.box(left, y+12, 40, 28, "dark")
	d.text(left+20, y+31, "mono middle", "%d", e.width)
	d.text(90, y+6, "note", "index: column - base, 16 bits each")
	for l, j := range e.index {
		d.box(90+32*float64(l), y+12, 32, 28, f.class(e.number, l, "box"))
		d.text(90+32*(float64(l)+0.5), y+31, "mono middle", "%d", j)
	}
	d.text(left, y+66, "note", "values: w = %d bytes; lane l has w bits from bit l w on, the lowest of each byte first (here: left)", e.width)
	cell := f.drawValues(d, y+74, &e.traced, "lane")
	from := e.bit / 8
	d.line(left+cell*float64(from), y+118, left, y+146)
	d.line(left+cell*float64(from+8), y+118, left+width, y+146)
	for k, v := range e.values[from : from+8] {
		x := left + width/8*float64(k)
		d.box(x, y+146, width/8, 24, "dark")
		d.text(x+width/16, y+163, "mono middle", "byte %d: %02x", from+k, v)
	}
	for b := range 64 {
		class := "box"
		if at := 8*from + b; at >= e.bit && at < e.bit+e.width {
			class = "lane"
		}
		x := left + width/64*float64(b)
		d.box(x, y+170, width/64, 20, class)
		d.text(x+width/128, y+184, "small middle", "%d", e.word>>b&1)
	}
	low := uint64(e.integer) & (1<<e.width - 1)
	d.text(left, y+212, "mono", "%d = %0*b in %d bits; from its lowest bit: %0*b", e.integer, e.width, low, e.width,
		e.width, bits.Reverse64(low)>>(64-e.width))
}

// drawValues is the bytes of the slot of the element, and whose they are; it returns
// how wide a byte is.
func (f *trace) drawValues(d *drawing, y float64, e *traced, class string) (cell float64) {
	const left, width = 20., 920.
	cell = width / float64(e.width)
	for k, v := range e.values[:e.width] {
		d.box(left+cell*float64(k), y, cell, 24, "dark")
		d.text(left+cell*(float64(k)+0.5), y+17, "mono middle", "%02x", v)
	}
	for l := range lanes {
		x, kind := left+width/lanes*float64(l), "box"
		if l == f.lane {
			kind = class
		}
		d.box(x, y+24, width/lanes, 20, kind)
		d.text(x+width/lanes/2, y+38, "note middle", "lane %d: bit %d on", l, l*e.width)
	}
	return cell
}

// step is an instruction, or a step before it, with its result.
type step struct{ name, what, value string }

func (d *drawing) steps(y float64, steps ...step) {
	for k, s := range steps {
		at := y + 12 + 22*float64(k)
		d.text(20, at, "mono", "%s", s.name)
		d.text(140, at, "", "%s", s.what)
		d.text(545, at, "mono", "%s", s.value)
	}
}

// drawBits is what the kernel does with the bits of a slot.
func (f *trace) drawBits(d *drawing, y float64) {
	e := &f.bits
	d.text(20, y-14, "title", "5. The way back, in all eight lanes at once; here lane %d of slot %d", f.lane, e.number)
	d.steps(y,
		step{"VPERMB", fmt.Sprintf("the eight bytes from byte %d, that of bit l w, on", e.bit/8), fmt.Sprintf("%016x", e.word)},
		step{"VPSLLVQ", fmt.Sprintf("up by 64 - w - (l w mod 8) = %d: the sign is the top bit", e.upBy), fmt.Sprintf("%016x", e.up)},
		step{"VPSRAVQ", fmt.Sprintf("down by 64 - w = %d, with the sign", e.downBy), fmt.Sprintf("%016x = %d", uint64(e.decoded), e.decoded)},
		step{"VCVTQQ2PD", "to float64, exact", fmt.Sprintf("%d.0", e.decoded)})
}

// drawBytes is what it does with whole bytes.
func (f *trace) drawBytes(d *drawing, y float64) {
	e := &f.bytes
	n := e.width / 8
	d.text(20, y-14, "title", "6. The short way of whole bytes: the same element at ε = 2^-%d", e.accuracy)
	var widths []string
	for _, s := range e.slice {
		widths = append(widths, fmt.Sprint(s.width))
	}
	d.text(20, y+6, "note", "m = round(a / 2^%d) = %d; the widths of the slice are %s; the bytes of slot %d:",
		e.quant, e.integer, strings.Join(widths, ", "), e.number)
	f.drawValues(d, y+16, &e.traced, "whole")
	d.steps(y+76,
		step{"", fmt.Sprintf("m = %d has its sign bit flipped: m + 2^%d", e.integer, e.width-1), fmt.Sprintf("%0*x = %d", 2*n, e.low, e.low)},
		step{"VPERMB", fmt.Sprintf("bytes %d to %d to the low bits of 2^52 (with a mask)", e.bit/8, e.bit/8+n-1), fmt.Sprintf("%016x = 2^52 + %d", e.word, e.low)},
		step{"VSUBPD", fmt.Sprintf("less 2^52 + 2^%d, exact", e.width-1), fmt.Sprintf("%d.0", e.decoded)})
}

// drawProduct is what the kernel does with the integers.
func (f *trace) drawProduct(d *drawing, y float64) {
	e := &f.bits
	index := e.index[f.lane]
	d.text(20, y-14, "title", "7. The product with x[j] = j + 1, at ε = 2^-%d again", e.accuracy)
	d.steps(y,
		step{"VGATHERDPD", "x[base + index]", fmt.Sprintf("x[%d + %d] = x[%d] = %g", e.base, index, f.col, f.x[f.col])},
		step{"VFMADD231PD", "sum += m x: " + f.terms(), ""},
		step{"VMULPD", fmt.Sprintf("y[%d] = sum times the quantum 2^%d", f.row, e.quant), fmt.Sprintf("y[%d] = %.13g", f.row, f.y)})
}

// terms is the sum of the row.
func (f *trace) terms() string {
	var list []string
	for _, s := range f.bits.slice {
		if s.filled[f.lane] {
			list = append(list, fmt.Sprintf("%d·%g", s.m[f.lane], f.x[s.base+int(s.index[f.lane])]))
		}
	}
	return strings.ReplaceAll(strings.Join(list, " + "), "+ -", "- ") + fmt.Sprintf(" = %.0f", f.sum)
}
