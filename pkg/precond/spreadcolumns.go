package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// coarseColumns are the coarse unknowns that a rank knows, numbered in their order: some below its own ones, these, some above.
type coarseColumns struct {
	domains dist.Domains
	first   int64   // of the rank's own ones
	own     int     // number of them
	below   int     // number of those before them
	codes   []int64 // ascending
	others  codeTable
}

// A code of a coarse unknown is twice its index, and one more if a node begins with it.
func code(index int64, begins bool) int64 {
	if begins {
		return 2*index + 1
	}
	return 2 * index
}

// newCoarseColumns are a rank's own unknowns, of these nodes.
func newCoarseColumns(d dist.Domains, first int64, nd nodes) *coarseColumns {
	c := &coarseColumns{domains: d, first: first, own: len(nd.Of)}
	for i, k := range nd.Of {
		c.codes = append(c.codes, code(first+int64(i), int(nd.First[k]) == i))
	}
	return c
}

// global is the index of column j.
func (c *coarseColumns) global(j int32) int64 { return c.codes[j] >> 1 }

// position is the column of a code that is known.
func (c *coarseColumns) position(code int64) int32 {
	if i := code>>1 - c.first; i >= 0 && i < int64(c.own) {
		return int32(c.below) + int32(i)
	}
	return c.others.value[c.others.slot(code)]
}

// column is the column of an index that is known.
func (c *coarseColumns) column(index int64) int {
	if i := index - c.first; i >= 0 && i < int64(c.own) {
		return c.below + int(i)
	}
	j, _ := slices.BinarySearch(c.codes, 2*index) // that or one more
	return j
}

// extended are c and the unknowns of other codes in rows, which become columns. Column j of c is column to[j].
func (c *coarseColumns) extended(rows []dist.Rows, pool *parallel.Pool) (e *coarseColumns, to []int32) {
	e = &coarseColumns{domains: c.domains, first: c.first, own: c.own}
	for _, v := range c.codes[:c.below] {
		e.others.add(v)
	}
	for _, v := range c.codes[c.below+c.own:] {
		e.others.add(v)
	}
	for _, r := range rows {
		for _, v := range r.Col {
			if i := v>>1 - c.first; i < 0 || i >= int64(c.own) {
				e.others.add(v)
			}
		}
	}
	others := e.others.sorted()
	e.below, _ = slices.BinarySearch(others, 2*c.first)
	e.codes = slices.Concat(others[:e.below], c.codes[c.below:c.below+c.own], others[e.below:])
	for j, v := range others {
		if j >= e.below {
			j += e.own
		}
		e.others.value[e.others.slot(v)] = int32(j)
	}
	to = make([]int32, len(c.codes))
	for j, v := range c.codes {
		to[j] = e.position(v)
	}
	for _, r := range rows {
		pool.RunRanges(evenly(len(r.Col), nodesPerTask), func(_, lo, hi int) {
			for k, v := range r.Col[lo:hi] {
				r.Col[lo+k] = int64(e.position(v))
			}
		})
	}
	return e, to
}

// codeTable is a hash table of codes, by open addressing.
type codeTable struct {
	key   []int64 // one more than the code; 0: free
	value []int32
	count int
}

// slot returns the index where a code is, or would be.
func (t *codeTable) slot(code int64) int {
	mask := len(t.key) - 1
	at := int(uint64(code)*0x9e3779b97f4a7c15>>20) & mask
	for t.key[at] != 0 && t.key[at] != code+1 {
		at = (at + 1) & mask
	}
	return at
}

// add puts a code into the table, if it is not there yet.
func (t *codeTable) add(code int64) {
	if 2*t.count >= len(t.key) {
		keys := t.key
		t.key = make([]int64, max(64, 2*len(keys)))
		t.value = make([]int32, len(t.key))
		for _, k := range keys {
			if k != 0 {
				t.key[t.slot(k-1)] = k
			}
		}
	}
	if at := t.slot(code); t.key[at] == 0 {
		t.key[at] = code + 1
		t.count++
	}
}

// sorted returns the codes, ascending.
func (t *codeTable) sorted() []int64 {
	codes := make([]int64, 0, t.count)
	for _, k := range t.key {
		if k != 0 {
			codes = append(codes, k-1)
		}
	}
	slices.Sort(codes)
	return codes
}

// columnsOf returns the first column and that after the last one of a domain of this rank.
func (c *coarseColumns) columnsOf(domain int) (first, end int32) {
	return int32(c.below + int(c.domains.Start[domain]-c.first)), int32(c.below + int(c.domains.Start[domain+1]-c.first))
}

// blocks are the nodes of the columns.
func (c *coarseColumns) blocks() nodes {
	nd := nodes{Of: make([]int32, len(c.codes))}
	for j, v := range c.codes {
		if v&1 != 0 {
			nd.First = append(nd.First, int32(j))
		}
		nd.Of[j] = int32(len(nd.First) - 1)
	}
	nd.First = append(nd.First, int32(len(c.codes)))
	return nd
}

// fetchRows returns rows of ghosts of m, whose columns these are.
func (c *coarseColumns) fetchRows(l *dist.Layout, m *csr.Matrix, pool *parallel.Pool) []dist.Rows {
	return l.FetchRows(pool, func(i int) int { return int(m.RowPtr[i+1] - m.RowPtr[i]) }, func(i int, codes []int64, values []float64) {
		cols, vals := m.Row(i)
		for e, j := range cols {
			codes[e] = c.codes[j]
		}
		copy(values, vals)
	})
}

// joined returns own rows of m, with columns to[j] instead of j, and rows of ghosts.
func (c *coarseColumns) joined(l *dist.Layout, m *csr.Matrix, to []int32, ghosts []dist.Rows, pool *parallel.Pool) *csr.Matrix {
	var blocks []dist.RowBlock
	for k, p := range l.Parts {
		below, above := dist.GhostBlocks(p.At, p, ghosts[k])
		blocks = append(blocks, below, dist.MovedBlock(p.First(), m, p.First(), p.End(), to), above)
	}
	return dist.Stacked(l.Len, len(c.codes), blocks, pool)
}
