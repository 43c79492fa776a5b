package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Layouts of the two products that all others are compared with.
const (
	OrdinaryCSR = "csr-ordinary" // a loop over each row with one sum, in Go
	TunedCSR    = "csr-tuned"    // linop.CSR
)

// Stored describes a matrix in the form in which it is stored.
type Stored struct {
	Name            string // for people
	Kernels         string // of the products; "" where there is no choice
	Layout, Formats string
	Epsilon         float64 // accuracy of the stored matrix
	Criterion       string  // "none" for one format alone
	Rows, Cols, NNZ int
	Bytes           int64   // of the stored matrix
	Build           float64 // seconds to store the matrix; 0 for CSR on the host
}

// BytesPerNonzero returns the bytes of the stored matrix for each nonzero.
func (s Stored) BytesPerNonzero() float64 { return float64(s.Bytes) / float64(max(s.NNZ, 1)) }

// Moved returns the least bytes that a product reads and writes: the stored matrix and both vectors, once.
func (s Stored) Moved() int64 { return s.Bytes + 8*int64(s.Rows+s.Cols) }

// Product is one way to compute y = A x. MeasureProducts fills in its time and its errors against double-double
// arithmetic.
type Product struct {
	Stored
	Time
	Auto    bool // the model of the processor chose the layout
	Errors  ProductErrors
	Several []Several // the numbers of vectors to measure as well, and then their times

	apply    func(y, x []float64)
	together func(y, x *linop.MultiVector) // nil: one vector alone
}

// BytesPerSecond returns Moved over the least time.
func (p Product) BytesPerSecond() float64 { return float64(p.Moved()) / p.Min }

// Baselines returns the product with m in ordinary CSR and then the product in tuned CSR with each set of kernels;
// without sets, with the default set.
func Baselines(m *csr.Matrix, pool *parallel.Pool, sets ...*kernels.Set) []Product {
	if len(sets) == 0 {
		sets = []*kernels.Set{kernels.Default()}
	}
	fp64 := Stored{
		Formats: "FP64", Epsilon: adaptive.MinEpsilon, Criterion: "none",
		Rows: m.Rows, Cols: m.Cols, NNZ: m.NNZ(), Bytes: m.Bytes(),
	}
	ordinary := Product{Stored: fp64}
	ordinary.Name, ordinary.Layout = "ordinary CSR", OrdinaryCSR
	panels := csr.Panels(m)
	ordinary.apply = func(y, x []float64) {
		pool.RunRanges(panels, func(_, lo, hi int) {
			kernels.CSRMulVecOrdinary(y, lo, hi, m.RowPtr, m.Col, m.Val, x)
		})
	}
	products := []Product{ordinary}
	for _, k := range sets {
		tuned := Product{Stored: fp64}
		tuned.Name, tuned.Layout, tuned.Kernels = "tuned CSR", TunedCSR, k.String()
		a := linop.NewCSR(m, pool)
		kernels.Use(a, k)
		tuned.apply, tuned.together = a.Apply, a.ApplyMulti
		products = append(products, tuned)
	}
	return products
}

// Store returns the product with m stored as the spec says, and the stored matrix. Its errors are the errors of
// adaptive.Build.
func Store(m *csr.Matrix, spec adaptive.Spec, pool *parallel.Pool) (Product, adaptive.Matrix, error) {
	start := time.Now()
	a, err := adaptive.Build(m, spec, pool)
	if err != nil {
		return Product{}, nil, err
	}
	s := describe(m, string(a.Layout()), spec, a.Bytes(), start)
	s.Name, s.Kernels = fmt.Sprintf("%s, %s", spec, a.Layout()), kernels.Find(spec.Kernels).Or().String()
	return Product{Stored: s, Auto: spec.Layout == adaptive.LayoutAuto, apply: a.Apply, together: a.ApplyMulti}, a, nil
}

