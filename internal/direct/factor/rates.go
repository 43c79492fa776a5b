package factor

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Rates are what parts of factorisations take on this machine, in seconds of a thread that has its core for itself. None of them is recorded:
// they hold for the processor and the kernels.
type Rates struct {
	symmetric bool
	in        Precision
	threads   int
	fronts    eliminations
	pass      curve   // clearing, adding to the parent and moving what a node passes, by its rows
	row       float64 // what else factoring takes for a row of a front
	besides   float64 // how much longer fronts take while all threads are busy
	cold      float64 // see there
	touch     float64 // clearing a byte of memory, as its first use does; where a virtual machine has to get it first, that takes longer

	product     float64 // what applying takes for a product with a row of numbers
	read        curve   // applying factors of so many bytes
	readBesides float64 // how much longer that takes while all threads are busy
}

// sampleSide is the side of the grid whose factors tell what rows take besides numbers.
const sampleSide = 80

// cold is how much longer fronts and products take in a tree, whose memory is in no cache, than in samples.
// Unit: a factor. Source: the reciprocal of the geometric mean of forecast and taken seconds of 20 generated matrices in FP32 and FP64, 0.89 for
// factors and for solves. Fit: bench/peers/forecast.sh, first table, with and without -fp64.
const cold = 1.12

// SampleBytes is the memory that MeasureRates takes.
const SampleBytes = memorySample + 32<<20

// memorySample is more than what caches hold of factors, in bytes.
const memorySample = 48 << 20

// MeasureRates measures samples for about a tenth of a second. A definite matrix is factored with its pivots as they come.
func MeasureRates(ctx context.Context, symmetric, definite bool, in Precision, pool *parallel.Pool) (*Rates, error) {
	if in == FP32 {
		return measureRates[float32](ctx, symmetric, definite, pool)
	}
	return measureRates[float64](ctx, symmetric, definite, pool)
}

