package solve

// NullSpaceKind says where the null space of a singular matrix comes from.
type NullSpaceKind string

// Where it may come from. NullSpaceAuto takes that of a pure Neumann problem, whose rows sum
// to zero, and otherwise none.
const (
	NullSpaceAuto     NullSpaceKind = "auto"
	NullSpaceNone     NullSpaceKind = "none"
	NullSpaceConstant NullSpaceKind = "constant" // constants, on each connected component
	NullSpaceGiven    NullSpaceKind = "given"    // NullSpace.Right
)

// NullSpaces lists all.
var NullSpaces = []NullSpaceKind{NullSpaceAuto, NullSpaceNone, NullSpaceConstant, NullSpaceGiven}

// NullSpace describes the null space of a singular matrix A, like PETSc's MatSetNullSpace and
// MatSetTransposeNullSpace. A system with such a matrix has solutions if b is orthogonal to
// the left null space, that of A'; the one returned is orthogonal to the null space, and so
// the shortest. Vectors need not be orthonormal.
type NullSpace struct {
	Kind  NullSpaceKind // "": NullSpaceAuto
	Right [][]float64   // that span the null space, for NullSpaceGiven
	Left  [][]float64   // that span the left one; nil: Right if A'v = 0 for these, otherwise found by solving with A'
}

// NullSpaceResult is what a solve with a singular matrix knows of its null space.
type NullSpaceResult struct {
	Dim       int     // of it; 0: the matrix was taken for nonsingular
	Residual  float64 // largest row-wise error of the null vectors, left and right
	Component float64 // largest |y'b| / sum |y_i| (T_i |x|_inf + |b_i|) for a y of the left null space, T_i = sum_j |a_ij|
}
