package reproduce

import (
	"context"
	"math/rand/v2"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	transposedLabel = "transposed"
	elementsLabel   = "elements" // of the matrix: double, or double-double with zero low parts
	bandwidthLabel  = "bandwidth"
)

// ddCount is what [DDAVX] counts for a nonzero: the bytes of the element, its index, x and y, and the operations.
type ddCount struct{ bytes, flops float64 }

// ddCounts has the counts by the precisions of vectors and elements.
var ddCounts = map[string]ddCount{"double double": {28, 2}, "dd double": {44, 21}, "dd dd": {52, 23}}

func ddProductLabels() []label {
	return []label{
		{layoutLabel, "csr", oneOf("csr", "bcrs4x1", "sell8", "slots")},
		{transposedLabel, "no", oneOf("no", "yes")},
		{vectorsLabel, "dd", oneOf("double", "dd")},
		{elementsLabel, "double", oneOf("double", "dd")},
		threads("all"),
	}
}

var ddProductValues = append([]string{"bytes", "seconds", "gflops", "time_double", "bytes_flop", "moved_flop"}, quartiles("time_double")...)

// ddProductExists excludes what has no code: transposes of SELL-8 and slots, other layouts of double-double elements,
// and transposes of other layouts in double.
func ddProductExists(p point) bool {
	switch {
	case p[transposedLabel] == "yes" && p[layoutLabel] != "csr" && (p[layoutLabel] != "bcrs4x1" || p[vectorsLabel] == "double"):
		return false
	case p[elementsLabel] == "dd":
		return p[layoutLabel] == "csr" && p[vectorsLabel] == "dd"
	}
	return true
}

// ddProducts is the kind of measurement of products with double-double vectors, relative to double in the same layout
// (transposes: in CSR).
func ddProducts() kind {
	return kind{
		name: "dd-product", text: "y = A x or A' x with vectors in double-double, relative to double", matrix: true,
		labels: ddProductLabels(), values: ddProductValues, exists: ddProductExists, cost: productCost,
		together: func(p point) string { return p[threadsLabel] },
		measure:  measureDDProducts,
	}
}

// ddBand is the kind of the same measurement with a band matrix of random numbers.
func ddBand() kind {
	return kind{
		name: "dd-band", text: "y = A x or A' x with vectors in double-double and a band matrix, relative to double",
		labels: append([]label{{sizeLabel, "100000", positive}, {bandwidthLabel, "32", positive}}, ddProductLabels()...),
		values: ddProductValues, exists: ddProductExists,
		cost: func(p point, _ float64) float64 {
			n, _ := strconv.ParseFloat(p[sizeLabel], 64)      // was checked
			w, _ := strconv.ParseFloat(p[bandwidthLabel], 64) // was checked
			return productCost(p, n*w)
		},
		together: func(p point) string { return p[sizeLabel] + " " + p[bandwidthLabel] + " " + p[threadsLabel] },
		measure: func(ctx context.Context, in input, points []point) error {
			n, _ := strconv.Atoi(points[0][sizeLabel])
			width, _ := strconv.Atoi(points[0][bandwidthLabel])
			if size := csr.Bytes(int64(n), int64(n)*int64(width)); in.maxMemory > 0 && 5*size > in.maxMemory {
				return in.emitReason("the matrices take more than the memory limit", points...)
			}
			in.matrix = bandMatrix(n, width)
			return measureDDProducts(ctx, in, points)
		},
	}
}

// bandMatrix has, in row i, the columns from i - width/2 on, as far as they exist.
func bandMatrix(n, width int) *csr.Matrix {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, 1, n+1)}
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range n {
		for j := max(0, i-width/2); j < min(n, i-width/2+width); j++ {
			m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, 2*rng.Float64()-1)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
	}
	return m
}

