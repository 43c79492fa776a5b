package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// The page and its figure.
const (
	volumePage             = "docs/mpi.md"
	volumeFigure           = "docs/mpi.svg"
	volumeBegin, volumeEnd = "<!-- volume model -->", "<!-- end of the volume model -->"
)

// cases lists what a rank has and how it is numbered, and the preconditioner.
var cases = []struct {
	problem int // of stencils
	name    string
	kind    precond.Kind
	rows    int
	brick   bool
}{
	{0, "10^6 rows, bricks", precond.None, 1_000_000, true},
	{0, "10^5 rows, bricks", precond.None, 100_000, true},
	{0, "10^6 rows, natural order", precond.None, 1_000_000, false},
	{0, "10^6 rows, bricks", precond.FSAI, 1_000_000, true},
	{0, "10^6 rows, bricks", precond.AMG, 1_000_000, true},
	{1, "10^6 rows, bricks", precond.None, 1_000_000, true},
	{1, "10^5 rows, bricks", precond.None, 100_000, true},
	{1, "10^6 rows, natural order", precond.None, 1_000_000, false},
	{2, "10^6 rows, bricks", precond.None, 1_000_000, true},
	{2, "10^5 rows, bricks", precond.None, 100_000, true},
	{2, "10^6 rows, natural order", precond.None, 1_000_000, false},
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

// writeVolume replaces the tables and the figure, which is of the first machine.
func writeVolume() error {
	var b strings.Builder
	b.WriteString(networkTable() + "\n| problem | a rank has | --precond | messages | KB sent | sums |")
	for _, m := range networks {
		fmt.Fprintf(&b, " %s |", m.name)
	}
	b.WriteString(" LUMI-C, 1 µs | LUMI-C, 5 µs |\n|---|---|---|---:|---:|---:|" + strings.Repeat("---:|", len(networks)+2) + "\n")
	g := &records.Chart{Kind: records.Lines, X: records.ChartAxis{Text: "ranks, one a socket", Log: true}}
	for _, n := range []int{100, 1000, 10_000} {
		g.Tick(float64(n), fmt.Sprint(n))
	}
	panels := make([]*records.Panel, len(stencils))
	for k, s := range stencils {
		panels[k] = g.AddPanel(records.Panel{Title: s.name, Percent: "efficiency", Y: records.ChartAxis{Text: "efficiency (%)"}})
	}
	for _, c := range cases {
		s := stencils[c.problem]
		name := c.name
		if c.kind != precond.None {
			name += ", " + string(c.kind)
		}
		volumes := map[int]volume{}
		for _, n := range ranks {
			volumes[n] = s.volumeOf(c.rows, n, c.brick)
			g.Add(panels[c.problem], name, float64(n), 100*networks[0].cg(s, c.kind, volumes[n], float64(c.rows), n).efficiency())
		}
		most := ranks[len(ranks)-1]
		out := s.sends(c.kind, volumes[most], c.rows, most)
		messages, bytes := out.total()
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f | %.0f | %.0f |", s.name, c.name, c.kind, messages, bytes/1e3, out.sums)
		for _, m := range append(slices.Clone(networks), networks[0].with(1e-6), networks[0].with(5e-6)) {
			of := func(n int) float64 { return 100 * m.cg(s, c.kind, volumes[n], float64(c.rows), n).efficiency() }
			fmt.Fprintf(&b, " %.0f, %.0f, %.0f %% |", of(100), of(1000), of(10_000))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + cycleTable())
	if err := records.ReplaceSection(volumePage, volumeBegin, volumeEnd, b.String()+"\n"); err != nil {
		return err
	}
	return host.Write(volumeFigure, func(w io.Writer) error { return g.Write(w, records.SVG) })
}

// cycleTable shows multigrid for the 7-point problem with 10^6 rows a rank.
func cycleTable() string {
	const rows = 1_000_000
	var b strings.Builder
	b.WriteString("| ranks | rows of a rank x ranks by level [on every rank] | messages, KB by level | gathers | KB each |")
	for _, m := range networks {
		fmt.Fprintf(&b, " %s: ms of exchanges, passing and gathering, waiting and repeated work |", m.name)
	}
	b.WriteString("\n|---:|---|---|---:|---:|" + strings.Repeat("---|", len(networks)) + "\n")
	s := stencils[0]
	for _, n := range []int{100, 1000, 10_000} {
		v := s.volumeOf(rows, n, true)
		out, c := s.sends(precond.AMG, v, rows, n), cycleOf(float64(rows*n), float64(n))
		var sizes, sends []string
		for k, l := range c.spread {
			of := sent{levels: out.levels[1:2]}
			if k > 0 {
				corrections, others := l.exchanges()
				_, up := l.passes()
				of.levels = []exchanged{corrections, others, up}
			}
			messages, bytes := of.total()
			sizes = append(sizes, fmt.Sprintf("%.0f x %.0f", l.rows(), l.ranks))
			sends = append(sends, fmt.Sprintf("%.0f, %.0f", messages, bytes/1e3))
		}
		fmt.Fprintf(&b, "| %d | %s [%.0f] | %s | %.0f | %.0f |", n, strings.Join(sizes, "; "), c.gathered[0].share*float64(rows*n),
			strings.Join(sends, "; "), out.gathers, out.gathered/out.gathers/1e3)
		for _, m := range networks {
			t := m.cg(s, precond.AMG, v, rows, n)
			fmt.Fprintf(&b, " %.2f, %.2f, %.2f |", 1e3*t.halo, 1e3*t.gather, 1e3*t.repeated)
		}
		b.WriteString("\n")
	}
	return b.String()
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
// sockets of a node the network of the node.
type network struct {
	name, parts, source string
	memory              float64 // peak bytes per second of a socket
	latency             float64 // seconds of a message
	bandwidth           float64 // bytes per second that the network has for a socket
	sockets             float64 // of a node
}

// mpiLatency is what a message of MPI is assumed to need on each machine.
const mpiLatency = 2e-6

// with returns the network with another latency.
func (n network) with(latency float64) network {
	n.latency = latency
	return n
}

var networks = []network{
	{
		"LUMI-C", "2 AMD EPYC 7763 a node with 8 x DDR4-3200 each, 200 Gb/s Slingshot 11", "LUMI's documentation, AMD's data sheet",
		8 * 8 * 3200e6, mpiLatency, 200e9 / 8 / 2, 2,
	},
	{
		"Frontera", "2 Intel Xeon 8280 a node with 6 x DDR4-2933 each, 100 Gb/s InfiniBand HDR100", "TACC's user guide, Intel's data sheet",
		6 * 8 * 2933e6, mpiLatency, 100e9 / 8 / 2, 2,
	},
	{
		"Fugaku", "1 A64FX a node with HBM2, 6 x 6.8 GB/s Tofu D", "Fujitsu's data sheet; Ajima et al., Cluster 2018",
		1024e9, mpiLatency, 6 * 6.8e9, 1,
	},
}

// networkTable shows the machines.
func networkTable() string {
	var b strings.Builder
	b.WriteString("| machine | parts | GB/s of memory, of network a socket | source |\n|---|---|---|---|\n")
	for _, n := range networks {
		fmt.Fprintf(&b, "| %s | %s | %.1f, %.2f | %s |\n", n.name, n.parts, n.memory/1e9, n.bandwidth/1e9, n.source)
	}
	return b.String()
}

const (
	wordBytes   = 8
	entryBytes  = 12 // of FP64 CSR
	cgVectors   = 10 // vectors that an iteration of CG reads and writes
	reductions  = 2  // of an iteration, if the domains are too large to join them
	reduceBytes = 80 // of an exact sum: eight limbs, where these suffice, whether they do, and whether to go on
)
