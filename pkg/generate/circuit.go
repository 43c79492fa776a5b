package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// nodal is the modified nodal analysis of a circuit at a time step (Ho, Ruehli, Brennan,
// IEEE Trans. Circuits Syst. 22, 1975): voltages of the nodes, then the currents of voltage
// sources and inductors, whose rows are
//
//	v_a - v_b = E            zero on the diagonal
//	v_a - v_b - (L/h) i = 0
//
// Each node is joined to one before it, at most window away, by a resistor, so that the
// circuit is connected; links adds more. Every node has a capacitor C/h to ground. A
// transistor is a current gm (v_g - v_s) from its node to s, beside a conductance. The first
// nodes are supply rails, held by sources and joined to a fraction supply of all nodes:
// dense rows and columns. Other sources hold one node each, against ground or against a node
// before it, so that they make no loop. Conductances are 1e-3, transconductances 1e-3,
// capacitances 1e-7 and inductances 1, all log-normal; transconductances within two decades,
// for gains multiply along a chain.
type nodal struct {
	n, window, rails   int
	links, transistors float64
	supply             float64
	sources, inductors int
	decades            float64
	seed               uint64
}

func circuit() Kind {
	return Kind{
		Name: "circuit",
		Help: "modified nodal analysis of a circuit, voltages before currents, unsymmetric",
		Use:  "circuits: zeros on the diagonal, a few dense rows and columns, values of many decades; like add20, memplus and rajat",
		Params: []Param{
			{Name: "n", Help: "number of nodes", Default: 2000, Min: 2, Max: 1e9, Whole: true},
			{Name: "links", Help: "resistors per node beyond those of a tree", Default: 0.5, Max: 20},
			{Name: "window", Help: "largest distance of joined nodes", Default: 50, Min: 1, Max: 1e9, Whole: true},
			{Name: "transistors", Help: "transistors per node", Default: 0.3, Max: 1},
			{Name: "rails", Help: "number of supply rails", Default: 2, Max: 100, Whole: true},
			{Name: "supply", Help: "fraction of the nodes joined to a rail", Default: 0.1, Max: 1},
			{Name: "sources", Help: "further voltage sources per node", Default: 0.02, Max: 0.5},
			{Name: "inductors", Help: "inductors per node", Default: 0.05, Max: 1},
			decadesParam("decades of conductances, capacitances and inductances", 6),
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			c := newNodal(v)
			branches := c.rails + c.sources + c.inductors
			joined := v["n"] * (1 + v["links"] + c.supply + 2*v["transistors"])
			if c.rails == 0 {
				joined -= v["n"] * c.supply
			}
			return int64(c.n + branches), int64(v["n"] + 2*joined + float64(2*c.rails+3*c.sources+5*c.inductors))
		},
		source: func(_ *parallel.Pool, v values) source {
			c := newNodal(v)
			return c.stamps().source(c.n + c.rails + c.sources + c.inductors)
		},
	}
}

func newNodal(v values) nodal {
	n := v.int("n")
	rails := min(v.int("rails"), n/2)
	return nodal{
		n, v.int("window"), rails, v["links"], v["transistors"], v["supply"],
		min(int(v["sources"]*v["n"]), n-rails), int(v["inductors"] * v["n"]), v["decades"], v.seed(),
	}
}

const (
	drawResistor = iota
	drawResistance
	drawLink
	drawCapacitor
	drawTransistor
	drawGate
	drawRail
	drawSource
	drawInductor
)

func (c nodal) stamps() *stamps {
	s := &stamps{}
	for i := range c.n {
		s.add(i, i, c.value(1e-7, drawCapacitor, i))
		if i > 0 {
			s.edge(i, c.before(i, drawResistor, i), c.value(1e-3, drawResistance, i))
		}
		if i >= c.rails && c.rails > 0 && uniform(hash(c.seed, drawRail, i)) < c.supply {
			s.edge(i, below(hash(c.seed, drawRail, i, 1), c.rails), c.value(1e-3, drawResistance, i, 1))
		}
		if i > 0 && uniform(hash(c.seed, drawTransistor, i)) < c.transistors {
			c.transistor(s, i)
		}
	}
	for k := range int(c.links * float64(c.n)) {
		i := 1 + below(hash(c.seed, drawLink, k), c.n-1)
		s.edge(i, c.before(i, drawLink, k, 1), c.value(1e-3, drawResistance, k, 2))
	}
	for r := range c.rails {
		s.pair(c.n+r, r, 1)
	}
	for k := range c.sources {
		c.voltageSource(s, k)
	}
	for k := range c.inductors {
		c.inductor(s, k)
	}
	return s
}

// value returns a log-normal value around a mean one.
func (c nodal) value(mean float64, what ...int) float64 {
	return mean * logNormal(hash(c.seed, what...), c.decades)
}

// before returns a node before node i > 0, at most window away.
func (c nodal) before(i int, what ...int) int {
	return i - 1 - below(hash(c.seed, what...), min(i, c.window))
}

// transistor adds a current gm (v_gate - v_source) from node i to the source, and the
// conductance between them.
func (c nodal) transistor(s *stamps, i int) {
	gate, source := c.before(i, drawGate, i), c.before(i, drawGate, i, 1)
	gm := 1e-3 * logNormal(hash(c.seed, drawTransistor, i, 1), min(c.decades, 2))
	for _, node := range [2]struct {
		row  int
		sign float64
	}{{i, 1}, {source, -1}} {
		s.add(node.row, gate, node.sign*gm)
		s.add(node.row, source, -node.sign*gm)
	}
	s.edge(i, source, c.value(1e-4, drawTransistor, i, 2))
}

// voltageSource holds a node of its own against ground or against one before it.
func (c nodal) voltageSource(s *stamps, k int) {
	row := c.n + c.rails + k
	i := c.rails + int(int64(k)*int64(c.n-c.rails)/int64(c.sources))
	s.pair(row, i, 1)
	if i > 0 && hash(c.seed, drawSource, k)&1 == 0 {
		s.pair(row, c.before(i, drawSource, k, 1), -1)
	}
}

func (c nodal) inductor(s *stamps, k int) {
	row := c.n + c.rails + c.sources + k
	i := 1 + below(hash(c.seed, drawInductor, k), c.n-1)
	s.pair(row, i, 1)
	s.pair(row, c.before(i, drawInductor, k, 1), -1)
	s.add(row, row, -c.value(1, drawInductor, k, 2))
}
