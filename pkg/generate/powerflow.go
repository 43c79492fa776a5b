package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// loadFlow is the Jacobian of the AC load flow in polar coordinates (Grainger, Stevenson:
// Power System Analysis, 9.4) at a state of voltages V and angles theta:
//
//	| dP/dtheta  dP/dV |   a 2 x 2 block for each bus and each branch, buses interleaved,
//	| dQ/dtheta  dQ/dV |   P_i + jQ_i = V_i sum_k Y*_ik V_k e^j(theta_i - theta_k)
//
// Bus i > 0 has a branch to a bus before it, at most window away, so that branches make a
// tree; meshes close loops. A branch has a reactance of 0.05, log-normal, a resistance of rx
// times that and some charging; one in ten is a transformer with a ratio of 0.9 to 1.1
// and, one in a hundred, a shift of phase, for which Y is not symmetric. Bus 0 is the slack
// bus and has two unit rows; at a generator, dQ is replaced by the unit row of its voltage.
type loadFlow struct {
	n, window  int
	meshes     float64
	generators float64
	rx         float64
	loading    float64
	decades    float64
	seed       uint64
}

func powerFlow() Kind {
	return Kind{
		Name: "powerflow",
		Help: "Jacobian of the AC load flow in a grid of n buses, angle and voltage of each bus, unsymmetric",
		Use:  "power systems: 2 x 2 blocks on a graph that is nearly a tree, short lines of large admittance, not dominant",
		Params: []Param{
			{Name: "n", Help: "number of buses", Default: 2000, Min: 2, Max: 1e9, Whole: true},
			{Name: "meshes", Help: "branches per bus beyond those of a tree", Default: 0.4, Max: 10},
			{Name: "window", Help: "largest distance of buses with a branch", Default: 30, Min: 1, Max: 1e9, Whole: true},
			{Name: "generators", Help: "fraction of the buses whose voltage is held", Default: 0.1, Max: 1},
			{Name: "rx", Help: "resistance by reactance: 0.1 transmission, 1 distribution", Default: 0.1, Max: 100},
			{Name: "loading", Help: "differences of angles of near buses, in degrees", Default: 3, Max: 80},
			decadesParam("decades of the reactances", 3),
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			n, g := v["n"], v["generators"]
			unit := (1 + (n-1)*g) / n // of the dQ rows
			perRow := 1 + 2*(n-1+v["meshes"]*n)/n
			return int64(2 * n), int64(n * 2 * perRow * (2 - unit))
		},
		source: func(_ *parallel.Pool, v values) source {
			f := loadFlow{
				v.int("n"), v.int("window"), v["meshes"], v["generators"], v["rx"], v["loading"], v["decades"], v.seed(),
			}
			return f.stamps().source(2 * f.n)
		},
	}
}

const (
	drawNeighbour = iota
	drawReactance
	drawTransformer
	drawVoltage
	drawAngle
	drawGenerator
)

func (f loadFlow) stamps() *stamps {
	s := &stamps{}
	for i := 1; i < f.n; i++ {
		f.branch(s, i, i-1-below(hash(f.seed, drawNeighbour, i), min(i, f.window)), i)
	}
	for k := range int(f.meshes * float64(f.n)) {
		i := 1 + below(hash(f.seed, drawNeighbour, f.n+k), f.n-1)
		j := i - 1 - below(hash(f.seed, drawNeighbour, f.n+k, 1), min(i, f.window))
		f.branch(s, i, j, f.n+k)
	}
	s.add(0, 0, 1)
	s.add(1, 1, 1)
	for i := 1; i < f.n; i++ {
		if f.generates(i) {
			s.add(2*i+1, 2*i+1, 1)
		}
	}
	return s
}

// generates reports whether the voltage of a bus is held.
func (f loadFlow) generates(i int) bool {
	return uniform(hash(f.seed, drawGenerator, i)) < f.generators
}

// voltage returns the magnitude of the voltage at a bus, around 1.
func (f loadFlow) voltage(i int) float64 {
	return 0.95 + float64(0.1*uniform(hash(f.seed, drawVoltage, i)))
}

// angle returns the angle of a bus in degrees: a slow wave and a part of its own.
func (f loadFlow) angle(i int) float64 {
	sin, _ := sincosDegrees(360 * float64(i) / float64(f.n))
	return float64(20*sin) + float64(f.loading*(uniform(hash(f.seed, drawAngle, i))-0.5))
}

// branch adds the derivatives of the power that flows into a branch at both of its ends.
func (f loadFlow) branch(s *stamps, i, j, number int) {
	x := float64(0.05 * logNormal(hash(f.seed, drawReactance, number), f.decades))
	y := 1 / (x * (1 + float64(f.rx*f.rx)))
	g, b := float64(f.rx*y), -y // of the series admittance 1 / (rx + j) x
	charging := x / 4
	ratio, shift := 1.0, 0.0
	if h := hash(f.seed, drawTransformer, number); uniform(h) < 0.1 {
		ratio = 0.9 + float64(0.2*uniform(mix(h)))
		if uniform(h) < 0.01 {
			shift = 10
		}
	}
	// From i: y / ratio^2 and -y e^(j shift) / ratio, to j: y and -y e^(-j shift) / ratio.
	sin, cos := sincosDegrees(shift)
	gs, bs := float64(g*sin)/ratio, float64(b*sin)/ratio
	gc, bc := float64(g*cos)/ratio, float64(b*cos)/ratio
	f.flow(s, i, j, g/ratio/ratio, (b+charging)/ratio/ratio, bs-gc, -bc-gs)
	f.flow(s, j, i, g, b+charging, -gc-bs, gs-bc)
}

// flow adds the derivatives of the power that leaves bus i for bus k,
//
//	P = V_i^2 gii + V_i V_k (gik cos t + bik sin t),  t = theta_i - theta_k,
//	Q = -V_i^2 bii + V_i V_k (gik sin t - bik cos t).
func (f loadFlow) flow(s *stamps, i, k int, gii, bii, gik, bik float64) {
	if i == 0 { // the slack bus
		return
	}
	vi, vk := f.voltage(i), f.voltage(k)
	sin, cos := sincosDegrees(f.angle(i) - f.angle(k))
	active := float64(gik*cos) + float64(bik*sin)
	reactive := float64(gik*sin) - float64(bik*cos)
	s.add(2*i, 2*i, -vi*vk*reactive)
	s.add(2*i, 2*k, vi*vk*reactive)
	s.add(2*i, 2*i+1, float64(2*vi*gii)+float64(vk*active))
	s.add(2*i, 2*k+1, vi*active)
	if f.generates(i) {
		return
	}
	s.add(2*i+1, 2*i, vi*vk*active)
	s.add(2*i+1, 2*k, -vi*vk*active)
	s.add(2*i+1, 2*i+1, float64(vk*reactive)-float64(2*vi*bii))
	s.add(2*i+1, 2*k+1, vi*reactive)
}
