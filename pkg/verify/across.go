package verify

import (
	"encoding/binary"
	"math"
	"slices"
)

// across are the blocks of a rank that reach over domains: their number of the whole, by representative.
type across map[int32]int64

// joinRanks joins blocks that reach over domains, through the columns of ghosts. Each rank has joined what it has itself; what is left are edges
// between its blocks and the blocks of the owners of ghosts. There are few such edges, since most of them are the same.
func (k *blocks) joinRanks() {
	if k.over == nil {
		return
	}
	whole := unions{}
	all := k.over.Comm.Gather(k.edges())
	for _, b := range all {
		for ; len(b) > 0; b = b[16:] {
			whole.join(int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:])))
		}
	}
	first := map[int64]int32{} // of this rank, by number of the whole
	for label := range whole {
		at, here := k.labelled(label)
		if !here {
			continue
		}
		root := whole.find(label)
		if other, found := first[root]; found {
			at = k.unite(at, other)
		}
		first[root] = k.find(at)
	}
	k.across = across{}
	for root, at := range first {
		k.across[k.find(at)] = root
	}
}

// edges are pairs of labels of blocks that are the same one, as bytes: a block of this rank, and the block of the owner of a column.
func (k *blocks) edges() []byte {
	columns := int32(k.m.Rows)
	var pairs [][2]int64
	k.over.copies(func(at int32) uint64 { return uint64(k.label(k.find(columns + at))) }, func(at int32, owner uint64) {
		if own := k.find(columns + at); own != columns+at { // a row of this rank is joined to it
			pairs = append(pairs, [2]int64{k.label(own), int64(owner)})
		}
	})
	slices.SortFunc(pairs, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	var out []byte
	for _, p := range slices.Compact(pairs) {
		out = binary.LittleEndian.AppendUint64(out, uint64(p[0]))
		out = binary.LittleEndian.AppendUint64(out, uint64(p[1]))
	}
	return out
}

// unions are sets of labels: the parent of each, which is itself for the smallest of a set.
type unions map[int64]int64

// find returns the smallest label of the set of one.
func (u unions) find(label int64) int64 {
	for {
		p, found := u[label]
		if !found {
			u[label] = label
			return label
		}
		if p == label {
			return label
		}
		if next := u[p]; next != p {
			u[label] = next
		}
		label = p
	}
}

// join unites the sets of two labels.
func (u unions) join(a, b int64) {
	if a, b = u.find(a), u.find(b); a != b {
		u[max(a, b)] = min(a, b)
	}
}

// joinLargest makes values of blocks that reach over domains, by representative, the largest of all ranks.
func (k *blocks) joinLargest(values []scaled) {
	if k.over == nil {
		return
	}
	var own []byte
	for at, root := range k.across {
		own = binary.LittleEndian.AppendUint64(own, uint64(root))
		own = binary.LittleEndian.AppendUint64(own, math.Float64bits(values[at].v))
		own = binary.LittleEndian.AppendUint64(own, uint64(values[at].e))
	}
	largest := map[int64]scaled{}
	for _, b := range k.over.Comm.Gather(own) {
		for ; len(b) > 0; b = b[24:] {
			root := int64(binary.LittleEndian.Uint64(b))
			v := scaled{math.Float64frombits(binary.LittleEndian.Uint64(b[8:])), int(binary.LittleEndian.Uint64(b[16:]))}
			largest[root] = largest[root].max(v)
		}
	}
	for at, root := range k.across {
		values[at] = largest[root]
	}
}

// acrossAll reports whether the block of this rank, all of whose rows are in it, is the same on all ranks.
func (k *blocks) acrossAll(block int32) bool {
	if k.over == nil {
		return true
	}
	x := []int64{math.MinInt64, math.MinInt64}
	if block >= 0 {
		root, found := k.across[block]
		if !found {
			root = k.label(block)
		}
		x[0], x[1] = root, -root
	}
	k.over.Comm.Max(x)
	return x[0] == -x[1]
}
