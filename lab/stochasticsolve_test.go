package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// TestStochasticSolves: for each method the three samples are solved as one, and agree to about the tolerance.
func TestStochasticSolves(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
	}{
		{"cg", testsupport.Grid(20, 0, 0), solve.Options{Method: solve.CG}},
		{"minres", testsupport.Grid(20, 0, 0), solve.Options{Method: solve.MINRES}},
		{"gmres", testsupport.Grid(20, 0.3, 0), solve.Options{Method: solve.GMRES}},
		{"bicgstab", testsupport.Grid(20, 0.3, 0), solve.Options{Method: solve.BiCGStab}},
		{"scaled", rescaled(testsupport.Grid(8, 0.3, 0)), solve.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := make([]float64, c.m.Rows)
			want := testsupport.Random(1, c.m.Cols)
			c.m.MulVec(b, want)
			c.opt.Tol = 1e-13
			r, err := SolveStochastic(t.Context(), c.m, b, nil, c.opt, 1)
			if err != nil || r.Reason != krylov.Converged {
				t.Fatalf("%v, %v", r.Reason, err)
			}
			for i, digits := range r.Significant() {
				if !(digits >= 4 && digits <= Full64) {
					t.Errorf("%.1f digits of x_%d = %v", digits, i, r.Samples[i])
				}
				if MeanOfTriple(r.Samples[i]) != r.X[i] {
					t.Fatalf("x_%d is not the mean of its samples", i)
				}
			}
			again, err := SolveStochastic(t.Context(), c.m, b, nil, withThreads(c.opt, 3), 1)
			if err != nil || !slices.Equal(again.Samples, r.Samples) || again.Unstable != r.Unstable {
				t.Errorf("three threads give another result (%v)", err)
			}
			other, err := SolveStochastic(t.Context(), c.m, b, nil, c.opt, 2)
			if err != nil || slices.Equal(other.Samples, r.Samples) {
				t.Errorf("another seed gives the same samples (%v)", err)
			}
		})
	}
}

func withThreads(opt solve.Options, threads int) solve.Options {
	opt.Threads = threads
	return opt
}

// TestStochasticSeesCondition: the digits fall as the condition number of a Hilbert matrix grows, and none is left if
// the condition number is beyond float64.
func TestStochasticSeesCondition(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{3, 6, 9, 13} {
		m := testsupport.Hilbert(n)
		b := make([]float64, n)
		for i := range b {
			b[i] = 1
		}
		r, err := SolveStochastic(t.Context(), m, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-15}, Limits: solve.Limits{MaxIter: 200}}, 3)
		if err != nil {
			t.Fatal(err)
		}
		digits := slices.Min(r.Significant())
		if digits > last {
			t.Errorf("n = %d: %.1f digits, more than for a smaller one (%.1f)", n, digits, last)
		}
		last = digits
	}
	if last > 2 {
		t.Errorf("%.1f digits where the condition number is beyond float64", last)
	}
}

// rescaled returns m with rows and columns of very different scales.
func rescaled(m *csr.Matrix) *csr.Matrix {
	uneven := func(e float64, i int) float64 { return math.Pow(10, e*math.Sin(float64(3*i+1))) }
	m = m.Clone()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			vals[k] *= uneven(3, i) * uneven(5, int(j))
		}
	}
	return m
}

func TestDigits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		samples []float64
		want    float64
	}{
		{[]float64{1, 1, 1}, inf},
		{[]float64{0, 0, 0}, 0},
		{[]float64{1, -1, 0}, 0},
		{[]float64{1, math.NaN(), 1}, 0},
		{[]float64{1, inf, 1}, 0},
		{[]float64{0.999, 1, 1.001}, math.Log10(math.Sqrt(3) / (4.303 * 0.001))},
		{[]float64{-0.999e300, -1e300, -1.001e300}, math.Log10(math.Sqrt(3) / (4.303 * 0.001))},
		{[]float64{0.999e-300, 1e-300, 1.001e-300}, math.Log10(math.Sqrt(3) / (4.303 * 0.001))},
		{[]float64{0.99, 1.01}, math.Log10(math.Sqrt(2) / (12.706 * 0.01 * math.Sqrt2))},
	} {
		if got := SampleDigits(c.samples); got != c.want && !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("Digits(%g) = %g, want %g", c.samples, got, c.want)
		}
	}
}

// TestDigitsAreThere checks the promise of the estimate: 95 in 100 means of normal samples are as near to their
// expectation as it says.
func TestDigitsAreThere(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const trials = 4000
	for n := 2; n <= MaxSamples; n++ {
		kept := 0
		for range trials {
			samples, mean := make([]float64, n), 0.0
			for i := range samples {
				samples[i] = 1 + 1e-5*random.NormFloat64()
				mean += samples[i] / float64(n)
			}
			if math.Abs(mean-1) <= math.Pow(10, -SampleDigits(samples))*mean {
				kept++
			}
		}
		if part := float64(kept) / trials; math.Abs(part-0.95) > 0.02 {
			t.Errorf("%d samples: right in %.3f of the cases, want 0.95", n, part)
		}
	}
}

// TestDigitsOfASum: sums of 1000 terms with a known exact value lose as many digits as the three samples say.
func TestDigitsOfASum(t *testing.T) {
	for _, big := range []float64{0, 1e4, 1e8, 1e12} {
		var samples [Samples]float64
		for k := range samples {
			r := NewRandomRounding(uint64(k) + 1)
			s := big
			for range 1000 {
				s = r.Add(s, 0.1) // 0.1 as float64, summed exactly below
			}
			samples[k] = r.Sub(s, big)
		}
		truth := -math.Log10(math.Abs(samples[0]-100.00000000000000555) / 100)
		if got := SampleDigits(samples[:]); math.Abs(got-truth) > 1.2 {
			t.Errorf("sum beside %g: %.1f digits, %.1f are right", big, got, truth)
		}
	}
}
