package mp

import (
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ResidueSparse is a sparse matrix stored as Dense stores a dense one: integers in units of 2^-(bits+10) of the power of two
// above the largest of their row, by residues, with those of a nonzero together. FP64 nonzeros are exact if their row
// spans no more bits.
type ResidueSparse struct {
	base   *ResidueBase
	bits   int
	m      *csr.Matrix
	exp    []int
	digits []uint32
}

// ResidueSparseBytes returns the bytes of a matrix with so many nonzeros, whose longest row has so many, and of a vector x.
func ResidueSparseBytes(nnz, cols, longest, bits int) int64 {
	b, err := exactBase(bits, longest)
	if err != nil {
		return 0
	}
	return 4 * int64(b.Moduli()) * int64(nnz+cols)
}

// NewResidueSparse returns m in residues. It keeps m for its structure.
func NewResidueSparse(m *csr.Matrix, bits int, pool *parallel.Pool) (*ResidueSparse, error) {
	longest := 0
	for i := range m.Rows {
		cols, _ := m.Row(i)
		longest = max(longest, len(cols))
	}
	b, err := exactBase(bits, longest)
	if err != nil {
		return nil, err
	}
	n := b.Moduli()
	a := &ResidueSparse{base: b, bits: bits, m: m, exp: make([]int, m.Rows), digits: make([]uint32, n*m.NNZ())}
	eachPanel(m.Rows, pool, func(begin, end int) {
		c := b.converter()
		var z big.Int
		var f, v big.Float
		for i := begin; i < end; i++ {
			_, vals := m.Row(i)
			of := func(j int) *big.Float { return v.SetFloat64(vals[j]) }
			a.exp[i] = fixedExponent(len(vals), bits, of)
			for j := range vals {
				at := (int(m.RowPtr[i]) + j) * n
				c.residues(a.digits[at:at+n], fixedInt(&z, &f, of(j), a.exp[i]))
			}
		}
	})
	return a, nil
}

// eachPanel runs do on panels of rows.
func eachPanel(rows int, pool *parallel.Pool, do func(begin, end int)) {
	const panel = 64
	pool.Each((rows+panel-1)/panel, func(p int) { do(p*panel, min((p+1)*panel, rows)) })
}

// MulVec sets y = A x, with the error of FixedBound for the number of nonzeros of a row.
func (a *ResidueSparse) MulVec(y, x []big.Float, pool *parallel.Pool) {
	n := a.base.Moduli()
	v := make([]uint32, n*len(x))
	e := fixedExponent(len(x), a.bits, func(j int) *big.Float { return &x[j] })
	eachPanel(len(x), pool, func(begin, end int) {
		c := a.base.converter()
		var z big.Int
		var f big.Float
		for j := begin; j < end; j++ {
			c.residues(v[j*n:(j+1)*n], fixedInt(&z, &f, &x[j], e))
		}
	})
	eachPanel(a.m.Rows, pool, func(begin, end int) {
		c := a.base.converter()
		sums, r := make([]uint64, n), make([]uint32, n)
		var z big.Int
		for i := begin; i < end; i++ {
			a.row(sums, i, v)
			for k, s := range sums {
				r[k] = a.base.moduli[k].reduce(s)
			}
			c.integer(&z, r)
			a.base.element(&y[i], &z, e+a.exp[i], a.bits)
		}
	})
}

// row sets sums to numbers that equal the inner product of row i and v modulo the moduli.
func (a *ResidueSparse) row(sums []uint64, i int, v []uint32) {
	n := len(sums)
	clear(sums)
	cols, _ := a.m.Row(i)
	u := a.digits[int(a.m.RowPtr[i])*n:]
	const together = 255 // products of 56 bits that can be added to a residue
	for len(cols) > 0 {
		k := min(together, len(cols))
		for _, j := range cols[:k] {
			w := v[int(j)*n:][:n]
			for q, d := range u[:n] {
				sums[q] += uint64(d) * uint64(w[q])
			}
			u = u[n:]
		}
		if cols = cols[k:]; len(cols) > 0 {
			for q := range sums {
				sums[q] = uint64(a.base.moduli[q].reduce(sums[q]))
			}
		}
	}
}

// ResidueCSR is a sparse matrix of numbers of MPRES-BLAS.
type ResidueCSR struct {
	*ResidueArray
	m *csr.Matrix
}

// NewCSR returns m in the format of MPRES-BLAS; nonzeros are exact if the base has 53 bits. It keeps m for its
// structure.
func (b *ResidueBase) NewCSR(m *csr.Matrix, pool *parallel.Pool) *ResidueCSR {
	a := &ResidueCSR{b.NewArray(m.NNZ()), m}
	eachPanel(m.NNZ(), pool, func(begin, end int) {
		for k := begin; k < end; k++ {
			a.Set(k, big.NewFloat(m.Val[k]))
		}
	})
	return a
}

// MulVec sets y = A x, adding one product after the other.
func (a *ResidueCSR) MulVec(y, x *ResidueArray, pool *parallel.Pool) {
	eachPanel(a.m.Rows, pool, func(begin, end int) {
		t := a.base.NewNumber()
		for i := begin; i < end; i++ {
			s := y.at(i)
			s.copy(a.base.NewNumber())
			cols, _ := a.m.Row(i)
			for k, j := range cols {
				s.Add(s, t.Mul(a.at(int(a.m.RowPtr[i])+k), x.at(int(j))))
			}
			y.put(i, s)
		}
	})
}

// Bytes returns the bytes of the residues.
func (a *ResidueSparse) Bytes() int64 { return 4 * int64(len(a.digits)) }
