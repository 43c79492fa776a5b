package main

import (
	"math"
	"strings"
	"testing"
)

// With a constant conductivity, each step divides the first mode by 1 + dt times its eigenvalue.
func TestFirstMode(t *testing.T) {
	p := plate{n: 21, dt: 1e-2}
	var out strings.Builder
	const steps = 4
	if err := p.run(t.Context(), &out, steps); err != nil {
		t.Fatal(err)
	}
	h := 1.0 / 22
	s := math.Sin(math.Pi * h / 2)
	eigenvalue := 8 * s * s / (h * h)
	want := math.Pow(1+p.dt*eigenvalue, -steps)
	if got := p.u[len(p.u)/2]; math.Abs(got-want) > 1e-8 {
		t.Errorf("the middle has %.10f, want %.10f", got, want)
	}
	if lines := strings.Count(out.String(), "\n"); lines != steps {
		t.Errorf("%d lines for %d steps:\n%s", lines, steps, &out)
	}
}

// A plate that conducts better where it is hot cools faster.
func TestConductivity(t *testing.T) {
	var hottest [2]float64
	for k, c := range []float64{0, 2} {
		p := plate{n: 15, dt: 1e-2, c: c}
		if err := p.run(t.Context(), &strings.Builder{}, 3); err != nil {
			t.Fatal(err)
		}
		hottest[k] = p.u[len(p.u)/2]
	}
	if !(hottest[1] < 0.9*hottest[0] && hottest[1] > 0) {
		t.Errorf("hottest %v", hottest)
	}
}

// The output is the code as a share of 2^bits.
func TestConvert(t *testing.T) {
	const bits = 5
	volts, err := convert(t.Context(), bits)
	if err != nil {
		t.Fatal(err)
	}
	if len(volts) != 1<<bits {
		t.Fatalf("%d voltages", len(volts))
	}
	for code, v := range volts {
		if want := supply * float64(code) / (1 << bits); math.Abs(v-want) > 1e-9 {
			t.Errorf("code %d: %.10f V, want %.10f", code, v, want)
		}
	}
}
