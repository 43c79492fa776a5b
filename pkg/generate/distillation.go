package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// flowsheet is the Jacobian of the balances of distillation columns in series with
// recycles, the MESH equations of Naphtali and Sandholm (AIChE J. 17, 1971), as in the west
// matrices. A stage has the unknowns T, L, V, l_1 ... l_c, v_1 ... v_c: temperature, total
// and component flows of liquid and vapour; and, in this order, the equations
//
//	l_i(above) + v_i(below) - l_i - v_i = -feed_i     balance of component i
//	v_i L - K_i(T) l_i V = 0                          equilibrium of component i
//	sum l_i - L = 0, sum v_i - V = 0                  totals
//	sum l_i h_i (above) + sum v_i H_i (below) - sum l_i h_i - sum v_i H_i = -Q  energy
//
// so that most of the diagonal is zero; both phases of a stage have the same composition, as
// where Newton starts. Condenser and reboiler have a ratio L = R V and a
// rate of L in place of the energy balance. K_i = 10^(a_i + (T - 350)/50), the a_i
// spread over the decades; h and H are linear in T with heats of about 100 J/(mol K).
// The liquid that leaves a column goes to the middle of the next one, and a fraction of the
// last column's vapour to the middle of the first.
type flowsheet struct {
	columns, stages, components int
	recycle                     float64
	decades                     float64
	seed                        uint64
}

func distillation() Kind {
	return Kind{
		Name: "distillation",
		Help: "Jacobian of distillation columns in series with a recycle, unsymmetric",
		Use:  "chemical processes: many zeros on the diagonal, rows and columns of very different magnitude, like the west matrices",
		Params: []Param{
			{Name: "columns", Help: "number of columns", Default: 4, Min: 1, Max: 1e6, Whole: true},
			{Name: "stages", Help: "stages in each column", Default: 25, Min: 3, Max: 1e6, Whole: true},
			{Name: "components", Help: "number of components", Default: 5, Min: 2, Max: 100, Whole: true},
			{Name: "recycle", Help: "fraction of the last vapour that returns to the first column", Default: 0.5, Max: 0.95},
			decadesParam("decades of the volatilities", 6),
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) { return newFlowsheet(v).size() },
		source: func(_ *parallel.Pool, v values) source {
			f := newFlowsheet(v)
			rows, _ := f.size()
			return f.stamps().source(int(rows))
		},
	}
}

func newFlowsheet(v values) flowsheet {
	return flowsheet{
		v.int("columns"), v.int("stages"), v.int("components"), v["recycle"], v["decades"], v.seed(),
	}
}

// unknowns returns how many a stage has.
func (f flowsheet) unknowns() int { return 2*f.components + 3 }

func (f flowsheet) size() (rows, nnz int64) {
	c, stages, columns := int64(f.components), int64(f.stages), int64(f.columns)
	rows = columns * stages * int64(f.unknowns())
	balances := 2*c*stages + 2*c*(stages-1)
	equilibria := 5 * c * stages
	totals := 2 * (c + 1) * stages
	energy := (stages-2)*(4*c+3) + 2 + 1
	links := columns - 1
	if f.recycle > 0 {
		links++
	}
	return rows, columns*(balances+equilibria+totals+energy) + links*(2*c+1)
}

// Offsets of a stage's unknowns; the component flows of liquid and vapour follow.
const (
	temperature = iota
	liquid
	vapour
	flows
)

const (
	drawVolatility = iota
	drawFlow
	drawHeat
	drawLatent
	drawSize
)

func (f flowsheet) stamps() *stamps {
	s := &stamps{}
	for k := range f.columns {
		for j := range f.stages {
			f.stage(s, k, j)
		}
	}
	middle := f.stages / 2
	for k := 1; k < f.columns; k++ {
		f.enters(s, k, middle, k-1, f.stages-1, liquid, 1)
	}
	if f.recycle > 0 {
		f.enters(s, 0, middle, f.columns-1, 0, vapour, f.recycle)
	}
	return s
}

// at returns the number of the first unknown, and equation, of a stage.
func (f flowsheet) at(column, stage int) int {
	return (column*f.stages + stage) * f.unknowns()
}

