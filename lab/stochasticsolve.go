package lab

import (
	"context"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// StochasticSolution is the outcome of a solve in discrete stochastic arithmetic. The roundings of its vectors, scalars,
// products and residuals are random; samplePrecond models those of a preconditioner. The method's matrix is in FP64,
// since the error of storing it is not a rounding of an operation.
type StochasticSolution struct {
	solve.Result              // of the mean of the samples, which is judged as any x
	Samples      TripleVector // of x
	Unstable     Instabilities
	Seed         uint64
}

// Significant returns the number of digits of each element of x that roundings leave; 0: a computational zero.
func (s StochasticSolution) Significant() []float64 {
	digits := make([]float64, len(s.Samples))
	for i, x := range s.Samples {
		digits[i] = SignificantDigits(x)
	}
	return digits
}

// SolveStochastic solves A x = b by the method, preconditioner and refinement that Solver.Solve would choose with these
// options, as three solves in step whose roundings are random. The means of the samples decide. Solve uses no
// devices, checkpoints or special kinds of matrices, and does not continue for digits (Options.Digits).
func SolveStochastic(ctx context.Context, m *csr.Matrix, b, x0 []float64, opt solve.Options, seed uint64) (StochasticSolution, error) {
	if kind, ok := krylov.KindOf(string(opt.Method)); ok && kind.Transpose {
		return StochasticSolution{}, fmt.Errorf("solve: %s multiplies with the transpose, which vectors of samples do not", opt.Method)
	}
	arithmetic := NewStochasticArithmetic(seed)
	opt.Digits, opt.Device, opt.Checkpoint = solve.NoDigits, nil, solve.Checkpoints{}
	opt.Vectors = solve.Vectors{}
	opt.NullSpace.Kind = solve.NullSpaceNone
	fp64, err := adaptive.LookupSet("FP64")
	if err != nil {
		return StochasticSolution{}, err
	}
	opt.Storage = solve.Storage{Set: fp64}
	var at *samples
	s, err := solver.NewAt(ctx, m, opt, func(m *csr.Matrix, pool *parallel.Pool) backend.Backend[triples, number] {
		at = &samples{StochasticSpace: NewStochasticSpace(m.Rows, arithmetic, pool), m: m, pool: pool, kept: map[*float64]triples{}}
		return at
	})
	if err != nil {
		return StochasticSolution{}, err
	}
	defer s.Close()
	r, err := s.Solve(ctx, b, x0)
	if err != nil {
		return StochasticSolution{}, err
	}
	out := StochasticSolution{Result: r, Unstable: arithmetic.Instabilities(), Seed: seed}
	last := at.of(s.LastX())
	out.Samples = make(TripleVector, m.Rows)
	sample := make([]float64, m.Rows)
	for k := range Samples {
		for i := range sample {
			sample[i] = last[i][k]
		}
		for i, v := range s.Order.Back(sample) {
			out.Samples[i][k] = v
		}
	}
	return out, nil
}

// samples is the backend of vectors of three samples in memory.
type samples struct {
	*StochasticSpace
	m    *csr.Matrix // A
	pool *parallel.Pool
	kept map[*float64]triples // the vectors downloaded, by the first element of their copy
}

type (
	triples = TripleVector
	number  = StochasticNumber
)

var _ backend.Backend[triples, number] = (*samples)(nil)

func (*samples) Agree() func(krylov.Reason) krylov.Reason { return nil }
func (*samples) Fault() error                             { return nil }
func (*samples) Close()                                   {}
func (*samples) GiveBack(...triples)                      {}

func (*samples) FromHost(x []float64) triples { return TriplesOf(x) }

func (p *samples) ToHost(x []float64, v triples) {
	p.kept[&x[0]] = append(p.kept[&x[0]][:0], v...)
	for i := range x {
		x[i] = MeanOfTriple(v[i])
	}
}

// of returns the samples that were downloaded to x, and x itself where it is of another origin.
func (p *samples) of(x []float64) triples {
	if v, ok := p.kept[&x[0]]; ok {
		return v
	}
	return TriplesOf(x)
}

func (*samples) AbsMax(x triples) (largest float64) {
	for _, v := range x {
		largest = max(largest, math.Abs(MeanOfTriple(v)))
	}
	return largest
}

func (p *samples) Norm2(x triples) (norm float64, e int) {
	largest := p.AbsMax(x)
	if largest == 0 || !backend.Finite(largest) {
		return largest, 0
	}
	e = dd.Exponent(largest)
	var sum float64
	for _, v := range x {
		m := dd.Ldexp(MeanOfTriple(v), -e)
		sum += float64(m * m)
	}
	return math.Sqrt(sum), e
}

func (*samples) RowError(r, t triples, normX float64, b triples) (worst float64) {
	for i := range r {
		worst = backend.Worse(worst, math.Abs(MeanOfTriple(r[i])), MeanOfTriple(t[i]), normX, math.Abs(MeanOfTriple(b[i])))
	}
	return worst
}

func (p *samples) Powers(e []int, sign int) backend.Powers[triples] { return samplePowers{p, e, sign} }

// samplePowers is a scaling by powers of two, by which samples are multiplied exactly.
type samplePowers struct {
	*samples
	e    []int
	sign int
}

func (d samplePowers) each(dst triples, of func(i, exponent, k int) float64) {
	d.Each(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for k := range Samples {
				dst[i][k] = of(i, d.sign*d.e[i], k)
			}
		}
	})
}

