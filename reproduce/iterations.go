package reproduce

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// iterations is the kind of measurement of a fixed number of iterations of a Krylov method in FP64 without a
// preconditioner, as in section 6.2 of [Cojean20]: their time, whether they converge or not.
//
// Operations count as in that paper: two for a nonzero in a product, two for an element in an inner product or an
// update. The bound is one operation for each FP64 number that memory delivers, as in the paper; the bandwidth is
// measured in the same run with updates y += a x of long vectors, 24 bytes an element.
func iterations() kind {
	return kind{
		name: "iterations", text: "iterations of a Krylov method in FP64 without a preconditioner: time and GFLOP/s", matrix: true,
		labels: []label{
			{"method", "cg", oneOf(methodNames()...)},
			{"iterations", "40", positive},
		},
		values: slices.Concat(
			[]string{"iterations", "seconds", "iteration_seconds", "gflops", "bandwidth", "of_bound", "products", "bytes"}, quartiles("of_bound")),
		cost: func(p point, nnz float64) float64 {
			k, _ := strconv.ParseFloat(p["iterations"], 64) // was checked
			return iterationRounds * k * 2e-9 * nnz
		},
		together: but("method"),
		measure:  measureIterations,
	}
}

func methodNames() (names []string) {
	for _, k := range krylov.Methods {
		names = append(names, k.Name)
	}
	return names
}

const (
	iterationRounds = 3
	endless         = 1e-290 // a tolerance that is never met
)

// counted is the space of the host, which counts the operations on its vectors.
type counted struct {
	linop.Host
	operations int64
}

func (c *counted) add(elements int) { c.operations += 2 * int64(elements) * int64(c.Dim()) }

// Scale counts one operation for an element.
func (c *counted) Scale(a scalar, x vector) { c.operations += int64(c.Dim()); c.Host.Scale(a, x) }

// Axpy implements linop.Space, as do the methods below.
func (c *counted) Axpy(a scalar, x, y vector)        { c.add(1); c.Host.Axpy(a, x, y) }
func (c *counted) Xpay(x vector, a scalar, y vector) { c.add(1); c.Host.Xpay(x, a, y) }
func (c *counted) Dot(x, y vector) scalar            { c.add(1); return c.Host.Dot(x, y) }

func (c *counted) AxpyDot(a scalar, x, y, z vector) scalar {
	c.add(2)
	return c.Host.AxpyDot(a, x, y, z)
}

func (c *counted) Step(a scalar, p, x, q, r vector) scalar {
	c.add(3)
	return c.Host.Step(a, p, x, q, r)
}

func (c *counted) DoubleStep(a scalar, p vector, o scalar, t, x, q, r, w vector) (rr, rw scalar) {
	c.add(5)
	return c.Host.DoubleStep(a, p, o, t, x, q, r, w)
}

func (c *counted) Direction(r vector, b, o scalar, q, p vector) {
	c.add(2)
	c.Host.Direction(r, b, o, q, p)
}

func (c *counted) MultiDot(h []scalar, vs []vector, w vector) {
	c.add(len(vs))
	c.Host.MultiDot(h, vs, w)
}

func (c *counted) MultiAxpy(a []scalar, vs []vector, w vector) {
	c.add(len(vs))
	c.Host.MultiAxpy(a, vs, w)
}

func (c *counted) MultiAxpyDot(a []scalar, vs []vector, w vector) scalar {
	c.add(len(vs) + 1)
	return c.Host.MultiAxpyDot(a, vs, w)
}

// fused is an operator that counts the inner products that come with its products.
type fused struct {
	linop.CSR
	space    *counted
	products int
}

func (a *fused) Apply(dst, src vector)  { a.products++; a.CSR.Apply(dst, src) }
func (a *fused) ApplyT(dst, src vector) { a.products++; a.CSR.ApplyT(dst, src) }

func (a *fused) ApplyDot(dst, src, w vector) scalar {
	a.products++
	a.space.add(1)
	return a.CSR.ApplyDot(dst, src, w)
}

