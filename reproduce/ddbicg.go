package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	vectorsLabel = "vectors" // which vectors of the method are double-double
	rhsLabel     = "rhs"     // b = ones, or b = A ones
)

// ddParts lists which vectors of BiCG are double-double, by the names of [DDAVX]. With dq all vectors become
// double-double once the residual of BiCG in double has stagnated: when the deviation of the last residuals is below
// the threshold.
var ddParts = map[string]struct {
	p, shadow, rest bool
	threshold       float64
}{
	"double": {}, "p": {p: true}, "p*": {shadow: true}, "p,p*": {p: true, shadow: true}, "dd": {true, true, true, 0},
	"all":     {true, true, true, 0}, // and the matrix, whose low parts are zero
	"dq:1e-1": {threshold: 1e-1}, "dq:1e-2": {threshold: 1e-2},
}

const (
	ddWindow = 100   // number of residuals in the deviation
	ddTol    = 1e-12 // ||r|| / ||b||, by recurrence, at which a solve ends
	ddTrue   = 2e-12 // ||b - A x|| / ||b||, below which a solve has converged
	ddTimed  = 100   // iterations in double that give the unit of time
)

// ddBiCG is the kind of measurement of BiCG with all or some of its vectors in double-double, and of DQ-SWITCH, as
// [DDAVX] prints them. The matrix is in double and as in its file. The slides give neither b nor the tolerance; we
// chose b = ones or A·ones, x = 0 and 1e-12. A solve whose true residual is above the tolerance has not converged,
// whatever its recurrence says. Double vectors that are combined with others are double-double vectors whose low
// parts are cleared: the numbers are those of DD-AVX; the times are at most slightly above those of kernels without
// low parts.
func ddBiCG() kind {
	return kind{
		name: "dd-bicg", text: "BiCG with all or parts of its vectors in double-double, and with a switch to them", matrix: true,
		labels: []label{
			{vectorsLabel, "double", oneOf(slices.Sorted(maps.Keys(ddParts))...)},
			{rhsLabel, "ones", oneOf("ones", "product")},
			{"max_iter", "20000", positive},
		},
		values: []string{"iterations", "converged", "relative_residual", "recurred_residual", "switched", "seconds", "iteration_seconds", "iteration_double", "bytes"},
		cost: func(p point, nnz float64) float64 {
			limit, _ := strconv.ParseFloat(p["max_iter"], 64) // was checked
			return limit / 2 * 2e-8 * nnz
		},
		together: func(point) string { return "" },
		measure:  measureDDBiCG,
	}
}

// ddVector is a vector in double-double, or in double, where Lo is zero.
type ddVector struct {
	dd.Vec
	double bool
}

// ddMethod is BiCG as printed in [DDAVX], on vectors of individual precisions.
type ddMethod struct {
	ddMatrix
	ddIterate
	host   linop.Host
	hostDD linop.HostDD
	b      []float64
	tol    float64
	norms  []float64 // of r, one for each iteration
}

// ddMatrix is the matrix of a solve in both precisions.
type ddMatrix struct {
	pool          *parallel.Pool
	matrix        *csr.Matrix
	a             linop.CSR   // for vectors in double
	aDD           linop.CSRDD // for vectors in double-double: single or whole
	single, whole linop.CSRDD // elements in double, and in double-double; whole is nil until it is needed
}

// ddIterate holds the vectors and the scalar that BiCG updates.
type ddIterate struct {
	x, r, rs, p, ps, q ddVector // rs = r*, ps = p*
	rho                dd.DD    // (r*, r)
}

func newDDMethod(in input) *ddMethod {
	n := in.matrix.Rows
	m := &ddMethod{
		ddMatrix: ddMatrix{pool: in.pool, matrix: in.matrix, a: linop.NewCSR(in.matrix, in.pool), aDD: linop.NewCSRDD(in.matrix, nil, in.pool)},
		host:     linop.NewHost(n, in.pool), hostDD: linop.NewHostDD(linop.NewHost(n, in.pool)), b: make([]float64, n), tol: ddTol,
	}
	for _, v := range []*ddVector{&m.x, &m.r, &m.rs, &m.p, &m.ps, &m.q} {
		v.Vec = m.hostDD.New()
	}
	m.single = m.aDD
	m.a.ApplyT(m.q.Hi, m.b) // makes the transposes
	m.aDD.ApplyT(m.q.Vec, m.x.Vec)
	return m
}

