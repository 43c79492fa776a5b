package adaptive

import (
	"slices"
)

// Layout is the order in which a stored matrix lies in memory.
type Layout string

const (
	// LayoutAuto takes the layout that is fastest by a model of this processor: a kind of
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
	// SELL is slots of rows in the order of their lengths, with 24-bit columns: SELL-C-sigma
	// [Kreutzer14], compressed.
	SELL Layout = "sell"
	// Tiles is slots by segments of columns, so that x stays in the cache.
	Tiles Layout = "tiles"
	// Symmetric is slots of the blocks of the lower triangle of a symmetric matrix;
	// for NW, since CW would store a_ij and a_ji differently.
	Symmetric Layout = "sym"
	// COO is FP64 elements with their rows and columns; no automatic choice takes it.
	COO Layout = "coo"
	// ELL is FP64 rows of equal lengths, filled up with zeros; no automatic choice takes it.
	ELL Layout = "ell"
	// Hybrid is ELL of the length that four rows of five do not exceed, and COO for the rest of longer
	// rows, as Ginkgo's with imbalance_limit(0.8); no automatic choice takes it.
	Hybrid Layout = "hybrid"
	// SELL8 is FP64 in chunks of eight rows, each filled up to its longest [Kreutzer14].
	SELL8 Layout = "sell8"
	// BCRS4x1 is FP64 blocks of four rows and one column, filled up with zeros, as DD-AVX has it.
	BCRS4x1 Layout = "bcrs4x1"
)

// Layouts lists the layouts.
var Layouts []Layout

// layoutRow describes a layout.
type layoutRow struct {
	name Layout
	help string // a few words for the help of the command line
	text string // a description, with b for the size of blocks
	afx  bool   // it is for AFX alone
	fp64 bool   // values are FP64, whatever the formats
	dd   bool   // matrices are multiplied with double-double vectors, too
	traits

	// choose returns the choice where the layout is requested by name.
	choose func(b *builder) choice

	// plans are those that the model of the time of a product compares, and cost, if it is
	// not nil, changes their cost in a sample to that of the sample's share of the matrix.
	plans func(b *builder) []slotPlan
	cost  func(s *sample, b *builder, e estimate) cost

	build func(b *builder, c choice) (Matrix, error)
}

// traits are the differences between the slots of a layout and the slots of whole rows.
type traits struct {
	far      bool // 24-bit columns
	diagonal bool // rows that have diagonals in common need no columns
	lower    bool // only of the lower triangle; each block counts twice
	tiled    bool // by segments of columns, whose products are added up
}

// layoutTable has a row for each layout; of those that the model compares, one gives way
// only to a later one that is clearly faster.
var layoutTable []layoutRow

