package generate

import (
	"math"
	"math/bits"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// serendipity is Wathen's matrix: the consistent mass matrix of 8-node
// serendipity elements on an nx by ny mesh, each element with a random density
// (IMA J. Numer. Anal. 7, 1987; gallery('wathen') of Matlab, whose numbering
// of the nodes this is).
//
// Nodes lie on a lattice of (2 nx + 1) by (2 ny + 1), those at the centres of
// elements left out, and are numbered row by row.
type serendipity struct {
	nx, ny  int
	density func(element int) float64
}

// wathenDensity is the largest density; the smallest is 0.
const wathenDensity = 100

func wathen() Kind {
	return Kind{
		Name: "wathen", Symmetric: true,
		Help:   "mass matrix of nx x ny serendipity elements of random density, symmetric positive definite",
		Use:    "finite elements with known bounds: Jacobi brings the condition number below 18",
		Params: []Param{meshParam("nx", 30, 1<<30), meshParam("ny", 30, 1<<30), seedParam()},
		size: func(v values) (rows, nnz int64) {
			return wathenSize(int64(v.int("nx")), int64(v.int("ny")))
		},
		source: func(_ *parallel.Pool, v values) source {
			seed := v.seed()
			return serendipity{v.int("nx"), v.int("ny"), func(element int) float64 {
				return wathenDensity * uniform(hash(seed, element))
			}}
		},
		nodes: func(v values) nodes {
			nx, ny := v.int("nx"), v.int("ny")
			rows, _ := wathenSize(int64(nx), int64(ny))
			return nodes{2, int(rows), func(node int) (x, y, z int) {
				x, y = serendipity{nx: nx, ny: ny}.place(node)
				return x, y, 0
			}}
		},
	}
}

// meshParam is the number of elements along an axis, nx or ny.
func meshParam(name string, preset, largest float64) Param {
	return Param{Name: name, Help: "elements in " + name[1:], Default: preset, Min: 1, Max: largest, Whole: true}
}

// wathenSize counts nodes and pairs of nodes that share an element: 64 in each
// element, less the 9 that it shares with each neighbour across an edge and
// the node that four elements share.
func wathenSize(nx, ny int64) (rows, nnz int64) {
	rows = 3*nx*ny + 2*nx + 2*ny + 1
	shared := (nx-1)*ny + nx*(ny-1)
	return rows, 64*nx*ny - 9*shared + (nx-1)*(ny-1)
}

// massMatrix is 45 times the mass matrix of an element of unit density; its
// nodes go round from a corner, so that entries depend on two numbers of steps.
var massMatrix = [8][8]float64{
	{6, -6, 2, -8, 3, -8, 2, -6},
	{-6, 32, -6, 20, -8, 16, -8, 20},
	{2, -6, 6, -6, 2, -8, 3, -8},
	{-8, 20, -6, 32, -6, 20, -8, 16},
	{3, -8, 2, -6, 6, -6, 2, -8},
	{-8, 16, -8, 20, -6, 32, -6, 20},
	{2, -8, 3, -8, 2, -6, 6, -6},
	{-6, 20, -8, 16, -8, 20, -6, 32},
}

// around numbers the nodes of an element by their place [y][x] in it.
var around = [3][3]int{{0, 1, 2}, {7, -1, 3}, {6, 5, 4}}

// node returns the number of the lattice point (x, y).
func (s serendipity) node(x, y int) int {
	row := y / 2 * (3*s.nx + 2)
	if y%2 == 0 {
		return row + x
	}
	return row + 2*s.nx + 1 + x/2
}

// place is the inverse of node.
func (s serendipity) place(node int) (x, y int) {
	period := 3*s.nx + 2
	y, x = node/period*2, node%period
	if x > 2*s.nx {
		return 2 * (x - 2*s.nx - 1), y + 1
	}
	return x, y
}

// elements returns the range of the elements, of n in a row, that hold the
// lattice coordinate c.
func elements(c, n int) (first, last int) {
	return max(0, (c-1)/2), min(n-1, c/2)
}

func (s serendipity) count(row int) int {
	x, y := s.place(row)
	x0, x1 := elements(x, s.nx)
	y0, y1 := elements(y, s.ny)
	nodes, _ := wathenSize(int64(x1-x0+1), int64(y1-y0+1))
	return int(nodes)
}

func (s serendipity) fill(row int, col []int32, val []float64) {
	x, y := s.place(row)
	x0, x1 := elements(x, s.nx)
	y0, y1 := elements(y, s.ny)
	k := 0
	for v := 2 * y0; v <= 2*y1+2; v++ {
		for u := 2 * x0; u <= 2*x1+2; u++ {
			if u%2 == 1 && v%2 == 1 { // the centre of an element
				continue
			}
			col[k], val[k] = int32(s.node(u, v)), s.entry(x, y, u, v)
			k++
		}
	}
}

// entry adds the elements that hold both (x, y) and (u, v).
func (s serendipity) entry(x, y, u, v int) float64 {
	x0, x1 := elements(x, s.nx)
	u0, u1 := elements(u, s.nx)
	y0, y1 := elements(y, s.ny)
	v0, v1 := elements(v, s.ny)
	var sum float64
	for j := max(y0, v0); j <= min(y1, v1); j++ {
		for i := max(x0, u0); i <= min(x1, u1); i++ {
			a, b := around[y-2*j][x-2*i], around[v-2*j][u-2*i]
			sum += float64(s.density(j*s.nx+i) * (massMatrix[a][b] / 45))
		}
	}
	return sum
}

// primes is Trefethen's matrix: the first n primes on the diagonal and ones
// wherever |i - j| is a power of two. Problem 7 of the Hundred-dollar,
// Hundred-digit Challenge (SIAM News 35(1), 2002) asks for an entry of the
// inverse of the one with n = 20000.
type primes []int

func trefethen() Kind {
	return Kind{
		Name: "trefethen", Symmetric: true,
		Help: "primes on the diagonal, ones at distances 1, 2, 4, 8, ..., symmetric positive definite",
		Use:  "known result: the first entry of the inverse is 0.7250783462684... for n = 20000",
		Params: []Param{
			{Name: "n", Help: "number of rows", Default: 2000, Min: 1, Max: 10_000_000, Whole: true},
		},
		size: func(v values) (rows, nnz int64) {
			n := int64(v.int("n"))
			nnz = n
			for d := int64(1); d < n; d *= 2 {
				nnz += 2 * (n - d)
			}
			return n, nnz
		},
		source: func(_ *parallel.Pool, v values) source { return firstPrimes(v.int("n")) },
	}
}

// firstPrimes sieves the odd numbers below a bound on the n-th prime,
// n (log n + log log n) for n >= 6 (Rosser).
func firstPrimes(n int) primes {
	bound := 14
	if n >= 6 {
		l := math.Log(float64(n))
		bound = int(float64(n)*(l+math.Log(l))) + 2
	}
	composite := make([]bool, bound/2) // of 2k+1
	p := append(make(primes, 0, n), 2)
	for k := 1; len(p) < n; k++ {
		if composite[k] {
			continue
		}
		q := 2*k + 1
		p = append(p, q)
		for j := q * q / 2; j < len(composite); j += q {
			composite[j] = true
		}
	}
	return p
}

// count adds the powers of two up to the distances of either end.
func (p primes) count(row int) int {
	return 1 + bits.Len(uint(row)) + bits.Len(uint(len(p)-1-row))
}

func (p primes) fill(row int, col []int32, val []float64) {
	below := bits.Len(uint(row))
	for k := range col {
		switch {
		case k < below:
			col[k], val[k] = int32(row-1<<(below-1-k)), 1
		case k == below:
			col[k], val[k] = int32(row), float64(p[row])
		default:
			col[k], val[k] = int32(row+1<<(k-below-1)), 1
		}
	}
}
