package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// hybrid is ELL for the first elements of each row, and COO for what longer rows have besides
// [BellGarland09]. Without columns of ELL it is COO, with as many as the longest row has it is ELL.
//
// ELL lies panel by panel, column by column, so that a panel reads a range of memory. Its products are
// added one by one; those in COO as in CSR, and then to the former.
type hybrid struct {
	unprepared
	kernels    *kernels.Set
	rows, cols int
	ell        kernels.ELL[float64]
	coo        kernels.COO
	start      []int // first element of each panel in coo
}

// quantile is the share of rows that ELL holds completely in Hybrid.
const quantile = 0.8

// ELL is refused if rows filled up to the longest take more than mostFilling times the elements of the
// matrix and more than mostFilled bytes, lest a single long row exhausts the memory.
const (
	mostFilling = 16
	mostFilled  = 256 << 20
)

// HybridWidth is the number of columns of ELL in the layout Hybrid: the length that 80 % of the rows do
// not exceed, as Ginkgo's hybrid::imbalance_limit has it by default.
func HybridWidth(m *csr.Matrix) int {
	if m.Rows == 0 {
		return 0
	}
	count := make([]int, m.LongestRow()+1)
	for i := range m.Rows {
		count[m.RowPtr[i+1]-m.RowPtr[i]]++
	}
	width, seen := 0, count[0]
	for float64(seen) < quantile*float64(m.Rows) {
		width++
		seen += count[width]
	}
	return width
}

// ELLWidth returns the width of the layout ELL, the length of the longest row. It is an error if rows filled up
// to it take more than 16 times the elements of m, and more than 256 MiB.
func ELLWidth(m *csr.Matrix) (int, error) {
	width := m.LongestRow()
	if filled := int64(width) * int64(m.Rows); filled > mostFilling*int64(m.NNZ()) && filled > mostFilled/ellBytes {
		return 0, fmt.Errorf("adaptive: ELL of rows of up to %d elements takes %d MiB, %.0f times the elements, of which at most %d are allowed; hybrid puts long rows into COO",
			width, ellBytes*filled>>20, float64(filled)/float64(m.NNZ()), mostFilling)
	}
	return width, nil
}

// Bytes of a place in ELL and of an element of COO.
const (
	ellBytes = 12
	cooBytes = 16
)

func noWidth(*csr.Matrix) (int, error)         { return 0, nil }
func quantileWidth(m *csr.Matrix) (int, error) { return HybridWidth(m), nil }

// hybridOf stores the matrix with as many columns of ELL as width says.
func hybridOf(width func(*csr.Matrix) (int, error)) func(*builder, choice) (Matrix, error) {
	return func(b *builder, c choice) (Matrix, error) {
		w, err := width(b.m)
		if err == nil {
			err = b.fits(c.layout, ellBytes*int64(w)*int64(b.m.Rows))
		}
		if err != nil {
			return nil, err
		}
		s := newHybrid(b, w)
		a := newMatrix(b, c, s)
		a.stats = b.plainStats(s.bytes())
		return a, nil
	}
}

func newHybrid(b *builder, width int) *hybrid {
	m := b.m
	s := &hybrid{kernels: b.kernels, rows: m.Rows, cols: m.Cols, start: make([]int, len(b.panels))}
	for k, lo := range b.panels[:len(b.panels)-1] {
		s.start[k+1] = s.start[k]
		for i := lo; i < b.panels[k+1]; i++ {
			s.start[k+1] += max(0, int(m.RowPtr[i+1]-m.RowPtr[i])-width)
		}
	}
	rest, filled := s.start[len(s.start)-1], width*m.Rows
	s.ell = kernels.ELL[float64]{Width: width, Col: make([]int32, filled), Val: make([]float64, filled)}
	s.coo = kernels.COO{Row: make([]int32, rest), Col: make([]int32, rest), Val: make([]float64, rest)}
	b.pool.RunRanges(b.panels, func(k, lo, hi int) {
		ell, coo, next := s.panel(lo, hi), s.coo.Slice(s.start[k], s.start[k+1]), 0
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			short := min(len(cols), width)
			last := int32(0) // column of what is filled up
			for j := range short {
				last = cols[j]
				ell.Col[j*(hi-lo)+i-lo], ell.Val[j*(hi-lo)+i-lo] = last, vals[j]
			}
			for j := short; j < width; j++ {
				ell.Col[j*(hi-lo)+i-lo] = last
			}
			for j := short; j < len(cols); j++ {
				coo.Row[next], coo.Col[next], coo.Val[next] = int32(i), cols[j], vals[j]
				next++
			}
		}
	})
	return s
}

// panel is ELL of the rows of a panel, as rows 0 to hi-lo-1.
func (s *hybrid) panel(lo, hi int) kernels.ELL[float64] {
	w := s.ell.Width
	return kernels.ELL[float64]{Width: w, Stride: hi - lo, Col: s.ell.Col[lo*w : hi*w], Val: s.ell.Val[lo*w : hi*w]}
}

func (s *hybrid) Dims() (rows, cols int) { return s.rows, s.cols }

// bytes includes the offsets at which panels begin in COO.
func (s *hybrid) bytes() int64 {
	n := ellBytes*int64(len(s.ell.Col)) + cooBytes*int64(len(s.coo.Row))
	if len(s.coo.Row) > 0 {
		n += 8 * int64(len(s.start))
	}
	return n
}

func (s *hybrid) MulRows(dst []float64, panel, lo, hi int, x []float64) {
	if s.ell.Width > 0 {
		kernels.ELLMulVec[float64, float64](s.kernels, dst[lo:hi], 0, hi-lo, s.panel(lo, hi), x)
	} else {
		clear(dst[lo:hi])
	}
	s.kernels.COOAddVec(dst, s.coo.Slice(s.start[panel], s.start[panel+1]), x)
}