func (d samplePowers) Ldexp(dst, src triples, a float64, shift int) {
	d.each(dst, func(i, e, k int) float64 { return dd.Ldexp(a*src[i][k], e+shift) })
}

// AddLdexp rounds its sums at random: they form the x of refinement.
func (d samplePowers) AddLdexp(dst, x, z triples, shift int) {
	scaled := make(triples, len(z))
	d.Ldexp(scaled, z, 1, shift)
	d.Copy(dst, x)
	d.Axpy(d.Scalar(1), scaled, dst)
}

func (d samplePowers) MaxExponent(x triples) int {
	top := backend.LeastExponent
	for i, v := range x {
		for _, s := range v {
			if s != 0 {
				top = max(top, dd.Exponent(s)+d.sign*d.e[i])
			}
		}
	}
	return top
}

func (p *samples) Exact() linop.Operator[triples, number] {
	return StochasticAccurate{StochasticOperator: NewStochasticOperator(p.StochasticSpace, p.m)}
}

func (p *samples) AbsApply(dst, x triples) {
	p.sampleSums(dst, x)
	for i, v := range dst {
		m := MeanOfTriple(v)
		dst[i] = Triple{m, m, m}
	}
}

// sampleSums sets dst = |A||x|, sample by sample.
func (p *samples) sampleSums(dst, x triples) {
	p.Each(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := p.m.Row(i)
			var sum Triple
			for k, j := range cols {
				for s, v := range x[j] {
					sum[s] += math.Abs(vals[k] * v)
				}
			}
			dst[i] = sum
		}
	})
}

func (p *samples) Store(scaled *csr.Matrix, t solve.Storage) (backend.Matrix[triples, number], error) {
	return sampleMatrix{
		StochasticOperator: NewStochasticOperator(p.StochasticSpace, scaled),
		Stored:             backend.Stored{Storage: rules.FP64(t), Bytes: scaled.Bytes(), Relaxer: linop.NewCSR(scaled, p.pool), Source: scaled},
	}, nil
}

// sampleMatrix is a matrix in FP64.
type sampleMatrix struct {
	StochasticOperator
	backend.Stored
}

func (a sampleMatrix) About() backend.Stored { return a.Stored }

func (sampleMatrix) StorageError(triples, float64, backend.Powers[triples], int) {} // plain storage has none

func (a sampleMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[triples], error) {
	n, _ := a.Dims()
	sums := &samples{StochasticSpace: a.Space(), m: a.Source}
	return &samplePrecond{at: sums, made: made, r: make([]float64, n), z: make([]float64, n), w: sums.New(), rounded: sums.New()}, nil
}

func (sampleMatrix) Release() {}

// samplePrecond applies a preconditioner M to one sample after the other, twice. The first application, z = M^-1 r in
// the arithmetic of M, gives the size of |A||z|; roundings of that size are then added to r. So the samples of z
// differ as the results of a backward stable application would, whatever the kernels of M are.
type samplePrecond struct {
	at         *samples // the backend of the matrix that M approximates
	made       precond.Preconditioner
	r, z       []float64
	w, rounded triples
}

// Apply implements krylov.Preconditioner.
func (p *samplePrecond) Apply(dst, src triples) {
	p.each(dst, src)
	p.at.sampleSums(p.w, dst)
	p.at.Perturb(p.rounded, src, p.w)
	p.each(dst, p.rounded)
}

func (p *samplePrecond) each(dst, src triples) {
	for k := range Samples {
		for i := range p.r {
			p.r[i] = src[i][k]
		}
		p.made.Apply(p.z, p.r)
		for i, z := range p.z {
			dst[i][k] = z
		}
	}
}