func (a *fused) ApplyDots(dst, src, w vector) (dw, dd scalar) {
	a.products++
	a.space.add(2)
	return a.CSR.ApplyDots(dst, src, w)
}

// timedIterations is the measurement of one run of a method.
type timedIterations struct {
	result     krylov.Result
	seconds    float64
	operations float64
	products   int
}

// measureIterations runs the methods one after the other, in several rounds.
func measureIterations(ctx context.Context, in input, points []point) error {
	s := newSystem(in.matrix, "rowmax", in.pool)
	space := &counted{Host: s.host}
	a := &fused{CSR: linop.NewCSR(s.m, in.pool), space: space}
	rounds := iterationRounds
	if in.quick {
		rounds = 1
	}
	x, work := s.host.New(), s.host.New()
	stream := newStream(in)
	runs := make([][]timedIterations, len(points))
	var bandwidth []float64
	for range rounds {
		bandwidth = append(bandwidth, stream.bandwidth())
		for i, p := range points {
			if err := ctx.Err(); err != nil {
				return err
			}
			if in.late() {
				return nil
			}
			method, err := krylov.New[vector, scalar](p["method"], space, krylov.MethodOptions{})
			if err != nil {
				return err
			}
			if method.Name() == "bicg" || method.Name() == "lsqr" {
				a.CSR.ApplyT(work, s.b) // makes the transpose
			}
			in.progress(p["method"])
			k, _ := strconv.Atoi(p["iterations"]) // was checked
			*space, a.products = counted{Host: s.host}, 0
			start := time.Now()
			r := method.Solve(ctx, a, x, s.b, krylov.Options[vector]{
				Tol: endless, MaxIter: k, Unconfirmed: true, Measure: func(_, _ vector) float64 { return 1 },
			})
			seconds := time.Since(start).Seconds()
			operations := float64(space.operations) + 2*float64(a.products)*float64(s.m.NNZ())
			runs[i] = append(runs[i], timedIterations{r, seconds, operations, a.products})
		}
	}
	for i, p := range points {
		if err := in.emit(p, iterationsResult(runs[i], bandwidth, s.m.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// iterationsResult combines the rounds of a method.
func iterationsResult(runs []timedIterations, bandwidth []float64, bytes int64) result {
	first := runs[0]
	n := float64(first.result.Iterations)
	r := result{values: map[string]float64{"iterations": n, "bytes": float64(bytes)}, notes: map[string]string{}}
	if first.result.Reason != krylov.IterationLimit {
		r.notes["reason"] = first.result.Reason.String()
		return r
	}
	var seconds, share []float64
	for k, t := range runs {
		seconds = append(seconds, t.seconds)
		share = append(share, t.operations/t.seconds/(bandwidth[k]/8))
	}
	_, median, _ := records.Quartiles(seconds)
	_, delivered, _ := records.Quartiles(bandwidth)
	r.values["seconds"], r.values["iteration_seconds"] = median, median/n
	r.values["gflops"] = first.operations / median / 1e9
	r.values["bandwidth"] = delivered / 1e9
	r.values["products"] = float64(first.products) / n
	r.values["of_bound"+records.FirstQuartile], r.values["of_bound"], r.values["of_bound"+records.ThirdQuartile] = records.Quartiles(share)
	return r
}

// stream has vectors as large as four last-level caches, or as the matrix in a quick run.
type stream struct {
	host linop.Host
	x, y vector
}

func newStream(in input) stream {
	const caches = 4
	n := in.matrix.Rows
	if !in.quick {
		n = max(n, int(caches*host.Caches().LastLevel()/16))
	}
	h := linop.NewHost(n, in.pool)
	return stream{h, h.New(), h.New()}
}

// bandwidth returns the bytes per second of y += a x.
func (s stream) bandwidth() float64 {
	const repeat = 10
	s.host.Axpy(1, s.x, s.y)
	start := time.Now()
	for range repeat {
		s.host.Axpy(1, s.x, s.y)
	}
	return 24 * repeat * float64(s.host.Dim()) / time.Since(start).Seconds()
}
