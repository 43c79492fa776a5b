package generate

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// maxDegree is the largest degree of the polynomials of an element.
const maxDegree = 6

// dg is an implicit step of a linear hyperbolic system,
//
//	sigma u + div (F_x u, F_y u) = f,   F_x = w_x I + c G_x,   F_y = w_y I + c G_y,
//
// by the discontinuous Galerkin method on nx x ny square elements of edge 1 with
// Legendre polynomials of total degree up to k and the local Lax-Friedrichs flux;
// u = 0 outside. The velocity w and the speed c of the waves vary in space, so
// that every mode of an element is coupled to all of its own and of its four
// neighbours, the less the higher their degrees; G are dense, with random entries.
// Fields have units that spread over decades: entry (p, q) of the coupling of two
// fields is multiplied by 10^(decades (p-q) / (fields-1)).
type dg struct {
	grid
	fields int
	modes  [][2]int // degrees in x and y
	sigma  float64
	coef   [2][][]float64 // G_x, G_y in the units of the fields
	node   []float64      // Gauss's points on (-1, 1) and their weights
	weight []float64
	value  [][]float64 // of the polynomials at the points
	slope  [][]float64
	seed   uint64
}

func dg2D() Kind {
	return Kind{
		Name: "dg2d",
		Help: "discontinuous Galerkin step of a hyperbolic system, nx x ny elements, dense blocks, unsymmetric",
		Use:  "high-order flow solvers: long rows whose magnitudes decrease with the degree",
		Params: []Param{
			meshParam("nx", 12, 1<<24), meshParam("ny", 12, 1<<24),
			{Name: "degree", Help: "degree of the polynomials", Default: 2, Max: maxDegree, Whole: true},
			{Name: "fields", Help: "number of unknown functions", Default: 4, Min: 1, Max: 8, Whole: true},
			decadesParam("decades of the units of the fields", 4),
			{Name: "sigma", Help: "inverse time step", Default: 1, Min: 1e-6, Max: 1e12},
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			k, nx, ny := int64(v.int("degree")), int64(v.int("nx")), int64(v.int("ny"))
			block := (k + 1) * (k + 2) / 2 * int64(v.int("fields"))
			return block * nx * ny, block * block * (5*nx*ny - 2*nx - 2*ny)
		},
		source: func(_ *parallel.Pool, v values) source { return newDG(v) },
	}
}

func newDG(v values) *dg {
	degree, fields := v.int("degree"), v.int("fields")
	d := &dg{grid: grid{v.int("nx"), v.int("ny"), 1}, fields: fields, sigma: v["sigma"], seed: v.seed()}
	for total := range degree + 1 {
		for y := range total + 1 {
			d.modes = append(d.modes, [2]int{total - y, y})
		}
	}
	d.node, d.weight = gauss(degree + 2)
	for _, x := range d.node {
		p, q := legendre(degree, x)
		d.value, d.slope = append(d.value, p), append(d.slope, q)
	}
	for axis := range d.coef {
		for p := range fields {
			row := make([]float64, fields)
			for q := range row {
				unit := v["decades"] * float64(p-q) / float64(max(fields-1, 1))
				row[q] = (2*uniform(hash(d.seed, axis, p, q)) - 1) / float64(fields) * pow10(unit)
			}
			d.coef[axis] = append(d.coef[axis], row)
		}
	}
	return d
}

// legendre returns the values and slopes at x of the polynomials up to a degree.
func legendre(degree int, x float64) (value, slope []float64) {
	value, slope = []float64{1}, []float64{0}
	for k := 1; k <= degree; k++ {
		last, before := value[k-1], 0.0
		if k > 1 {
			before = value[k-2]
		}
		value = append(value, (float64(float64(2*k-1)*float64(x*last))-float64(float64(k-1)*before))/float64(k))
		slope = append(slope, math.FMA(x, slope[k-1], float64(k)*last))
	}
	return value, slope
}

// gauss returns the points and weights of Gauss's rule by Newton's method.
func gauss(n int) (node, weight []float64) {
	for k := range n {
		_, x := sincosDegrees(180 * (float64(n-k) - 0.25) / (float64(n) + 0.5))
		var slope float64
		for range 10 {
			p, q := legendre(n, x)
			slope = q[n]
			x -= p[n] / slope
		}
		node = append(node, x)
		weight = append(weight, 2/float64((1-float64(x*x))*float64(slope*slope)))
	}
	return node, weight
}

