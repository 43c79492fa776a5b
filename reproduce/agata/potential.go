package agata

import (
	"context"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Bias and space charge: the core is at +5000 V. The germanium is fully depleted n-type, with more donors at the
// front than at the back.
const (
	bias         = 5000.0
	donorsFront  = 1.2e10                      // per cm^3
	donorsBack   = 0.6e10                      // per cm^3
	permittivity = 16 * 8.8541878128e-12       // F/m
	charge       = 1.602176634e-19             // C
	perDonor     = charge * 1e6 / permittivity // V/m^2 for a donor per cm^3
)

// chargeAt returns the right-hand side of Poisson's equation at a depth, in V/mm^2.
func chargeAt(z float64) float64 {
	return perDonor * 1e-6 * (donorsFront + float64((donorsBack-donorsFront)*z/length))
}

// grid is a grid of nodes with spacing h around the crystal, up to its back.
type grid struct {
	h          float64
	n          [3]int
	x0         float64 // of the first node in x and y; the first node in z is at the front, 0
	strideX    int     // between neighbours in x; neighbours in z follow each other
	strideY    int
	nodes      int
	unknown    []int32 // index of the unknown of a node in the germanium, -1 for other nodes
	electrodes []int8  // of nodes outside the germanium
}

func newGrid(h float64) *grid {
	half := int(math.Ceil(radius/h)) + 1
	g := &grid{h: h, n: [3]int{2*half + 1, 2*half + 1, int(math.Round(length/h)) + 1}, x0: -h * float64(half)}
	g.strideY = g.n[2]
	g.strideX = g.n[1] * g.strideY
	g.nodes = g.n[0] * g.strideX
	g.unknown, g.electrodes = make([]int32, g.nodes), make([]int8, g.nodes)
	count := int32(0)
	for i := range g.nodes {
		g.unknown[i] = -1
		if v := g.at(i); Inside(v) {
			g.unknown[i] = count
			count++
		} else {
			g.electrodes[i] = int8(electrode(v))
		}
	}
	return g
}

// at returns the position of a node.
func (g *grid) at(node int) Vector {
	x, y, z := node/g.strideX, node%g.strideX/g.strideY, node%g.strideY
	return Vector{g.x0 + float64(g.h*float64(x)), g.x0 + float64(g.h*float64(y)), g.h * float64(z)}
}

// neighbours calls do for the neighbours of a node in the germanium. The back is passivated: no field crosses it, and
// there are no nodes behind it.
func (g *grid) neighbours(node int, do func(neighbour int)) {
	for _, d := range []int{g.strideX, g.strideY} {
		do(node - d)
		do(node + d)
	}
	do(node - 1)
	if node%g.strideY < g.n[2]-1 {
		do(node + 1)
	}
}

// laplacian returns -h^2 times the Laplacian of the unknowns by seven-point differences: symmetric and positive
// definite.
func (g *grid) laplacian() (*csr.Matrix, error) {
	n := 0
	for _, u := range g.unknown {
		n = max(n, int(u)+1)
	}
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		return nil, err
	}
	for node, u := range g.unknown {
		if u < 0 {
			continue
		}
		links := 0.0
		g.neighbours(node, func(k int) {
			links++
			if v := g.unknown[k]; v >= 0 && err == nil {
				err = b.Add(int(u), int(v), -1)
			}
		})
		if err == nil {
			err = b.Add(int(u), int(u), links)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Build(), nil
}

// linked returns the right-hand side for an electrode at 1 V and all others at 0.
func (g *grid) linked(electrode, unknowns int) []float64 {
	b := make([]float64, unknowns)
	for node, u := range g.unknown {
		if u >= 0 {
			g.neighbours(node, func(k int) {
				if g.unknown[k] < 0 && int(g.electrodes[k]) == electrode {
					b[u]++
				}
			})
		}
	}
	return b
}

// charged returns the right-hand side of the space charge.
func (g *grid) charged(unknowns int) []float64 {
	b := make([]float64, unknowns)
	for node, u := range g.unknown {
		if u >= 0 {
			b[u] = g.h * g.h * chargeAt(g.at(node)[2])
		}
	}
	return b
}

// solvePotentials solves one system for 38 right-hand sides. It returns the weighting potential of each electrode,
// [nodes][Electrodes], and the operating potential, [nodes].
func solvePotentials(ctx context.Context, g *grid, threads int, progress func(done float64, text string)) (weights []float32, potential []float64, err error) {
	m, err := g.laplacian()
	if err != nil {
		return nil, nil, err
	}
	s, err := solver.New(ctx, m, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-8, Digits: solve.NoDigits}, Limits: solve.Limits{Threads: threads}})
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	weights, potential = make([]float32, g.nodes*Electrodes), make([]float64, g.nodes)
	for k := range Electrodes + 1 {
		progress(float64(k)/(Electrodes+1), "potentials")
		b := g.charged(m.Rows)
		if k < Electrodes {
			b = g.linked(k, m.Rows)
		}
		r, err := s.Solve(ctx, b, nil)
		if err != nil {
			return nil, nil, err
		}
		if r.Reason != krylov.Converged {
			return nil, nil, fmt.Errorf("potential of electrode %d: %v", k, r.Reason)
		}
		for node, u := range g.unknown {
			value := 0.0
			switch {
			case u >= 0:
				value = r.X[u]
			case int(g.electrodes[node]) == k:
				value = 1
			}
			if k < Electrodes {
				weights[node*Electrodes+k] = float32(value)
			} else {
				potential[node] += value
			}
			if k == Core {
				potential[node] += bias * value
			}
		}
	}
	progress(1, "potentials")
	return weights, potential, nil
}

