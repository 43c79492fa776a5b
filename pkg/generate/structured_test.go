package generate

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// TestEstimateOfRandomGraphs: the expected number of nonzeros is within 5 % of the true one
// for graphs of some size.
func TestEstimateOfRandomGraphs(t *testing.T) {
	for _, c := range []testCase{
		{kind: "circuit", p: Params{"n": 10000}},
		{kind: "circuit", p: Params{"n": 10000, "rails": 0, "transistors": 1}},
		{kind: "kkt", p: Params{"n": 10000}},
		{kind: "kkt", p: Params{"n": 10000, "window": 1000, "dense": 3, "mean": 5, "regularisation": 1}},
		{kind: "powerflow", p: Params{"n": 10000}},
		{kind: "powerflow", p: Params{"n": 10000, "meshes": 2, "window": 300, "generators": 0.5}},
	} {
		k, _ := Find(c.kind)
		_, nnz, err := k.Estimate(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustGenerate(t, c.kind, c.p).NNZ(); math.Abs(float64(got)/float64(nnz)-1) > 0.05 {
			t.Errorf("%s: %d nonzeros, estimated %d", c.name(), got, nnz)
		}
	}
}

// TestNonsingular: matrices that promise nothing else have a condition that LU of their
// equilibrated rows and columns can see.
func TestNonsingular(t *testing.T) {
	for kind := range holes {
		for seed := range 5 {
			p := Params{"seed": float64(seed)}
			switch kind {
			case "circuit", "kkt":
				p["n"] = 150
			case "distillation":
				p["stages"], p["columns"] = 6, 2
			default:
				p["n"] = 8
			}
			var lu mat.LU
			lu.Factorize(equilibrated(mustGenerate(t, kind, p)))
			if c := lu.Cond(); !(c < 1e13) {
				t.Errorf("%s %v: condition %.1e", kind, p, c)
			}
		}
	}
}

// equilibrated returns a matrix whose rows, then columns, are divided by their largest
// magnitudes.
func equilibrated(m *csr.Matrix) *mat.Dense {
	a := dense(m)
	for i := range m.Rows {
		row := a.RawRowView(i)
		largest := max(slices.Max(row), -slices.Min(row))
		for j := range row {
			row[j] /= largest
		}
	}
	for j := range m.Cols {
		var largest float64
		for i := range m.Rows {
			largest = max(largest, math.Abs(a.At(i, j)))
		}
		for i := range m.Rows {
			a.Set(i, j, a.At(i, j)/largest)
		}
	}
	return a
}

// checkProduct compares A x with what it should be, relative to |A| |x|.
func checkProduct(t *testing.T, m *csr.Matrix, x []float64, want func(row int) float64) {
	t.Helper()
	for i := range m.Rows {
		var got, size float64
		col, val := m.Row(i)
		for k, j := range col {
			got += val[k] * x[j]
			size += math.Abs(val[k] * x[j])
		}
		if w := want(i); math.Abs(got-w) > 1e-13*(size+math.Abs(w)) {
			t.Fatalf("row %d: %g, want %g", i, got, w)
		}
	}
}

// TestCircuitObeysKirchhoff: the currents that leave the nodes of a circuit sum to those
// through the capacitors, for every voltage; sources and inductors take what they give but
// for those against ground.
func TestCircuitObeysKirchhoff(t *testing.T) {
	p := Params{"n": 200, "links": 1, "transistors": 1}
	_, v := checked(t, "circuit", p)
	c, m := newNodal(v), mustGenerate(t, "circuit", p)
	nodes := make([]float64, m.Rows)
	for i := range c.n {
		nodes[i] = 1
	}
	var grounded int
	checkProduct(t, m.Transpose(serial(t)), nodes, func(col int) float64 {
		if col < c.n {
			return c.value(1e-7, drawCapacitor, col)
		}
		branch, _ := m.Row(col)
		held := 0
		for _, node := range branch {
			if int(node) < c.n {
				held++
			}
		}
		if held == 1 {
			grounded++
			return 1
		}
		return 0
	})
	if grounded < c.rails || grounded > c.rails+c.sources {
		t.Errorf("%d sources against ground, %d rails, %d other sources", grounded, c.rails, c.sources)
	}
	first, _ := m.Row(0)
	if len(first) < int(0.5*v["supply"]/float64(c.rails)*float64(c.n)) {
		t.Errorf("the first rail's row has %d entries", len(first))
	}
}

// TestDistillationBalances: what leaves a stage enters another, so that the balances of a
// component sum to the products, for every flow; and they know no temperature.
func TestDistillationBalances(t *testing.T) {
	f := flowsheet{columns: 3, stages: 6, components: 4, recycle: 0.25, decades: 6, seed: 1}
	rows, _ := f.size()
	m := assemble(serial(t), int(rows), f.stamps().source(int(rows)))
	for i := range f.components {
		balance := make([]float64, m.Rows)
		for k := range f.columns {
			for j := range f.stages {
				balance[f.at(k, j)+i] = 1
			}
		}
		product := f.at(2, 5) + flows + i // liquid of the last reboiler
		checkProduct(t, m.Transpose(serial(t)), balance, func(col int) float64 {
			for k := range f.columns {
				if col == f.at(k, 0)+flows+f.components+i { // vapour of a condenser
					if k == f.columns-1 {
						return f.recycle - 1
					}
					return -1
				}
			}
			if col == product {
				return -1
			}
			return 0
		})
	}
}

// TestDistillationSpread: more than ten decades, and zeros on most of the diagonal.
func TestDistillationSpread(t *testing.T) {
	m := mustGenerate(t, "distillation", nil)
	smallest, largest, zeros := math.Inf(1), 0.0, 0
	for _, v := range m.Val {
		smallest, largest = min(smallest, math.Abs(v)), max(largest, math.Abs(v))
	}
	for _, d := range m.Diagonal(nil) {
		if d == 0 {
			zeros++
		}
	}
	if largest < 1e10*smallest || 2*zeros < m.Rows {
		t.Errorf("values from %g to %g, %d zeros on a diagonal of %d", smallest, largest, zeros, m.Rows)
	}
}

// TestPowerFlowTwoBuses compares a line with differences of the power that it takes,
// S = V conj(I), in complex numbers.
func TestPowerFlowTwoBuses(t *testing.T) {
	f := loadFlow{n: 2, window: 1, rx: 0.7, loading: 30, decades: 2}
	for ; uniform(hash(f.seed, drawTransformer, 1)) < 0.1; f.seed++ {
		continue // a line, not a transformer
	}
	a := dense(assemble(serial(t), 4, f.stamps().source(4)))
	x := 0.05 * logNormal(hash(f.seed, drawReactance, 1), f.decades)
	power := func(state [4]float64) complex128 {
		at := func(bus int) complex128 {
			return cmplx.Rect(state[2*bus+1], state[2*bus]*math.Pi/180)
		}
		current := (at(1)-at(0))/complex(f.rx*x, x) + at(1)*complex(0, x/4)
		return at(1) * cmplx.Conj(current)
	}
	state := [4]float64{f.angle(0), f.voltage(0), f.angle(1), f.voltage(1)}
	const h = 1e-6
	for j := range state {
		up, down := state, state
		up[j] += h
		down[j] -= h
		want := (power(up) - power(down)) / (2 * h)
		if j%2 == 0 { // degrees
			want *= 180 / math.Pi
		}
		if got := complex(a.At(2, j), a.At(3, j)); cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
			t.Errorf("derivative %d is %.9g, want %.9g", j, got, want)
		}
		for i := range 2 {
			if got := a.At(i, j); got != 0 && (i != j || got != 1) {
				t.Errorf("entry (%d, %d) of the slack bus is %g", i, j, got)
			}
		}
	}
}

// TestPowerFlowRotates: power does not change with all angles alike, transformers and
// shifts of phase included.
func TestPowerFlowRotates(t *testing.T) {
	p := Params{"n": 300, "meshes": 1, "rx": 0.7, "loading": 20}
	m := mustGenerate(t, "powerflow", p)
	x := make([]float64, m.Rows)
	for i := 0; i < m.Rows; i += 2 {
		x[i] = 1
	}
	checkProduct(t, m, x, func(row int) float64 {
		if row == 0 {
			return 1
		}
		return 0
	})
}
