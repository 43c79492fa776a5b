package factor

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// flat are rates of fronts that take a second for each pivot, and nothing for other rows.
func flat() eliminations {
	e := eliminations{pivots: []float64{1, 256}}
	for _, k := range e.pivots {
		e.others = append(e.others, curve{[]float64{4, 1024}, []float64{k, k}})
	}
	return e
}

// Fronts take the sum of their panels, and what is not among the pivots is shared.
func TestForecastFronts(t *testing.T) {
	e := flat()
	for _, k := range []int{1, 7, 256, 700} {
		if got := e.front(k, 0, 1); math.Abs(got/float64(k)-1) > 1e-12 {
			t.Errorf("%d pivots: %g seconds", k, got)
		}
	}
	e = eliminations{[]float64{1, 256}, []curve{{[]float64{4, 1024}, []float64{1, 256}}, {[]float64{4, 1024}, []float64{1, 256}}}}
	if one, four := e.front(64, 1024, 1), e.front(64, 1024, 4); math.Abs(one-256) > 1e-9 || math.Abs(four-(1+255./4)) > 1e-9 {
		t.Errorf("%g seconds on one thread, %g on four", one, four)
	}
}

// Curves are exact at their sizes, between them where seconds are a power of the size, and beyond them with that power.
func TestCurve(t *testing.T) {
	c := curve{[]float64{4, 16, 64}, []float64{16, 256, 4096}}
	for _, size := range []float64{4, 5, 16, 40, 64, 1000} {
		if got := c.at(size, 2); math.Abs(got/(size*size)-1) > 1e-12 {
			t.Errorf("at %g: %g", size, got)
		}
	}
	if c.at(0, 2) != 0 || c.at(1, 2) != 16 {
		t.Error("small sizes")
	}
}

// A forecast adds up what nodes take: pivots, rows, nonzeros, products and bytes are those of the factors.
func TestForecastSums(t *testing.T) {
	for name, symmetric := range map[string]bool{"symmetric": true, "general": false} {
		p := newProblem(t, testsupport.Grid(60, 0, 0), symmetric)
		one := curve{[]float64{4, 1024}, []float64{1e-300, 1e-300}}
		r := &Rates{symmetric: symmetric, in: FP64, threads: 1, fronts: flat(), pass: one, read: one, besides: 1, readBesides: 1, cold: 1, product: 1}
		products := 0
		for j := range p.tree.nodes() {
			products += p.tree.products(j, symmetric)
		}
		s := p.tree.Forecast(r, 0.5*float64(p.A.NNZ()))
		if want := float64(p.A.Rows) + 0.5*float64(p.A.NNZ()); math.Abs(s.Factoring/want-1) > 1e-9 || math.Abs(s.Applying/float64(products)-1) > 1e-9 {
			t.Errorf("%s: %+v, want %g and %d", name, s, want, products)
		}
		r.threads = 2
		if two := p.tree.Forecast(r, 0.5*float64(p.A.NNZ())); two.Factoring > s.Factoring || two.Factoring < s.Factoring/2 || two.Applying > s.Applying {
			t.Errorf("%s: %+v on two threads, %+v on one", name, two, s)
		}
	}
}

// Samples are measured for all rules, precisions and numbers of threads, and end with their context.
func TestMeasureRates(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, in := range []Precision{FP32, FP64} {
		for _, symmetric := range []bool{true, false} {
			r, err := MeasureRates(t.Context(), symmetric, symmetric && in == FP32, in, pool)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range append(r.fronts.others, r.pass, r.read) {
				for k, s := range c.seconds {
					if !(s > 0) || math.IsInf(s, 0) {
						t.Errorf("%s: %g seconds at %g", in, s, c.sizes[k])
					}
				}
			}
			if r.threads != 2 || !(r.besides >= 1) || !(r.readBesides >= 1) || !(r.row >= 0) || !(r.product >= 0) || !(r.touch > 0) {
				t.Errorf("%s: %+v", in, r)
			}
		}
	}
	p := newProblem(t, testsupport.Grid(60, 0, 0), true)
	if s := p.tree.Gathering(&p.Matrix); !(s > 0) {
		t.Errorf("gathering takes %g seconds", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureRates(ctx, true, true, FP64, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
