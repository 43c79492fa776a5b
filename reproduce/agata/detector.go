package agata

import (
	"context"
	"fmt"
	"math"
)

// Options configure a simulation.
type Options struct {
	Spacing  float64                         // of the grid of the potentials, a divisor of 90; 0: DefaultSpacing
	Threads  int                             // 0: all processors
	Progress func(done float64, text string) // called with the part done, from 0 to 1; may be nil
}

// DefaultSpacing is the default spacing of the grid of the potentials.
const DefaultSpacing = 1.5

// Detector holds the potentials of a crystal. It may be used concurrently.
type Detector struct {
	grid      *grid
	weights   []float32 // [nodes][Electrodes], of 1
	potential []float64 // [nodes], V
}

// NewCrystal computes the potentials of the crystal with package solve.
func NewCrystal(ctx context.Context, opt Options) (*Detector, error) {
	if opt.Spacing == 0 {
		opt.Spacing = DefaultSpacing
	}
	if opt.Progress == nil {
		opt.Progress = func(float64, string) {}
	}
	if steps := length / opt.Spacing; !(opt.Spacing >= 0.5 && opt.Spacing <= 3) || math.Abs(steps-math.Round(steps)) > 1e-9 {
		return nil, fmt.Errorf("spacing %g mm: want a divisor of %d from 0.5 to 3", opt.Spacing, length)
	}
	return solved(ctx, opt)
}

// solved computes the potentials of a detector whose options are complete.
func solved(ctx context.Context, opt Options) (*Detector, error) {
	d := &Detector{grid: newGrid(opt.Spacing)}
	var err error
	d.weights, d.potential, err = solvePotentials(ctx, d.grid, opt.Threads, opt.Progress)
	return d, err
}

// cell is the cell of the grid around a point, with the position of the point in it.
type cell struct {
	corners [8]int // nodes; bit 0: the later in x, bit 1: in y, bit 2: in z
	in      Vector // from 0 to 1
	weights [8]float64
}

func (d *Detector) cell(v Vector) (c cell) {
	g := d.grid
	first := 0
	for k, stride := range [3]int{g.strideX, g.strideY, 1} {
		x := v[k] / g.h
		if k < 2 {
			x = (v[k] - g.x0) / g.h
		}
		i := min(max(int(x), 0), g.n[k]-2)
		c.in[k] = x - float64(i)
		first += i * stride
	}
	for i := range c.corners {
		x, y, z := i&1, i>>1&1, i>>2
		c.corners[i] = first + x*g.strideX + y*g.strideY + z
		c.weights[i] = part(x, c.in[0]) * part(y, c.in[1]) * part(z, c.in[2])
	}
	return c
}

// part returns the linear weight of the earlier or the later node.
func part(later int, x float64) float64 {
	if later == 1 {
		return x
	}
	return 1 - x
}

// weighting returns the weighting potential of an electrode at a point.
func (d *Detector) weighting(c *cell, electrode int) (w float64) {
	for i, node := range c.corners {
		w += float64(c.weights[i] * float64(d.weights[node*Electrodes+electrode]))
	}
	return w
}

// field returns the electric field at a point, in V/mm: the negative gradient of the trilinear interpolant of the
// potential.
func (d *Detector) field(v Vector) (e Vector) {
	c := d.cell(v)
	for i, node := range c.corners {
		p := d.potential[node] / d.grid.h
		x, y, z := part(i&1, c.in[0]), part(i>>1&1, c.in[1]), part(i>>2, c.in[2])
		e[0] -= float64(sign(i&1) * y * z * p)
		e[1] -= float64(sign(i>>1&1) * x * z * p)
		e[2] -= float64(sign(i>>2) * x * y * p)
	}
	return e
}

func sign(later int) float64 { return float64(2*later - 1) }

// The crystal: an irregular hexagonal prism with rounded edges, drilled from the back, as in [Molina24], section
// 2.2.1.
const (
	radius    = 40 // of its edges
	length    = 90 // the front is at z = 0
	bore      = 5  // radius of the core contact
	boreStart = 13 // depth of its end
)

// flats are the distances of the flat sides from the axis, for the sides at 30, 90, ... degrees. In a regular
// crystal, two points that are mirror images would have the same signals.
var flats = [Sectors]float64{35, 33.5, 36, 34.5, 36.5, 34}

// The electrodes: the core and six rings of six sectors, which are centred on the edges.
const (
	Sectors    = 6
	Rings      = 6
	Segments   = Sectors * Rings
	Core       = Segments // electrode
	Electrodes = Segments + 1
)

// ringEnds are the depths at which the rings end.
var ringEnds = [Rings]float64{8, 21, 36, 54, 72, length}

// Vector is a point or a direction.
type Vector [3]float64

// along returns v + t d.
func (v Vector) along(t float64, d Vector) Vector {
	return Vector{v[0] + float64(t*d[0]), v[1] + float64(t*d[1]), v[2] + float64(t*d[2])}
}

// Distance returns the distance of two points.
func Distance(a, b Vector) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// Inside reports whether a point is in the germanium.
func Inside(v Vector) bool {
	return v[2] > 0 && v[2] <= length && withinSides(v) && !inBore(v)
}

func withinSides(v Vector) bool {
	if math.Hypot(v[0], v[1]) >= radius {
		return false
	}
	for k, flat := range flats {
		s, c := math.Sincos(math.Pi / 6 * float64(1+2*k))
		if float64(c*v[0])+float64(s*v[1]) >= flat {
			return false
		}
	}
	return true
}

func inBore(v Vector) bool { return v[2] >= boreStart && math.Hypot(v[0], v[1]) <= bore }

// electrode returns the electrode at a point outside the germanium.
func electrode(v Vector) int {
	if inBore(v) {
		return Core
	}
	sector := int(math.Floor((math.Atan2(v[1], v[0])/math.Pi*3)+0.5+Sectors)) % Sectors
	ring := 0
	for ring < Rings-1 && v[2] >= ringEnds[ring] {
		ring++
	}
	return ring*Sectors + sector
}
