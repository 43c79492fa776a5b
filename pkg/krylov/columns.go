package krylov

import "github.com/mpsolve/mpsolve/pkg/linop"

// column is one of H, as the Gram-Schmidt passes leave it: h - g, or h where there is no
// second pass, and the norm of what remains.
type column[S any] struct {
	h, g []S
	next S
}

// columns are the columns of the Hessenberg matrix of GMRES that its least-squares problem does
// not have yet: the last one where scalars are at hand. On an asynchronous space Stride
// columns are fetched together, and are due one step late.
type columns[V any, S linop.Scalar[S]] struct {
	async   linop.Async[V, S] // nil: scalars are at hand
	list    []column[S]       // the first n are in use
	n       int
	fetched int // columns whose scalars have been fetched
}

// mostPending is the number of coefficients at which columns are fetched at the latest.
const mostPending = 1 << 13

// begin begins a cycle.
func (c *columns[V, S]) begin() { c.n, c.fetched = 0, 0 }

// next returns a new column, which has the memory of an earlier one.
func (c *columns[V, S]) next() *column[S] {
	if len(c.list) == c.n {
		c.list = append(c.list, column[S]{})
	}
	c.n++
	return &c.list[c.n-1]
}

// due returns the columns to add to the least-squares problem now, all of them after the
// last step.
func (c *columns[V, S]) due(last bool) []column[S] {
	switch {
	case c.async == nil:
		return c.list[:c.n]
	case last:
		c.async.Fetch()
		c.async.Await()
		return c.list[:c.n]
	case c.fetched > 0:
		c.async.Await()
		return c.list[:c.fetched]
	case c.n >= c.async.Stride() || c.n*len(c.list[c.n-1].h) >= mostPending:
		c.async.Fetch()
		c.fetched = c.n
	}
	return nil
}

// drop drops the first n columns, and keeps their memory.
func (c *columns[V, S]) drop(n int) {
	for k := n; k < c.n; k++ {
		c.list[k-n], c.list[k] = c.list[k], c.list[k-n]
	}
	c.n, c.fetched = c.n-n, 0
}

// known is a, as a scalar of the host.
func (c *columns[V, S]) known(a S) S {
	if c.async == nil {
		return a
	}
	return c.async.Known(a)
}
