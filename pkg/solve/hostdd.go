package solve

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// hostDD is the place of double-double vectors in memory. The matrix is in FP64, and so are preconditioners and what
// measures, which takes the upper parts.
type hostDD struct {
	*linop.HostDD
	upper *host
	kept  dd.Vec // the last x that left, see lower
}

var _ place[dd.Vec, dd.DD] = (*hostDD)(nil)

func newHostDD(upper *host) *hostDD {
	return &hostDD{HostDD: linop.NewHostDD(upper.Dim(), upper.pool), upper: upper}
}

func (*hostDD) agree() func(krylov.Reason) krylov.Reason { return nil }
func (*hostDD) err() error                               { return nil }
func (*hostDD) close()                                   {}
func (*hostDD) free(...dd.Vec)                           {}

func (*hostDD) upload(x []float64) dd.Vec { return dd.VecOf(x) }

func (*hostDD) download(x []float64, v dd.Vec) { copy(x, v.Hi) }

// keep keeps an x whose upper part has been downloaded.
func (p *hostDD) keep(x dd.Vec) { p.kept = x }

// lower returns the lower part of the x that was kept last; nil if x is another one.
func (p *hostDD) lower(x []float64) []float64 {
	if !slices.Equal(p.kept.Hi, x) {
		return nil
	}
	return p.kept.Lo
}

func (p *hostDD) AbsMax(x dd.Vec) float64 { return p.upper.AbsMax(x.Hi) }

func (p *hostDD) Norm2(x dd.Vec) (norm float64, e int) { return p.upper.Norm2(x.Hi) }

func (p *hostDD) RowError(r, t dd.Vec, normX float64, b dd.Vec) float64 {
	return p.upper.RowError(r.Hi, t.Hi, normX, b.Hi)
}

func (p *hostDD) powers(e []int, sign int) powers[dd.Vec] {
	return powersDD{p, p.upper.powers(e, sign).(hostPowers)}
}

// powersDD are powers of two, by which both parts are multiplied exactly.
type powersDD struct {
	at *hostDD
	by hostPowers
}

func (d powersDD) ldexp(dst, src dd.Vec, a float64, shift int) {
	d.by.ldexp(dst.Hi, src.Hi, a, shift)
	d.by.ldexp(dst.Lo, src.Lo, a, shift)
}

func (d powersDD) addLdexp(dst, x, z dd.Vec, shift int) {
	d.at.upper.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e := d.by.sign*d.by.e[i] + shift
			dst.Set(i, x.At(i).Add(dd.DD{Hi: csr.Ldexp(z.Hi[i], e), Lo: csr.Ldexp(z.Lo[i], e)}))
		}
	})
}

func (d powersDD) maxExponent(x dd.Vec) int { return d.by.maxExponent(x.Hi) }

// sumNorms implements virtual.
func (d powersDD) sumNorms(x, z dd.Vec, shift int) (sum, largest float64, ok bool) {
	return d.by.sumNorms(x.Hi, z.Hi, shift)
}

// rowError implements virtual.
func (d powersDD) rowError(r dd.Vec, shift int, t dd.Vec, normX float64, b dd.Vec) (e float64, ok bool) {
	return d.by.rowError(r.Hi, shift, t.Hi, normX, b.Hi)
}

func (p *hostDD) exact() linop.Operator[dd.Vec, dd.DD] {
	return linop.NewCSRDD(p.upper.m, p.upper.pool)
}

func (p *hostDD) absApply(dst, x dd.Vec) {
	p.upper.absApply(dst.Hi, x.Hi)
	clear(dst.Lo)
}

func (p *hostDD) store(scaled *csr.Matrix, t Storage) (matrix[dd.Vec, dd.DD], error) {
	return matrixDD{linop.NewCSRDD(scaled, p.upper.pool), stored{
		storage: t.fp64(), bytes: scaled.Bytes(), relaxer: p.upper.csr(scaled), source: scaled,
	}}, nil
}

// matrixDD is a matrix in FP64 for double-double vectors.
type matrixDD struct {
	*linop.CSRDD
	stored
}

func (a matrixDD) about() stored { return a.stored }

func (matrixDD) storageError(dd.Vec, float64, powers[dd.Vec], int) {} // of plain storage

func (matrixDD) upload(made precond.Preconditioner) (krylov.Preconditioner[dd.Vec], error) {
	return newPrecondDD(made), nil
}

func (matrixDD) release() {}

// precondDD applies a preconditioner of float64 vectors to upper parts. A diagonal one multiplies in double-double:
// then the map is linear to 106 bits, as the methods take it to be; that of others is to 53.
type precondDD struct{ krylov.Preconditioner[vector] }

func newPrecondDD(by krylov.Preconditioner[vector]) krylov.Preconditioner[dd.Vec] {
	if of, ok := by.(interface{ Data() precond.Data }); ok {
		if w, ok := of.Data().(precond.Diagonal); ok {
			return diagonalDD(w)
		}
	}
	return precondDD{by}
}

// Apply implements krylov.Preconditioner.
func (p precondDD) Apply(dst, src dd.Vec) {
	p.Preconditioner.Apply(dst.Hi, src.Hi)
	clear(dst.Lo)
}

// ApplyT implements krylov.TransposedPreconditioner.
func (p precondDD) ApplyT(dst, src dd.Vec) {
	p.Preconditioner.(krylov.TransposedPreconditioner[vector]).ApplyT(dst.Hi, src.Hi)
	clear(dst.Lo)
}

// diagonalDD is a diagonal M^-1.
type diagonalDD []float64

// Apply implements krylov.Preconditioner.
func (w diagonalDD) Apply(dst, src dd.Vec) {
	for i, v := range w {
		dst.Set(i, src.At(i).Mul(dd.From(v)))
	}
}

// ApplyT implements krylov.TransposedPreconditioner.
func (w diagonalDD) ApplyT(dst, src dd.Vec) { w.Apply(dst, src) }
