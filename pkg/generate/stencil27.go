package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// boxStencil couples each point of a cube to the 26 around it with the value
// -10^(-decades u), u uniform on [0, 1) and the same from both sides; the
// diagonal is dominance times the sum of their magnitudes. Rows and columns
// may be shuffled together.
type boxStencil struct {
	grid
	decades float64
	seed    uint64
	point   []int32 // the grid point of each row; nil for the natural order
	row     []int32 // its inverse
}

// boxDominance makes the matrix diagonally dominant by 1 %.
const boxDominance = 1.01

func stencil27() Kind {
	return Kind{
		Name: "stencil27", Symmetric: true,
		Help: "27-point stencil in a cube, n x n x n points, random values, symmetric positive definite",
		Use:  "matrix-vector products; the values have no structure, and with a window the columns have none either",
		Params: []Param{
			edgeParam(3, 1, 16),
			decadesParam("decades of the off-diagonal values", 10),
			{Name: "window", Help: "shuffle rows within windows of this many rows; 1: natural order", Default: 1, Min: 1, Max: 1 << 31, Whole: true},
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			n := int64(v.int("n"))
			return n * n * n, cubed(3*n - 2)
		},
		source: func(_ *parallel.Pool, v values) source { return newBoxStencil(v) },
		part: func(_ *parallel.Pool, v values, _, _ int) source {
			if v.int("window") > 1 {
				return nil
			}
			return newBoxStencil(v)
		},
		nodes: func(v values) nodes {
			s := newBoxStencil(v)
			return nodes{3, s.points(), func(row int) (x, y, z int) { return s.at(s.pointOf(row)) }}
		},
	}
}

func newBoxStencil(v values) *boxStencil {
	s := &boxStencil{grid: cube(3, v.int("n")), decades: v["decades"], seed: v.seed()}
	if window := v.int("window"); window > 1 {
		s.point, s.row = shuffle(s.points(), window, s.seed)
	}
	return s
}

func cubed(n int64) int64 { return n * n * n }

// shuffle permutes 0, ..., n-1 within windows (Fisher and Yates) and returns
// the permutation and its inverse.
func shuffle(n, window int, seed uint64) (perm, inverse []int32) {
	perm, inverse = make([]int32, n), make([]int32, n)
	for i := range perm {
		perm[i] = int32(i)
	}
	for first := 0; first < n; first += window {
		for i := min(n, first+window) - 1; i > first; i-- {
			j := first + below(hash(seed, i), i-first+1)
			perm[i], perm[j] = perm[j], perm[i]
		}
	}
	for i, p := range perm {
		inverse[p] = int32(i)
	}
	return perm, inverse
}

func (s *boxStencil) count(row int) int {
	return s.around(s.at(s.pointOf(row))).points()
}

func (s *boxStencil) pointOf(row int) int {
	if s.point == nil {
		return row
	}
	return int(s.point[row])
}

func (s *boxStencil) rowOf(point int) int32 {
	if s.row == nil {
		return int32(point)
	}
	return s.row[point]
}

func (s *boxStencil) fill(row int, col []int32, val []float64) {
	here := s.pointOf(row)
	near := s.around(s.at(here))
	var sum float64
	k := 0
	for z := near.z0; z <= near.z1; z++ {
		for y := near.y0; y <= near.y1; y++ {
			for x := near.x0; x <= near.x1; x++ {
				there := s.index(x, y, z)
				v := 0.0
				if there != here {
					v = pow10(-s.decades * uniform(hash(s.seed, min(here, there), max(here, there))))
					sum += v
				}
				insert(col[:k+1], val[:k+1], s.rowOf(there), -v)
				k++
			}
		}
	}
	for k, c := range col {
		if c == int32(row) {
			val[k] = boxDominance * sum
		}
	}
	if sum == 0 { // a cube of one point
		val[0] = 1
	}
}

// insert puts an entry into its place among those before the last place of
// col and val, whose columns increase.
func insert(col []int32, val []float64, c int32, v float64) {
	k := len(col) - 1
	for ; k > 0 && col[k-1]-c > 0; k-- { // modulo 2^32
		col[k], val[k] = col[k-1], val[k-1]
	}
	col[k], val[k] = c, v
}
