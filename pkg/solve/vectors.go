package solve

// VectorKind names the arithmetic of the vectors of a solve.
type VectorKind string

// The kinds of vectors.
const (
	VectorsDouble VectorKind = "double" // float64
	VectorsDD     VectorKind = "dd"     // double-double, 106 bits, see package dd
	VectorsAuto   VectorKind = "auto"   // float64, and double-double in corrections once float64 cannot go on
	VectorsDQ     VectorKind = "dq"     // float64, then double-double, by DQ-SWITCH
)

// Vectors says in which arithmetic the vectors of the method are; the zero value is VectorsDouble. The matrix and the preconditioner
// do not depend on it.
type Vectors struct {
	Kind VectorKind

	// Of VectorsDQ: the method goes on in double-double once the deviation of its last Window residual norms,
	//
	//	v = 1/Window sum ((nrm(i) - nrm(1)) / nrm(1))^2,
	//
	// is below Deviation (DD-AVX, DQ-SWITCH).
	Window    int     // 0: 100
	Deviation float64 // 0: 0.01
}
