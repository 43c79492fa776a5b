package verify

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Parts and what is unexplained in them, against their definitions.
func TestParts(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	several := 0
	for range 200 {
		n := 2 + rng.IntN(30)
		entries := map[[2]int]float64{}
		for i := range n {
			entries[[2]int{i, i}] = 1 + rng.Float64()
			if j := rng.IntN(n); rng.IntN(2) == 0 && (i+j)%3 == 0 {
				entries[[2]int{i, j}] = rng.NormFloat64()
			}
		}
		m, x, b := build(t, n, n, entries), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		part := make([]int, 2*n) // by relaxation: the least number of a row or column that can be reached
		for i := range part {
			part[i] = i
		}
		for changed := true; changed; {
			changed = false
			for p, v := range entries {
				if i, j := p[0], n+p[1]; v != 0 && part[i] != part[j] {
					part[i] = min(part[i], part[j])
					part[j], changed = part[i], true
				}
			}
		}
		sizes := make([]float64, 2*n)
		for j, v := range x {
			sizes[part[n+j]] = max(sizes[part[n+j]], math.Abs(v))
		}
		rows, columns := new(Known).PartSizes(m, x, pool)
		for i := range n {
			if rows[i] != sizes[part[i]] || columns[i] != sizes[part[n+i]] {
				t.Fatalf("the parts of row and column %d have %g and %g, want %g and %g", i, rows[i], columns[i], sizes[part[i]], sizes[part[n+i]])
			}
		}
		worst, largest := make([]float64, n), make([]float64, n)
		for i := range n {
			cols, vals := m.Row(i)
			r, sum := b[i], 0.0
			for k, j := range cols {
				r -= vals[k] * x[j]
				sum += math.Abs(vals[k])
			}
			worst[part[i]] = max(worst[part[i]], math.Abs(r)/sum)
			largest[part[i]] = max(largest[part[i]], math.Abs(b[i])/sum)
		}
		want, count := 0.0, 0
		for c, v := range worst {
			if largest[c] > 0 {
				want = max(want, v/largest[c])
				count++
			}
		}
		if count > 1 {
			several++
		}
		got, err := new(Known).Unexplained(m, x, b, pool)
		if err != nil || math.Abs(got-want) > 1e-12*want {
			t.Errorf("%g is unexplained, want %g (%v)", got, want, err)
		}
		s := newSystem(m, x, b, pool)
		k := s.newBlocks(pool) // each row and column alone
		k.measure()
		if got := k.parts().worst(); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%g is unexplained in the worst part, want %g", got, want)
		}
	}
	if several < 50 {
		t.Errorf("%d systems of several parts", several)
	}
}

// What judging one x has shown of the matrix changes nothing about the next.
func TestKnownConcurrent(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(5, 6))
	weighted := 0
	for range 50 {
		m, _, b := loose(t, rng, 20, 1e-8)
		var known Known
		for range 4 {
			x := make([]float64, m.Cols)
			for j := range x {
				x[j] = math.Ldexp(rng.NormFloat64(), rng.IntN(60))
			}
			for _, tol := range []float64{1e-8, 1} {
				got, err := known.Judge(m, x, b, tol, pool)
				want, wantErr := Judge(m, x, b, tol, nil)
				if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v, by itself %+v", got, want)
				}
				if got.Weights != nil {
					weighted++
				}
			}
			rows, columns := known.PartSizes(m, x, pool)
			if r, c := new(Known).PartSizes(m, x, nil); !slices.Equal(rows, r) || !slices.Equal(columns, c) {
				t.Fatal("sizes of parts differ")
			}
			got, _ := known.Unexplained(m, x, b, pool)
			if want, _ := new(Known).Unexplained(m, x, b, nil); got != want {
				t.Fatalf("unexplained %g, by itself %g", got, want)
			}
		}
	}
	if weighted == 0 {
		t.Error("no judgement came as far as parts")
	}
}

// loose is a random system of a few parts that hang together by entries of any size, with an
// x whose parts differ in size and a residual of about the size of the tolerance.
func loose(t *testing.T, rng *rand.Rand, n int, tol float64) (m *csr.Matrix, x, b []float64) {
	part := func(i int) int { return i * 3 / n }
	shift := [3]float64{1, math.Pow(10, -float64(rng.IntN(16))), math.Pow(10, float64(rng.IntN(8)))}
	tight := rng.IntN(2) == 0 // of one part
	if tight {
		shift = [3]float64{1, 1, 1}
	}
	entries := map[[2]int]float64{}
	for i := range n {
		entries[[2]int{i, i}] = 2 + rng.Float64()
		if tight {
			entries[[2]int{i, (i + 1) % n}] = rng.NormFloat64()
		}
		for range 2 {
			j := rng.IntN(n)
			v := rng.NormFloat64()
			if !tight && part(i) != part(j) {
				v *= math.Pow(10, -float64(rng.IntN(20)))
			}
			entries[[2]int{i, j}] = v
		}
	}
	m = build(t, n, n, entries)
	noise := 10 * rng.Float64()
	x, b = make([]float64, n), make([]float64, n)
	for j := range x {
		x[j] = shift[part(j)] * rng.NormFloat64()
		if !tight && rng.IntN(20) == 0 {
			x[j] = 0
		}
	}
	for i := range b {
		cols, vals := m.Row(i)
		for p, j := range cols {
			b[i] += vals[p] * x[j]
		}
		if rng.IntN(4) == 0 {
			b[i] *= 1 + tol*noise*rng.NormFloat64()
		}
	}
	return m, x, b
}

