package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/internal/records"
	"github.com/mpsolve/mpsolve/internal/spmvbench"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// product is the kind of y = A x with x = (1, ..., 1): storage, errors against
// double-double arithmetic, and time, in turns with ordinary FP64 CSR, tuned FP64
// CSR and uniform FP32.
func product() kind {
	return kind{
		name: "product", text: "y = A x for x = (1, ..., 1): storage, errors and time", matrix: true,
		labels: append(storedLabels(), threads("all")),
		values: slices.Concat(storageValues, []string{
			"predicted", "predicted_storage", "dropped", records.Share + "*", "error_nw", "error_cw", "error_row", "bound",
			"seconds", "time", "time_tuned", "time_fp32", "gbps",
		}),
		exists:  storedExists,
		cost:    productCost,
		measure: measureProducts,
	}
}

// Turns of the products that take turns.
const (
	turns      = 15
	quickTurns = 5

	// together is how many products take turns at most, besides the baselines:
	// all stored forms are in memory at once.
	together = 8

	turnsBudget      = 20 * time.Second // of one group
	quickTurnsBudget = 2 * time.Second
)

// productCost is of storing, of products in turns and of double-double arithmetic.
func productCost(_ point, nnz float64) float64 { return 1e-3 + 1.1e-7*nnz }

func measureProducts(ctx context.Context, in input, points []point) error {
	unitNorm(in.matrix)
	for threads, points := range byThreads(points) {
		if err := productsOnThreads(ctx, in, threads, points); err != nil {
			return err
		}
	}
	return nil
}

// byThreads groups points by their number of threads.
func byThreads(points []point) map[int][]point {
	groups := map[int][]point{}
	for _, p := range points {
		groups[p.threads()] = append(groups[p.threads()], p)
	}
	return groups
}

func (p point) threads() int {
	t, _ := strconv.Atoi(p[threadsLabel]) // was checked
	return t
}

// turns are those of products that take turns.
func (in input) turns() spmvbench.Turns {
	if in.quick {
		return spmvbench.Turns{Repeat: quickTurns, Budget: quickTurnsBudget}
	}
	return spmvbench.Turns{Repeat: turns, Budget: turnsBudget}
}

// bytesPerSecond counts the stored matrix and both vectors, once.
func bytesPerSecond(m *csr.Matrix, p spmvbench.Product) float64 {
	return float64(p.Bytes+8*int64(m.Rows)+8*int64(m.Cols)) / p.Min
}

func productsOnThreads(ctx context.Context, in input, threads int, points []point) error {
	pool := in.pool
	if threads != pool.Threads() {
		pool = linop.NewPool(threads)
		defer pool.Close()
	}
	for len(points) > 0 && !in.late() {
		n := min(together, len(points))
		if err := productsTogether(ctx, in, pool, points[:n]); err != nil {
			return err
		}
		points = points[n:]
	}
	return nil
}

// candidate is a point whose product is measured.
type candidate struct {
	point  point
	spec   adaptive.Spec
	matrix *adaptive.Matrix
	index  int // of its product
}

func productsTogether(ctx context.Context, in input, pool *linop.Pool, points []point) error {
	m := in.matrix
	products := spmvbench.Baselines(m, pool)
	var list []candidate
	fp32 := -1
	if p, _, err := spmvbench.Stored(m, uniformFP32(), pool); err == nil {
		fp32 = len(products)
		products = append(products, p)
	}
	for _, p := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		in.progress("storing " + p.text())
		spec, err := p.spec()
		if err != nil {
			return err
		}
		product, a, err := store(m, spec, pool)
		if err != nil { // the format cannot hold the matrix
			if err := in.emit(p, result{notes: map[string]string{"reason": err.Error()}}); err != nil {
				return err
			}
			continue
		}
		list = append(list, candidate{p, spec, a, len(products)})
		products = append(products, product)
	}
	in.progress(fmt.Sprintf("%d products in turns", len(products)))
	if err := spmvbench.Measure(ctx, m, ones(m.Cols), products, pool, in.turns()); err != nil {
		return err
	}
	for _, c := range list {
		r, err := c.result(in, products, fp32, pool)
		if err != nil {
			return err
		}
		if err := in.emit(c.point, r); err != nil {
			return err
		}
	}
	return nil
}

// result puts together what is known of a stored matrix and its product; fp32 is
// the index of the product in uniform FP32, -1 if there is none.
func (c candidate) result(in input, products []spmvbench.Product, fp32 int, pool *linop.Pool) (result, error) {
	m, p := in.matrix, products[c.index]
	values := map[string]float64{
		"error_nw": p.Errors.Normwise, "error_cw": p.Errors.Componentwise, "error_row": p.Errors.Row,
		"seconds": p.Min, "time": p.Min / products[0].Min, "time_tuned": p.Min / products[1].Min,
		"gbps": bytesPerSecond(m, p) / 1e9,
	}
	if fp32 >= 0 {
		values["time_fp32"] = p.Min / products[fp32].Min
	}
	storageOf(values, m, p.Bytes)
	bucketed := c.spec
	bucketed.Layout = adaptive.Bucketed
	predicted, err := adaptive.Predict(m, bucketed, pool)
	if err != nil {
		return result{}, err
	}
	stats := c.matrix.Stats()
	values["bound"] = c.spec.Bound(longestRow(m), max(1, len(stats.Formats))).Product
	values["dropped"] = float64(stats.Dropped) / float64(max(stats.NNZ, 1))
	values["predicted"] = float64(predicted.Bytes)
	values["predicted_storage"] = values["storage"] * float64(predicted.Bytes) / float64(p.Bytes)
	for _, f := range predicted.Formats {
		values[records.Share+f.Format.Name] = float64(f.Count) / float64(max(predicted.NNZ, 1))
	}
	values[records.Share+"dropped"] = float64(predicted.Dropped) / float64(max(predicted.NNZ, 1))
	return result{values: values, notes: map[string]string{"layout": p.Layout}}, nil
}

func uniformFP32() adaptive.Spec {
	set, err := adaptive.LookupSet("FP32")
	if err != nil {
		panic(err) // it is in the list
	}
	return adaptive.Spec{Set: set, Epsilon: 0x1p-24, Layout: adaptive.Bucketed}
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func longestRow(m *csr.Matrix) int {
	longest := 0
	for i := range m.Rows {
		longest = max(longest, int(m.RowPtr[i+1]-m.RowPtr[i]))
	}
	return longest
}

// text names a point for people.
func (p point) text() string {
	text := p[formatsLabel]
	for _, name := range []string{epsilonLabel, criterionLabel} {
		if p[name] != "" {
			text += " " + p[name]
		}
	}
	return text
}
