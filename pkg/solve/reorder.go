package solve

// Reorder is the order in which the rows and columns of the matrix are stored.
type Reorder string

// The orders. ReorderAuto takes reverse Cuthill-McKee where a model of the
// products says that it pays.
const (
	ReorderNone Reorder = "none" // as given
	ReorderRCM  Reorder = "rcm"  // reverse Cuthill-McKee, see csr.RCM
	ReorderAuto Reorder = "auto"
)
