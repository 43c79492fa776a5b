package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Operations in multiple precision.
const (
	MPGEMV           = "gemv"   // y = A x
	MPGEMVTransposed = "gemv-t" // y = A^T x
	MPDot            = "dot"
	MPAXPY           = "axpy" // y = a x + y
)

// MPOperations lists all operations, in the order of tables.
var MPOperations = []string{MPGEMV, MPGEMVTransposed, MPDot, MPAXPY}

// Implementations of multiple precision.
const (
	Limbs         = "limbs"           // internal/mp
	Residues      = "residues"        // mp.ResidueDense: exact sums of products in fixed point
	MPRES         = "mpres"           // the format and the algorithm of MPRES-BLAS
	MPRESByNumber = "mpres-by-number" // the basic implementation of MPRES-BLAS
	MathBig       = "math/big"
)

// MPImplementations lists all implementations, in the order of tables.
var MPImplementations = []string{Limbs, Residues, MPRES, MPRESByNumber, MathBig}

// MPOptions configure a measurement in multiple precision.
type MPOptions struct {
	N               int // order of the matrix and length of the vectors
	Bits, Threads   []int
	Significand     int      // bits of the random numbers; 0: those of the precision
	Operations      []string // default: all
	Implementations []string // default: all
	Repeat          int
	Budget          time.Duration // of each precision and number of threads; 0: no limit
	MaxMemory       int64         // 0: no limit
	Progress        func(string)
}

// MPResult is the measurement of one operation of an implementation. The matrix has only as many rows (its transpose
// as many columns) as the implementation multiplies within mpRound; Whole extrapolates to all rows.
type MPResult struct {
	Operation, Implementation string
	Bits, Threads, N          int
	Terms                     int // multiply-adds that were timed
	Time
	Error float64 // the largest error of an element of y over sum |a| |x|; 0 if it is below the least float64
	Big   float64 // least seconds of a multiply-add by math/big; 0: not measured
}

// PerTerm returns the least seconds of a multiply-add.
func (r MPResult) PerTerm() float64 { return r.Min / float64(r.Terms) }

// Whole returns the least seconds of the operation in its full size.
func (r MPResult) Whole() float64 {
	terms := float64(r.N)
	if r.Operation == MPGEMV || r.Operation == MPGEMVTransposed {
		terms *= terms
	}
	return r.PerTerm() * terms
}

// OverBig returns the time of math/big over the time of the implementation; NaN if unknown.
func (r MPResult) OverBig() float64 {
	if r.Big == 0 {
		return math.NaN()
	}
	return r.Big / r.PerTerm()
}

// mpRound is about the most time that an operation with a matrix takes in a round, if it may have fewer rows.
const mpRound = 300 * time.Millisecond

// mpCase is an operation of an implementation that is ready to run.
type mpCase struct {
	operation string
	terms     int
	run       func()
	result    func(i int) *big.Float // returns element i, or the inner product
}

// mpMaker makes the cases of an implementation for the requested operations that the implementation supports. The
// matrix has the given number of rows.
type mpMaker struct {
	make  func(d *mpData, rows int, pool *parallel.Pool) ([]mpCase, error)
	bytes func(rows, n, bits int) int64 // of the matrix
	whole bool                          // it needs all rows
}

// mpMakers maps names to implementations.
var mpMakers = map[string]mpMaker{
	Limbs:    {make: limbCases, bytes: limbBytes, whole: true},
	Residues: {make: residuesCases, bytes: mp.ResidueDenseBytes, whole: true},
	MPRES: {
		make: func(d *mpData, rows int, pool *parallel.Pool) ([]mpCase, error) {
			return mpresCases(d, rows, mp.Rearranged, pool)
		},
		bytes: mpresBytes,
	},
	MPRESByNumber: {
		make: func(d *mpData, rows int, pool *parallel.Pool) ([]mpCase, error) {
			return mpresCases(d, rows, mp.ByNumber, pool)
		},
		bytes: mpresBytes,
	},
	MathBig: {make: bigCases, bytes: bigBytes},
}

// mpData generates random numbers, uniform in [-1, 1), with so many bits of a precision: a matrix by rows, and two
// vectors.
type mpData struct {
	n, bits, significand int
	x, y                 []big.Float
	scale                *big.Float
}

func newMPData(n, bits, significand int) *mpData {
	d := &mpData{n: n, bits: bits, significand: significand}
	d.x, d.y = d.vector(1<<40), d.vector(1<<40+1)
	d.scale = &(&mpData{n: 1, significand: significand}).vector(1<<40 + 2)[0] // even if the vectors are empty
	return d
}

// vector returns the n numbers of a seed.
func (d *mpData) vector(seed uint64) []big.Float {
	rng := rand.New(rand.NewPCG(seed, uint64(d.significand)))
	v := make([]big.Float, d.n)
	words := make([]big.Word, (d.significand+63)/64*(64/wordBits))
	var m big.Int
	for i := range v {
		for k := range words {
			words[k] = big.Word(rng.Uint64())
		}
		m.SetBits(words)
		m.Rsh(&m, uint(len(words)*wordBits-d.significand))
		v[i].SetPrec(uint(d.significand)).SetInt(&m)
		v[i].SetMantExp(&v[i], -d.significand)
		if rng.IntN(2) == 0 {
			v[i].Neg(&v[i])
		}
	}
	return v
}

