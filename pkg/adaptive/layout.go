package adaptive

// Layout is the order in which a stored matrix lies in memory.
type Layout string

const (
	// LayoutAuto takes what is fastest by a model of this processor: a kind of
	// slots for AFX, or FP64 CSR where adaptive precision would cost time. Sets
	// from the papers get Bucketed.
	LayoutAuto Layout = ""
	// CSR is plain FP64: nothing is saved and nothing lost.
	CSR Layout = "csr"
	// Bucketed is the papers' layout: one CSR for each format.
	Bucketed Layout = "bucketed"
	// Slots serves eight rows at once, see kernels.SlotPanel: 16-bit columns, and
	// AFX values of the bits that the widest of eight needs.
	Slots Layout = "slots"
	// Blocks is slots of dense blocks, 2 x 2 to 6 x 6, with one column for each.
	Blocks Layout = "blocks"
	// Diagonals is slots without columns where rows have diagonals in common.
	Diagonals Layout = "diag"
	// Tiles is slots by segments of columns, so that x stays in the cache.
	Tiles Layout = "tiles"
	// Symmetric is slots of the blocks of the lower triangle of a symmetric matrix;
	// for NW, since CW would store a_ij and a_ji differently.
	Symmetric Layout = "sym"
)

// Layouts lists the layouts.
var Layouts = []Layout{LayoutAuto, CSR, Bucketed, Slots, Blocks, Diagonals, Tiles, Symmetric}

// slotted reports whether a layout is a kind of slots.
func (l Layout) slotted() bool {
	return l == Slots || l == Blocks || l == Diagonals || l == Tiles || l == Symmetric
}