// elements selects the matrix in double or in double-double.
func (m *ddMethod) elements(double bool) {
	m.aDD = m.single
	if double {
		return
	}
	if m.whole == nil {
		low := *m.matrix
		low.Val = make([]float64, len(low.Val))
		m.whole = linop.NewCSRDD(m.matrix, &low, m.pool)
		m.whole.ApplyT(m.q.Vec, m.x.Vec)
	}
	m.aDD = m.whole
}

func (m *ddMethod) dot(x, y ddVector) dd.DD {
	if x.double && y.double {
		return dd.From(m.host.Dot(x.Hi, y.Hi).Float())
	}
	return m.hostDD.Dot(x.Vec, y.Vec)
}

// axpy computes y += a x.
func (m *ddMethod) axpy(a dd.DD, x, y ddVector) {
	if x.double && y.double {
		m.host.Axpy(linop.Float64(a.Hi), x.Hi, y.Hi)
		return
	}
	m.hostDD.Axpy(a, x.Vec, y.Vec)
	y.round()
}

// xpay computes y = x + a y.
func (m *ddMethod) xpay(x ddVector, a dd.DD, y ddVector) {
	if x.double && y.double {
		m.host.Xpay(x.Hi, linop.Float64(a.Hi), y.Hi)
		return
	}
	m.hostDD.Xpay(x.Vec, a, y.Vec)
	y.round()
}

// round rounds the vector to its precision: the high part is the nearest double.
func (v ddVector) round() {
	if v.double {
		clear(v.Lo)
	}
}

func (v ddVector) set(w ddVector) {
	copy(v.Hi, w.Hi)
	copy(v.Lo, w.Lo)
	v.round()
}

// start sets r = b - A x, in the precisions given for the vectors.
func (m *ddMethod) start(p, shadow, rest bool) {
	m.x.double, m.r.double, m.rs.double, m.p.double, m.ps.double = !rest, !rest, !rest, !p, !shadow
	if m.r.double {
		m.a.Residual(m.r.Hi, m.b, m.x.Hi)
		m.r.round()
	} else {
		m.hostDD.Zero(m.q.Vec)
		copy(m.q.Hi, m.b)
		m.aDD.Residual(m.r.Vec, m.q.Vec, m.x.Vec)
	}
	m.rs.set(m.r)
	m.p.set(m.r)
	m.ps.set(m.rs)
	m.rho = m.dot(m.rs, m.r)
}

// multiply sets q to the product of a matrix with v, in the precision of v.
func (m *ddMethod) multiply(v ddVector, double func(dst, src []float64), twofold func(dst, src dd.Vec)) {
	if m.q.double = v.double; v.double {
		double(m.q.Hi, v.Hi)
		m.q.round()
		return
	}
	twofold(m.q.Vec, v.Vec)
}

// step executes an iteration. It returns false if a division is impossible.
func (m *ddMethod) step() bool {
	m.multiply(m.p, m.a.Apply, m.aDD.Apply)
	pq := m.dot(m.ps, m.q)
	if pq.Hi == 0 || m.rho.Hi == 0 {
		return false
	}
	alpha := m.rho.Div(pq)
	m.axpy(alpha, m.p, m.x)
	m.axpy(alpha.Neg(), m.q, m.r)
	m.multiply(m.ps, m.a.ApplyT, m.aDD.ApplyT)
	m.axpy(alpha.Neg(), m.q, m.rs)
	rho := m.dot(m.rs, m.r)
	beta := rho.Div(m.rho)
	m.xpay(m.r, beta, m.p)
	m.xpay(m.rs, beta, m.ps)
	m.rho = rho
	m.norms = append(m.norms, math.Sqrt(m.dot(m.r, m.r).Hi))
	return true
}

// deviation returns v of the last ddWindow residuals, relative to the first of them, nrm(1).
func (m *ddMethod) deviation() float64 {
	if len(m.norms) < ddWindow {
		return math.Inf(1)
	}
	last := m.norms[len(m.norms)-ddWindow:]
	v := 0.0
	for _, norm := range last {
		d := (norm - last[0]) / last[0]
		v += d * d
	}
	return v / ddWindow
}

