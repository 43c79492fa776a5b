package dist

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Examine computes the facts of the whole matrix, as [csr.Examine] does, on all ranks. Only Asymmetry may differ: if
// it is large it may come from a sample. Examine is collective.
func Examine(m *Matrix, pool *parallel.Pool) csr.Facts {
	if m.Frame != nil {
		return m.Frame.examine(m, pool)
	}
	f := noFacts()
	var mirror uint64
	for _, p := range m.Parts {
		g, sum := csr.ExamineRows(m.Local, p.First(), p.End(), m.mirror(p), pool)
		f.Merge(m.global(g))
		mirror += sum
	}
	f = joinFacts(m.Comm, f)
	f.Rows, f.Cols, f.NNZ = int(m.N), int(m.N), int(m.NNZ)
	if f.MaxAbs == 0 {
		f.MinAbs = 0
	}
	if f.DiagonalZero > 0 {
		f.EmptyCol = m.emptyColumn(pool)
	}
	all := []int64{int64(mirror)}
	m.Comm.Sum(all)
	if f.NonFinite > 0 || all[0] != 0 {
		f.Asymmetry = m.asymmetry(pool)
	}
	f.Symmetric = f.Asymmetry <= csr.SymmetryTol
	return f
}

// mirror returns the hash of a row that sums to zero over a symmetric matrix: over the elements above the diagonal
// minus those below, each hashed with its position above the diagonal.
func (m *Matrix) mirror(p Part) func(i int) uint64 {
	return func(at int) (sum uint64) {
		i := uint64(p.global(at - p.At))
		cols, vals := m.Local.Row(at)
		for k, col := range cols {
			v, j := math.Float64bits(vals[k]), uint64(p.global(int(col)-p.At))
			switch {
			case v<<1 == 0 || j == i: // a zero need not be stored
			case j > i:
				sum += kernels.HashEntry(i*spreadBits, j, v)
			default:
				sum -= kernels.HashEntry(j*spreadBits, i, v)
			}
		}
		return sum
	}
}

// spreadBits is odd with bits all over (2^64 over the golden ratio). HashEntry keeps rows and columns of 32 bits apart, and rows times it
// from any columns.
const spreadBits = 0x9e3779b97f4a7c15

// global returns f with positions in the whole matrix.
func (m *Matrix) global(f csr.Facts) csr.Facts {
	if f.EmptyRow >= 0 {
		f.EmptyRow = int(m.Global(f.EmptyRow))
	}
	if f.NonFinite > 0 {
		at := f.FirstNonFinite
		p := m.Parts[m.Part(at.Row)]
		f.FirstNonFinite = csr.Position{Row: int(m.Global(at.Row)), Col: int(p.global(at.Col - p.At))}
	}
	return f
}

// wireFacts is the form in which ranks exchange facts.
type wireFacts struct {
	Longest, Positive, Negative, Zero, EmptyRow, NonFinite, Row, Col int64
	MinAbs, MaxAbs                                                   float64
}

// joinFacts merges the facts of all ranks, in the order of ranks.
func joinFacts(c Comm, f csr.Facts) csr.Facts {
	own, err := binary.Append(nil, binary.LittleEndian, wireFacts{
		int64(f.LongestRow), int64(f.DiagonalPositive), int64(f.DiagonalNegative), int64(f.DiagonalZero), int64(f.EmptyRow),
		int64(f.NonFinite), int64(f.FirstNonFinite.Row), int64(f.FirstNonFinite.Col), f.MinAbs, f.MaxAbs,
	})
	if err != nil {
		panic(err)
	}
	all := noFacts()
	for _, b := range c.Gather(own) {
		var w wireFacts
		if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &w); err != nil {
			panic(err)
		}
		all.Merge(csr.Facts{
			LongestRow: int(w.Longest), DiagonalPositive: int(w.Positive), DiagonalNegative: int(w.Negative), DiagonalZero: int(w.Zero),
			EmptyRow: int(w.EmptyRow), NonFinite: int(w.NonFinite), FirstNonFinite: csr.Position{Row: int(w.Row), Col: int(w.Col)},
			MinAbs: w.MinAbs, MaxAbs: w.MaxAbs,
		})
	}
	return all
}

// emptyColumn returns the first column without a nonzero, -1 if there is none.
func (m *Matrix) emptyColumn(pool *parallel.Pool) int {
	touched, local := make([]int8, m.Len), csr.TouchedColumns(m.Local, pool)
	for j := range m.Local.Cols {
		if local(j) {
			touched[j] = 1
		}
	}
	Raise(m.Halo, touched)
	_, cols := m.Sides()
	first := int64(math.MaxInt64)
	for _, p := range m.Parts {
		if k := slices.Index(touched[p.First():][:cols.size(p.Domain)], 0); k >= 0 {
			first = min(first, cols.Start[p.Domain]+int64(k))
		}
	}
	least := []int64{-first}
	m.Comm.Max(least)
	if least[0] == -math.MaxInt64 {
		return -1
	}
	return int(-least[0])
}

// A sample has one of every so many blocks of so many rows.
const (
	sampleBlock = 1024
	sampleOf    = 16
)