// wordBits is the size of a big.Word.
const wordBits = 32 << (^big.Word(0) >> 63)

// row returns row i of the matrix.
func (d *mpData) row(i int) []big.Float { return d.vector(uint64(i)) }

// MP measures operations in multiple precision; the cases of one precision and number of threads are interleaved. It
// returns early with the cause of ctx.
func MP(ctx context.Context, opt MPOptions) (list []MPResult, err error) {
	if opt.Operations == nil {
		opt.Operations = MPOperations
	}
	if opt.Implementations == nil {
		opt.Implementations = MPImplementations
	}
	for _, bits := range opt.Bits {
		if need := opt.memory(bits); opt.MaxMemory > 0 && need > opt.MaxMemory {
			return nil, fmt.Errorf("matrices of %d bits take %d MB, more than the memory limit: name fewer implementations or a smaller --gemv", bits, need>>20)
		}
		d := newMPData(opt.N, bits, cmp.Or(opt.Significand, bits))
		for _, threads := range opt.Threads {
			results, err := opt.measure(ctx, d, threads)
			if err != nil {
				return nil, err
			}
			list = append(list, results...)
			runtime.GC() // frees the matrices
		}
	}
	return list, nil
}

// memory returns the bytes of all matrices with all their rows.
func (opt MPOptions) memory(bits int) (bytes int64) {
	for _, name := range opt.Implementations {
		bytes += mpMakers[name].bytes(opt.N, opt.N, bits)
	}
	return bytes
}

func (opt MPOptions) measure(ctx context.Context, d *mpData, threads int) (list []MPResult, err error) {
	pool := parallel.New(threads)
	defer pool.Close()
	var cases []Case
	var counts []int
	for _, name := range opt.Implementations {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		opt.Progress(fmt.Sprintf("%d bits: %s", d.bits, name))
		made, err := mpMakers[name].fit(d, pool)
		if err != nil {
			return nil, err
		}
		for _, c := range made {
			if !slices.Contains(opt.Operations, c.operation) {
				continue
			}
			c.run()
			result := MPResult{Operation: c.operation, Implementation: name, Bits: d.bits, Threads: threads, N: d.n, Terms: c.terms, Error: d.errorOf(c)}
			count := 1
			run := func() {
				for range count {
					c.run()
				}
			}
			for ; ; count *= 2 {
				start := time.Now()
				if run(); time.Since(start) >= streamLeast {
					break
				}
			}
			list, cases, counts = append(list, result), append(cases, Case{Run: run}), append(counts, count)
		}
	}
	timing := Timing{Repeat: opt.Repeat, Budget: opt.Budget, Progress: func(round int) {
		opt.Progress(fmt.Sprintf("%d bits: round %d of %d", d.bits, round+1, opt.Repeat))
	}}
	times, err := timing.Measure(ctx, cases...)
	for k, t := range times {
		list[k].Time = t.per(counts[k])
	}
	for k := range list {
		for _, r := range list {
			if r.Implementation == MathBig && r.Operation == list[k].Operation {
				list[k].Big = r.PerTerm()
			}
		}
	}
	return list, err
}

// fit makes the cases with as many rows as mpRound allows, or with all rows.
func (m mpMaker) fit(d *mpData, pool *parallel.Pool) ([]mpCase, error) {
	if m.whole {
		return m.make(d, d.n, pool)
	}
	rows := min(d.n, 2*pool.Threads())
	made, err := m.make(d, rows, pool)
	if err != nil || rows == d.n {
		return made, err
	}
	slowest := time.Duration(1)
	for _, c := range made {
		start := time.Now()
		c.run()
		slowest = max(slowest, time.Since(start))
	}
	if fits := min(d.n, int(float64(rows)*float64(mpRound)/float64(slowest))); fits > rows {
		return m.make(d, fits, pool)
	}
	return made, nil
}

// MPSteps returns, for each round, the times of the steps of Algorithm 1 of [Isupov20]: y = alpha A x + beta y, where
// A has the given number of rows of n random elements with significands of so many bits.
func MPSteps(ctx context.Context, rows, n, bits, significand int, pool *parallel.Pool, timing Timing) (list []mp.ResidueSteps, err error) {
	b, err := mp.ResidueBaseFor(bits)
	if err != nil {
		return nil, err
	}
	d := newMPData(n, significand, significand)
	array := func(v []big.Float) *mp.ResidueArray {
		w := b.NewArray(len(v))
		for i := range v {
			w.Set(i, &v[i])
		}
		return w
	}
	a := b.NewMatrix(rows, n)
	for i := range rows {
		for j, v := range d.row(i) {
			a.Set(i, j, &v)
		}
	}
	alpha, x, y, first := b.NewNumber().Set(d.scale), array(d.x), array(d.y[:rows]), array(d.y[:rows])
	_, err = timing.Measure(ctx, Case{
		Prepare: func() { y.Copy(first) },
		Run:     func() { list = append(list, a.GEMV(mp.Rearranged, alpha, x, alpha, y, pool)) },
	})
	return list, err
}
