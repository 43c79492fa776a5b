package kernels

// termKernels are the kernels of products of sparse matrices.
type termKernels struct {
	terms    termsKernel
	addTerms addTermsKernel
}

var portableTerms = termKernels{
	terms:    terms,
	addTerms: addTerms,
}

// Rows are rows of a sparse matrix, or of a part of one, as in CSR: row i has the columns Col[Ptr[i]:Ptr[i+1]] and
// the values Val[Ptr[i]:Ptr[i+1]]. Assembly relies on the order of the fields.
type Rows struct {
	Ptr []int64
	Col []int32
	Val []float64
}

// TermSlack is the number of elements after the last term that Terms may write.
const TermSlack = 8

// Terms lists the terms of a sum of rows of a matrix, f[k] times row j[k] for k = 0, 1, ...: their columns in col and
// their products in val, in this order. Row i of the matrix is row i mod 2^shift of part[i / 2^shift]. Terms stops
// before a row for which col and val, of one length, have no room with TermSlack more elements. It returns the number
// of rows so far and the number of their terms.
func (s *Set) Terms(col []int32, val []float64, j []int32, f []float64, part []Rows, shift uint) (rows, terms int) {
	if len(j) == 0 || len(col) < TermSlack {
		return 0, 0
	}
	return s.terms(col, val, j, f, part, shift)
}

// termsKernel is Terms for at least one row, and slices of at least TermSlack elements.
type termsKernel func(col []int32, val []float64, j []int32, f []float64, part []Rows, shift uint) (rows, terms int)

func terms(col []int32, val []float64, j []int32, f []float64, part []Rows, shift uint) (rows, terms int) {
	f = f[:len(j)]
	for k, i := range j {
		p, at := &part[uint(i)>>shift], int(i)&(1<<shift-1)
		lo, hi := p.Ptr[at], p.Ptr[at+1]
		end := terms + int(hi-lo)
		if end+TermSlack > len(col) {
			return k, terms
		}
		v := p.Val[lo:hi]
		toVal := val[terms:end]
		copy(col[terms:end], p.Col[lo:hi])
		for t := range toVal {
			toVal[t] = f[k] * v[t]
		}
		terms = end
	}
	return len(j), terms
}

// AddTerms adds up terms, p[k] in column c[k], in their order: it sets the first elements of col and val to the
// columns, each once, and their sums, and returns their number. Both slices have an element more than there are
// terms. place has an element for each column and is zero at first; afterwards column j is at place[j]-1.
func (s *Set) AddTerms(place, col []int32, val []float64, c []int32, p []float64) int {
	if len(c) == 0 {
		return 0
	}
	return s.addTerms(place, col[:len(c)+1], val[:len(c)+1], c, p[:len(c)])
}

// addTermsKernel is AddTerms for at least one term.
type addTermsKernel func(place, col []int32, val []float64, c []int32, p []float64) int

func addTerms(place, col []int32, val []float64, c []int32, p []float64) (n int) {
	for k, j := range c {
		at, fresh := place[j], 0
		if at == 0 {
			fresh = 1
		}
		col[n], val[n] = j, 0
		n += fresh
		at |= int32(n) & -int32(fresh)
		place[j] = at
		val[at-1] += p[k]
	}
	return n
}
