package precond

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// subdomains is the number of subdomains into which the rows of a large matrix are split;
// it must not depend on the number of threads. A matrix with fewer than subdomainRows
// rows a subdomain is not split.
const (
	subdomains    = 8
	subdomainRows = 4096

	// interleaved subdomains are solved by one thread, their rows in turns, since each row of one
	// waits for the row before.
	interleaved = 2

	// mostShared limits the share of separator rows: with more, the order costs more
	// in iterations than it saves in time on two threads.
	mostShared = 0.1
)

// split orders the rows of m so that triangular solves have subdomains that are independent
// of each other: rows are split into subdomains in the order given, and those with a
// neighbour in a later subdomain form the separator at the end. Before it, rows bounds[p] to
// bounds[p+1]-1 are interleaved subdomains, a row of each in turns. The order is nil if m is small or the
// separator is large.
func split(m *csr.Matrix, pool *parallel.Pool) (order csr.Permutation, bounds []int) {
	n := m.Rows
	if n < subdomains*subdomainRows {
		return nil, nil
	}
	shared := make([]bool, n)
	most := int(mostShared * float64(n))
	var before [subdomains][]int32 // rows of earlier subdomains with a neighbour in one
	parts := make([]int, subdomains+1)
	for p := range parts {
		parts[p] = n * p / subdomains
	}
	pool.RunRanges(parts, func(p, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, _ := m.Row(i)
			if len(cols) == 0 {
				continue
			}
			shared[i] = int(cols[len(cols)-1]) >= hi
			for _, j := range cols {
				if int(j) >= lo {
					break
				}
				before[p] = append(before[p], j)
			}
		}
	})
	for _, rows := range before {
		for _, i := range rows { // which may be coupled without the converse
			shared[i] = true
		}
	}
	order, bounds = make(csr.Permutation, 0, n), make([]int, 1, subdomains/interleaved+1)
	for first := 0; first < subdomains; first += interleaved {
		var next, end [interleaved]int
		for p := range interleaved {
			next[p], end[p] = parts[first+p], parts[first+p+1]
		}
		for left := interleaved; left > 0; {
			left = 0
			for p := range interleaved {
				for next[p] < end[p] && shared[next[p]] {
					next[p]++
				}
				if next[p] < end[p] {
					order = append(order, int32(next[p]))
					next[p]++
					left++
				}
			}
		}
		bounds = append(bounds, len(order))
	}
	if len(order) < n-most {
		return nil, nil
	}
	for i, s := range shared {
		if s {
			order = append(order, int32(i))
		}
	}
	return order, bounds
}

// permuteBySubdomains puts m in the order of split, if there is one.
func permuteBySubdomains(m *csr.Matrix, at placement, pool *parallel.Pool) (*csr.Matrix, placement) {
	order, bounds := split(m, pool)
	if order == nil {
		return m, at
	}
	at = at.then(order)
	at.bounds = bounds
	return m.Permuted(order, order.Inverse(), pool), at
}

// then is a placement followed by a symmetric permutation.
func (at placement) then(order []int32) placement {
	at.row, at.col = chain(at.row, order), chain(at.col, order)
	return at
}

// chain is first[order[k]]; nil is the order as things come.
func chain(first, order []int32) []int32 {
	if first == nil {
		return order
	}
	out := make([]int32, len(order))
	for k, i := range order {
		out[k] = first[i]
	}
	return out
}
