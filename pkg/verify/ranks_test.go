package verify

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spreadSystem is a system with an x that solves it more or less.
type spreadSystem struct {
	m    *csr.Matrix
	x, b []float64
}

// spreadSystems are systems of one block and of many, which lie across each other, with unknowns of very different sizes.
func spreadSystems(t *testing.T) map[string]spreadSystem {
	t.Helper()
	const n = 240
	all := map[string]spreadSystem{}
	add := func(name string, stride int, change func(i, j int, v float64) float64, x, noise func(i int) float64) {
		rng := rand.New(rand.NewPCG(uint64(len(all)), 3))
		entries := map[[2]int]float64{}
		for i := range n {
			entries[[2]int{i, i}] = 4 + rng.Float64()
			for range 3 {
				if j := (i + stride*rng.IntN(n/stride)) % n; i != j {
					entries[[2]int{i, j}] = change(i, j, rng.NormFloat64())
				}
			}
		}
		s := spreadSystem{m: build(t, n, n, entries), x: make([]float64, n), b: make([]float64, n)}
		for i := range s.x {
			s.x[i] = x(i) * (1 + rng.Float64())
		}
		s.m.MulVec(s.b, s.x)
		for i := range s.x {
			s.x[i] *= 1 + noise(i)*rng.NormFloat64()
		}
		all[name] = s
	}
	plain := func(_, _ int, v float64) float64 { return v }
	one := func(int) float64 { return 1 }
	none := func(int) float64 { return 0 }
	first := func(parts int, noise float64) func(i int) float64 { // of one part alone
		return func(i int) float64 {
			if i%parts == 1 {
				return noise
			}
			return 0
		}
	}
	add("one part, rounded", 1, plain, one, none)
	add("one part, rough", 1, plain, one, func(int) float64 { return 1e-3 })
	add("parts across domains, one of them huge", 8, plain, func(i int) float64 { return math.Pow(10, float64(2*(i%8))) }, first(8, 0.1))
	add("parts across domains, one of them zero", 8, plain, func(i int) float64 { return max(float64(i%8), 1e-12) }, first(8, 1e-5))
	add("blocks that hardly matter to each other", 1, func(i, j int, v float64) float64 {
		if i%5 != j%5 {
			return v * 1e-9
		}
		return v
	}, func(i int) float64 { return math.Pow(10, float64(3*(i%5))) }, first(5, 0.03))
	add("blocks that are far apart", 1, func(i, j int, v float64) float64 {
		if i/60 != j/60 {
			return v * 1e-7
		}
		return v
	}, func(i int) float64 { return math.Pow(10, float64(4*(i/60))) }, func(i int) float64 {
		if i < 60 {
			return 0.01
		}
		return 0
	})
	add("not ordinary", 1, func(i, _ int, v float64) float64 { return math.Ldexp(v, 10*(i%90)-450) }, func(i int) float64 { return math.Ldexp(1, 400-i*3) }, first(7, 1e-9))
	add("a singular matrix and a huge x", 1, plain, one, none)
	huge := all["a singular matrix and a huge x"]
	for i := range n { // rows add up to zero, so that any constant may be added to x
		cols, vals := huge.m.Row(i)
		sum := 0.0
		for k, j := range cols {
			if int(j) != i {
				vals[k] = math.Round(vals[k] * 64)
				sum += vals[k]
			}
		}
		vals[slices.Index(cols, int32(i))] = -sum
		huge.x[i] += 1e22
	}
	bad := all["one part, rounded"]
	bad.x = slices.Clone(bad.x)
	bad.x[200] = math.NaN()
	all["a NaN"] = bad
	return all
}

