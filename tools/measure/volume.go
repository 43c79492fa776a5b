package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// The page and its figure.
const (
	volumePage             = "docs/mpi.md"
	volumeFigure           = "docs/mpi.svg"
	volumeBegin, volumeEnd = "<!-- volume model -->", "<!-- end of the volume model -->"
)

// cases lists the numbers of rows of a rank, and how they are numbered.
var cases = []struct {
	name  string
	rows  int
	brick bool
}{
	{"10^7 rows, bricks", 10_000_000, true},
	{"10^6 rows, bricks", 1_000_000, true},
	{"10^5 rows, bricks", 100_000, true},
	{"10^4 rows, bricks", 10_000, true},
	{"10^6 rows, natural order", 1_000_000, false},
}

var ranks = []int{100, 200, 500, 1000, 2000, 5000, 10_000}

// volumeMain writes the model of the communication between ranks into docs/mpi.md and draws its figure: messages,
// bytes and the efficiency of an iteration of CG at 100 to 10,000 ranks, one for each socket, for weak scaling.
func volumeMain() {
	if err := writeVolume(); err != nil {
		fmt.Fprintln(os.Stderr, "volume:", err)
		os.Exit(1)
	}
}

// writeVolume replaces the table and the figure, which is of the first machine.
func writeVolume() error {
	var b strings.Builder
	b.WriteString("| problem | a rank has | messages | KB sent |")
	for _, m := range networks {
		fmt.Fprintf(&b, " %s |", m.name)
	}
	b.WriteString("\n|---|---|---:|---:|" + strings.Repeat("---:|", len(networks)) + "\n")
	g := &records.Chart{Kind: records.Lines, X: records.ChartAxis{Text: "ranks, one a socket", Log: true}}
	for _, n := range []int{100, 1000, 10_000} {
		g.Tick(float64(n), fmt.Sprint(n))
	}
	for _, s := range stencils {
		panel := g.AddPanel(records.Panel{Title: s.name, Percent: "efficiency", Y: records.ChartAxis{Text: "efficiency (%)"}})
		for _, c := range cases {
			volumes := map[int]volume{}
			for _, n := range ranks {
				volumes[n] = s.volumeOf(c.rows, n, c.brick)
				g.Add(panel, c.name, float64(n), 100*networks[0].cg(s, volumes[n], float64(c.rows), n).efficiency())
			}
			v := volumes[ranks[len(ranks)-1]]
			fmt.Fprintf(&b, "| %s | %s | %d | %.0f |", s.name, c.name, v.messages, float64(v.elements*wordBytes)/1e3)
			for _, m := range networks {
				of := func(n int) float64 { return 100 * m.cg(s, volumes[n], float64(c.rows), n).efficiency() }
				fmt.Fprintf(&b, " %.0f, %.0f, %.0f %% |", of(100), of(1000), of(10_000))
			}
			b.WriteString("\n")
		}
	}
	if err := records.ReplaceSection(volumePage, volumeBegin, volumeEnd, b.String()+"\n"); err != nil {
		return err
	}
	return host.Write(volumeFigure, func(w io.Writer) error { return g.Write(w, records.SVG) })
}

// volumeOf returns the volume of a domain in the middle of a cube of so many domains of rows rows each.
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

// A stencil describes which nodes a row of a problem on a grid refers to.
type stencil struct {
	name     string
	box      bool // all 26 neighbours of a node; otherwise the 6 next to it
	unknowns int  // of a node
}

// stencils are the problems of the model.
var stencils = []stencil{
	{"7-point", false, 1},
	{"27-point", true, 1},
	{"elasticity", true, 3},
}

// rowEntries returns the number of nonzeros in a row far from the boundary.
func (s stencil) rowEntries() int {
	if s.box {
		return 27 * s.unknowns
	}
	return 7 * s.unknowns
}

// A volume is what a rank with one domain sends in an exchange of ghosts; it receives as much.
type volume struct{ messages, elements int }

