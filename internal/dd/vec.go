package dd

// Vec is a vector of double-double numbers in two arrays of the same length: Hi is the vector rounded to float64.
type Vec struct{ Hi, Lo []float64 }

// NewVec returns a zero vector of n elements.
func NewVec(n int) Vec {
	// A unique address, even without elements.
	both := make([]float64, 2*n, max(2*n, 1))
	return Vec{Hi: both[:n:n], Lo: both[n:]}
}

// VecOf returns a copy of x as a vector.
func VecOf(x []float64) Vec {
	v := NewVec(len(x))
	copy(v.Hi, x)
	return v
}

// Len returns the number of elements.
func (v Vec) Len() int { return len(v.Hi) }

// At returns element i.
func (v Vec) At(i int) DD { return DD{Hi: v.Hi[i], Lo: v.Lo[i]} }

// Set sets element i to a.
func (v Vec) Set(i int, a DD) { v.Hi[i], v.Lo[i] = a.Hi, a.Lo }

// Slice returns the elements lo to hi-1 without copying them.
func (v Vec) Slice(lo, hi int) Vec { return Vec{Hi: v.Hi[lo:hi], Lo: v.Lo[lo:hi]} }

// Clear sets all elements to 0.
func (v Vec) Clear() {
	clear(v.Hi)
	clear(v.Lo)
}