// describe describes m, which was stored from start to now.
func describe(m *csr.Matrix, layout string, spec adaptive.Spec, bytes int64, start time.Time) Stored {
	s := Stored{
		Layout: layout, Formats: spec.Set.Name, Epsilon: spec.Epsilon, Criterion: string(spec.Criterion),
		Rows: m.Rows, Cols: m.Cols, NNZ: m.NNZ(), Bytes: bytes, Build: time.Since(start).Seconds(),
	}
	if spec.Set.Uniform {
		s.Epsilon, s.Criterion = spec.Set.Formats[0].UnitRoundoff(), "none"
	}
	return s
}

// timedLeast is the least time of one measurement: products with a small matrix are repeated for as long.
const timedLeast = 30 * time.Microsecond

// newVector returns a zero vector in pages as those of a solve.
func newVector(n int) []float64 {
	v := make([]float64, n)
	host.LargePages(v)
	return v
}

// MeasureProducts fills in the errors and times of products of m with x. It returns
// early with the cause of ctx.
func MeasureProducts(ctx context.Context, m *csr.Matrix, x []float64, products []Product, pool *parallel.Pool, timing Timing) error {
	y, given := newVector(m.Rows), x
	x = newVector(m.Cols)
	copy(x, given)
	var cases []Case
	counts := make([]int, len(products))
	for k := range products {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p := &products[k]
		p.apply(y, x)
		p.Errors = MeasureProduct(m, x, y, pool)
		run := func() {
			for range counts[k] {
				p.apply(y, x)
			}
		}
		for counts[k] = 1; ; counts[k] *= 2 {
			start := time.Now()
			if run(); time.Since(start) >= timedLeast {
				break
			}
		}
		cases = append(cases, Warm(run))
	}
	several, keep := severalCases(products, m.Rows, x)
	times, err := timing.Measure(ctx, append(cases, several...)...)
	for k, t := range times {
		if k >= len(products) {
			*keep[k-len(products)] = t
			continue
		}
		products[k].Time = t.per(counts[k])
	}
	return err
}

// Several is the time of a product with several vectors at once.
type Several struct {
	Vectors int
	Time
}

// ForEach returns the least seconds for each vector.
func (s Several) ForEach() float64 { return s.Min / float64(s.Vectors) }

// MovedWith returns the least bytes that a product with so many vectors reads and writes: the stored matrix and all
// vectors, once.
func (s Stored) MovedWith(vectors int) int64 { return s.Bytes + 8*int64(vectors)*int64(s.Rows+s.Cols) }

// severalCases returns the cases of products with several vectors, each equal to x, and where to store their times.
func severalCases(products []Product, rows int, x []float64) (cases []Case, keep []*Time) {
	vectors := map[int][2]*linop.MultiVector{}
	for p := range products {
		for k := range products[p].Several {
			s := &products[p].Several[k]
			v, ok := vectors[s.Vectors]
			if !ok {
				v = [2]*linop.MultiVector{linop.NewMultiVector(rows, s.Vectors), linop.NewMultiVector(len(x), s.Vectors)}
				for j := range s.Vectors {
					v[1].Set(j, x)
				}
				vectors[s.Vectors] = v
			}
			together := products[p].together
			cases = append(cases, Warm(func() { together(v[0], v[1]) }))
			keep = append(keep, &s.Time)
		}
	}
	return cases, keep
}

// SpeedupAlone returns the time of as many products with one vector each over the time of the product.
func (r Row) SpeedupAlone(s Several) float64 { return r.Min / s.ForEach() }

// SpeedupCSR returns the time of FP64 CSR with as many vectors, at once or one by one, over the time of the product.
// It takes the fastest CSR in rows, which must be of the same matrix and threads.
func SpeedupCSR(rows []Row, s Several) float64 {
	least := rows[0].Ordinary
	for _, r := range rows {
		if r.Layout != TunedCSR {
			continue
		}
		least = min(least, r.Min)
		for _, csr := range r.Several {
			if csr.Vectors == s.Vectors {
				least = min(least, csr.ForEach())
			}
		}
	}
	return least / s.ForEach()
}