// solve starts from x = 0. It returns why the solve ended, and the iteration at which it switched to double-double, 0
// if it did not.
func (m *ddMethod) solve(ctx context.Context, vectors string, limit int) (reason string, switched int) {
	v := ddParts[vectors]
	m.hostDD.Zero(m.x.Vec)
	m.norms = m.norms[:0]
	m.start(v.p, v.shadow, v.rest)
	normB := math.Sqrt(m.host.Dot(m.b, m.b).Float())
	for k := 1; k <= limit; k++ {
		if ctx.Err() != nil || !m.step() {
			return "breakdown", switched
		}
		switch norm := m.norms[k-1]; {
		case norm <= m.tol*normB:
			return "converged", switched
		case math.IsNaN(norm) || math.IsInf(norm, 0):
			return "not finite", switched
		case switched == 0 && m.deviation() < v.threshold:
			switched = k
			m.start(true, true, true)
		}
	}
	return "iteration limit", switched
}

func measureDDBiCG(ctx context.Context, in input, points []point) error {
	if in.matrix.Rows != in.matrix.Cols {
		return fmt.Errorf("a matrix of %d x %d: want a square one", in.matrix.Rows, in.matrix.Cols)
	}
	if bytes := 4*in.matrix.Bytes() + 8*16*int64(in.matrix.Rows); in.maxMemory > 0 && bytes > in.maxMemory {
		return in.emitReason("the matrix, its transpose and the vectors take more than the memory limit", points...)
	}
	m := newDDMethod(in)
	for _, p := range points {
		if in.late() {
			return nil
		}
		in.progress(p[vectorsLabel])
		limit, _ := strconv.Atoi(p["max_iter"]) // was checked
		r := result{values: map[string]float64{}, notes: map[string]string{}}
		copy(m.b, ones(len(m.b)))
		if p[rhsLabel] == "product" {
			m.a.Apply(m.b, ones(len(m.b)))
		}
		if in.quick && limit > quickIterations {
			limit = quickIterations
			r.notes["max_iter"] = strconv.Itoa(limit)
		}
		double := m.doubleIteration(ctx)
		m.elements(p[vectorsLabel] != "all")
		start := time.Now()
		reason, switched := m.solve(ctx, p[vectorsLabel], limit)
		seconds := time.Since(start).Seconds()
		if err := ctx.Err(); err != nil {
			return err
		}
		m.describe(&r, switched)
		if r.notes["reason"] = reason; reason == "converged" && r.values["converged"] == 0 {
			r.notes["reason"] = "converged by recurrence alone"
		}
		n := float64(max(len(m.norms), 1))
		r.values["seconds"], r.values["iteration_seconds"], r.values["iteration_double"] = seconds, seconds/n, seconds/n/double
		if err := in.emit(p, r); err != nil {
			return err
		}
	}
	return nil
}

// doubleIteration returns the seconds of an iteration in double.
func (m *ddMethod) doubleIteration(ctx context.Context) float64 {
	m.tol = 0
	defer func() { m.tol = ddTol }()
	best := math.Inf(1)
	for range 3 {
		start := time.Now()
		m.solve(ctx, "double", ddTimed)
		best = min(best, time.Since(start).Seconds()/float64(max(len(m.norms), 1)))
	}
	return best
}

// describe fills in the outcome of a solve.
func (m *ddMethod) describe(r *result, switched int) {
	normB := math.Sqrt(m.host.Dot(m.b, m.b).Float())
	r.values["converged"], r.values["bytes"] = 0, float64(m.matrix.Bytes())
	h := history{}
	for k, norm := range m.norms {
		h.add(k+1, norm/normB)
	}
	r.series = h.series()
	r.values["iterations"], r.values["switched"] = float64(len(m.norms)), float64(switched)
	if k := len(m.norms); k > 0 {
		r.values["recurred_residual"] = m.norms[k-1] / normB
	}
	m.hostDD.Zero(m.q.Vec)
	copy(m.q.Hi, m.b)
	m.aDD.Residual(m.r.Vec, m.q.Vec, m.x.Vec)
	r.values["relative_residual"] = math.Sqrt(m.hostDD.Dot(m.r.Vec, m.r.Vec).Hi) / normB
	if r.values["relative_residual"] <= ddTrue {
		r.values["converged"] = 1
	}
}