// Errors and judgements over ranks (Concurrent) are those of the whole system: the same bits for any number of ranks, and those of Judge but for
// sums of squares, in the order of domains.
func TestConcurrentRanksJudgeAsOne(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	const tol = 1e-10
	weighed := 0
	for name, s := range spreadSystems(t) {
		want, err := Judge(s.m, s.x, s.b, tol, pool)
		if err != nil {
			t.Fatal(err)
		}
		unexplained, err := new(Known).Unexplained(s.m, s.x, s.b, pool)
		if err != nil {
			t.Fatal(err)
		}
		partRows, partColumns := new(Known).PartSizes(s.m, s.x, pool)
		if want.Weights != nil {
			weighed++
		}
		for _, domains := range []int{1, 2, 3, 8} {
			var mu sync.Mutex
			var first *Judgement
			for _, ranks := range []int{1, 2, 3, 5} {
				where := fmt.Sprintf("%s, %d domains, %d ranks", name, domains, ranks)
				dist.Run(ranks, func(c dist.Comm) {
					a, err := dist.Spread(c, s.m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					x, b := ownOf(a, s.x), ownOf(a, s.b)
					got := JudgeDistributed(a, x, b, tol, nil)
					mu.Lock()
					defer mu.Unlock()
					if first == nil {
						first = &got
					}
					compareJudgements(t, where, a, got, *first, want)
				})
				dist.Run(ranks, func(c dist.Comm) {
					a, err := dist.Spread(c, s.m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					x, b := ownOf(a, s.x), ownOf(a, s.b)
					if e, least := ComputeDistributed(a, x, b, false, nil); least != nil || e.Row != want.Row || e.Normwise != want.Normwise || e.Componentwise != want.Componentwise {
						t.Errorf("%s: %+v, want %+v", where, e, want.Errors)
					}
					rows, columns := PartSizesDistributed(a, x, nil)
					for _, p := range a.Parts {
						if name != "a NaN" && (!slices.Equal(rows[p.First():p.End()], partRows[p.Row:p.Row+int64(p.Own)]) || !slices.Equal(columns[p.First():p.End()], partColumns[p.Row:p.Row+int64(p.Own)])) {
							t.Errorf("%s: other sizes of parts", where)
						}
					}
					if u := UnexplainedDistributed(a, x, b, nil); u != unexplained {
						t.Errorf("%s: unexplained %g, want %g", where, u, unexplained)
					}
				})
			}
		}
	}
	if weighed < 4 {
		t.Errorf("only %d systems have weights", weighed)
	}
}

// ownOf is v as a vector of this rank, with ghosts that are not to be used.
func ownOf(a *dist.Matrix, v []float64) []float64 {
	x := make([]float64, a.Len)
	for i := range x {
		x[i] = math.NaN()
	}
	for _, p := range a.Parts {
		copy(x[p.First():p.End()], v[p.Row:])
	}
	return x
}

func compareJudgements(t *testing.T, where string, a *dist.Matrix, got, first, want Judgement) {
	t.Helper()
	if got.Errors != first.Errors || got.Rounding != first.Rounding || got.Block != first.Block || got.Unexplained != first.Unexplained {
		t.Errorf("%s: %+v, other ranks %+v", where, got, first)
	}
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-13*math.Abs(b) }
	if !near(got.RelativeResidual, want.RelativeResidual) || !near(got.Rounding.RelativeResidual, want.Rounding.RelativeResidual) {
		t.Errorf("%s: residual %g, %g, want %g, %g", where, got.RelativeResidual, got.Rounding.RelativeResidual, want.RelativeResidual, want.Rounding.RelativeResidual)
	}
	got.RelativeResidual, want.RelativeResidual = 0, 0
	if got.Errors != want.Errors || got.Block != want.Block || got.Unexplained != want.Unexplained {
		t.Errorf("%s: %+v, want %+v", where, got, want)
	}
	if (got.Weights == nil) != (want.Weights == nil) {
		t.Errorf("%s: weights %v, want %v", where, got.Weights != nil, want.Weights != nil)
		return
	}
	if got.Weights == nil {
		return
	}
	for _, p := range a.Parts {
		if !slices.Equal(got.Weights[p.First():p.End()], want.Weights[p.Row:p.Row+int64(p.Own)]) {
			t.Errorf("%s: other weights", where)
		}
	}
}

// Errors of an x of multiple precision are those of the whole system, the same on all ranks and for any number of them; ghosts of x do not count (Concurrent).
func TestConcurrentPreciseErrorsOfRanks(t *testing.T) {
	for name, c := range spreadSystems(t) {
		const bits = 192
		x, weights := make([]*big.Float, len(c.x)), make([]float64, len(c.x))
		if slices.ContainsFunc(c.x, func(v float64) bool { return v-v != 0 }) {
			continue // no number of multiple precision
		}
		for i, v := range c.x {
			x[i] = new(big.Float).SetPrec(192).SetFloat64(v)
			x[i].Quo(x[i], big.NewFloat(3))
			weights[i] = float64(1 + i%7)
		}
		whole, err := Precisely([]*csr.Matrix{c.m}, numbers(x), [][]float64{c.b}, weights, bits, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, domains := range []int{2, 5} {
			var one PreciseErrors
			for _, size := range []int{1, 2, 4, 7} {
				var mu sync.Mutex
				dist.Run(size, func(comm dist.Comm) {
					a, err := dist.Spread(comm, c.m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					own, b, w := make([]*big.Float, a.Len), make([]float64, a.Len), make([]float64, a.Len)
					for i := range own {
						own[i], b[i], w[i] = new(big.Float).SetPrec(192).SetInt64(9), 9, 1e-9 // not those of a row of this rank
					}
					for _, p := range a.Parts {
						for i := p.First(); i < p.End(); i++ {
							row := a.Global(i)
							own[i], b[i], w[i] = x[row], c.b[row], weights[row]
						}
					}
					got := PreciselyDistributed(a, numbers(own), b, w, bits, nil)
					mu.Lock()
					defer mu.Unlock()
					if size == 1 {
						one = got
					}
					if got != one {
						t.Errorf("%s, %d domains, rank %d of %d: %+v, want %+v", name, domains, comm.Rank(), size, got, one)
					}
				})
			}
			near := math.Abs(one.RelativeResidual-whole.RelativeResidual) < 1e-12
			if one.Row != whole.Row || one.Normwise != whole.Normwise || one.Componentwise != whole.Componentwise || one.Weighted != whole.Weighted || !near {
				t.Errorf("%s, %d domains: %+v, want %+v", name, domains, one, whole)
			}
		}
	}
}
