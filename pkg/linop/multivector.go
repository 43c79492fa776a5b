package linop

// MostTogether is the largest number of vectors that a product multiplies at once.
const MostTogether = 8

// A MultiVector is k vectors of n elements for products with all of them, interleaved:
// element i of up to MostTogether vectors, a group, lies side by side, so that each nonzero
// of a matrix is multiplied with a few consecutive numbers.
type MultiVector struct {
	k      int
	groups []VectorGroup
}

// VectorGroup is up to Width vectors: element i of vector j is Data[i*Width+j]. Width is 1, 2,
// 4 or 8; surplus vectors are zero.
type VectorGroup struct {
	Width int
	Data  []float64
}

// NewMultiVector returns k zero vectors of n elements.
func NewMultiVector(n, k int) *MultiVector {
	v := &MultiVector{k: k}
	for ; k > 0; k -= MostTogether {
		width := groupWidth(k)
		v.groups = append(v.groups, VectorGroup{width, make([]float64, n*width)})
	}
	return v
}

// Groups returns the groups, all but the last of MostTogether vectors.
func (v *MultiVector) Groups() []VectorGroup { return v.groups }

// Set copies x to vector j.
func (v *MultiVector) Set(j int, x []float64) {
	v.groups[j/MostTogether].set(j%MostTogether, 0, x)
}

// Get copies vector j to x.
func (v *MultiVector) Get(j int, x []float64) {
	v.groups[j/MostTogether].get(j%MostTogether, 0, x)
}

// set copies x to vector j of the group, from element lo on.
func (g VectorGroup) set(j, lo int, x []float64) {
	to := g.Data[lo*g.Width:]
	for i, v := range x {
		to[i*g.Width+j] = v
	}
}

// get copies vector j of the group, from element lo on, to x.
func (g VectorGroup) get(j, lo int, x []float64) {
	from := g.Data[lo*g.Width:]
	for i := range x {
		x[i] = from[i*g.Width+j]
	}
}

// RowsMulti is Rows that multiply several vectors in one pass over the matrix, with the bits
// of so many products.
type RowsMulti interface {
	Rows

	// Together reports whether k vectors in one pass take less time than one by one. The time includes that for
	// interleaving the vectors unless they are interleaved already.
	Together(k int, interleaved bool) bool

	// BeginMulti prepares the products of all panels with the k = 2, 4 or 8 vectors x, which
	// are interleaved: element j of vector v is x[k*j+v].
	BeginMulti(x []float64, k int)

	// MulRowsMulti sets dst, of k (hi-lo) numbers, to the rows of a panel of A x. Several
	// goroutines may call it at once.
	MulRowsMulti(dst []float64, k, panel, lo, hi int, x []float64)
}

// rowsByPanel is Rows that may prepare nothing, so that panels may be multiplied with different vectors in any order.
type rowsByPanel interface {
	Rows
	ByPanel() bool // reports whether Begin prepares nothing
}

// unprepared makes Rows that embed it rowsByPanel.
type unprepared struct{}

func (unprepared) Begin([]float64)           {}
func (unprepared) BeginMulti([]float64, int) {}
func (unprepared) ByPanel() bool             { return true }

// A MultiOperator is an operator on host vectors that multiplies several at once.
type MultiOperator interface {
	Operator[[]float64, Float64]

	// ApplyMulti computes dst = A src for each vector, with the bits of Apply.
	ApplyMulti(dst, src *MultiVector)
}

var _ MultiOperator = (*products)(nil)

// ApplyMulti computes dst = A src for each vector, with the bits of Apply: in one pass over the
// matrix for each group of vectors if the rows are RowsMulti that gain by it, otherwise as Several does.
func (a *products) ApplyMulti(dst, src *MultiVector) {
	for k, x := range src.groups {
		y := dst.groups[k]
		switch rows, together := a.rows.(RowsMulti); {
		case x.Width == 1:
			a.Apply(y.Data, x.Data)
		case together && rows.Together(x.Width, true):
			rows.BeginMulti(x.Data, x.Width)
			a.multi = multiProduct{rows: rows, panel: a.panel, dst: y.Data, x: x.Data, k: x.Width}
			a.pool.Run(a.Panels(), &a.multi)
			a.multi = multiProduct{}
		default:
			a.apart(y, x, min(x.Width, src.k-k*MostTogether))
		}
	}
}

// multiProduct is the product with a group of vectors as a parallel job.
type multiProduct struct {
	rows   RowsMulti
	panel  []int
	dst, x []float64
	k      int
}

// Do computes the rows of one panel.
func (p *multiProduct) Do(k int) {
	lo, hi := p.panel[k], p.panel[k+1]
	p.rows.MulRowsMulti(p.dst[p.k*lo:p.k*hi], p.k, k, lo, hi, p.x)
}

// apart multiplies the first k vectors of a group as vectors by themselves.
func (a *products) apart(dst, src VectorGroup, k int) {
	rows, cols := a.Dims()
	if n := k * (rows + cols); len(a.columns) < n {
		a.columns = make([]float64, n)
	}
	products := make([]Product, k)
	for j := range products {
		at := a.columns[j*(rows+cols):][:rows+cols]
		products[j].Dst, products[j].Src = at[:rows], at[rows:]
	}
	inputs := []int{0}
	for at := 0; at < cols; at += rangeSize {
		inputs = append(inputs, min(at+rangeSize, cols))
	}
	a.pool.RunRanges(inputs, func(_, lo, hi int) {
		for j, p := range products {
			src.get(j, lo, p.Src[lo:hi])
		}
	})
	a.together(products)
	a.pool.RunRanges(a.panel, func(_, lo, hi int) {
		for j, p := range products {
			dst.set(j, lo, p.Dst[lo:hi])
		}
	})
}

// groupWidth returns the width of a group of k vectors: 1, 2, 4 or 8.
func groupWidth(k int) int {
	width := 1
	for width < min(k, MostTogether) {
		width *= 2
	}
	return width
}