func measureRates[T kernels.Value](ctx context.Context, symmetric, definite bool, pool *parallel.Pool) (*Rates, error) {
	r := &Rates{symmetric: symmetric, in: precisionOf[T](), threads: pool.Threads(), cold: cold}
	rule := &Rule{}
	if definite {
		rule.Accept = func(_ Precision, _ int, pivot float64) (float64, error) { return pivot, nil }
	}
	eliminate := func(k, m int) func() {
		t := sampleFront[T](k, m, symmetric, rule)
		rest := kernels.Dense[T]{Val: t.stack, Stride: m}
		return func() { _ = t.eliminate(t, 0, m, rest) }
	}
	runtime.LockOSThread() // whose seconds are taken
	defer runtime.UnlockOSThread()
	for k := 1; k <= panel; k *= 4 {
		var c curve
		for m := 4; m <= 4*panel; m *= 4 {
			c.add(m, fastest(eliminate(k, m)))
		}
		r.fronts.pivots, r.fronts.others = append(r.fronts.pivots, float64(k)), append(r.fronts.others, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for m := 4; m <= 4*panel; m *= 4 {
		r.pass.add(m, fastest(samplePass[T](m, symmetric, rule)))
	}
	measureMemory[T](r, pool)
	r.besides = besides(pool, func(int) func() { return eliminate(panel/4, panel) })
	return r, r.measureRows(ctx, rule)
}

func (c *curve) add(size int, seconds float64) {
	c.sizes, c.seconds = append(c.sizes, float64(size)), append(c.seconds, seconds)
}

// fastest returns the seconds of a job on this thread, the least of some runs.
func fastest(job func()) float64 {
	best := math.Inf(1)
	for range 3 {
		for times, took := 1, 0.0; took < 3e-5; times *= 2 {
			start := host.ThreadSeconds()
			for range times {
				job()
			}
			took = host.ThreadSeconds() - start
			best = min(best, took/float64(times))
		}
	}
	return best
}

// besides returns how much longer a job of each thread takes while all threads are busy.
func besides(pool *parallel.Pool, job func(thread int) func()) float64 {
	if pool.Threads() == 1 {
		return 1
	}
	alone, together := fastest(job(0)), make([]float64, pool.Threads())
	pool.Each(len(together), func(k int) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		together[k] = fastest(job(k))
	})
	return max(1, slices.Max(together)/alone)
}

// sampleFront is the work space for a front of k pivots and m other rows, whose diagonal is so large that it can be eliminated again and again.
func sampleFront[T kernels.Value](k, m int, symmetric bool, rule *Rule) *frontal[T] {
	tree := &Tree{Order: numbers(k + m), first: []int32{0, int32(k)}, pattern: [][]int32{numbers(k + m)[k:]}}
	return sampleOf[T](tree, m, symmetric, rule)
}

func sampleOf[T kernels.Value](tree *Tree, m int, symmetric bool, rule *Rule) *frontal[T] {
	f := newFronts[T](tree, symmetric, rule.Accept == nil)
	for i := range f.u {
		f.u[i] = 0x1p-20
	}
	for i := range f.l {
		f.l[i] = 0x1p-20
	}
	last := tree.nodes() - 1
	for q, u := 0, f.upper(last); q < tree.pivots(last); q++ {
		u.Val[q*u.Stride+q] = 1
	}
	a := &assembly[T]{fronts: f, eliminate: eliminating[T](rule, symmetric), passed: make([][]T, tree.nodes())}
	return &frontal[T]{assembly: a, place: tree.Order, stack: make([]T, m*m), watch: func(int) error { return nil }}
}

// samplePass is what a node does with m rows that it passes on, of which a quarter are pivots of its parent.
func samplePass[T kernels.Value](m int, symmetric bool, rule *Rule) func() {
	rows, k := numbers(m), m/4
	tree := &Tree{Order: rows, first: []int32{0, 0, int32(k)}, pattern: [][]int32{rows, rows[k:]}}
	t := sampleOf[T](tree, m, symmetric, rule)
	t.passed[0] = make([]T, m*m)
	rest := kernels.Dense[T]{Val: make([]T, m*m), Stride: m}
	return func() {
		for r := range m {
			clear(rest.Row(r, t.leftOut(r), m))
		}
		t.add(1, 0, rest)
		for r := range m {
			copy(t.stack[r*m+t.leftOut(r):(r+1)*m], rest.Row(r, t.leftOut(r), m))
		}
	}
}

// measureMemory measures what touching memory takes, and applying rows of factors in it and in the cache.
func measureMemory[T kernels.Value](r *Rates, pool *parallel.Pool) {
	const row = 128
	d := kernels.DenseOf[T](kernels.Default())
	all := make([]T, memorySample/int(r.in))
	host.LargePages(all)
	r.touch = fastest(func() { clear(all) }) / memorySample
	apply := func(of []T) func() { // the way up the tree and down
		w, sums := make([]float64, row), new([together]float64)
		rows := kernels.Dense[T]{Val: of, Stride: row}
		return func() {
			for at := 0; at+together*row <= len(of); at += together * row {
				d.AddMulVecT(w, rows.At(at/row, 0), together, sums)
			}
			for at := len(of) - together*row; at >= 0; at -= together * row {
				d.MulVec(sums, rows.At(at/row, 0), together, w)
				*sums = [together]float64{}
			}
		}
	}
	rows := len(all) / row
	r.readBesides = besides(pool, func(thread int) func() { return apply(all[thread*rows/r.threads*row : (thread+1)*rows/r.threads*row]) })
	for bytes := memorySample / 256; bytes <= memorySample; bytes *= 4 {
		r.read.add(bytes, fastest(apply(all[:bytes/int(r.in)]))/2)
	}
}

// measureRows measures what factors of a grid take besides what their fronts take, for each row of these.
func (r *Rates) measureRows(ctx context.Context, rule *Rule) error {
	m := Matrix{A: grid(sampleSide)}
	if !r.symmetric {
		m.Transpose = m.A
	}
	watch := func() Watch { return func(int) error { return ctx.Err() } }
	e, err := order.AMD(ctx, order.NewGraph(m.A, m.Transpose), order.Limit{})
	if err != nil {
		return err
	}
	t, err := NewTree(m, e, "", watch())
	if err != nil {
		return err
	}
	one, rows, products := *r, 0.0, 0
	one.threads, one.besides, one.readBesides, one.cold = 1, 1, 1, 1
	for j := range t.nodes() {
		rows += float64(t.size(j))
		products += t.products(j, r.symmetric)
	}
	known := t.Forecast(&one, t.Gathering(&m))
	n := len(t.Order)
	at := Placement{Equations: t.Order, Unknowns: t.Order, RowScale: make([]float64, n), ColScale: make([]float64, n)}
	var c *Solver
	factor := func() {
		var f Factors
		if f, err = Factor(&m, t, rule, r.in, nil, watch); err == nil {
			c = NewSolver(&m, t, f, at, nil)
		}
	}
	made := fastest(factor)
	if err != nil {
		return err
	}
	x := make([]float64, n)
	made = min(made, fastest(factor))
	r.row = max(0, made-known.Factoring) / rows
	r.product = max(0, fastest(func() { c.Apply(x, x) })-known.Applying) / float64(products)
	return nil
}

// Gathering measures the seconds that the entries of a matrix take until they are in fronts, which depends on how near rows are to their neighbours.
func (t *Tree) Gathering(m *Matrix) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	inverse, sums := t.Order.Inverse(), make([]float64, len(t.Order))
	start := host.ThreadSeconds()
	for _, a := range [2]*csr.Matrix{m.A, m.Transpose} {
		for _, i := range t.Order {
			if a == nil {
				break
			}
			cols, vals := a.Row(int(i))
			for e, c := range cols {
				sums[inverse[c]] += vals[e]
			}
		}
	}
	return host.ThreadSeconds() - start
}

// grid is the five-point Laplacian of n x n points.
func grid(n int) *csr.Matrix {
	m := &csr.Matrix{Rows: n * n, Cols: n * n, RowPtr: make([]int64, 1, n*n+1)}
	for i := range n * n {
		for _, j := range [5]int{i - n, i - 1, i, i + 1, i + n} {
			if j < 0 || j >= n*n || j/n != i/n && j%n != i%n {
				continue
			}
			v := -1.0
			if j == i {
				v = 4
			}
			m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, v)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
	}
	return m
}

// numbers returns 0, ..., n-1.
func numbers(n int) csr.Permutation {
	p := make(csr.Permutation, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}
