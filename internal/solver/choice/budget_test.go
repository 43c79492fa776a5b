package choice

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A method is left at the look at which its alternative is expected to take less, when it has spent a share of
// what the alternative takes. A rate that grows is waited for, and one that was better before is trusted for a while.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		name        string
		rate        func(k float64) float64 // the measure after k iterations
		alternative float64                 // in iterations
		from, to    int                     // left after so many; 0: never
	}{
		{"fast", func(k float64) float64 { return math.Pow(10, -k/20) }, 256, 0, 0},
		{"as fast as the alternative", func(k float64) float64 { return math.Pow(10, -k/25) }, 256, 0, 0},
		{"half as fast", func(k float64) float64 { return math.Pow(10, -k/60) }, 256, 52, 77},
		{"eight times slower", func(k float64) float64 { return math.Pow(10, -k/240) }, 256, 52, 77},
		{"no progress", func(float64) float64 { return 1 }, 256, 77, 116},
		{"no progress, a dear alternative", func(float64) float64 { return 1 }, 8000, 2400, 3600},
		{"worse", func(k float64) float64 { return 1 + k }, 256, 77, 116},
		{"ever faster", func(k float64) float64 { return math.Pow(10, -k*k/1000) }, 256, 0, 0},
		{"a plateau at first", func(k float64) float64 { return math.Pow(10, -max(0, k-20)/10) }, 256, 0, 0},
		{"stalls", func(k float64) float64 { return math.Pow(10, -min(k, 64)/16) }, 256, 120, 180},
		{"stalls near its goal", func(k float64) float64 { return math.Pow(10, -min(k, 90)/10) }, 256, 180, 270},
		{"stalls for a while", func(k float64) float64 { return math.Pow(10, -min(k, max(60, k-60))/20) }, 350, 0, 0},
		{"no alternative", func(float64) float64 { return 1 }, math.Inf(1), 0, 0},
	} {
		const iteration, slower = 1000.0, 2.0
		p := NewProbe(1, 1e-10, iteration, 0, against(slower, c.alternative*iteration*slower))
		left := 0
		for k := 1; k <= 5000 && c.rate(float64(k)) > 1e-10; k++ {
			now := krylov.Progress{Iterations: k, Least: c.rate(float64(k))}
			first := p.Watch(now)
			if again := p.Watch(now); again != first {
				t.Errorf("%s: %v, asked again %v", c.name, first, again)
			}
			if first != krylov.Running {
				left = k
				break
			}
		}
		if left < c.from || left > c.to {
			t.Errorf("%s: left after %d iterations, want %d to %d", c.name, left, c.from, c.to)
		}
	}
}

// iterating is a preconditioner of so many iterations an application, which reduce a residual by a factor in all.
type iterating struct{ iterations, reduction float64 }

func (p iterating) Inner() (iterations, rate float64) {
	return p.iterations, math.Log(p.reduction) / p.iterations
}

// A preconditioner that iterates to its end without solving tells after one application how long it takes; where it solves, its rate does not count, since the last
// iterations of many are the fast ones.
func TestProbeOfInnerIterations(t *testing.T) {
	for _, c := range []struct {
		name        string
		inner       nested
		alternative float64 // in inner iterations
		left        int
	}{
		{"solves", iterating{40, 1e4}, 300, 0},
		{"does not solve, and takes too long", iterating{rules.InnerIterations, 10}, 300, 1},
		{"does not solve, and has the time", iterating{rules.InnerIterations, 10}, 1200, 0},
		{"diverges", iterating{rules.InnerIterations, 1}, 150, 1},
	} {
		const inner = 100.0
		p := NewProbe(1, 1e-10, 40*inner, 0, against(1, c.alternative*inner))
		p.Look, p.inner, p.each = 1, c.inner, inner
		left := 0
		for k := 1; k <= 4 && left == 0; k++ {
			if p.Watch(krylov.Progress{Iterations: k, Least: math.Pow(10, -3*float64(k))}) != krylov.Running {
				left = k
			}
		}
		if left != c.left {
			t.Errorf("%s: left after %d iterations, want %d", c.name, left, c.left)
		}
	}
}

// A diagonal that takes long shows that the alternative, whose iterations are bet on relative to it, takes long as well: the diagonal is not left for that. Another
// preconditioner shows nothing about it.
func TestAlternativeAnew(t *testing.T) {
	const iteration, other = 10.0, 1e5 // other: the work of an alternative that does not depend on the diagonal
	for _, c := range []struct {
		kind precond.Kind
		gone bool
	}{{precond.Jacobi, false}, {precond.AMG, true}} {
		asked := 0.0
		p := NewProbe(1, 1e-10, iteration, 0, func() odds {
			return odds{slower: 1, alternative: 640, anew: func(diagonal float64) float64 {
				asked = diagonal
				return min(other, 6*iteration*diagonal)
			}}
		})
		p.fallback = Fallback{Method: solve.CG, Variant: Variant{Kind: c.kind}}
		for k := 1; k <= 1000 && !p.Gone; k++ {
			p.Watch(krylov.Progress{Iterations: k, Least: math.Pow(10, -float64(k)/100)})
		}
		if p.Gone != c.gone {
			t.Errorf("%v, 1000 iterations against 64 by a bet on fewer: left: %v", c.kind, p.Gone)
		}
		if c.kind == precond.Jacobi && math.Abs(asked-1000) > 2 {
			t.Errorf("the diagonal is expected to take %g iterations, want 1000", asked)
		}
	}
}