// slowParents joins rows and columns one after the other, by comparing terms as scaled numbers.
func slowParents(s *system) []int {
	n := s.m.Rows
	of := make([]int, n+s.m.Cols)
	for i := range of {
		of[i] = i
	}
	for changed := true; changed; {
		changed = false
		for i := range n {
			cols, vals := s.m.Row(i)
			r := s.row(i)
			scale := r.absAx.plus(r.b)
			e := scale.exponent()
			for p, j := range cols {
				a, ea := math.Frexp(vals[p])
				v, ev := math.Frexp(s.x[j])
				if (scaled{math.Abs(a * v), ea + ev}).at(e) > joined*scale.at(e) && of[i] != of[n+int(j)] {
					least := min(of[i], of[n+int(j)])
					of[i], of[n+int(j)] = least, least
					changed = true
				}
			}
		}
	}
	return of
}

// Blocks are those of a search without threads, and Judge without a search that is not
// needed comes to the same verdict.
func TestBlocksConcurrent(t *testing.T) {
	pool := parallel.New(4)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	const tol = 1e-8
	verdicts := map[bool]int{}
	several, single := 0, 0
	for range 300 {
		n := 3 + rng.IntN(60)
		if rng.IntN(30) == 0 {
			n = 3 * blockRows
		}
		m, x, b := loose(t, rng, n, tol)
		s := newSystem(m, x, b, nil)
		k := s.findBlocks(pool)
		if n < blockRows {
			for i, want := range slowParents(s) {
				if got := k.find(uint32(i)); int(got) != want {
					t.Fatalf("n = %d: %d is in the block of %d, want %d", n, i, got, want)
				}
			}
		}
		if k.one() {
			single++
		} else {
			several++
		}
		k.measure()
		block, unexplained := k.worst()
		got, err := Judge(m, x, b, tol, pool)
		if err != nil {
			t.Fatal(err)
		}
		if got.Row > tol {
			continue
		}
		all := measureAll(s, pool)
		unexplained = math.Max(unexplained, all.unexplained.over(all.explained))
		want := block > tol || unexplained > MaxUnexplained(tol)
		if verdicts[want]++; (got.Weights != nil) != want {
			t.Errorf("n = %d: asks for weights: %v, want %v (block %g, unexplained %g; said %g, %g)",
				n, got.Weights != nil, want, block, unexplained, got.Block, got.Unexplained)
		}
	}
	t.Log(verdicts, single, several)
	if min(verdicts[false], verdicts[true], single, several) < 20 {
		t.Errorf("verdicts %v, %d of one block and %d of several: too few of a kind", verdicts, single, several)
	}
}

// An x that decays far below the unit roundoff of x is not asked for what it leaves there, but for what b asks for.
func TestNegligibleBlocks(t *testing.T) {
	for _, c := range []struct {
		tail, own float64
		explains  bool
	}{
		{tail: 0x1p-107, explains: true},
		{tail: 0x1p-105, explains: false},
		{tail: 0x1p-107, own: 0x1p-120, explains: false},
	} {
		for _, rows := range []float64{1, 0x1p1000} { // of ordinary numbers and of others
			m := build(t, 2, 2, map[[2]int]float64{{0, 0}: rows, {1, 0}: rows * c.tail * 0x1p-12, {1, 1}: rows})
			j, err := Judge(m, []float64{1, c.tail}, []float64{rows, rows * c.own}, 1e-10, nil)
			if err != nil || j.Row > 1e-10 || (j.Unexplained <= MaxUnexplained(1e-10)) != c.explains || (j.Weights == nil) != c.explains {
				t.Errorf("%+v, rows of %g: %g unexplained, row-wise error %g (%v)", c, rows, j.Unexplained, j.Row, err)
			}
		}
	}
}

// Elements of x that are too small for float64 leave a residual that is no fault of the other ones: x explains b as far as numbers can. One that float64 holds is missed.
func TestVanishingElements(t *testing.T) {
	m := testsupport.Entries(2, func(add func(i, j int, v float64)) {
		add(0, 0, -0x1p950)
		add(0, 1, 0x1p951)
		add(1, 1, -0x1p952)
	})
	x := []float64{-0x1p-950, 0}
	for exponent, explained := range map[int]bool{-200: true, -123: true, -121: false, 0: false} {
		j, err := Judge(m, x, []float64{1, math.Ldexp(1, exponent)}, 1e-10, nil)
		if err != nil || j.Unexplained <= MaxUnexplained(1e-10) != explained {
			t.Errorf("b_2 = 2^%d, x_2 = 2^%d: unexplained %v (%v)", exponent, exponent-952, j.Unexplained, err)
		}
	}
}
