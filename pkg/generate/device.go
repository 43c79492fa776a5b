package generate

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// device is a Newton step of drift and diffusion in a semiconductor, with the
// potential psi and the quasi-Fermi potentials phi_n and phi_p at each of n^3
// points, in units of the thermal voltage:
//
//	-div(grad psi) + n - p = N
//	-div(n grad phi_n) + R = 0,    n = exp(psi - phi_n)
//	-div(p grad phi_p) - R = 0,    p = exp(phi_p - psi)
//
// in boxes around the points, with the flux of Scharfetter and Gummel across the
// edge from i to j: n_i B(psi_i - psi_j), B(t) = t / (exp(t) - 1), and the
// recombination R = (phi_p - phi_n) / (n + p), without its sign. Regions of the
// device are doped: psi there is random over some decades of n, and a little noise
// makes each point another. The bias adds a random part of the flux to the columns
// of psi; damping enlarges the diagonal. All is 0 beyond the surface.
type device struct {
	grid
	steps  []step // weights: face of the box by length of the edge
	psi    field  // with one more point at either end, in decades of n
	bias   float64
	growth float64 // of the diagonal
	seed   uint64
}

func device3D() Kind {
	return Kind{
		Name: "device3d",
		Help: "drift and diffusion in a semiconductor by Scharfetter and Gummel, n x n x n points with 3 unknowns each, unsymmetric",
		Use:  "rows vary over as many decades as the doping; with damping, easy after scaling",
		Params: []Param{
			edgeParam(3, 3, 14),
			{Name: "tets", Help: "1 for the edges of tetrahedra (15 neighbours), 0 for those of boxes (7)", Default: 1, Max: 1, Whole: true},
			{Name: "stretch", Help: "height of a box divided by its width", Default: 0.1, Min: 1e-6, Max: 1e6},
			decadesParam("decades of the carriers between regions", 12),
			{Name: "grain", Help: "edge length of a doped region, in points", Default: 4, Min: 1, Max: 1 << 20, Whole: true},
			{Name: "noise", Help: "decades of the carriers between points of a region", Default: 2, Max: 100},
			{Name: "bias", Help: "fraction of the flux that depends on psi", Default: 0.1, Max: 1},
			{Name: "damping", Help: "fraction of the diagonal added to it", Default: 0.1, Max: 1e6},
			boundedParam("regions, and points of a region, evenly spread over their decades"),
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			s := stencil{cube(3, v.int("n")), deviceSteps(v)}
			points, pairs := s.size()
			// Potentials are coupled along edges, carriers to psi as well, and all
			// three at a point.
			return 3 * points, 5*pairs + 4*points
		},
		source: func(pool *parallel.Pool, v values) source {
			n := v.int("n")
			d := &device{grid: cube(3, n), steps: deviceSteps(v), psi: field{grid: cube(3, n+2)}, bias: v["bias"], growth: 1 + v["damping"], seed: v.seed()}
			d.psi.value = make([]float64, d.psi.points())
			grain, decades, noise := v.int("grain"), v["decades"], v["noise"]
			bounded := v["bounded"] != 0
			eachRow(pool, len(d.psi.value), func(i int) {
				x, y, z := d.psi.at(i)
				region, point := uniform(hash(d.seed, x/grain, y/grain, z/grain)), uniform(hash(d.seed, 1, i))
				if bounded {
					region, point = stratified(d.seed, x/grain, y/grain, z/grain), stratified(d.seed+1, x, y, z)
				}
				d.psi.value[i] = float64(decades*(region-0.5)) + float64(noise*(point-0.5))
			})
			return d
		},
		nodes: gridNodes(3),
	}
}

// deviceSteps are the edges at a point and the point itself, in the order of the
// points. The weight of an edge falls with the square of its length, which is
// stretched; the diagonals of tetrahedra have a tenth of it.
func deviceSteps(v values) []step {
	var steps []step
	for d := range 27 {
		x, y, z := offset(d)
		axes := x*x + y*y + z*z
		if axes > 1 && (v["tets"] == 0 || !oneWay(x, y, z)) {
			continue
		}
		height := v["stretch"] * float64(z)
		s := step{dx: x, dy: y, dz: z}
		if axes > 0 {
			s.weight = v["stretch"] / (float64(x*x+y*y) + float64(height*height))
		}
		if axes > 1 {
			s.weight /= 10
		}
		steps = append(steps, s)
	}
	return steps
}

// count: a carrier is coupled to psi and itself along edges and to the other one
// at its point, psi to both carriers at its point.
func (d *device) count(row int) int {
	points := stencil{d.grid, d.steps}.count(row / 3)
	if row%3 == 0 {
		return points + 2
	}
	return 2*points + 1
}

func (d *device) fill(row int, col []int32, val []float64) {
	point, kind := row/3, row%3
	x, y, z := d.at(point)
	here := d.potential(x, y, z)
	n, p := pow10(here), pow10(-here)
	recombination := 1 / (n + p)
	k, middle := 0, 0
	var diagonal, drift float64
	add := func(column int, v float64) { col[k], val[k] = int32(column), v; k++ }
	for _, s := range d.steps {
		other := point + d.index(s.dx, s.dy, s.dz)
		if s == (step{}) { // the point itself
			middle = k
			k += 3
			continue
		}
		there := d.potential(x+s.dx, y+s.dy, z+s.dz)
		flux := s.weight
		switch kind {
		case 1:
			flux *= float64(n * bernoulli(math.Ln10*(here-there)))
		case 2:
			flux *= float64(p * bernoulli(math.Ln10*(there-here)))
		}
		diagonal += flux
		bend := 0.0
		if kind > 0 {
			bend = float64(float64(d.bias*flux) * (uniform(hash(d.seed, 2, row, other)) - 0.5))
			drift -= bend
		}
		if !d.contains(x+s.dx, y+s.dy, z+s.dz) {
			continue
		}
		if kind > 0 {
			add(3*other, bend)
		}
		add(3*other+kind, -flux)
	}
	own := [3]float64{diagonal + n + p, -n, -p}
	switch kind {
	case 1:
		own = [3]float64{drift, diagonal + recombination, -recombination}
	case 2:
		own = [3]float64{drift, -recombination, diagonal + recombination}
	}
	own[kind] *= d.growth
	for i, v := range own {
		col[middle+i], val[middle+i] = int32(3*point+i), v
	}
}

// potential returns psi at a point, in decades of n.
func (d *device) potential(x, y, z int) float64 {
	return d.psi.value[d.psi.index(x+1, y+1, z+1)]
}

// bernoulli returns t / (exp(t) - 1), for |t| < 690.
func bernoulli(t float64) float64 {
	if math.Abs(t) < 0.05 {
		t2 := float64(t * t)
		return 1 - t/2 + t2/12 - float64(t2*t2)/720
	}
	return t / (pow10(t/math.Ln10) - 1)
}
