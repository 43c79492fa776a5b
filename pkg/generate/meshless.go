package generate

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// meshless is -div(K grad u) collocated at n x n scattered points: a jittered
// lattice of distance 1, u = 0 on the lattice beyond. The derivatives at a point
// are those of the quadratic polynomial that fits u at the points of the lattice
// within a radius by moving least squares, with the weights
//
//	(1 - (r/R)^2)^sharpness / (r^2 + 1/4)^2,   R = radius + 2;
//
// K has the eigenvalues 1 and ratio, the latter across the direction of angle
// degrees, and a log-normal factor for each point.
type meshless struct {
	grid
	steps     []step
	radius2   float64 // R^2
	sharpness int
	jitter    float64
	form      [3]float64 // K_xx, K_xy, K_yy
	k         field
	seed      uint64
}

func meshless2D() Kind {
	return Kind{
		Name: "meshless2d",
		Help: "diffusion at n x n scattered points by moving least squares, unsymmetric",
		Use:  "no mesh; long rows of values of similar magnitude",
		Params: []Param{
			edgeParam(2, 1, 60),
			{Name: "radius", Help: "radius of the neighbourhood; 4.5 gives 69 points", Default: 4.5, Min: 1.5, Max: 10},
			{Name: "sharpness", Help: "how fast the weights decrease", Default: 4, Max: 40, Whole: true},
			{Name: "jitter", Help: "range of the displacements of points", Default: 0.5, Max: 0.6},
			{Name: "ratio", Help: "diffusion across divided by diffusion along", Default: 1, Min: 0.01, Max: 1},
			{Name: "angle", Help: "direction of the diffusion along, in degrees", Default: 0, Min: -360, Max: 360},
			decadesParam("decades of the factor of the points", 0),
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			return stencil{cube(2, v.int("n")), disc(v["radius"])}.size()
		},
		source: func(pool *parallel.Pool, v values) source {
			m := &meshless{
				grid: cube(2, v.int("n")), steps: disc(v["radius"]), sharpness: v.int("sharpness"), jitter: v["jitter"],
				k: logNormalField(pool, cube(2, v.int("n")), v["decades"], 1, v.seed()), seed: v.seed(),
			}
			m.radius2 = float64((v["radius"] + 2) * (v["radius"] + 2))
			sin, cos := sincosDegrees(v["angle"])
			less := 1 - v["ratio"]
			m.form = [3]float64{1 - float64(less*float64(sin*sin)), float64(less * float64(sin*cos)), 1 - float64(less*float64(cos*cos))}
			return m
		},
	}
}

// disc returns the steps within a radius in the order of the points.
func disc(radius float64) (steps []step) {
	r := int(radius)
	for y := -r; y <= r; y++ {
		for x := -r; x <= r; x++ {
			if float64(x*x+y*y) <= float64(radius*radius) {
				steps = append(steps, step{dx: x, dy: y})
			}
		}
	}
	return steps
}

func (m *meshless) count(row int) int { return stencil{m.grid, m.steps}.count(row) }

// place returns the position of the point (x, y) of the lattice.
func (m *meshless) place(x, y int) (px, py float64) {
	px = float64(x) + float64(m.jitter*(uniform(hash(m.seed, x, y, 0))-0.5))
	py = float64(y) + float64(m.jitter*(uniform(hash(m.seed, x, y, 1))-0.5))
	return px, py
}

// fill: the fitted coefficients of 1, x, y, x^2, xy, y^2 are M^-1 sum w_j q_j u_j
// with M = sum w_j q_j q_j', so that u_j has w_j q_j' M^-1 c, where c' takes the
// derivatives from the coefficients.
func (m *meshless) fill(row int, col []int32, val []float64) {
	x, y, _ := m.at(row)
	px, py := m.place(x, y)
	var moments [6][7]float64 // M and c
	k := m.k.value[row]
	moments[3][6], moments[4][6], moments[5][6] = -2*float64(k*m.form[0]), -2*float64(k*m.form[1]), -2*float64(k*m.form[2])
	for _, s := range m.steps {
		q, w := m.basis(px, py, x+s.dx, y+s.dy)
		for i := range q {
			for j := range q {
				moments[i][j] += float64(w * float64(q[i]*q[j]))
			}
		}
	}
	c := solve6(&moments)
	next := 0
	for _, s := range m.steps {
		if !m.contains(x+s.dx, y+s.dy, 0) {
			continue
		}
		q, w := m.basis(px, py, x+s.dx, y+s.dy)
		var sum float64
		for i := range q {
			sum += float64(q[i] * c[i])
		}
		col[next], val[next] = int32(m.index(x+s.dx, y+s.dy, 0)), float64(w*sum)
		next++
	}
}

// basis returns the polynomials at the point at (x, y) of the lattice relative to
// (px, py), and its weight.
func (m *meshless) basis(px, py float64, x, y int) (q [6]float64, w float64) {
	ax, ay := m.place(x, y)
	dx, dy := ax-px, ay-py
	q = [6]float64{1, dx, dy, float64(dx * dx), float64(dx * dy), float64(dy * dy)}
	r2 := q[3] + q[5]
	w = 1 / float64((r2+0.25)*(r2+0.25))
	for range m.sharpness {
		w *= 1 - r2/m.radius2
	}
	return q, w
}

// solve6 solves a positive definite system of six equations by elimination.
func solve6(a *[6][7]float64) (x [6]float64) {
	for k := range a {
		for i := k + 1; i < 6; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < 7; j++ {
				a[i][j] = math.FMA(-f, a[k][j], a[i][j])
			}
		}
	}
	for k := 5; k >= 0; k-- {
		x[k] = a[k][6]
		for j := k + 1; j < 6; j++ {
			x[k] = math.FMA(-a[k][j], x[j], x[k])
		}
		x[k] /= a[k][k]
	}
	return x
}
