// Volume writes the model of what ranks send each other into docs/mpi.md, and draws its figure: messages, bytes and
// the efficiency of an iteration of CG at 100 to 10,000 ranks, for weak scaling.
package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/internal/atomicfile"
	"github.com/mpsolve/mpsolve/internal/figure"
	"github.com/mpsolve/mpsolve/tools/page"
)

// The page and its figure.
const (
	pageFile   = "docs/mpi.md"
	figureFile = "docs/mpi.svg"
	begin, end = "<!-- volume model -->", "<!-- end of the volume model -->"
)

// cases are the rows of a rank, and how they are numbered.
var cases = []struct {
	name  string
	rows  int
	brick bool
}{
	{"10^6 rows, bricks", 1_000_000, true},
	{"10^5 rows, bricks", 100_000, true},
	{"10^4 rows, bricks", 10_000, true},
	{"10^6 rows, natural order", 1_000_000, false},
}

var ranks = []int{100, 200, 500, 1000, 2000, 5000, 10_000}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "volume:", err)
		os.Exit(1)
	}
}

// write replaces the table and the figure.
func write() error {
	var b strings.Builder
	b.WriteString("| problem | a rank has | messages | KB sent | efficiency at 100 ranks | 1,000 | 10,000 |\n|---|---|---:|---:|---:|---:|---:|\n")
	g := &figure.Figure{Kind: figure.Lines, X: figure.Axis{Text: "ranks", Log: true}}
	for _, n := range []int{100, 1000, 10_000} {
		g.Tick(float64(n), fmt.Sprint(n))
	}
	for _, s := range stencils {
		panel := g.AddPanel(figure.Panel{Title: s.name, Percent: "efficiency", Y: figure.Axis{Text: "efficiency (%)"}})
		for _, c := range cases {
			row := map[int]float64{}
			var v volume
			for _, n := range ranks {
				v = s.volumeOf(c.rows, n, c.brick)
				row[n] = 100 * common.cg(s, v, float64(c.rows), n).efficiency()
				g.Add(panel, c.name, float64(n), row[n])
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %.0f | %.0f %% | %.0f %% | %.0f %% |\n",
				s.name, c.name, v.messages, float64(v.elements*wordBytes)/1e3, row[100], row[1000], row[10_000])
		}
	}
	if err := page.Replace(pageFile, begin, end, b.String()+"\n"); err != nil {
		return err
	}
	return atomicfile.Write(figureFile, func(w io.Writer) error { return g.Write(w, figure.SVG) })
}

// volumeOf is that of a domain in the middle of a cube that so many domains of rows rows make up.
func (s stencil) volumeOf(rows, ranks int, brick bool) volume {
	nodes := rows / s.unknowns
	if brick {
		a := int(math.Round(math.Cbrt(float64(nodes))))
		return s.brick(a, a, a)
	}
	g := int(math.Round(math.Cbrt(float64(nodes * ranks))))
	middle := ranks / 2 * nodes
	return s.slab(middle, middle+nodes, g, g)
}
