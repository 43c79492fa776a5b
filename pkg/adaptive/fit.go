package adaptive

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Work is the work of a product of a stored matrix with a vector, and the time that it took.
type Work struct {
	cost
	footprint float64
	Seconds   float64
}

// NewWork counts the work of a product with m stored as s says, whose layout must not be
// LayoutAuto nor Bucketed. Seconds is left to the caller.
func NewWork(m *csr.Matrix, s Spec, pool *parallel.Pool) (w Work, err error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return w, err
	}
	b.mirrored = b.maybeSymmetric()
	sample := b.sample()
	w.cost = sample.csr
	if s.Layout != CSR {
		e, ok := sample.cheapest(s.Layout, b)
		if !ok {
			return w, fmt.Errorf("adaptive: no model of layout %q for this matrix", s.Layout)
		}
		w.cost = e.cost
	}
	switch r := s.Layout.row(); {
	case !b.farX() || r.tiled:
	case r.far:
		w.work[farMissWork] += sample.misses
	default:
		w.work[missWork] += sample.misses
	}
	w.scale(sample.share(b))
	w.footprint = w.bytes + b.vectors()
	return w, nil
}

// Fit returns a model like m whose times fit best, relative to the times of the products, by
// least squares. Work that the products have little of, or always in the same proportion, keeps
// about the time that it has in m. Times and rates are rounded to two digits.
func (m *Model) Fit(name string, products []Work) (*Model, error) {
	const loyalty = 0.03 // weight of a relative change of a time against the error of a product
	a := mat.NewDense(len(products)+int(works), int(works), nil)
	one := mat.NewVecDense(len(products)+int(works), nil)
	for i, p := range products {
		ns := 1e9 * p.Seconds
		if rate := m.rate(p.footprint); !math.IsInf(rate, 1) { // see Model.time
			ns = math.Sqrt(max(0, ns*ns-(p.bytes/rate)*(p.bytes/rate)))
		}
		if !(ns > 0) {
			continue // which the memory explains
		}
		for k, w := range p.work {
			a.Set(i, k, w*m.times[k]/ns)
		}
		one.SetVec(i, 1)
	}
	for k := range int(works) {
		a.Set(len(products)+k, k, loyalty)
		one.SetVec(len(products)+k, loyalty)
	}
	var factors mat.VecDense
	if err := factors.SolveVec(a, one); err != nil {
		return nil, errors.New("adaptive: the times of the products do not determine a model")
	}
	fit := *m
	fit.Name = name
	fit.Rates = Rates{twoDigits(m.Rates.Memory), twoDigits(m.Rates.Cache)}
	for k := range fit.times {
		const most = 16 // times as fast or slow as in m
		fit.times[k] = twoDigits(m.times[k] * min(max(factors.AtVec(k), 1./most), most))
	}
	return &fit, nil
}

// twoDigits rounds a positive number to two decimal digits.
func twoDigits(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	return v
}
