package agata

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// detector is a coarse detector, made once.
var detector = sync.OnceValues(func() (*Detector, error) { return NewCrystal(context.Background(), Options{Spacing: 3}) })

// rough is a detector that is too coarse for any test but of equality.
var rough = sync.OnceValues(func() (*Detector, error) {
	return solved(context.Background(), Options{Spacing: 6, Progress: func(float64, string) {}})
})

func simulation(t *testing.T, channels func(int) []int) Simulation {
	t.Helper()
	d, err := detector()
	if err != nil {
		t.Fatal(err)
	}
	return Simulation{Detector: d, Channels: channels}
}

// TestWeightingPotentials: the potentials lie between 0 and 1 and their sum is 1, since all electrodes are then at 1
// V; the potential of the core is nearly that of a coaxial detector.
func TestWeightingPotentials(t *testing.T) {
	d := simulation(t, All).Detector
	for node := range d.grid.nodes {
		sum := 0.0
		for _, w := range d.weights[node*Electrodes : (node+1)*Electrodes] {
			if w < -1e-6 || w > 1+1e-6 {
				t.Fatalf("at %v: %g", d.grid.at(node), w)
			}
			sum += float64(w)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Fatalf("at %v: sum %g", d.grid.at(node), sum)
		}
	}
	for _, r := range []float64{12, 18, 24} {
		c := d.cell(Vector{0, r, 60})
		if got, want := d.weighting(&c, Core), math.Log(r/36)/math.Log(5./36); math.Abs(got-want) > 0.07 { // the grid is coarse
			t.Errorf("core at r = %g: got %g, want about %g", r, got, want)
		}
	}
}

// TestLaplacian: the matrix is symmetric and weakly diagonally dominant, and the right-hand sides equal the missing
// parts of the row sums.
func TestLaplacian(t *testing.T) {
	g := newGrid(3)
	m, err := g.laplacian()
	if err != nil {
		t.Fatal(err)
	}
	missing := make([]float64, m.Rows)
	for k := range Electrodes {
		for i, b := range g.linked(k, m.Rows) {
			missing[i] += b
		}
	}
	m.DoNonZero(func(i, j int, v float64) {
		missing[i] -= v
		if m.At(j, i) != v || i != j && v != -1 || i == j && v <= 0 {
			t.Fatalf("element %d, %d: %g and %g", i, j, v, m.At(j, i))
		}
	})
	if i := slices.IndexFunc(missing, func(x float64) bool { return x != 0 }); i >= 0 {
		t.Errorf("row %d: sum and right-hand sides differ by %g", i, missing[i])
	}
}

// TestFieldPointsToCore: the field pulls electrons inwards everywhere, with some 100 V/mm.
func TestFieldPointsToCore(t *testing.T) {
	d := simulation(t, All).Detector
	for _, v := range []Vector{{20, 3, 50}, {-8, 20, 70}, {0, -30, 30}} {
		e := d.field(v)
		if outwards := (e[0]*v[0] + e[1]*v[1]) / math.Hypot(v[0], v[1]); outwards < 30 || outwards > 500 {
			t.Errorf("at %v: %v V/mm", v, e)
		}
		for _, c := range []carrier{electron, hole} {
			u := c.velocity(d, v)
			if speed := Distance(u, Vector{}); speed < 0.05 || speed > 0.13 {
				t.Errorf("speed at %v: %g mm/ns", v, speed)
			}
		}
	}
}

// TestSignals: the charges on all electrodes sum to zero at all times, and at the end the segment and the core have
// all of the charge.
func TestSignals(t *testing.T) {
	s := simulation(t, All)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		at := Vector{}
		for !Inside(at) || at[2] > 85 {
			at = Vector{80 * (random.Float64() - 0.5), 80 * (random.Float64() - 0.5), 90 * random.Float64()}
		}
		signal := s.Signal(at, All)
		for k := range Samples {
			sum := 0.0
			for _, trace := range signal.Traces[:Segments] {
				sum += trace[k]
			}
			if core := signal.Traces[Core][k]; math.Abs(sum-core) > 1e-5 {
				t.Fatalf("at %v, sample %d: segments %g, core %g", at, k, sum, core)
			}
		}
		for k, trace := range signal.Traces {
			want := 0.0
			if k == Core || k == signal.Segment {
				want = 1
			}
			if got := trace[Samples-1]; math.Abs(got-want) > 0.1 {
				t.Errorf("at %v, electrode %d of segment %d: %g in the end", at, k, signal.Segment, got)
			}
		}
	}
}

// TestPreamplifier compares with a convolution in small steps.
func TestPreamplifier(t *testing.T) {
	trace := []float64{0.1, 0.4, 0.3, 1, 1, 1, 0.9}
	charge := func(time float64) float64 {
		k := int(time / Period)
		before := 0.0
		if k > 0 {
			before = trace[k-1]
		}
		return before + (trace[k]-before)*(time/Period-float64(k))
	}
	const steps = 4000
	var want []float64
	out := 0.0
	for k := range len(trace) * steps {
		out += (charge((float64(k)+0.5)*Period/steps) - out) * (1 - math.Exp(-Period/steps/decay))
		if k%steps == steps-1 {
			want = append(want, out)
		}
	}
	got := slices.Clone(trace)
	preamplify(got)
	for k := range got {
		if math.Abs(got[k]-want[k]) > 1e-6 {
			t.Errorf("sample %d: got %g, want %g", k, got[k], want[k])
		}
	}
}

