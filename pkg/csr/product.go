package csr

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Transpose returns the transposed matrix, on the threads of pool (nil: serially).
func (m *Matrix) Transpose(pool *parallel.Pool) *Matrix {
	t := &Matrix{Rows: m.Cols, Cols: m.Rows, RowPtr: make([]int64, m.Cols+1), Col: make([]int32, m.NNZ()), Val: make([]float64, m.NNZ())}
	parts := transposeParts(m)
	counts := make([][]int32, len(parts)-1) // entries of each column in each part, then their offsets
	pool.RunRanges(parts, func(part, lo, hi int) {
		n := make([]int32, m.Cols)
		for _, j := range m.Col[m.RowPtr[lo]:m.RowPtr[hi]] {
			n[j]++
		}
		counts[part] = n
	})
	for j := range m.Cols {
		var sum int32
		for _, n := range counts {
			n[j], sum = sum, sum+n[j]
		}
		t.RowPtr[j+1] = t.RowPtr[j] + int64(sum)
	}
	pool.RunRanges(parts, func(part, lo, hi int) {
		next := counts[part]
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			for k, j := range cols {
				at := t.RowPtr[j] + int64(next[j])
				next[j]++
				t.Col[at], t.Val[at] = int32(i), vals[k]
			}
		}
	})
	return t
}

// transposeParts are ranges of rows, few since each part counts all columns.
func transposeParts(m *Matrix) []int {
	const most = 16
	panels := Panels(m)
	parts := min(most, len(panels)-1)
	bounds := make([]int, parts+1)
	for k := range bounds {
		bounds[k] = panels[k*(len(panels)-1)/max(parts, 1)]
	}
	return bounds
}

// Multiplications returns the number of multiplications in a b, an upper bound of
// its nonzeros.
func Multiplications(a, b *Matrix, pool *parallel.Pool) (n int64) {
	bounds := Panels(a)
	counts := make([]int64, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		for _, j := range a.Col[a.RowPtr[lo]:a.RowPtr[hi]] {
			counts[k] += b.RowPtr[j+1] - b.RowPtr[j]
		}
	})
	for _, c := range counts {
		n += c
	}
	return n
}

// ProductNNZ returns the number of nonzeros of Multiply's result, in the memory of a
// few rows.
func ProductNNZ(a, b *Matrix, blocks Blocks, pool *parallel.Pool) (int64, error) {
	if err := conform(a, b, blocks); err != nil {
		return 0, err
	}
	bounds := Panels(a)
	counts := make([]int64, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		last := make([]int32, blocks.Count()) // row in which a block was met last, from 1
		var before []int32
		var row int64 // nonzeros of the row with these columns
		for i := lo; i < hi; i++ {
			cols, _ := a.Row(i)
			if i > lo && slices.Equal(cols, before) {
				counts[k] += row
				continue
			}
			row, before = 0, cols
			for _, j := range cols {
				inner, _ := b.Row(int(j))
				for q := 0; q < len(inner); {
					g, width, whole := blocks.at(inner[q:])
					if last[g] != int32(i+1) {
						last[g] = int32(i + 1)
						row += int64(width)
					}
					if whole {
						q += width
					} else {
						q++
					}
				}
			}
			counts[k] += row
		}
	})
	n := int64(0)
	for _, c := range counts {
		n += c
	}
	return n, nil
}

func conform(a, b *Matrix, blocks Blocks) error {
	if a.Cols != b.Rows || b.Cols != len(blocks.Of) {
		return fmt.Errorf("csr: product of a %d x %d and a %d x %d matrix with %d columns in blocks", a.Rows, a.Cols, b.Rows, b.Cols, len(blocks.Of))
	}
	return nil
}

// Blocks are groups of consecutive columns that mostly occur together, none of them
// empty: group g is columns First[g] to First[g+1]-1, and Of[j] is the group of
// column j.
type Blocks struct{ First, Of []int32 }

// EqualBlocks are groups of size columns each; cols is a multiple of it.
func EqualBlocks(cols, size int) Blocks {
	b := Blocks{make([]int32, cols/size+1), make([]int32, cols)}
	for g := range b.First {
		b.First[g] = int32(g * size)
	}
	for j := range b.Of {
		b.Of[j] = int32(j / size)
	}
	return b
}

// Count returns the number of groups.
func (b Blocks) Count() int { return len(b.First) - 1 }

// single reports whether each column is a group.
func (b Blocks) single() bool { return b.Count() == len(b.Of) }

// at returns the group of the first of the ascending columns, its width, and whether
// they begin with the whole of it.
func (b Blocks) at(cols []int32) (g int32, width int, whole bool) {
	g = b.Of[cols[0]]
	first := b.First[g]
	width = int(b.First[g+1] - first)
	return g, width, cols[0] == first && width <= len(cols) && int(cols[width-1]-first) == width-1
}