func init() { // since functions of the table look at it
	layoutTable = []layoutRow{
		{
			name: CSR, help: "FP64", text: "FP64 CSR", fp64: true, dd: true,
			choose: asked(slotPlan{layout: CSR}, "requested"), build: (*builder).plain,
		},
		{
			name: Bucketed, help: "one CSR for each format", text: "bucketed CSR",
			choose: asked(slotPlan{layout: Bucketed}, "the layout of the papers"), build: (*builder).bucketed,
		},
		{
			name: Slots, help: "eight rows at once", text: "slots: eight rows at once, 16-bit columns", afx: true, dd: true,
			choose: asked(slotPlan{Slots, 1}, "requested"), plans: always(slotPlan{Slots, 1}), build: (*builder).slotted,
		},
		{
			name: Diagonals, help: "diagonals without columns", text: "slots of diagonals, eight rows at once", afx: true, dd: true,
			traits: traits{diagonal: true},
			choose: asked(slotPlan{Diagonals, 1}, "requested"), plans: always(slotPlan{Diagonals, 1}), build: (*builder).slotted,
		},
		{
			name: Blocks, help: "dense blocks", text: "slots of b x b blocks, eight block rows at once", afx: true,
			choose: (*builder).chooseBlocks, plans: (*builder).blockPlans, build: (*builder).slotted,
		},
		{
			name: Symmetric, help: "half of a symmetric matrix, criterion nw", text: "slots of the lower triangle, b x b blocks, eight block rows at once", afx: true,
			traits: traits{lower: true},
			choose: (*builder).chooseSymmetric, plans: (*builder).symmetricPlans, cost: (*sample).symmetricCost, build: (*builder).symmetric,
		},
		{
			name: SELL, help: "rows sorted by length", text: "SELL: slots of rows sorted by length, eight at once, 24-bit columns", afx: true, dd: true,
			traits: traits{far: true},
			choose: asked(slotPlan{SELL, 1}, "requested"), plans: always(slotPlan{SELL, 1}), build: (*builder).slotted,
		},
		{
			name: Tiles, help: "segments of columns", text: "slots by segments of columns, eight rows at once", afx: true, dd: true,
			traits: traits{tiled: true},
			choose: asked(slotPlan{Tiles, 1}, "requested"), plans: always(slotPlan{Tiles, 1}), cost: (*sample).tilesCost, build: (*builder).slotted,
		},
		{
			name: COO, help: "FP64 with a row and a column each", text: "FP64 COO", fp64: true,
			choose: asked(slotPlan{layout: COO}, "requested"), build: hybridOf(noWidth),
		},
		{
			name: ELL, help: "FP64, rows filled up to the longest", text: "FP64 ELL", fp64: true,
			choose: asked(slotPlan{layout: ELL}, "requested"), build: hybridOf(ELLWidth),
		},
		{
			name: Hybrid, help: "FP64, ELL of the length that 80 % of the rows do not exceed, COO for the rest", text: "FP64 ELL and COO", fp64: true,
			choose: asked(slotPlan{layout: Hybrid}, "requested"), build: hybridOf(quantileWidth),
		},
		{
			name: SELL8, help: "FP64, eight rows filled up to the longest", text: "FP64 SELL-8: eight rows at once", fp64: true, dd: true,
			choose: asked(slotPlan{layout: SELL8}, "requested"), plans: filled(SELL8), build: (*builder).sell8,
		},
		{
			name: BCRS4x1, help: "FP64 blocks of four rows and one column", text: "FP64 blocks of four rows and one column", fp64: true, dd: true,
			choose: asked(slotPlan{layout: BCRS4x1}, "requested"), plans: filled(BCRS4x1), build: (*builder).bcrs,
		},
	}
	Layouts = []Layout{LayoutAuto}
	for _, l := range layoutTable {
		Layouts = append(Layouts, l.name)
	}
}

func asked(p slotPlan, reason string) func(*builder) choice {
	return func(*builder) choice { return choice{p, reason} }
}

func always(p slotPlan) func(*builder) []slotPlan {
	return func(*builder) []slotPlan { return []slotPlan{p} }
}

// filled is a plan for a layout in FP64 other than CSR, if the spec allows it.
func filled(l Layout) func(*builder) []slotPlan {
	return func(b *builder) []slotPlan {
		if b.spec.Narrow || b.spec.DD {
			return nil
		}
		return []slotPlan{{l, 1}}
	}
}

// row returns the row of the layout in the table, nil for LayoutAuto.
func (l Layout) row() *layoutRow {
	if k := slices.IndexFunc(layoutTable, func(r layoutRow) bool { return r.name == l }); k >= 0 {
		return &layoutTable[k]
	}
	return nil
}

// FP64 reports whether matrices in this layout have the FP64 values of the matrix that was stored,
// whatever the formats: nothing is saved and nothing lost.
func (l Layout) FP64() bool {
	r := l.row()
	return r != nil && r.fp64
}

// traits returns the traits of the layout in the table.
func (p slotPlan) traits() traits {
	if r := p.layout.row(); r != nil {
		return r.traits
	}
	return traits{}
}

// LayoutHelp describes a layout for the help of a command; "" for an unknown one.
func LayoutHelp(l Layout) string {
	for _, row := range layoutTable {
		switch {
		case row.name == l && row.afx:
			return row.help + " (AFX)"
		case row.name == l:
			return row.help
		}
	}
	return ""
}
