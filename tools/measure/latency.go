package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// The page of the models of latency.
const (
	latencyPage              = "docs/scaling.md"
	latencyBegin, latencyEnd = "<!-- latency model -->", "<!-- end of the latency model -->"
)

// latencyMain writes models of what spares latency between ranks into docs/scaling.md: forms of CG with fewer sums, and messages that are joined by node.
func latencyMain() {
	text := sumsTable() + "\n" + nodesTable()
	if err := records.ReplaceSection(latencyPage, latencyBegin, latencyEnd, "\n"+text); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

const (
	nodeLatency     = 0.5e-6 // of a message between ranks of a node
	messageOverhead = 0.4e-6 // of each message after the first, where the network has several in flight
	sumBytes        = 64     // eight limbs
)

// latencyNetworks are those shown; Frontera is much like LUMI-C.
var latencyNetworks = []network{networks[0], networks[2]}

// A cgForm is a form of CG that has the same iterates but for rounding.
type cgForm struct {
	name    string
	vectors [2]float64 // that an iteration reads and writes, without and with a preconditioner
	sums    float64    // one after the other
	each    float64    // numbers in a sum, at most
	hidden  bool       // the sum proceeds during the product and the preconditioner
}

// cgForms count vectors where all updates are one pass, as far as sums allow. pkg/krylov has the first two.
var cgForms = []cgForm{
	{"plain", [2]float64{11, 13}, 2, 2, false},
	{"one sum", [2]float64{11, 14}, 1, 3, false},  // Chronopoulos and Gear 1989
	{"pipelined", [2]float64{15, 20}, 1, 3, true}, // Ghysels and Vanroose 2014
}

// stages returns the time of a small message that doubles recursively: between ranks of a node, and between nodes.
func (n network) stages(ranks, perNode, bytes float64) float64 {
	perNode = min(perNode, ranks)
	return math.Ceil(math.Log2(perNode))*nodeLatency + math.Ceil(math.Log2(ranks/perNode))*(n.latency+bytes/n.bandwidth)
}

// form returns the time of an iteration on bricks. Ghosts travel as in cg.
func (n network) form(f cgForm, s stencil, kind precond.Kind, rows float64, ranks int) float64 {
	v := s.volumeOf(int(rows), ranks, true)
	product := rows * float64(s.rowEntries()*entryBytes) / n.memory
	interior := max(0, 1-float64(v.elements)/rows)
	exchange := n.time(exchanged{1, float64(v.messages), float64(wordBytes * v.elements)})
	behind := max(product, exchange+(1-interior)*product)
	vectors := f.vectors[0]
	if kind == precond.FSAI {
		half := rows * fsaiBytes / 2 / n.memory
		behind += 2 * max(half, exchange+(1-interior)*half)
		vectors = f.vectors[1]
	}
	sum := n.stages(float64(ranks), n.sockets, sumBytes*f.each)
	t := vectors * wordBytes * rows / n.memory
	if f.hidden {
		return t + max(behind, sum)
	}
	return t + behind + f.sums*sum
}

// headOfNetworks begins a table that has two columns for each network.
func headOfNetworks(head, rule, columns string) *strings.Builder {
	var b strings.Builder
	b.WriteString(head)
	for _, n := range latencyNetworks {
		fmt.Fprintf(&b, " %s: %s |", n.name, columns)
	}
	b.WriteString("\n" + rule + strings.Repeat("---:|---:|", len(latencyNetworks)) + "\n")
	return &b
}

// sumsTable shows by how much of the time of plain CG the other forms are faster.
func sumsTable() string {
	b := headOfNetworks("| --precond | a rank has |", "|---|---:|", "one sum | pipelined")
	for _, kind := range []precond.Kind{precond.None, precond.FSAI} {
		for _, rows := range []float64{1e6, 3e5, 1e5} {
			fmt.Fprintf(b, "| %s | %.0f rows |", kind, rows)
			for _, n := range latencyNetworks {
				for _, f := range cgForms[1:] {
					of := func(ranks int) float64 {
						return 100 * (1 - n.form(f, stencils[0], kind, rows, ranks)/n.form(cgForms[0], stencils[0], kind, rows, ranks))
					}
					fmt.Fprintf(b, " %.0f/%.0f/%.0f |", of(100), of(1000), of(10_000))
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// A brickShape is the bricks of a node.
type brickShape [3]int

// A nodeLinks is whom a rank sends to, and a node.
type nodeLinks struct {
	within, between float64 // messages of the rank that sends most to other nodes
	faces           float64 // share of its faces that are towards other nodes
	nodes           float64 // to which its node sends
}

// links counts them, in the middle of a grid of 5 x 5 x 5 nodes of bricks.
func (shape brickShape) links(box bool) (most nodeLinks) {
	node := func(at [3]int) (of [3]int) {
		for k := range at {
			of[k] = at[k] / shape[k]
		}
		return of
	}
	others := map[[3]int]bool{}
	own := [3]int{2, 2, 2}
	for b := range shape[0] * shape[1] * shape[2] {
		at := [3]int{2*shape[0] + b%shape[0], 2*shape[1] + b/shape[0]%shape[1], 2*shape[2] + b/shape[0]/shape[1]}
		var l nodeLinks
		for d := range 27 {
			move := [3]int{d%3 - 1, d/3%3 - 1, d/9 - 1}
			size := move[0]*move[0] + move[1]*move[1] + move[2]*move[2]
			if size == 0 || size > 1 && !box {
				continue
			}
			to := node([3]int{at[0] + move[0], at[1] + move[1], at[2] + move[2]})
			if to == own {
				l.within++
				continue
			}
			others[to] = true
			l.between++
			if size == 1 {
				l.faces += 1.0 / 6
			}
		}
		if l.between > most.between {
			most = l
		}
	}
	most.nodes = float64(len(others))
	return most
}

// A flight is how long messages take.
type flight func(count, latency float64) float64

// inTurn is what the model of docs/mpi.md assumes; inFlight has several messages at a time.
func inTurn(count, latency float64) float64 { return count * latency }

func inFlight(count, latency float64) float64 {
	if count == 0 {
		return 0
	}
	return latency + (count-1)*min(latency, messageOverhead)
}

// exchange returns the time of one exchange among bricks of a node with a network of its own, as each rank sends it, or joined by node: ranks pass
// what others need to the ranks of their node and get it from these, each in one step for each doubling of their number, and share the nodes to
// which they send.
func (n network) exchange(e exchanged, shape brickShape, box, joined bool, time flight) float64 {
	ranks := float64(shape[0] * shape[1] * shape[2])
	l := shape.links(box)
	bytes := l.faces * e.bytes * ranks / (n.sockets * n.bandwidth)
	if !joined {
		return time(l.within, nodeLatency) + time(l.between, n.latency) + bytes
	}
	copies := 4 * e.bytes * ranks / (n.sockets * n.memory)
	return 2*math.Ceil(math.Log2(ranks))*nodeLatency + time(math.Ceil(l.nodes/ranks), n.latency) + bytes + copies
}

// onNode returns the time of an iteration on nodes with so many rows and bricks each.
func (n network) onNode(kind precond.Kind, rows float64, nodes int, shape brickShape, joined bool, time flight) float64 {
	s := stencils[0]
	perNode := shape[0] * shape[1] * shape[2]
	ranks := nodes * perNode
	of := rows / float64(perNode)
	v := s.volumeOf(int(of), ranks, true)
	share := n
	share.memory *= n.sockets / float64(perNode)
	t := share.cg(s, kind, v, of, ranks)
	out := s.sends(kind, v, int(of), ranks)
	interior := max(0, 1-float64(v.elements)/of) / share.memory
	hidden := []float64{interior * of * float64(s.rowEntries()*entryBytes)}
	if kind == precond.FSAI {
		hidden = append(hidden, interior*of*fsaiBytes/2, interior*of*fsaiBytes/2)
	}
	halo := 0.0
	for k, e := range out.levels {
		if k == 0 {
			for _, h := range hidden {
				halo += max(0, n.exchange(e, shape, false, joined, time)-h)
			}
			continue
		}
		halo += e.count * n.exchange(e, shape, k > 1, joined, time)
	}
	return t.work + halo + out.sums*n.stages(float64(ranks), float64(perNode), sumBytes) + t.gather + t.repeated
}

// nodesTable shows by how much an iteration is faster where ranks of a node join their messages, and where a node has one rank, with threads.
func nodesTable() string {
	b := headOfNetworks("| --precond | rows a node | ranks a node |", "|---|---:|---:|", "joined | one rank")
	const kind, rows = precond.AMG, 2e6
	for _, shape := range []brickShape{{2, 1, 1}, {2, 2, 2}} {
		fmt.Fprintf(b, "| %s | %.0f | %d |", kind, rows, shape[0]*shape[1]*shape[2])
		for _, n := range latencyNetworks {
			for _, c := range []struct {
				shape  brickShape
				joined bool
			}{{shape, true}, {brickShape{1, 1, 1}, false}} {
				of := func(time flight) float64 {
					return 100 * (1 - n.onNode(kind, rows, 1000, c.shape, c.joined, time)/n.onNode(kind, rows, 1000, shape, false, time))
				}
				fmt.Fprintf(b, " %.0f/%.0f |", of(inTurn), of(inFlight))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
