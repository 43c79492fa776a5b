package dist

import (
	"fmt"
	"sort"
)

// RowsPerDomain is about the number of rows of a domain, unless the number of domains is given.
const RowsPerDomain = 1_000_000

// DefaultDomains returns the number of domains of a matrix of n rows, unless it is given.
func DefaultDomains(n int64) int {
	return int(max(1, (n+RowsPerDomain/2)/RowsPerDomain))
}

// Domains are the rows of a matrix cut into contiguous nonempty ranges: domain d has the rows Start[d] to
// Start[d+1]-1.
type Domains struct {
	Start []int64 // one more than there are domains; from 0 to n
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