// Multiply returns a b by Gustavson's algorithm, row by row, on the threads of
// pool (nil: serially). The entries of a row are added in the order of a's. Columns
// of the result come in whole blocks, with zeros where there is nothing.
func Multiply(a, b *Matrix, blocks Blocks, pool *parallel.Pool) (*Matrix, error) {
	if err := conform(a, b, blocks); err != nil {
		return nil, err
	}
	return ByRows(a.Rows, blocks, Panels(a), pool, func(i int, row *Accumulator) {
		cols, vals := a.Row(i)
		for k, j := range cols {
			row.addRow(vals[k], b, int(j))
		}
	}), nil
}

// ByRows makes a matrix whose row i is what fill adds to an empty row, for ranges
// of rows on the threads of pool. Calls for different rows run at the same time.
func ByRows(rows int, blocks Blocks, bounds []int, pool *parallel.Pool, fill func(i int, row *Accumulator)) *Matrix {
	m := &Matrix{Rows: rows, Cols: len(blocks.Of), RowPtr: make([]int64, rows+1)}
	type part struct {
		col []int32
		val []float64
	}
	parts := make([]part, len(bounds)-1)
	spare := make(chan *Accumulator, pool.Threads())
	pool.RunRanges(bounds, func(k, lo, hi int) {
		var row *Accumulator
		select {
		case row = <-spare:
		default:
			row = &Accumulator{blocks: blocks, single: blocks.single(), place: make([]int32, blocks.Count())}
		}
		most := int(row.perRow * float64(hi-lo) * 1.2) // so that these rarely grow
		p := part{make([]int32, 0, most), make([]float64, 0, most)}
		for i := lo; i < hi; i++ {
			fill(i, row)
			p.col, p.val = row.appendTo(p.col, p.val)
			m.RowPtr[i+1] = int64(len(p.col))
		}
		row.perRow = float64(len(p.col)) / float64(max(hi-lo, 1))
		parts[k] = p
		spare <- row
	})
	total := int64(0)
	for k := range parts {
		n := int64(len(parts[k].col))
		for i := bounds[k] + 1; i <= bounds[k+1]; i++ {
			m.RowPtr[i] += total
		}
		total += n
	}
	m.Col, m.Val = make([]int32, total), make([]float64, total)
	pool.RunRanges(bounds, func(k, lo, _ int) {
		copy(m.Col[m.RowPtr[lo]:], parts[k].col)
		copy(m.Val[m.RowPtr[lo]:], parts[k].val)
		parts[k] = part{}
	})
	return m
}

// Accumulator sums a sparse row, in whole blocks.
type Accumulator struct {
	blocks Blocks
	single bool
	place  []int32 // of a block in val, from 1; 0: none
	block  []int32 // the blocks of the row
	val    []float64
	order  []uint64
	perRow float64 // entries, in the part made last
}

// Add adds v to the entry of column j.
func (r *Accumulator) Add(j int32, v float64) {
	if r.single {
		if k := r.place[j]; k > 0 {
			r.val[k-1] += v
			return
		}
		r.block, r.val = append(r.block, j), append(r.val, v)
		r.place[j] = int32(len(r.val))
		return
	}
	g := r.blocks.Of[j]
	r.of(g)[j-r.blocks.First[g]] += v
}

// of returns the entries of a block.
func (r *Accumulator) of(g int32) []float64 {
	w := int(r.blocks.First[g+1] - r.blocks.First[g])
	k := int(r.place[g])
	if k == 0 {
		k = len(r.val) + 1
		r.place[g] = int32(k)
		r.block = append(r.block, g)
		for range w {
			r.val = append(r.val, 0)
		}
	}
	return r.val[k-1 : k-1+w]
}

// AddBlock adds a times vals to the entries of block g, from its first on.
func (r *Accumulator) AddBlock(g int32, a float64, vals []float64) {
	to := r.of(g)[:len(vals)]
	for k, v := range vals {
		to[k] += float64(a * v)
	}
}

// addRow adds a times row i of m.
func (r *Accumulator) addRow(a float64, m *Matrix, i int) {
	cols, vals := m.Row(i)
	vals = vals[:len(cols)]
	if r.single {
		for k, j := range cols {
			r.Add(j, float64(a*vals[k]))
		}
		return
	}
	for k := 0; k < len(cols); {
		g, width, whole := r.blocks.at(cols[k:])
		if whole {
			r.AddBlock(g, a, vals[k:k+width])
			k += width
			continue
		}
		r.of(g)[cols[k]-r.blocks.First[g]] += float64(a * vals[k])
		k++
	}
}

// appendTo appends the row in the order of its columns and empties it.
func (r *Accumulator) appendTo(col []int32, val []float64) ([]int32, []float64) {
	r.order = r.order[:0]
	for _, g := range r.block {
		r.order = append(r.order, uint64(g)<<32|uint64(r.place[g]-1))
		r.place[g] = 0
	}
	slices.Sort(r.order)
	for _, o := range r.order {
		g, at := o>>32, uint32(o)
		if r.single {
			col, val = append(col, int32(g)), append(val, r.val[at])
			continue
		}
		first, end := r.blocks.First[g], r.blocks.First[g+1]
		for j := first; j < end; j++ {
			col = append(col, j)
		}
		val = append(val, r.val[at:int(at)+int(end-first)]...)
	}
	r.block, r.val = r.block[:0], r.val[:0]
	return col, val
}