// measureDDProducts times all products against each other, in the same rounds.
func measureDDProducts(ctx context.Context, in input, points []point) error {
	pool := in.pool
	if threads := points[0].threads(); threads != pool.Threads() {
		pool = parallel.New(threads)
		defer pool.Close()
	}
	l := newDDLayouts(in.matrix, pool)
	var cases []lab.Case
	index := map[string]int{} // of cases
	timed := func(p point, vectors, elements string) (int, error) {
		key := vectors + " " + elements + " " + p[layoutLabel] + " " + p[transposedLabel]
		if k, ok := index[key]; ok {
			return k, nil
		}
		run, err := l.product(p[layoutLabel], p[transposedLabel] == "yes", vectors == "dd", elements == "dd")
		if err != nil {
			return 0, err
		}
		index[key] = len(cases)
		cases = append(cases, lab.Warm(run))
		return index[key], nil
	}
	var kept []point
	var at, to []int // indices into cases: of the points, and of what they are compared with
	for _, p := range points {
		k, err := timed(p, p[vectorsLabel], p[elementsLabel])
		if err != nil {
			if err := in.emitReason(err.Error(), p); err != nil {
				return err
			}
			continue
		}
		base := point{layoutLabel: p[layoutLabel], transposedLabel: p[transposedLabel]}
		if p[transposedLabel] == "yes" {
			base[layoutLabel] = "csr"
		}
		b, err := timed(base, "double", "double")
		if err != nil {
			return err
		}
		kept, at, to = append(kept, p), append(at, k), append(to, b)
	}
	times, err := in.timing().Measure(ctx, cases...)
	if err != nil {
		return err
	}
	for k, p := range kept {
		nnz, t := float64(in.matrix.NNZ()), times[at[k]]
		count := ddCounts[p[vectorsLabel]+" "+p[elementsLabel]]
		bytes, words := float64(l.bytes(p[layoutLabel])), 1.0
		if p[elementsLabel] == "dd" {
			bytes += 8 * nnz
		}
		if p[vectorsLabel] == "dd" {
			words = 2
		}
		moved := bytes + 8*words*float64(in.matrix.Rows+in.matrix.Cols)
		values := map[string]float64{
			"bytes": bytes, "seconds": t.Median, "gflops": count.flops * nnz / t.Median / 1e9,
			"bytes_flop": count.bytes / count.flops, "moved_flop": moved / (count.flops * nnz),
		}
		relative(values, "time_double", t, times[to[k]])
		if err := in.emit(p, result{values: values}); err != nil {
			return err
		}
	}
	return nil
}

// ddLayouts is a matrix in its layouts, with vectors that are long enough for the matrix and its transpose.
type ddLayouts struct {
	m           *csr.Matrix
	pool        *parallel.Pool
	stored      map[string]adaptive.Matrix
	plain       linop.CSR
	double, low linop.CSRDD
	x, y        vector
	xdd, ydd    dd.Vec
}

func newDDLayouts(m *csr.Matrix, pool *parallel.Pool) *ddLayouts {
	n := max(m.Rows, m.Cols)
	zeros := *m
	zeros.Val = make([]float64, len(m.Val))
	l := &ddLayouts{
		m: m, pool: pool, stored: map[string]adaptive.Matrix{}, plain: linop.NewCSR(m, pool),
		double: linop.NewCSRDD(m, nil, pool), low: linop.NewCSRDD(m, &zeros, pool),
		x: ones(n), y: make(vector, n), xdd: dd.NewVec(n), ydd: dd.NewVec(n),
	}
	for i := range l.xdd.Hi {
		l.xdd.Set(i, dd.From(1).Div(dd.From(float64(i+3))))
	}
	return l
}

// product returns a function that computes a product.
func (l *ddLayouts) product(layout string, transposed, vectors, elements bool) (func(), error) {
	rows, cols := l.m.Dims()
	if transposed {
		rows, cols = cols, rows
	}
	x, y, xdd, ydd := l.x[:cols], l.y[:rows], l.xdd.Slice(0, cols), l.ydd.Slice(0, rows)
	if layout == "csr" {
		a := l.double
		if elements {
			a = l.low
		}
		switch {
		case transposed && vectors:
			return func() { a.ApplyT(ydd, xdd) }, nil
		case transposed:
			return func() { l.plain.ApplyT(y, x) }, nil
		case vectors:
			return func() { a.Apply(ydd, xdd) }, nil
		}
		return func() { l.plain.Apply(y, x) }, nil
	}
	if l.stored[layout] == nil {
		formats := "FP64"
		if layout == string(adaptive.Slots) {
			formats = "AFX"
		}
		set, err := adaptive.LookupSet(formats)
		if err != nil {
			return nil, err
		}
		a, err := adaptive.Build(l.m, adaptive.Spec{Set: set, Epsilon: adaptive.MinEpsilon, Criterion: adaptive.CW, Layout: adaptive.Layout(layout)}, l.pool)
		if err != nil {
			return nil, err
		}
		l.stored[layout] = a
	}
	a := l.stored[layout]
	if !vectors {
		return func() { a.Apply(y, x) }, nil
	}
	add, err := a.DD()
	if err != nil {
		return nil, err
	}
	if transposed {
		return func() { add.(linop.Transposer[dd.Vec, dd.DD]).ApplyT(ydd, xdd) }, nil
	}
	return func() { add.Apply(ydd, xdd) }, nil
}

// bytes returns the bytes that a layout stores, with elements in double.
func (l *ddLayouts) bytes(layout string) int64 {
	if a := l.stored[layout]; a != nil {
		return a.Bytes()
	}
	return l.m.Bytes()
}
