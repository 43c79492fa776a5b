package dist

import (
	"cmp"
	"slices"
	"sort"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// An Order is a permutation of the rows of a matrix, and of the elements of its vectors, over ranks: from the numbers in which they were given to the
// numbers in which each domain has consecutive rows.
type Order struct {
	comm       Comm
	given, own numbering // own: the numbers of the matrix
}

// A numbering is one of the two numberings of an Order.
type numbering struct {
	spans []Span  // the rows of each rank
	other []int64 // the numbers that the rows of this rank have in the other numbering
	by    []int32 // the rows of this rank, counted from its first, by these numbers
}

func newNumbering(d Domains, size int, other []int64) numbering {
	n := numbering{spans: d.Spans(size), other: other, by: make([]int32, len(other))}
	for k := range n.by {
		n.by[k] = int32(k)
	}
	slices.SortFunc(n.by, func(a, b int32) int { return cmp.Compare(other[a], other[b]) })
	return n
}

// rank returns the rank that has a row.
func (n *numbering) rank(row int64) int {
	return sort.Search(len(n.spans), func(r int) bool { return n.spans[r].End > row })
}

// In returns the elements of this rank in the order of the matrix, given those in the order given. It is collective.
func (o *Order) In(x []float64) []float64 { return o.pass(x, &o.given, &o.own, moveBytes/8) }

// Out is the inverse of In. It is collective.
func (o *Order) Out(x []float64) []float64 { return o.pass(x, &o.own, &o.given, moveBytes/8) }

// pass returns the elements of this rank in another numbering. At most so many of a rank are in flight at a time.
func (o *Order) pass(x []float64, from, to *numbering, most int64) []float64 {
	y := make([]float64, len(to.by))
	next := make([]int, len(from.spans)) // of to.by, by the rank that it comes from
	rounds := int64(0)
	for r, s := range from.spans {
		next[r] = sort.Search(len(to.by), func(k int) bool { return to.other[to.by[k]] >= s.From })
		rounds = max(rounds, (s.Rows()+most-1)/most)
	}
	for k := range rounds {
		out := make([][]float64, len(to.spans))
		for i := k * most; i < min((k+1)*most, int64(len(x))); i++ {
			r := to.rank(from.other[i])
			out[r] = append(out[r], x[i])
		}
		messages := make([][]byte, len(out))
		for r := range out {
			messages[r] = Bytes(out[r])
		}
		for r, b := range o.comm.Alltoall(messages) {
			for _, v := range Numbers[float64](b) {
				y[to.by[next[r]]] = v
				next[r]++
			}
		}
	}
	return y
}

// Renumbered returns m with other numbers of its rows and columns, in other domains. to has the new numbers of the rows of this rank, from the old
// numbers of the rows that it gets. m must have fewer than 2^31 rows; its Local is empty then. It is collective.
func (m *Matrix) Renumbered(d Domains, to, from []int64) (*Matrix, error) {
	c := m.Comm
	o := &Order{comm: c, given: newNumbering(m.Domains, c.Size(), to), own: newNumbering(d, c.Size(), from)}
	v := &move{c: c, m: Slab{Matrix: m.ordered(o)}, first: int64(c.Rank()) << 32, most: moveBytes, column: 4}
	for _, s := range o.own.spans {
		v.ends = append(v.ends, sort.Search(len(to), func(k int) bool { return to[o.given.by[k]] >= s.End }))
	}
	*m.Local = csr.Matrix{}
	v.run()
	rows := v.matrix()
	v.m = Slab{}
	a, err := Adopt(c, d, o.sorted(rows, v.begin))
	if err != nil {
		return nil, err
	}
	a.Order = o
	return a, nil
}

// ordered returns the rows of this rank in the order of their new numbers, with new numbers of columns.
func (m *Matrix) ordered(o *Order) *csr.Matrix {
	numbers, places := make([]int32, m.Len), make([]int, 0, m.Own)
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			numbers[i] = int32(o.given.other[len(places)])
			places = append(places, i)
		}
	}
	Copy(m.Halo, numbers)
	nnz := m.Local.NNZ()
	rows := &csr.Matrix{Rows: m.Own, Cols: int(m.N), RowPtr: make([]int64, 1, m.Own+1), Col: make([]int32, 0, nnz), Val: make([]float64, 0, nnz)}
	for _, k := range o.given.by {
		cols, vals := m.Local.Row(places[k])
		for _, j := range cols {
			rows.Col = append(rows.Col, numbers[j])
		}
		rows.Val = append(rows.Val, vals...)
		rows.RowPtr = append(rows.RowPtr, int64(len(rows.Col)))
	}
	return rows
}

// sorted returns the rows of this rank by their new numbers, with ascending columns, given those of one rank after the other, which begin at begin.
func (o *Order) sorted(rows *csr.Matrix, begin []int64) *csr.Matrix {
	next := slices.Clone(begin)
	all := &csr.Matrix{
		Rows: rows.Rows, Cols: rows.Cols, RowPtr: make([]int64, 1, rows.Rows+1),
		Col: make([]int32, 0, rows.NNZ()), Val: make([]float64, 0, rows.NNZ()),
	}
	var by []int
	for _, given := range o.own.other {
		r := o.given.rank(given)
		cols, vals := rows.Row(int(next[r]))
		next[r]++
		by = by[:0]
		for k := range cols {
			by = append(by, k)
		}
		slices.SortFunc(by, func(a, b int) int { return cmp.Compare(cols[a], cols[b]) })
		for _, k := range by {
			all.Col, all.Val = append(all.Col, cols[k]), append(all.Val, vals[k])
		}
		all.RowPtr = append(all.RowPtr, int64(len(all.Col)))
	}
	return all
}