// brick returns the volume of a domain of a x b x c nodes in the interior of a grid that is numbered brick by brick.
func (s stencil) brick(a, b, c int) volume {
	if s.box {
		return volume{26, s.unknowns * ((a+2)*(b+2)*(c+2) - a*b*c)}
	}
	return volume{6, s.unknowns * 2 * (a*b + b*c + c*a)}
}

// slab returns the volume of the domain of the nodes lo to hi-1 of a grid of g x g x planes nodes that is numbered
// line by line and plane by plane, where all domains have the same number of nodes. It counts node by node.
func (s stencil) slab(lo, hi, g, planes int) (v volume) {
	reach := g*g + g + 1
	first := max(0, lo-reach)
	touched := make([]bool, min(hi+reach, g*g*planes)-first)
	for at := lo; at < hi; at++ {
		x, y, z := at%g, at/g%g, at/(g*g)
		for dz := max(-z, -1); dz <= min(planes-1-z, 1); dz++ {
			for dy := max(-y, -1); dy <= min(g-1-y, 1); dy++ {
				for dx := max(-x, -1); dx <= min(g-1-x, 1); dx++ {
					if s.box || dx*dx+dy*dy+dz*dz <= 1 {
						touched[at+dx+g*(dy+g*dz)-first] = true
					}
				}
			}
		}
	}
	last := -1
	for k, t := range touched {
		at := first + k
		if !t || at >= lo && at < hi {
			continue
		}
		v.elements += s.unknowns
		if domain := (at - lo + (hi-lo)*planes*g*g) / (hi - lo); domain != last { // counted from far below
			v.messages++
			last = domain
		}
	}
	return v
}

// network is the model of a rank that has a socket, and of its connection to the others. All cores of a socket share its memory, and all
// sockets of a node the network of the node. docs/mpi.md names the sources.
type network struct {
	name      string
	memory    float64 // peak bytes per second of a socket
	latency   float64 // seconds of a message
	bandwidth float64 // bytes per second that the network has for a socket
}

// mpiLatency is what a message of MPI is taken to need on each machine.
const mpiLatency = 2e-6

var networks = []network{
	{"LUMI-C", 8 * 8 * 3200e6, mpiLatency, 200e9 / 8 / 2},
	{"Frontera", 6 * 8 * 2933e6, mpiLatency, 100e9 / 8 / 2},
	{"Fugaku", 1024e9, mpiLatency, 6 * 6.8e9},
}

const (
	wordBytes   = 8
	entryBytes  = 12 // of FP64 CSR
	cgVectors   = 10 // vectors that an iteration of CG reads and writes
	reductions  = 2  // of an iteration
	reduceBytes = 72 // of an exact sum: eight limbs and a flag, where these suffice
)

// An iteration holds the parts of the time of an iteration of CG on a rank, in seconds.
type iteration struct{ work, halo, reduce float64 }

// cg returns the model of an iteration of CG with rows rows on each of so many ranks. The exchange of ghosts overlaps
// with the rows that refer to no ghosts; a reduction takes a message up and down a binary tree.
func (n network) cg(s stencil, v volume, rows float64, ranks int) iteration {
	work := rows * float64(s.rowEntries()*entryBytes+cgVectors*wordBytes) / n.memory
	halo := float64(v.messages)*n.latency + float64(v.elements*wordBytes)/n.bandwidth
	product := rows * float64(s.rowEntries()*entryBytes) / n.memory
	interior := product * max(0, 1-float64(v.elements)/rows)
	stages := 2 * math.Ceil(math.Log2(float64(ranks)))
	return iteration{work, max(0, halo-interior), reductions * stages * (n.latency + reduceBytes/n.bandwidth)}
}

// efficiency returns the share of the time that a rank works.
func (t iteration) efficiency() float64 { return t.work / (t.work + t.halo + t.reduce) }