// spans are the distances of neighbouring points of the grids of a coarse-fine search, in steps: 18, 6 and 2 mm, each
// a third of the one before.
var spans = [...]int{9, 3, 1}

// middle is the index of the thesis' coarse grid, of 6 mm.
const middle = 1

// grids holds the points of a segment by level.
type grids struct{ levels []level }

// level is one grid.
type level struct {
	points []int32           // points of the segment that belong to this grid, in order
	around map[int32][]int32 // for each point of this grid, the points of the next grid around it
}

// newGrids sorts points into levels. The points of a level lie in the middle of cells of span steps. The points of
// the next level around one of them are at most a span away in each direction; on the last level there are about as
// many as in [Molina24], where the coarse grid is 20 % of the search.
func newGrids(points []Point) (g grids) {
	g.levels = make([]level, len(spans))
	for k, span := range spans {
		for i, p := range points {
			if onGrid(p, span) {
				g.levels[k].points = append(g.levels[k].points, int32(i))
			}
		}
	}
	for k := range len(spans) - 1 {
		l := &g.levels[k]
		l.around = make(map[int32][]int32, len(l.points))
		for _, i := range l.points {
			for _, j := range g.levels[k+1].points {
				if within(points[i], points[j], spans[k]) {
					l.around[i] = append(l.around[i], j)
				}
			}
		}
	}
	return g
}

func onGrid(p Point, span int) bool {
	for _, x := range p {
		if (int(x)%span+span)%span != span/2 {
			return false
		}
	}
	return true
}

func within(p, q Point, steps int) bool {
	for k := range p {
		if d := int(p[k]) - int(q[k]); d > steps || -d > steps {
			return false
		}
	}
	return true
}

// descend searches the first level that has points and then, on each following level, the points around the best one
// so far. It uses the query fine on the last level.
func (s *Searcher) descend(levels []level, coarse, fine query) Found {
	found, q := nothing, coarse
	for k, l := range levels {
		points := l.points
		if found.Point != nothing.Point {
			points = levels[k-1].around[int32(found.Point)]
		}
		if len(points) == 0 {
			continue
		}
		if k == len(levels)-1 && s.Precision == Mixed { // merits of different arithmetic are not comparable
			found = Found{Point: nothing.Point, Merit: nothing.Merit, Tried: found.Tried}
			q = fine
		}
		found = q.best(found, points, s.Algorithm != CoarseFine)
	}
	return found
}
