package records

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Spy draws the pattern of a matrix as SVG, given the number of entries in each cell of a grid, row by row; room is
// the largest possible number of entries in a cell. More entries give a darker cell.
func Spy(w io.Writer, count []int, high, wide int, room float64, title string) error {
	const side, margin = 512.0, 24.0
	cell := side / float64(max(high, wide))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="16cm" viewBox="0 0 %.0f %.0f" font-family="Liberation Sans,Arimo,Arial,Helvetica,sans-serif" font-size="12">`+"\n",
		cell*float64(wide)+2*margin, cell*float64(high)+2*margin)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="%.0f" y="16">%s</text>`+"\n", margin, escaper.Replace(title))
	fmt.Fprintf(&b, `<g transform="translate(%.0f %.0f)" shape-rendering="crispEdges">`+"\n", margin, margin)
	for r := range high {
		for c := 0; c < wide; {
			shade := grey(count[r*wide+c], room)
			end := c + 1
			for end < wide && grey(count[r*wide+end], room) == shade {
				end++
			}
			if shade < 255 {
				fmt.Fprintf(&b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#%02x%02x%02x"/>`+"\n",
					cell*float64(c), cell*float64(r), cell*float64(end-c), cell, shade, shade, shade)
			}
			c = end
		}
	}
	fmt.Fprintf(&b, `<rect width="%.2f" height="%.2f" fill="none" stroke="black" stroke-width="1"/></g></svg>`+"\n", cell*float64(wide), cell*float64(high))
	_, err := io.WriteString(w, b.String())
	return err
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// grey returns the shade of a cell with so many of room possible entries, in eight steps; a single entry is visible.
func grey(count int, room float64) int {
	if count == 0 {
		return 255
	}
	return 160 - 20*int(math.Min(8, 8*math.Pow(float64(count)/room, 0.25)))
}
