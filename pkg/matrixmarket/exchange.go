package matrixmarket

import (
	"context"
	"slices"
	"sort"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// roundBlocks is how many blocks a rank goes through between exchanges with the others: at most about so many MB
// of text.
const roundBlocks = 32

// exchange gives each rank the entries of its rows; an entry of a symmetric file also goes to the rank that has the row of its mirror image. They come back as
// blocks in the order of the file, of this rank's own and of others. Collective.
func (r *reading) exchange(ctx context.Context, c dist.Comm, d dist.Domains, keep bool) ([]*block, error) {
	o := r.newOwners(c, d)
	from := make([][]*block, c.Size())
	for at := 0; ; {
		end := min(at+roundBlocks, len(r.blocks))
		if err := agree(c, ctx.Err()); err != nil {
			return nil, err
		}
		if !dist.Any(c, at < end) {
			break
		}
		to, sent := o.messages(r.blocks[at:end], r.threads)
		if !keep {
			inTurn(r.threads, end-at, func(k int) {
				if b := r.blocks[at+k]; sent[k] > b.entries/8 {
					r.blocks[at+k] = o.kept(b)
				}
			})
		}
		at = end
		for rank, b := range c.Alltoall(to) {
			if len(b) > 0 {
				from[rank] = append(from[rank], o.block(b))
			}
		}
	}
	from[c.Rank()] = slices.Clone(r.blocks)
	return slices.Concat(from...), nil
}

// owners are the ranks that own rows.
type owners struct {
	rank   int
	start  []int32 // of the rows of each rank, and the number of all
	mirror bool    // entries also go to the owner of the row that has their mirror image
	values bool    // the file has them
}

func (r *reading) newOwners(c dist.Comm, d dist.Domains) *owners {
	o := &owners{rank: c.Rank(), mirror: r.Symmetry != General, values: r.values() > 0}
	for rank := range c.Size() {
		lo, _ := d.Owned(rank, c.Size())
		o.start = append(o.start, int32(d.Start[lo]))
	}
	o.start = append(o.start, int32(d.Rows()))
	return o
}

// owns reports whether this rank owns a row.
func (o *owners) owns(i int32) bool {
	return uint32(i-o.start[o.rank]) < uint32(o.start[o.rank+1]-o.start[o.rank])
}

// of returns the rank that owns a row.
func (o *owners) of(i int32) int {
	return sort.Search(len(o.start)-2, func(rank int) bool { return o.start[rank+1] > i })
}

// abroad returns the other ranks that entry k needs to reach; -1 for none.
func (o *owners) abroad(b *block, k int) (row, mirrored int) {
	row, mirrored = -1, -1
	if i := b.row[k]; !o.owns(i) {
		row = o.of(i)
	}
	if j := b.col[k]; o.mirror && !o.owns(j) {
		if mirrored = o.of(j); mirrored == row {
			mirrored = -1
		}
	}
	return row, mirrored
}

// home reports whether this rank owns the rows of all entries of a block, and the rows of their mirror images.
func (o *owners) home(b *block) bool {
	return b.entries == 0 || o.owns(b.minRow) && o.owns(b.maxRow) && (!o.mirror || o.owns(b.minCol) && o.owns(b.maxCol))
}

// A message has the number of its entries, their values if the file has them, rows and columns.
type message struct {
	bytes    []byte
	val      []float64
	row, col []int32
}

const messageHead = 8

func (o *owners) newMessage(entries int) message {
	if entries == 0 {
		return message{}
	}
	size := messageHead + 8*entries
	if o.values {
		size += 8 * entries
	}
	m := o.message(make([]byte, size), entries)
	dist.Numbers[int64](m.bytes[:messageHead])[0] = int64(entries)
	return m
}

// message is the layout of the bytes of a message.
func (o *owners) message(b []byte, entries int) message {
	m := message{bytes: b}
	b = b[messageHead:]
	if o.values {
		m.val, b = dist.Numbers[float64](b[:8*entries]), b[8*entries:]
	}
	indices := dist.Numbers[int32](b)
	m.row, m.col = indices[:entries], indices[entries:2*entries]
	return m
}

// messages returns what other ranks need of these blocks, in their order, and how many entries of each block that is.
func (o *owners) messages(blocks []*block, threads int) (to [][]byte, sent []int) {
	ranks := len(o.start) - 1
	counts := make([][]int, len(blocks)+1) // first by block and rank, then where in the message they begin
	counts[len(blocks)] = make([]int, ranks)
	each := func(do func(k int, b *block)) {
		inTurn(threads, len(blocks), func(k int) {
			if !o.home(blocks[k]) {
				do(k, blocks[k])
			}
		})
	}
	each(func(k int, b *block) { counts[k] = o.count(b, ranks) })
	all := counts[len(blocks)]
	sent = make([]int, len(blocks))
	for k, n := range counts[:len(blocks)] {
		for rank, count := range n {
			n[rank], all[rank] = all[rank], all[rank]+count
			sent[k] += count
		}
	}
	out := make([]message, ranks)
	to = make([][]byte, ranks)
	for rank, n := range all {
		out[rank] = o.newMessage(n)
		to[rank] = out[rank].bytes
	}
	each(func(k int, b *block) { o.fill(out, b, counts[k]) })
	return to, sent
}

// count returns how many entries of a block go to each rank.
func (o *owners) count(b *block, ranks int) []int {
	n := make([]int, ranks)
	for k := range b.row {
		row, mirrored := o.abroad(b, k)
		if row >= 0 {
			n[row]++
		}
		if mirrored >= 0 {
			n[mirrored]++
		}
	}
	return n
}

// fill puts the entries of a block into messages, from these positions on.
func (o *owners) fill(out []message, b *block, at []int) {
	put := func(rank, k int) {
		m := &out[rank]
		m.row[at[rank]], m.col[at[rank]] = b.row[k], b.col[k]
		if o.values {
			m.val[at[rank]] = b.val[k]
		}
		at[rank]++
	}
	for k := range b.row {
		row, mirrored := o.abroad(b, k)
		if row >= 0 {
			put(row, k)
		}
		if mirrored >= 0 {
			put(mirrored, k)
		}
	}
}

// kept returns a block without the entries that this rank does not need.
func (o *owners) kept(b *block) *block {
	n := 0
	needed := func(k int) bool { return o.owns(b.row[k]) || o.mirror && o.owns(b.col[k]) }
	for k := range b.row {
		if needed(k) {
			n++
		}
	}
	c := &block{entries: n, row: make([]int32, 0, n), col: make([]int32, 0, n)}
	if b.val != nil {
		c.val = make([]float64, 0, n)
	}
	for k := range b.row {
		if needed(k) {
			c.row, c.col = append(c.row, b.row[k]), append(c.col, b.col[k])
			if b.val != nil {
				c.val = append(c.val, b.val[k])
			}
		}
	}
	c.bound()
	return c
}

// block returns the block that has come in a message, in its memory.
func (o *owners) block(bytes []byte) *block {
	entries := int(dist.Numbers[int64](bytes[:messageHead])[0])
	m := o.message(bytes, entries)
	b := &block{entries: entries, row: m.row, col: m.col, val: m.val}
	b.bound()
	return b
}

// bound finds out the bounds of rows and columns.
func (b *block) bound() {
	b.minRow, b.minCol = noExtent.minRow, noExtent.minCol
	for k, i := range b.row {
		j := b.col[k]
		b.minRow, b.maxRow = min(b.minRow, i), max(b.maxRow, i)
		b.minCol, b.maxCol = min(b.minCol, j), max(b.maxCol, j)
	}
}
