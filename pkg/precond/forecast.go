package precond

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A CompleteForecast is what complete factors will take, known from their order and from what this machine takes for samples of their work.
type CompleteForecast struct {
	Kind            string
	Order           string // in a few words
	Rows            bool   // LU row by row, of which seconds are not forecast, and entries and bytes are from above
	Entries         int64
	Multiplications float64
	Precision       string // of the factors that are made first; the bytes are of these
	Bytes           int64  // Cost.Bytes
	FP64Bytes       int64  // Cost.FP64Bytes
	Making          int64  // the least Limits.MaxBytes with which they are made

	Planning  float64 // scaling and ordering, measured: it is done
	Factoring float64 // wall time of the rest of setting up; 0: a hundredth or two, too little to be measured
	Solving   float64 // wall time of an application; 0 with Factoring
}

// ForecastComplete orders a matrix as New does for a kind of complete factors, measures samples for about a tenth of a second, and forecasts what
// the factors take. It holds if they suffice: New goes on to others where pivots vanish, or FP32 has too few digits. Errors are those of New,
// before factors are made.
func ForecastComplete(ctx context.Context, kind Kind, m *csr.Matrix, opt Options, pool *parallel.Pool) (c CompleteForecast, err error) {
	d, ok := Lookup(kind)
	if !ok || d.plan == nil {
		return c, fmt.Errorf("%s: no complete factors", kind)
	}
	s := newSetup(ctx, m, opt, pool)
	if c, err = s.forecast(d); err != nil {
		return CompleteForecast{}, fmt.Errorf("%s: %w", kind, err)
	}
	return c, nil
}

// entryWork is about how many multiplications a nonzero is worth in small fronts.
const entryWork = 200

func (s *setup) forecast(d Description) (c CompleteForecast, err error) {
	defer s.end(&err)
	if err := s.ready(d); err != nil {
		return c, err
	}
	start := time.Now()
	p, rows, err := d.plan(s)
	if err != nil {
		return c, err
	}
	c = CompleteForecast{Kind: string(d.Kind), Planning: time.Since(start).Seconds()}
	if p == nil {
		w := rows.work
		c.Order, c.Rows, c.Entries, c.Multiplications = rows.order, true, w.Entries+int64(s.m.Rows), w.Multiplications
		c.Precision, c.FP64Bytes = fmt.Sprintf("%d bytes each", width(s.Epsilon)), storedBytes(int64(s.m.Rows), w.Entries, 8)
		if c.Bytes = w.Bytes; c.Entries <= unroundedEntries {
			c.Precision, c.Bytes = factor.FP64.String(), c.FP64Bytes
		}
		c.Making = s.counted(max(planning*s.m.Bytes(), c.Bytes))
		return c, nil
	}
	in, symmetric := s.firstPrecision(p), p.Symmetric()
	c.Order, c.Entries, c.Multiplications, c.Precision = p.tree.OrderedBy+" order", p.entries(), p.work.Multiplications, in.String()
	c.FP64Bytes, _ = p.tree.Bytes(symmetric, 1, factor.FP64)
	making := int64(0)
	c.Bytes, making = p.tree.Bytes(symmetric, s.pool.Threads(), in)
	c.Making = s.counted(max(planning*s.m.Bytes(), c.Bytes+making))
	if p.work.Multiplications+entryWork*float64(s.m.NNZ()) < singleWork {
		return c, nil
	}
	if err := s.fits(factor.SampleBytes); err != nil {
		return c, err
	}
	rates, err := factor.MeasureRates(s.ctx, symmetric, d.Kind == Cholesky, in, s.pool)
	if err != nil {
		return c, ErrInterrupted
	}
	f := p.tree.Forecast(rates, p.tree.Gathering(&p.Matrix))
	c.Factoring, c.Solving = f.Factoring, f.Applying
	if in == factor.FP32 || d.Kind != Cholesky {
		c.Factoring += 2*f.Applying + s.judging(p)
	}
	return c, nil
}

// judging returns the seconds that a solve with new factors, which judges them, takes besides two applications.
func (s *setup) judging(p *frontPlan) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x, y := make([]float64, s.m.Rows), make([]float64, s.m.Rows)
	s.m.MulVec(y, x) // touches their memory
	start := host.ThreadSeconds()
	p.placement()
	s.m.MulVec(y, x)
	s.m.MulVec(y, x)
	return host.ThreadSeconds() - start
}
