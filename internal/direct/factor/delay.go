package factor

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// Unknowns are coupled by entries of at least coupling, where the largest of a row is about 1.
	coupling = 1e-4
	// mostDelays is how often an unknown moves to the parent of its group. Half of them move once, and of 90,000 in saddle points that found a place
	// none moved more than 24 times.
	mostDelays = 64
)

// Delay moves the unknowns z of a symmetric matrix whose diagonal entries vanish to later groups of an order, until they can be pivots: until enough of
// the others, f, that they are coupled to come before them, or in the same group, among which pivots may be exchanged. The multifrontal method delays a
// pivot to the parent of its node when it turns out to be small [DuffReid83]; here that is known before, from counts, and fronts keep their sizes. For
//
//	A = [ H  B^T ]  f
//	    [ B   0  ]  z
//
// with definite H, the pivots F and Z of a subtree have a nonsingular block if the rows Z of B have full rank in the columns F. F must have as many
// unknowns as Z; and, since columns of a divergence add up to zero, one of F must be coupled to a later z as well, or to one alone. Entries between
// unknowns z are not looked at. What elimination takes in the order is not counted again.
func Delay(a *csr.Matrix, e order.Elimination) order.Elimination {
	empty := make([]bool, a.Rows)
	for i, v := range a.Diagonal(nil) {
		empty[i] = math.Abs(v) <= Vanishing
	}
	if !slices.Contains(empty, true) {
		return e
	}
	d := newDelays(a, e, empty)
	for k := range d.members {
		d.eliminate(int32(k))
	}
	return d.elimination(e)
}

// Pair moves the earlier one of each pair of unknowns, which have an entry of the matrix, to the group of the other; an unknown may be its own partner.
func Pair(e order.Elimination, partner []int32) order.Elimination {
	g := newGrouping(e)
	for i, j := range partner {
		if g.group[i] < g.group[j] {
			g.move(int32(i), g.group[j])
		}
	}
	return g.elimination(e)
}

// A grouping is the groups of an order while unknowns move to later ones.
type grouping struct {
	members [][]int32 // of each group, those that have left it included
	group   []int32   // of an unknown
}

func newGrouping(e order.Elimination) grouping {
	g := grouping{make([][]int32, len(e.Groups)), make([]int32, len(e.Order))}
	ends := append(slices.Clone(e.Groups), int32(len(e.Order)))[1:]
	for k, lo := range e.Groups {
		g.members[k] = e.Order[lo:ends[k]:ends[k]]
		for _, i := range g.members[k] {
			g.group[i] = int32(k)
		}
	}
	return g
}

func (g *grouping) move(i, to int32) {
	g.group[i] = to
	g.members[to] = append(g.members[to], i)
}

// elimination returns the order of the groups.
func (g *grouping) elimination(e order.Elimination) order.Elimination {
	e.Order, e.Groups = make(csr.Permutation, 0, len(g.group)), nil
	for k, members := range g.members {
		from := len(e.Order)
		for _, i := range members {
			if g.group[i] == int32(k) {
				e.Order = append(e.Order, i)
			}
		}
		if len(e.Order) > from {
			e.Groups = append(e.Groups, int32(from))
		}
	}
	return e
}

// delays are the groups of an order while unknowns z are delayed.
type delays struct {
	grouping
	home   []int32 // the group that an unknown was in at first
	parent []int32 // of a group, -1: none
	empty  []bool  // z
	at     []int   // where the couplings of an unknown begin, of an f with z and of a z with f
	with   []int32
	left   []int // of an f, couplings with z that have not been eliminated
	moves  []int // of a z
	spare  []int // of the subtree of a group, unknowns f less unknowns z
	exits  []int // of a subtree, f that are coupled to a later z, or to one alone
}

func (d *delays) couplings(i int32) []int32 { return d.with[d.at[i]:d.at[i+1]] }

func newDelays(a *csr.Matrix, e order.Elimination, empty []bool) *delays {
	n, groups, g := a.Rows, len(e.Groups), newGrouping(e)
	d := &delays{
		grouping: g, home: slices.Clone(g.group), parent: marks(groups), empty: empty, at: make([]int, 1, n+1), left: make([]int, n),
		moves: make([]int, n), spare: make([]int, groups), exits: make([]int, groups),
	}
	row := func(i int32) []int32 { return a.Col[a.RowPtr[i]:a.RowPtr[i+1]] }
	for i := range int32(n) {
		for k, j := range row(i) {
			if empty[i] != empty[j] && math.Abs(a.Val[int(a.RowPtr[i])+k]) >= coupling {
				d.with = append(d.with, j)
			}
		}
		d.at = append(d.at, len(d.with))
		d.left[i] = len(d.couplings(i))
	}
	for k, up := range order.Parents(e.Order, row) {
		if up >= 0 && g.group[e.Order[up]] != g.group[e.Order[k]] { // the last of a group
			d.parent[g.group[e.Order[k]]] = g.group[e.Order[up]]
		}
	}
	return d
}

// eliminate eliminates the unknowns of a group, or moves some to its parent.
func (d *delays) eliminate(group int32) {
	spare, exits, up := &d.spare[group], &d.exits[group], d.parent[group]
	for _, f := range d.members[group] {
		if all := len(d.couplings(f)); !d.empty[f] && all > 0 {
			*spare++
			if d.left[f] > 0 || all == 1 {
				*exits++
			}
		}
	}
	for _, z := range d.members[group] {
		if !d.empty[z] {
			continue
		}
		closed := 0 // exits that end with z
		for _, f := range d.couplings(z) {
			if d.group[f] <= group && d.left[f] == 1 && len(d.couplings(f)) > 1 {
				closed++
			}
		}
		switch found := *spare > 0 && *exits > closed; {
		case !found && up >= 0 && d.moves[z] < mostDelays:
			d.moves[z]++
			d.move(z, up)
			continue
		case !found:
			d.group[z] = d.home[z]
		}
		*spare--
		*exits -= closed
		for _, f := range d.couplings(z) {
			d.left[f]--
		}
	}
	if up >= 0 {
		d.spare[up] += *spare
		d.exits[up] += *exits
	}
}
