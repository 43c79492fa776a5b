package precond

import (
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// jacobi is z = D^-1 r, D the diagonal of A ([Saad03] 10.2). Of a symmetric A it
// takes magnitudes, so that M is positive definite. Where there is nothing to
// divide by, it divides by the sum of magnitudes of the row.
//
// It stores n numbers in a floating-point format as accurate as asked for, and
// an application reads them and one vector and writes one: 3 + 16 bytes a row at
// the default accuracy.
type jacobi struct {
	n      int
	words  kernels.Words
	values []byte // of D^-1, formats.Padding bytes longer
	pool   *linop.Pool
	job    jacobiJob
}

// jacobiBlock is the rows of one part of an application.
const jacobiBlock = 4096

func newJacobi(m *csr.Matrix, opt Options, pool *linop.Pool) (Preconditioner, error) {
	if err := opt.allow(int64(8 * m.Rows)); err != nil {
		return nil, err
	}
	w, replaced, err := inverseDiagonal(m, opt.Symmetric)
	if err != nil {
		return nil, err
	}
	if replaced > 0 {
		opt.Log(fmt.Sprintf("jacobi: %d zero diagonal entries, the sum of their row instead", replaced))
	}
	codec, values, err := encode(w, opt.Epsilon)
	if err != nil {
		return nil, err
	}
	return &jacobi{n: m.Rows, words: codec.Words(), values: values, pool: pool}, nil
}

// inverseDiagonal returns 1 / a_ii for every row, and how many of them had to be
// replaced.
func inverseDiagonal(m *csr.Matrix, symmetric bool) (w []float64, replaced int, err error) {
	w = m.Diagonal(nil)
	for i, d := range w {
		if d-d != 0 {
			return nil, 0, fmt.Errorf("diagonal entry %d is %g", i+1, d)
		}
		if symmetric {
			d = math.Abs(d)
		}
		w[i] = 1 / d
		if math.IsInf(w[i], 0) {
			w[i] = inverseSum(m, i)
			replaced++
		}
	}
	return w, replaced, nil
}

// inverseSum is 1 / sum_j |a_ij|, or 1 where that is no number.
func inverseSum(m *csr.Matrix, i int) float64 {
	_, vals := m.Row(i)
	sum := 0.0
	for _, v := range vals {
		sum += math.Abs(v)
	}
	if w := 1 / sum; w > 0 && !math.IsInf(w, 0) {
		return w
	}
	return 1
}

// floatFormats are formats of sign, exponent and significand, narrow ones first.
var floatFormats = []string{"BF16", "FP24", "FP32", "FP40", "FP48", "FP56", "FP64"}

// encode stores w in the narrowest format that is as accurate as epsilon says
// and has its range.
func encode(w []float64, epsilon float64) (c formats.Codec, values []byte, err error) {
	for _, name := range floatFormats {
		if c.Format, err = formats.Lookup(name); err != nil {
			return c, nil, err
		}
		if c.UnitRoundoff() > epsilon {
			continue
		}
		values = make([]byte, len(w)*c.Bytes+formats.Padding)
		var beyond *formats.RangeError
		if err = c.Encode(values, w); !errors.As(err, &beyond) {
			break
		}
	}
	return c, values, err
}

// Apply computes dst = D^-1 src.
func (p *jacobi) Apply(dst, src vector) {
	p.job = jacobiJob{p, dst, src}
	p.pool.Run((p.n+jacobiBlock-1)/jacobiBlock, &p.job)
	p.job = jacobiJob{}
}

type jacobiJob struct {
	*jacobi
	dst, src vector
}

// Do decodes one block of D^-1 into dst and multiplies it there.
func (j *jacobiJob) Do(block int) {
	lo := block * jacobiBlock
	hi := min(lo+jacobiBlock, j.n)
	dst := j.dst[lo:hi]
	j.words.Decode(dst, j.values[lo*j.words.Bytes:])
	kernels.Mul(1, dst, j.src[lo:hi], dst)
}

func (p *jacobi) Cost() Cost {
	n, bytes := int64(p.n), int64(len(p.values))
	return Cost{Values: n, ValueBytes: n * int64(p.words.Bytes), Bytes: bytes, FP64Bytes: 8 * n}
}

func (p *jacobi) String() string { return string(Jacobi) }