// flow returns the velocity across axis and the speed of waves at a place: two
// smooth functions that are no polynomials.
func (d *dg) flow(axis int, x, y float64) (w, c float64) {
	phase := float64(60 * uniform(hash(d.seed, axis)))
	sin, cos := sincosDegrees(float64(37*x) + float64(23*y) + phase)
	return 1 + float64(0.5*sin), 1 / (1.5 + float64(0.5*cos))
}

func (d *dg) block() int { return len(d.modes) * d.fields }

func (d *dg) count(row int) int {
	x, y, _ := d.at(row / d.block())
	count := 0
	for _, s := range faces(2) {
		if d.contains(x+s.dx, y+s.dy, 0) {
			count += d.block()
		}
	}
	return count
}

func (d *dg) fill(row int, col []int32, val []float64) {
	block := d.block()
	x, y, _ := d.at(row / block)
	test, field := row%block/d.fields, row%d.fields
	k := 0
	for _, s := range faces(2) {
		if !d.contains(x+s.dx, y+s.dy, 0) {
			continue
		}
		first := block * d.index(x+s.dx, y+s.dy, 0)
		for trial := range d.modes {
			var w, c [2]float64 // integrals with w and c along each axis
			own := 0.0          // integral with the identity alone
			if s == (step{}) {
				own = d.inside(x, y, test, trial, &w, &c)
			} else {
				own = d.face(x, y, s, test, trial, false, &w, &c)
			}
			for q := range d.fields {
				sum := float64(c[0]*d.coef[0][field][q]) + float64(c[1]*d.coef[1][field][q])
				if q == field {
					sum += w[0] + w[1] + own
				}
				col[k], val[k] = int32(first+trial*d.fields+q), sum
				k++
			}
		}
	}
}

// inside integrates over an element and the near side of its faces: sigma phi psi
// and -F psi . grad phi for test function phi and trial function psi.
func (d *dg) inside(x, y, test, trial int, w, c *[2]float64) (own float64) {
	t, r := d.modes[test], d.modes[trial]
	for j, v := range d.node {
		for i, u := range d.node {
			weight := float64(d.weight[i]*d.weight[j]) / 4
			psi := float64(weight * float64(d.value[i][r[0]]*d.value[j][r[1]]))
			own += float64(float64(d.sigma*psi) * float64(d.value[i][t[0]]*d.value[j][t[1]]))
			grad := [2]float64{2 * float64(d.slope[i][t[0]]*d.value[j][t[1]]), 2 * float64(d.value[i][t[0]]*d.slope[j][t[1]])}
			for axis := range grad {
				fw, fc := d.flow(axis, float64(x)+u/2, float64(y)+v/2)
				w[axis] -= float64(fw * float64(psi*grad[axis]))
				c[axis] -= float64(fc * float64(psi*grad[axis]))
			}
		}
	}
	for _, s := range faces(2) {
		if s != (step{}) {
			own += d.face(x, y, s, test, trial, true, w, c)
		}
	}
	return own
}

// face integrates the flux across a face, half of F . n and of the fastest wave
// for the near and half of F . n less the wave for the far element.
func (d *dg) face(x, y int, s step, test, trial int, near bool, w, c *[2]float64) (own float64) {
	t, r := d.modes[test], d.modes[trial]
	axis, out := 0, s.dx
	if s.dy != 0 {
		axis, out = 1, s.dy
	}
	along := 1 - axis
	sign := parity(out, t[axis]) // the test function at the face
	wave := -1.0
	if near {
		sign, wave = sign*parity(out, r[axis]), 1
	} else {
		sign *= parity(-out, r[axis])
	}
	for i, u := range d.node {
		at := [2]float64{float64(x), float64(y)}
		at[axis] += float64(out) / 2
		at[along] += u / 2
		fw, fc := d.flow(axis, at[0], at[1])
		value := float64(d.weight[i]/4*sign) * float64(d.value[i][t[along]]*d.value[i][r[along]])
		w[axis] += float64(float64(float64(out)*fw) * value)
		c[axis] += float64(float64(float64(out)*fc) * value)
		own += float64(float64(wave*(fw+fc)) * value)
	}
	return own
}

// parity is the Legendre polynomial of that degree at 1 or -1.
func parity(end, degree int) float64 {
	if end < 0 && degree%2 == 1 {
		return -1
	}
	return 1
}
