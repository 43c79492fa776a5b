package dist

import "github.com/mpsolve/mpsolve/pkg/csr"

// mostGroups is the largest number of ranges of rows in which nonzeros are counted.
const mostGroups = 1 << 16

// Counts holds the numbers of nonzeros of groups of rows, at most 65,536 groups. They determine where a matrix is cut
// into domains, so that ranks that have each read a part of the matrix need to exchange only these counts.
type Counts struct {
	rows  int64
	shift uint // a group has 2^shift rows
	n     []int64
}

// NewCounts returns zero counts for so many rows.
func NewCounts(rows int64) *Counts {
	c := &Counts{rows: rows}
	for (rows-1)>>c.shift >= mostGroups {
		c.shift++
	}
	c.n = make([]int64, max(1, (rows-1)>>c.shift+1))
	return c
}

// Add counts n nonzeros in a row.
func (c *Counts) Add(row, n int64) { c.n[row>>c.shift] += n }

// AddEach counts a nonzero in each of these rows.
func (c *Counts) AddEach(rows []int32) {
	n, shift := c.n, c.shift&31
	for _, i := range rows {
		n[uint32(i)>>shift]++
	}
}

// AddRows counts the nonzeros of rows first, first + 1, ..., given their row offsets.
func (c *Counts) AddRows(first int64, ptr []int64) {
	for i := 0; i+1 < len(ptr); {
		row := first + int64(i)
		end := min(len(ptr)-1, i+int(1<<c.shift-row&(1<<c.shift-1)))
		c.Add(row, ptr[end]-ptr[i])
		i = end
	}
}

// Join adds the counts of other, which has as many rows.
func (c *Counts) Join(other *Counts) {
	for g, n := range other.n {
		c.n[g] += n
	}
}

// Sum sums the counts over all ranks. It is collective.
func (c *Counts) Sum(comm Comm) { comm.Sum(c.n) }

// Cut cuts the rows into domains with about equal numbers of nonzeros, on the assumption that nonzeros are spread
// evenly within a group.
func (c *Counts) Cut(domains int) (Domains, error) {
	before := make([]int64, len(c.n)+1)
	for g, n := range c.n {
		before[g+1] = before[g] + n
	}
	return Cut(c.rows, domains, func(row int64) int64 {
		g := row >> c.shift
		if int(g) >= len(c.n) {
			return before[len(c.n)]
		}
		first := g << c.shift
		width := min(1<<c.shift, c.rows-first)
		return before[g] + int64(float64(c.n[g])*float64(row-first)/float64(width))
	})
}

// CutMatrix cuts the rows of a whole matrix into so many domains.
func CutMatrix(m *csr.Matrix, domains int) (Domains, error) {
	c := NewCounts(int64(m.Rows))
	c.AddRows(0, m.RowPtr)
	return c.Cut(domains)
}