// asymmetry returns the asymmetry of m, see csr.SymmetryTol, or the asymmetry of a sample of the rows if that is
// plainly not symmetric.
func (m *Matrix) asymmetry(pool *parallel.Pool) float64 {
	root := m.Local.Diagonal(pool)
	for i, d := range root {
		root[i] = math.Sqrt(math.Abs(d))
	}
	Copy(m.Halo, root)
	if worst := m.asymmetryOf(m.sample(sampleOf), root); worst > kernels.PlainAsymmetry {
		return worst
	}
	return m.asymmetryOf(m.sample(1), root)
}

// sample returns the rows of one in every so many blocks of each domain, by position.
func (m *Matrix) sample(every int) (rows []int) {
	for _, p := range m.Parts {
		for lo := p.First(); lo < p.End(); lo += every * sampleBlock {
			for i := lo; i < min(lo+sampleBlock, p.End()); i++ {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

// asymmetryOf returns the asymmetry of the elements of some rows and their partners, on all ranks.
func (m *Matrix) asymmetryOf(rows []int, root []float64) float64 {
	partner, worst := m.Transposed(rows), 0.0
	for _, i := range rows {
		cols, vals := m.Local.Row(i)
		for k, j := range cols {
			if vals[k] != partner[k] {
				worst = max(worst, kernels.Asymmetry(vals[k], partner[k], root[i]*root[j]))
			}
		}
		partner = partner[len(cols):]
	}
	return largest(m.Comm, worst)
}

// largest returns the largest v >= 0 of all ranks; NaN counts as larger than all. It is collective.
func largest(c Comm, v float64) float64 {
	x := []int64{int64(math.Float64bits(math.Abs(v)))}
	c.Max(x)
	return math.Float64frombits(uint64(x[0]))
}

// share returns what csr needs from ranks to find the scalings of the whole matrix, which are the same as for the
// whole matrix on one rank. A rank has the exponents of its rows and columns, by position in a vector; ghosts have
// the exponents of the rows that they are copies of.
func (m *Matrix) share() csr.Share {
	return csr.Share{
		Any:   func(v bool) bool { return anyRank(m.Comm, v) },
		Copy:  func(e []int) { Copy(m.Halo, e) },
		Raise: func(e []int16) { Raise(m.Halo, e) },
	}
}

// RowScaling is [csr.RowScaling] of the whole matrix. It is collective, as all scalings.
func RowScaling(m *Matrix, pool *parallel.Pool) csr.Scaling {
	s := csr.RowScaling(m.Local, pool)
	Copy(m.Halo, s.Row)
	return s
}

// SymmetricScaling is [csr.SymmetricScaling] of the whole matrix.
func SymmetricScaling(m *Matrix, symmetric bool, pool *parallel.Pool) (csr.Scaling, error) {
	return m.share().SymmetricScaling(m.Local, symmetric, pool)
}

// BothScaling is [csr.BothScaling] of the whole matrix.
func BothScaling(m *Matrix, pool *parallel.Pool) csr.Scaling {
	return m.share().BothScaling(m.Local, pool)
}

// Overflows reports whether a scaling takes an element of the whole matrix beyond the range of float64. It is
// collective.
func Overflows(m *Matrix, s csr.Scaling, pool *parallel.Pool) bool {
	return anyRank(m.Comm, s.Overflows(m.Local, pool))
}

// Identity reports whether a scaling changes nothing on any rank. It is collective.
func Identity(m *Matrix, s csr.Scaling) bool { return !anyRank(m.Comm, !s.Identity()) }

// Uniform reports whether a scaling multiplies all elements of the whole matrix by the same power of two, 2^exponent.
// It is collective.
func Uniform(m *Matrix, s csr.Scaling) (exponent int, ok bool) {
	x := []int64{math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64} // of rows and -rows, columns and -columns
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			row, col := int64(s.Row[i]), int64(s.Col[i])
			x[0], x[1], x[2], x[3] = max(x[0], row), max(x[1], -row), max(x[2], col), max(x[3], -col)
		}
	}
	m.Comm.Max(x)
	if x[0] != -x[1] || x[2] != -x[3] {
		return 0, false
	}
	return int(x[0] + x[2]), true
}

// RowSums returns T_i = sum_j |a_ij| of the rows as a vector, including the sums of ghosts. It is collective.
func RowSums(m *Matrix, pool *parallel.Pool) []float64 {
	t := m.Local.RowSums(pool)
	Copy(m.Halo, t)
	return t
}

// Extremes returns the least and the largest element of v, a vector of numbers >= 0, on all ranks. It is collective.
func (l *Layout) Extremes(v []float64) (least, most float64) {
	x := []int64{math.MinInt64, 0}
	for _, p := range l.Parts {
		for _, t := range v[p.First():p.End()] {
			bits := int64(math.Float64bits(t))
			x[0], x[1] = max(x[0], -bits), max(x[1], bits)
		}
	}
	l.Comm.Max(x)
	return math.Float64frombits(uint64(-x[0])), math.Float64frombits(uint64(x[1]))
}

// noFacts returns the facts of a matrix without rows, to be merged with others.
func noFacts() csr.Facts { return csr.Facts{MinAbs: math.Inf(1), EmptyRow: -1, EmptyCol: -1} }