// The work that is expected where a method is left is that at its rate, or some times that of the alternative if there is no rate.
func TestProbeLeft(t *testing.T) {
	p := NewProbe(1, 1e-10, 10, 0, against(1, 640))
	for k := 1; !p.Gone; k++ {
		p.Watch(krylov.Progress{Iterations: k, Least: math.Pow(10, -float64(k)/100)})
	}
	if rest := p.left() / 10; math.Abs(rest+float64(p.Look)-1000) > 1 {
		t.Errorf("%g iterations after %d of 1000", rest, p.Look)
	}
	for _, c := range []struct {
		by   Fallback
		want float64
	}{
		{Fallback{Method: solve.CG, Variant: Variant{Kind: precond.Jacobi}}, 1000},
		{Fallback{Method: solve.BiCGStab, Variant: Variant{Kind: precond.Jacobi}}, 1000 / 0.7},
		{Fallback{Method: solve.CG, Variant: Variant{Kind: precond.AMG}}, 0},
	} {
		p.fallback = c.by
		if got := p.diagonal(p.Look, p.left()); math.Abs(got-c.want) > 2 {
			t.Errorf("%v: the diagonal is expected to take %g iterations, want %g", c.by, got, c.want)
		}
	}
	if p := NewProbe(1, 1e-10, 10, 0, against(1, 640)); p.left() != 4*640 {
		t.Errorf("%g without a rate", p.left())
	}
}

// Projections of GMRES count: long cycles cost more than short ones.
func TestProbeCountsProjections(t *testing.T) {
	p := NewProbe(1, 1e-10, 10, 2, against(1, 1e4))
	if got := p.Work(5, 15); got != 80 {
		t.Errorf("5 iterations with 15 projections take %g", got)
	}
	p.weighed()
	now := krylov.Progress{Iterations: p.Look, Least: math.Pow(10, -float64(p.Look)/60)}
	if reason := NewProbe(1, 1e-10, 10, 2, against(1, 1e4)).Watch(now); reason != krylov.Running {
		t.Errorf("%v without projections", reason)
	}
	now.Projections = 1e6
	if reason := p.Watch(now); reason != krylov.Stagnation {
		t.Errorf("%v with a million projections", reason)
	}
}

// What an iteration takes: products, applications and vectors.
func TestIterationWork(t *testing.T) {
	const n, nnz, values = 10, 50, 200
	for _, c := range []struct {
		method solve.Method
		kind   precond.Kind
		want   float64
	}{
		{solve.CG, precond.None, nnz + 6*n},
		{solve.CG, precond.ICT, nnz + values + 6*n},
		{solve.BiCGStab, precond.ILU0, 2*(nnz+values) + 6*n},
		{solve.CG, precond.Chebyshev, 5*nnz + 6*n},
		{solve.CG, precond.AMG, nnz + 2*(nnz+values) + 6*n},
	} {
		v := float64(values)
		if c.kind == precond.None {
			v = 0
		}
		if got := IterationWork(c.method, c.kind, n, nnz, v); got != c.want {
			t.Errorf("%s with %s: %g, want %g", c.method, c.kind, got, c.want)
		}
	}
}

// The probe of a correction that goes on from the one before looks where the probe before would have looked, with all
// their iterations.
func TestProbeGoesOn(t *testing.T) {
	newOne := func(from float64) *Probe { return NewProbe(from, 1e-10, 1000, 0, against(1, 128e3)) }
	measure := func(k int) float64 { return math.Pow(10, -float64(k)/100) } // in eight times the alternative
	left, total := 0, 0
	var last *Probe
	var done krylov.Result
	for correction := 0; correction < 10 && left == 0; correction++ {
		p := newOne(measure(total))
		if last != nil {
			p.GoOn(last, done)
		}
		for k := 1; k <= 10; k++ {
			if p.Watch(krylov.Progress{Iterations: k, Least: measure(total + k)}) != krylov.Running {
				left = total + k
				break
			}
		}
		last, done = p, krylov.Result{Iterations: 10}
		total += 10
	}
	if left != 27 {
		t.Errorf("left after %d iterations, want 27", left)
	}
	other := NewProbe(1, 1e-10, 500, 0, against(1, 256e3))
	if other.GoOn(last, done); other.Before != 0 {
		t.Errorf("another fallback goes on: %+v", other.Lookout)
	}
}

// against returns the odds of a method, whose multiplications are slower times the unit of work, against an alternative.
func against(slower, alternative float64) func() odds {
	return func() odds { return odds{slower: slower, alternative: alternative} }
}
