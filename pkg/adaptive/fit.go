package adaptive

import (
	"errors"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Work is the work of a product of a matrix, stored in a layout, with a vector, and the time that it took.
type Work struct {
	Layout Layout
	cost
	footprint float64
	Seconds   float64
}

// NewWorks counts the work of products with m stored as s says, in each layout that LayoutAuto compares and that m can
// have. Seconds is left to the caller.
func NewWorks(m *csr.Matrix, s Spec, pool *parallel.Pool) (list []Work, err error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return nil, err
	}
	b.mirrored = b.maybeSymmetric()
	sample := b.sample()
	for _, l := range layoutTable {
		w := Work{Layout: l.name, cost: sample.csr}
		if l.name != CSR {
			e, ok := sample.cheapest(l.name, b)
			if !ok {
				continue
			}
			w.cost = e.cost
		}
		w.add(sample.fetch(b, l.name))
		w.scale(sample.share(b))
		w.footprint = w.bytes + b.vectors()
		list = append(list, w)
	}
	return list, nil
}

// Fit returns a model like m whose times fit best, relative to the times of the products, by
// least squares. Work that the products have little of, or always in the same proportion, keeps
// about the time that it has in m. Times and rates are rounded to two digits.
func (m *Model) Fit(name string, products []Work) (*Model, error) {
	const loyalty = 0.03 // weight of a relative change of a time against the error of a product
	a := mat.NewDense(len(products)+int(works), int(works), nil)
	one := mat.NewVecDense(len(products)+int(works), nil)
	for i, p := range products {
		total := 1e9 * p.Seconds
		ns := total
		if rate := m.rate(p.footprint); !math.IsInf(rate, 1) { // see Model.time
			ns = math.Sqrt(max(0, total*total-(p.bytes/rate)*(p.bytes/rate)))
		}
		share := ns / total // of an error of ns that is one of the total
		for k, w := range p.work {
			a.Set(i, k, w*m.times[k]/total*share)
		}
		one.SetVec(i, share*share)
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