// stage adds the equations of a stage, the condenser is stage 0.
func (f flowsheet) stage(s *stamps, k, j int) {
	c, row := f.components, f.at(k, j)
	t, l, v := row+temperature, row+liquid, row+vapour
	total, energy := row+2*c, row+2*c+2
	down, up := f.total(k, j, liquid), f.total(k, j, vapour)
	if j > 0 {
		f.enters(s, k, j, k, j-1, liquid, 1)
	}
	if j < f.stages-1 {
		f.enters(s, k, j, k, j+1, vapour, 1)
	}
	f.enters(s, k, j, k, j, liquid, -1)
	f.enters(s, k, j, k, j, vapour, -1)
	for i := range c {
		li, vi := row+flows+i, row+flows+c+i
		x, y, volatility := f.flow(k, j, i, liquid), f.flow(k, j, i, vapour), f.volatility(j, i)
		s.add(row+c+i, vi, down)
		s.add(row+c+i, li, -volatility*up)
		s.add(row+c+i, l, y)
		s.add(row+c+i, v, -volatility*x)
		s.add(row+c+i, t, -volatility*x*up*(ln10/50))
		s.add(total, li, 1)
		s.add(total+1, vi, 1)
	}
	s.add(total, l, -1)
	s.add(total+1, v, -1)
	switch j {
	case 0:
		s.add(energy, l, 1)
		s.add(energy, v, -down/up)
	case f.stages - 1:
		s.add(energy, l, 1)
	}
}

const ln10 = 2.302585092994046

// enters adds a flow from one stage into the balances of another, or of the same with a
// negative share: of components, and of energy where that is balanced.
func (f flowsheet) enters(s *stamps, k, j, fromColumn, fromStage, phase int, share float64) {
	c, row, from := f.components, f.at(k, j), f.at(fromColumn, fromStage)
	first := from + flows
	if phase == vapour {
		first += c
	}
	balanced := j > 0 && j < f.stages-1
	var heats float64
	for i := range c {
		s.add(row+i, first+i, share)
		if balanced {
			heat := f.heat(i, phase)
			s.add(row+2*c+2, first+i, share*f.enthalpy(i, phase, heat, fromStage))
			heats += float64(heat * f.flow(fromColumn, fromStage, i, phase))
		}
	}
	if balanced {
		s.add(row+2*c+2, from+temperature, share*heats)
	}
}

// degrees returns the temperature of a stage in kelvin.
func (f flowsheet) degrees(j int) float64 {
	return 300 + float64(100*f.height(j))
}

// height returns 0 for the condenser and 1 for the reboiler.
func (f flowsheet) height(j int) float64 { return float64(j) / float64(f.stages-1) }

// exponent returns a_i, from half the decades for the lightest component to minus half for
// the heaviest, each moved a little.
func (f flowsheet) exponent(i int) float64 {
	place := (float64(i) + uniform(hash(f.seed, drawVolatility, i))) / float64(f.components)
	return f.decades * (0.5 - place)
}

// volatility returns K_i at a stage.
func (f flowsheet) volatility(j, i int) float64 {
	return pow10(f.exponent(i) + (f.degrees(j)-350)/50)
}

// total returns the total flow of a phase in mol/s; columns have very different ones.
func (f flowsheet) total(k, j, phase int) float64 {
	size := pow10(4*uniform(hash(f.seed, drawSize, k)) - 1)
	return size * (0.8 + float64(0.4*uniform(hash(f.seed, drawFlow, k, j, phase))))
}

// flow returns the flow of a component: the light ones are rare at the bottom, the heavy ones at
// the top.
func (f flowsheet) flow(k, j, i, phase int) float64 {
	var own, sum float64
	for other := range f.components {
		part := pow10(f.exponent(other) * (1 - 2*f.height(j)))
		if other == i {
			own = part
		}
		sum += part
	}
	return f.total(k, j, phase) * own / sum
}

// heat returns the heat capacity of a component in J/(mol K).
func (f flowsheet) heat(i, phase int) float64 {
	return 50 + float64(100*uniform(hash(f.seed, drawHeat, i, phase)))
}

// enthalpy returns the enthalpy of a component at a stage in J/mol; vapour has latent heat.
func (f flowsheet) enthalpy(i, phase int, heat float64, j int) float64 {
	h := float64(heat * f.degrees(j))
	if phase == vapour {
		h += 2e4 + float64(2e4*uniform(hash(f.seed, drawLatent, i)))
	}
	return h
}
