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
