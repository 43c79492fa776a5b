package generate

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// longestRow is the largest number of entries in a row of a power-law matrix unless
// one asks for less.
const longestRow = 2000

// powerLaw is the matrix of a random directed graph. A row has
// d = mean / (2 sqrt(u)) entries, u uniform on (0, 1], that is
// P(d > t) = (mean / 2t)^2, cut at longest and at half the columns. Half of
// the columns are uniform, half fall on hubs: column h(floor(n u^4)) for a
// hash h. Values are +-10^(-1 + decades z / 6), z standard normal.
type powerLaw struct {
	n         int
	mean      float64
	decades   float64
	dominance float64
	longest   int
	seed      uint64
}

func powerlaw() Kind {
	return Kind{
		Name: "powerlaw",
		Help: "random graph with power-law row lengths, n rows, log-normal values of random sign, unsymmetric",
		Use:  "irregular access to x, rows of very different length; diagonally dominant, so GMRES with Jacobi converges",
		Params: []Param{
			{Name: "n", Help: "number of rows", Default: 10000, Min: 1, Max: math.MaxInt32, Whole: true},
			{Name: "mean", Help: "approximate mean number of entries per row", Default: 16, Min: 2, Max: 200},
			decadesParam("decades of the values", 7.2),
			{Name: "dominance", Help: "diagonal divided by the sum of the other magnitudes in the row; 0: drawn like the others, possibly singular", Default: 1.05, Max: 1e6},
			{Name: "longest", Help: "largest number of entries in a row, on which the norm of the matrix depends", Default: longestRow, Min: 1, Max: longestRow, Whole: true},
			seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			return int64(v.int("n")), int64(v["n"] * min(v["mean"], max(1, v["n"]/2)))
		},
		source: func(_ *parallel.Pool, v values) source {
			return &powerLaw{v.int("n"), v["mean"], v["decades"], v["dominance"], v.int("longest"), v.seed()}
		},
	}
}

// What a random word of a row is drawn for.
const (
	drawLength = iota
	drawColumn
	drawHub
	drawValue
	drawSign
)

func (p *powerLaw) count(row int) int {
	u := 1 - uniform(hash(p.seed, drawLength, row))
	d := int(p.mean / 2 / math.Sqrt(u))
	return max(1, min(d, p.longest, p.n/2))
}

func (p *powerLaw) fill(row int, col []int32, val []float64) {
	p.columns(row, col)
	var sum float64
	diagonal := 0
	for k, c := range col {
		h := hash(p.seed, drawValue, row, int(c))
		val[k] = pow10(p.decades*normal(h)/6 - 1)
		if int(c) == row {
			diagonal = k
			continue
		}
		sum += val[k]
		if mix(h+drawSign)>>63 == 1 {
			val[k] = -val[k]
		}
	}
	if p.dominance > 0 && sum > 0 {
		val[diagonal] = p.dominance * sum
	}
}

// columns fills col with the diagonal and other distinct columns. Few are
// drawn twice, and as many new ones are drawn until the row is full.
func (p *powerLaw) columns(row int, col []int32) {
	col[0] = int32(row)
	draw := 0
	for have := 1; have < len(col); {
		for ; have < len(col); have++ {
			col[have] = p.column(row, draw)
			draw++
		}
		slices.Sort(col)
		have = len(slices.Compact(col))
	}
}

// column returns a column drawn for a row.
func (p *powerLaw) column(row, draw int) int32 {
	h := hash(p.seed, drawColumn, row, draw)
	if h&1 == 0 {
		return int32(below(h, p.n))
	}
	u := uniform(h)
	u2 := float64(u * u)
	hub := int(float64(p.n) * float64(u2*u2))
	return int32(below(hash(p.seed, drawHub, hub), p.n))
}
