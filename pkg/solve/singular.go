package solve

// NullSpaceKind says where the null space of a singular matrix comes from.
type NullSpaceKind string

// The sources. NullSpaceAuto takes the constants if all rows sum to zero, as in a pure Neumann problem, and otherwise no null space.
const (
	NullSpaceAuto     NullSpaceKind = "auto"
	NullSpaceNone     NullSpaceKind = "none"
	NullSpaceConstant NullSpaceKind = "constant" // constants, on each connected component
	NullSpaceGiven    NullSpaceKind = "given"    // NullSpace.Right
)

// NullSpace describes the null space of a singular matrix A, like PETSc's MatSetNullSpace and MatSetTransposeNullSpace. The system has
// solutions if b is orthogonal to the left null space, the null space of A'. The solution returned is orthogonal to the null
// space, and so the shortest. Vectors need not be orthonormal.
type NullSpace struct {
	Kind  NullSpaceKind // "": NullSpaceAuto
	Right [][]float64   // vectors that span the null space, for NullSpaceGiven
	Left  [][]float64   // vectors that span the left null space; nil: Right if A'v = 0 for these, otherwise found by solving with A'
}

// NullSpaceResult describes the null space of a singular matrix as found.
type NullSpaceResult struct {
	Dim       int     // dimension of the null space; 0: the matrix was taken for nonsingular
	Residual  float64 // largest row-wise error of the null vectors, left and right
	Component float64 // largest |y'b| / sum |y_i| (T_i |x|_inf + |b_i|) for a y of the left null space, T_i = sum_j |a_ij|
}
