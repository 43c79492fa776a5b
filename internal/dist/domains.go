package dist

import (
	"fmt"
	"sort"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// RowsPerDomain is about the number of rows of a domain, unless the number of domains is given. Several domains take more time on one
// machine: G3_circuit, 1.6 million rows, 4.5 s in two of them and 4.0 in one, most of the difference in the set-up of multigrid (Zen 3).
const RowsPerDomain = 2_000_000

// DefaultDomains returns the number of domains of a matrix of n rows, unless it is given.
func DefaultDomains(n int64) int {
	return int(max(1, (n+RowsPerDomain/2)/RowsPerDomain))
}

// Domains are the rows of a matrix cut into contiguous nonempty ranges: domain d has the rows Start[d] to
// Start[d+1]-1.
type Domains struct {
	Start []int64 // one more than there are domains; from 0 to n
}

// joinedRows is the size of domains up to which an iteration of CG has one sum over ranks instead of two, for a vector more that is read.
// Unit: rows of a domain, on average. Source: the model of docs/scaling.md, "Latency between ranks". Fit: go run ./tools/measure latency.
const joinedRows = 300_000

// JoinsSums reports whether messages of sums are joined where that takes some work more: the domains are small.
func (d Domains) JoinsSums() bool { return d.Rows() <= joinedRows*int64(d.Count()) }

// Times returns the domains of the rows of nodes of so many rows each, given those of the nodes.
func (d Domains) Times(node int) Domains {
	var rows Domains
	for _, k := range d.Start {
		rows.Start = append(rows.Start, k*int64(node))
	}
	return rows
}

// Count returns the number of domains.
func (d Domains) Count() int { return len(d.Start) - 1 }

// Rows returns n.
func (d Domains) Rows() int64 { return d.Start[len(d.Start)-1] }

// Of returns the domain of a row.
func (d Domains) Of(row int64) int {
	return sort.Search(d.Count(), func(k int) bool { return d.Start[k+1] > row })
}

// Owned returns the domains lo to hi-1 that a rank of a job of that size owns. The numbers of domains of ranks differ
// by at most one; lo = hi if there are fewer domains than ranks and the rank has none. Rank 0 always has one.
func (d Domains) Owned(rank, size int) (lo, hi int) {
	first := func(r int) int { return (r*d.Count() + size - 1) / size }
	return first(rank), first(rank + 1)
}

// Owner returns the rank that owns a domain.
func (d Domains) Owner(domain, size int) int { return domain * size / d.Count() }

// grain returns the number of which the borders of domains are multiples, for so many rows, if rows are many: nodes
// of one to six unknowns stay whole.
func grain(rows int64) int64 {
	switch {
	case rows >= 6000:
		return 60
	case rows >= 240:
		return 12
	}
	return 1
}

// Cut cuts n rows into count domains (at most n) with about equal numbers of nonzeros. entries(i) is the number of
// nonzeros of the rows before i, or an estimate, which must be the same on all ranks and increase with i.
func Cut(n int64, count int, entries func(row int64) int64) (Domains, error) {
	if n < 1 || count < 1 || int64(count) > n {
		return Domains{}, fmt.Errorf("dist: %d rows in %d domains", n, count)
	}
	g := grain(n / int64(count))
	all := entries(n)
	d := Domains{Start: make([]int64, count+1)}
	for k := 1; k < count; k++ {
		want := int64(float64(all) / float64(count) * float64(k))
		lo, hi := d.Start[k-1]+1, n-int64(count-k) // leaves a row for each of the others
		at := lo + int64(sort.Search(int(hi-lo), func(i int) bool { return entries(lo+int64(i)) >= want }))
		if r := (at + g/2) / g * g; r >= lo && r <= hi {
			at = r
		}
		d.Start[k] = at
	}
	d.Start[count] = n
	return d, nil
}

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

// Total returns the number of all nonzeros.
func (c *Counts) Total() (n int64) {
	for _, k := range c.n {
		n += k
	}
	return n
}

// Before returns the first row of the group of a row, and the number of nonzeros of all rows before this group.
func (c *Counts) Before(row int64) (group, n int64) {
	g := row >> c.shift
	for _, k := range c.n[:min(g, int64(len(c.n)))] {
		n += k
	}
	return min(g<<c.shift, c.rows), n
}

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
func CutMatrix(m *csr.Matrix, domains int) (Domains, error) { return CutNodes(m, 1, domains) }

// CutNodes is CutMatrix for nodes of so many consecutive rows each, which stay whole.
func CutNodes(m *csr.Matrix, node, domains int) (Domains, error) {
	ptr := m.RowPtr
	if node > 1 {
		ptr = make([]int64, m.Rows/node+1)
		for k := range ptr {
			ptr[k] = m.RowPtr[k*node]
		}
	}
	d, err := CutRows(Self{}, int64(m.Rows/node), 0, ptr, domains)
	return d.Times(node), err
}

// CutRows cuts so many rows into domains; this rank has rows first, first + 1, ..., given their row offsets. It is collective.
func CutRows(comm Comm, rows, first int64, ptr []int64, domains int) (Domains, error) {
	c := NewCounts(rows)
	c.AddRows(first, ptr)
	c.Sum(comm)
	return c.Cut(domains)
}
