package solve

// Evidence is a combination y of the equations that shows that A x = b has no solution:
// where y^T A = 0 and y^T b != 0, no x can satisfy y^T A x = y^T b. In float64 y^T A is
// zero to rounding.
type Evidence struct {
	Y        []float64 // the combination
	Null     float64   // max_j |y^T A|_j / (|y|^T |A|)_j
	Product  float64   // |y^T b| / |y|^T |b|
	Smallest float64   // no x with an exact residual of zero has a smaller ||x||_inf
}
