package linop

// MostTogether is the largest number of vectors that a product multiplies at once.
const MostTogether = 8

// A MultiVector is k vectors of n elements for products with all of them, interleaved:
// element i of up to MostTogether vectors, a group, lies side by side, so that each nonzero
// of a matrix is multiplied with a few consecutive numbers.
type MultiVector struct {
	n, k   int
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
	v := &MultiVector{n: n, k: k}
	for ; k > 0; k -= MostTogether {
		width := groupWidth(k)
		v.groups = append(v.groups, VectorGroup{width, make([]float64, n*width)})
	}
	return v
}

// Dims returns n and k.
func (v *MultiVector) Dims() (n, k int) { return v.n, v.k }

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
