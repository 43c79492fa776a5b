package dist

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Whole returns the matrix m as the one domain of a single rank, without copying columns and values.
func Whole(m *csr.Matrix) *Matrix {
	d := Domains{Start: []int64{0, int64(m.Rows)}}
	var f *Frame
	if m.Rows != m.Cols {
		f = NewFrame(d, int64(m.Cols))
		d, m = f.square(), f.within(m, 0, 1)
	}
	l, err := NewLayout(Self{}, d, [][]int64{nil})
	if err != nil {
		panic(err) // m has as many rows as a rank may have
	}
	return &Matrix{Layout: l, N: d.Rows(), NNZ: int64(m.NNZ()), Local: m, Frame: f}
}

// Plus returns a matrix of the same domains with terms added: more returns their columns in a row, ascending, and their values. It is collective.
func (m *Matrix) Plus(more func(row int64) (cols []int64, values []float64)) (*Matrix, error) {
	if m.N <= math.MaxInt32 {
		ptr, col, val := plus[int32](m, more)
		return Adopt(m.Comm, m.Domains, &csr.Matrix{Rows: m.Own, Cols: int(m.N), RowPtr: ptr, Col: col, Val: val})
	}
	ptr, col, val := plus[int64](m, more)
	return NewMatrix(m.Comm, m.Domains, []Rows{{ptr, col, val}})
}

// Twice returns the matrix of nodes of two unknowns each that multiplies the first unknowns by m, and the second ones: A in rows and columns 0,
// 2, ..., and in 1, 3, .... Its domains have the nodes of the rows of m. It is collective.
func (m *Matrix) Twice() (*Matrix, error) {
	nnz := 2 * m.Local.NNZ()
	rows := Rows{make([]int64, 1, 2*m.Own+1), make([]int64, 0, nnz), make([]float64, 0, nnz)}
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			cols, vals := m.Local.Row(i)
			for unknown := range int64(2) {
				for _, at := range cols {
					rows.Col = append(rows.Col, 2*p.global(int(at)-p.At)+unknown)
				}
				rows.Val = append(rows.Val, vals...)
				rows.RowPtr = append(rows.RowPtr, int64(len(rows.Val)))
			}
		}
	}
	a, err := NewMatrix(m.Comm, m.Domains.Times(2), []Rows{rows})
	if err == nil {
		a.Node = 2
	}
	return a, err
}

// plus returns the rows of this rank with terms added, and with columns of the whole matrix.
func plus[I int32 | int64](m *Matrix, more func(row int64) ([]int64, []float64)) (ptr []int64, col []I, val []float64) {
	ptr = make([]int64, 1, m.Own+1)
	col, val = make([]I, 0, m.Local.NNZ()+16), make([]float64, 0, m.Local.NNZ()+16)
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			cols, vals := m.Local.Row(i)
			added, values := more(p.Row + int64(i-p.First()))
			for k, at := range cols {
				j, v := p.global(int(at)-p.At), vals[k]
				for len(added) > 0 && added[0] <= j {
					if added[0] == j {
						v += values[0]
					} else {
						col, val = append(col, I(added[0])), append(val, values[0])
					}
					added, values = added[1:], values[1:]
				}
				col, val = append(col, I(j)), append(val, v)
			}
			for k, j := range added {
				col, val = append(col, I(j)), append(val, values[k])
			}
			ptr = append(ptr, int64(len(col)))
		}
	}
	return ptr, col, val
}

// Transpose returns the transpose, in the same domains. It is collective.
func (m *Matrix) Transpose() (*Matrix, error) {
	to := make([][]byte, m.Comm.Size()) // row of the transpose, column and value of each element
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			cols, vals := m.Local.Row(i)
			for k, at := range cols {
				j := p.global(int(at) - p.At)
				owner := m.Domains.Owner(m.Domains.Of(j), m.Comm.Size())
				b := binary.NativeEndian.AppendUint64(to[owner], uint64(j))
				b = binary.NativeEndian.AppendUint64(b, uint64(p.Row+int64(i-p.First())))
				to[owner] = binary.NativeEndian.AppendUint64(b, math.Float64bits(vals[k]))
			}
		}
	}
	lo, _ := m.Domains.Owned(m.Comm.Rank(), m.Comm.Size())
	first := m.Domains.Start[lo]
	rows := Rows{RowPtr: make([]int64, m.Own+1)}
	from := m.Comm.Alltoall(to) // ranks, and so columns, ascend
	each := func(do func(row, col int64, v float64)) {
		for _, b := range from {
			for ; len(b) > 0; b = b[24:] {
				do(int64(binary.NativeEndian.Uint64(b))-first, int64(binary.NativeEndian.Uint64(b[8:])), math.Float64frombits(binary.NativeEndian.Uint64(b[16:])))
			}
		}
	}
	each(func(row, _ int64, _ float64) { rows.RowPtr[row+1]++ })
	for i := range m.Own {
		rows.RowPtr[i+1] += rows.RowPtr[i]
	}
	rows.Col, rows.Val = make([]int64, rows.RowPtr[m.Own]), make([]float64, rows.RowPtr[m.Own])
	next := slices.Clone(rows.RowPtr)
	each(func(row, col int64, v float64) {
		rows.Col[next[row]], rows.Val[next[row]] = col, v
		next[row]++
	})
	return NewMatrix(m.Comm, m.Domains, []Rows{rows})
}

// Position returns the position of a row; ok is false if another rank owns it.
func (l *Layout) Position(row int64) (at int, ok bool) {
	if l.Domains.Owner(l.Domains.Of(row), l.Comm.Size()) != l.Comm.Rank() {
		return 0, false
	}
	return l.own(row), true
}
