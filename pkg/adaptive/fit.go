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

// Fit returns a model like m whose times fit best, relative to the times of the products, by least squares. The times of m, all
// multiplied by one factor, are where it begins: processors differ by less in what one kind of work takes beside another. A relative
// change of a time counts loyalty times as much as the same relative error of a product, so that work keeps about the time of m if the
// products have little of it, or always in the same proportion. Times and rates are rounded to two digits.
func (m *Model) Fit(name string, products []Work, loyalty float64) (*Model, error) {
	a := mat.NewDense(len(products)+int(works), int(works), nil)
	one := mat.NewVecDense(len(products)+int(works), nil)
	from := m.scaledTo(products)
	for i, p := range products {
		share := m.computing(p) / (1e9 * p.Seconds) // of an error of the instructions that is one of the product
		for k, w := range p.work {
			a.Set(i, k, w*from[k]/(1e9*p.Seconds)*share)
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
		fit.times[k] = twoDigits(from[k] * min(max(factors.AtVec(k), 1./most), most))
	}
	return &fit, nil
}

// computing returns the ns that the instructions of a product took, see Model.time.
func (m *Model) computing(p Work) float64 {
	moving := p.bytes / m.rate(p.footprint)
	return math.Sqrt(max(0, 1e18*p.Seconds*p.Seconds-moving*moving))
}

// scaledTo returns the times of m, multiplied by the geometric mean of what the products took relative to m. Products that wait for memory
// do not count.
func (m *Model) scaledTo(products []Work) (times [works]float64) {
	sum, n := 0.0, 0.0
	for _, p := range products {
		if ns := m.computing(p); ns > 1e9*p.Seconds/2 {
			sum, n = sum+math.Log(ns/m.instructions(p.cost)), n+1
		}
	}
	for k, t := range m.times {
		times[k] = t * math.Exp(sum/max(n, 1))
	}
	return times
}

// twoDigits rounds a positive number to two decimal digits.
func twoDigits(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	return v
}