func TestElectronics(t *testing.T) {
	s := simulation(t, All)
	signal := s.Signal(Vector{20, 5, 50}, All)
	random := rand.New(rand.NewPCG(1, 2))
	neighbour := (signal.Segment + 1) % Segments
	trace := Electronics{Crosstalk: 0.25, Step: 0.5}.Measure(signal, neighbour, 100, random)
	for k, x := range trace {
		want := 100 * (signal.Traces[neighbour][k] + 0.25*signal.Traces[Core][k])
		if x != math.Round(2*x)/2 || math.Abs(x-want) > 0.25 {
			t.Errorf("sample %d: got %g, want %g", k, x, want)
		}
	}
	noisy := Electronics{Noise: 3}.Measure(signal, Core, 100, random)
	squares := 0.0
	for k, x := range noisy {
		squares += math.Pow(x-100*signal.Traces[Core][k], 2) / Samples
	}
	if noise := math.Sqrt(squares); noise < 2 || noise > 4 {
		t.Errorf("noise of %g keV, want about 3", noise)
	}
}

// TestPointFound: a noiseless event on a point of the grid is found at that point.
func TestPointFound(t *testing.T) {
	s := simulation(t, HitAndCore)
	b, err := s.Basis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	full, err := New(b, Reference)
	if err != nil {
		t.Fatal(err)
	}
	for k, segment := range b.Segments {
		for i := k % 50; i < len(segment.Points); i += 200 {
			e := s.Event(place(segment.Points[i]), 700, Electronics{}, rand.New(rand.NewPCG(0, 0)))
			if found := full.Find(&e); e.Segment != k || found.Point != i {
				t.Errorf("point %v of segment %d: found %+v of %d", segment.Points[i], k, found, e.Segment)
			}
		}
	}
	if n := b.Points(); n < 45000 || n > 49000 || b.Bytes() != int64(n)*2*Samples*4 {
		t.Errorf("%d points, %d bytes", n, b.Bytes())
	}
}

// TestCrystalThreads: the bits are the same for any number of threads, and differ for another seed.
func TestCrystalThreads(t *testing.T) {
	make, spacing := detector, 3.0
	if testing.Short() {
		make, spacing = rough, 6
	}
	d, err := make()
	if err != nil {
		t.Fatal(err)
	}
	one := Simulation{Detector: d, Channels: HitAndCore}
	three := one
	three.Pool = parallel.New(3)
	defer three.Pool.Close()
	a, err := one.Events(t.Context(), 100, 5, Typical)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := three.Events(t.Context(), 100, 5, Typical)
	c, _ := three.Events(t.Context(), 100, 6, Typical)
	for k := range a {
		if a[k].At != b[k].At || a[k].Segment != b[k].Segment || !slices.Equal(a[k].Trace, b[k].Trace) {
			t.Errorf("event %d differs", k)
		}
		if a[k].At == c[k].At || a[k].Energy < LeastEnergy || a[k].Energy > MostEnergy {
			t.Errorf("event %d: %v, %g keV", k, a[k].At, a[k].Energy)
		}
	}
	alone, err := solved(t.Context(), Options{Spacing: spacing, Threads: 1, Progress: func(float64, string) {}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(alone.weights, d.weights) || !slices.Equal(alone.potential, d.potential) {
		t.Error("potentials differ")
	}
}

func TestCrystalInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := NewCrystal(ctx, Options{Spacing: 3, Progress: func(float64, string) { cancel() }}); err == nil {
		t.Error("potentials: no error")
	}
	d, err := rough()
	if err != nil {
		t.Fatal(err)
	}
	s := Simulation{Detector: d, Channels: HitAndCore}
	if _, err := s.Basis(ctx); err == nil {
		t.Error("basis: no error")
	}
	if _, err := s.Events(ctx, 10, 1, Typical); err == nil {
		t.Error("events: no error")
	}
}

func TestSpacing(t *testing.T) {
	for _, h := range []float64{-1, 0.1, 1.7, 5, math.NaN()} {
		if _, err := NewCrystal(t.Context(), Options{Spacing: h}); err == nil {
			t.Errorf("spacing %g is taken", h)
		}
	}
}

func TestNeighbours(t *testing.T) {
	for segment := range Segments {
		list := Neighbours(segment)
		for k, a := range list {
			if a < 0 || a > Core || slices.Contains(list[:k], a) {
				t.Errorf("segment %d: %v", segment, list)
			}
		}
		if len(list) != 6 || list[0] != segment || list[1] != Core {
			t.Errorf("segment %d: %v", segment, list)
		}
	}
	if got := Neighbours(13); !slices.Equal(got, []int{13, Core, 14, 12, 7, 19}) {
		t.Errorf("of segment 13: %v", got)
	}
}
