package precond

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// domains is the number of parts that the rows of a large matrix are cut into; it
// must not depend on the number of threads. Smaller matrices than domainRows
// rows a part are not cut.
const (
	domains    = 8
	domainRows = 4096

	// mostShared is the share of rows after the domains that is accepted: with
	// more, the order costs more iterations than the second thread saves time.
	mostShared = 0.1
)

// split orders the rows of m so that the factors have parts that do not need each
// other: the rows are cut into domains as they come, and those with a neighbour in
// a later domain go to the end. Before them, rows bounds[p] to bounds[p+1]-1 are
// domain p. The order is nil if m is small or too many rows would go to the end.
func split(m *csr.Matrix) (order csr.Permutation, bounds []int) {
	n := m.Rows
	if n < domains*domainRows {
		return nil, nil
	}
	shared := make([]bool, n)
	most := int(mostShared * float64(n))
	for p := range domains {
		lo, hi := n*p/domains, n*(p+1)/domains
		for i := lo; i < hi; i++ {
			cols, _ := m.Row(i)
			if len(cols) == 0 {
				continue
			}
			if int(cols[len(cols)-1]) >= hi {
				shared[i] = true
			}
			for _, j := range cols { // a row that needs a later one without being needed
				if int(j) >= lo {
					break
				}
				shared[j] = true
			}
		}
	}
	order, bounds = make(csr.Permutation, 0, n), make([]int, 1, domains+1)
	for p := range domains {
		for i := n * p / domains; i < n*(p+1)/domains; i++ {
			if !shared[i] {
				order = append(order, int32(i))
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

// cut puts m in the order of split, if there is one.
func cut(m *csr.Matrix, at placement, pool *linop.Pool) (*csr.Matrix, placement) {
	order, bounds := split(m)
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
