package precond

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// saddle is a saddle point with n and m rows in the two fields, in a random order: A is tridiagonal with off-diagonal elements -a, 0 for a
// diagonal one, B has differences of neighbours, and C is -c times a matrix of neighbours. signs are those of the rows of either field.
func saddle(n, m int, a, c float64, signs [2]float64, seed uint64) *csr.Matrix {
	r := rand.New(rand.NewPCG(seed, 3))
	at := r.Perm(n + m)
	return testsupport.Entries(n+m, func(add func(i, j int, v float64)) {
		put := func(i, j int, v float64) {
			sign := signs[0]
			if i >= n {
				sign = signs[1]
			}
			if v != 0 {
				add(at[i], at[j], sign*v)
			}
		}
		for i := range n {
			put(i, i, 2*a+0.5+r.Float64())
			if i > 0 {
				put(i, i-1, -a)
				put(i-1, i, -a)
			}
		}
		for i := range m {
			for _, j := range []int{i * n / m, (i*n/m + n/(2*m)) % n} {
				v := 1 + r.Float64()
				put(n+i, j, v)
				put(j, n+i, v)
			}
			put(n+i, n+(i+1)%m, c)
			put(n+(i+1)%m, n+i, c)
		}
	})
}

// An application is M^-1 by its formula in dense matrices, for whichever approximation of the Schur complement has been chosen, and for any
// signs of the rows.
func TestSchurDefinition(t *testing.T) {
	seen := map[bool]bool{}
	for _, signs := range [][2]float64{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
		for _, a := range []float64{0, 0.1, 30} {
			for _, c := range []float64{0, 0.01} {
				const n, m = 60, 20
				k := saddle(n, m, a, c, signs, uint64(10*a))
				p := mustNew(t, Schur, k, Options{Epsilon: adaptive.MinEpsilon}, nil).(*schur)
				commutes := strings.Contains(p.String(), "commutators")
				seen[commutes] = true
				if want := signs; p.signs != want {
					t.Errorf("signs %v, want %v", p.signs, want)
				}
				inOrder := k.Permuted(p.order, p.order.Inverse(), nil)
				full := dense(inOrder)
				full.Apply(func(i, _ int, v float64) float64 {
					if i < n {
						return signs[0] * v
					}
					return signs[1] * v
				}, full)
				blockA, blockG := full.Slice(0, n, 0, n), full.Slice(0, n, n, n+m)
				blockB, blockC := full.Slice(n, n+m, 0, n), full.Slice(n, n+m, n, n+m)
				overD := inverse(masked(blockA, same))
				s := product(&mat.Dense{}, blockB, overD, blockG)
				if !commutes {
					s = masked(s, same)
				}
				s.Sub(s, blockC)
				if commutes {
					var middle mat.Dense
					middle.Sub(product(&mat.Dense{}, blockB, overD, blockA, overD, blockG), blockC)
					s = product(&mat.Dense{}, s, inverse(&middle), s)
				}
				whole := mat.NewDense(n+m, n+m, nil)
				whole.Slice(0, n, 0, n).(*mat.Dense).Copy(blockA)
				whole.Slice(0, n, n, n+m).(*mat.Dense).Copy(blockG)
				whole.Slice(n, n+m, n, n+m).(*mat.Dense).Scale(-1, s)
				r := random(n+m, 5)
				rhs := mat.NewVecDense(n+m, nil)
				for at, i := range p.order {
					rhs.SetVec(at, signs[min(at/n, 1)]*r[i])
				}
				var x mat.VecDense
				if err := x.SolveVec(whole, rhs); err != nil {
					t.Fatal(err)
				}
				got, want := make(vector, n+m), make(vector, n+m)
				p.Apply(got, r)
				for at, i := range p.order {
					want[i] = x.AtVec(at)
				}
				closeTo(t, p.String(), got, want, 1e-8)
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("only %v", seen)
	}
}

// On staggered grids and for mixed diffusion commutators approximate the Schur complement, and iterations hardly grow with the grid.
func TestSchurIterations(t *testing.T) {
	for _, c := range []struct {
		problem string
		params  generate.Params
		most    int
	}{
		{"stokes2d", generate.Params{"decades": 0}, 45},
		{"mixeddarcy2d", generate.Params{}, 15},
	} {
		for _, n := range []float64{20, 40, 80} {
			c.params["n"] = n
			k := generated(t, c.problem, c.params)
			p := mustNew(t, Schur, k, Options{}, nil)
			if !strings.Contains(p.String(), "S: commutators") {
				t.Errorf("%s, n = %g: %v", c.problem, n, p)
			}
			gmres, err := krylov.New("gmres", linop.NewHost(k.Rows, nil), krylov.MethodOptions{GMRES: krylov.GMRESOptions{MaxRestart: 100}})
			if err != nil {
				t.Fatal(err)
			}
			if took := solved(t, gmres, k, p, nil); took > c.most {
				t.Errorf("%s, n = %g: %d iterations", c.problem, n, took)
			}
		}
	}
}

// An application has the same bits for any number of threads and allocates nothing.
func TestSchurConcurrent(t *testing.T) {
	n, counts := 90., []int{1, 2, 3}
	if testing.Short() {
		n, counts = 70, []int{1, 3} // products with fewer rows run on one thread
	}
	k := generated(t, "stokes2d", generate.Params{"n": n})
	want, r := vector(nil), random(k.Rows, 1)
	for _, threads := range counts {
		p := mustNew(t, Schur, k, Options{}, newPool(t, threads))
		x := make(vector, k.Rows)
		if n := testing.AllocsPerRun(5, func() { p.Apply(x, r) }); n != 0 {
			t.Errorf("%d threads: %v allocations", threads, n)
		}
		if want == nil {
			want = slices.Clone(x)
		}
		if !slices.Equal(x, want) {
			t.Errorf("other bits with %d threads", threads)
		}
	}
}

// Errors name what is missing, and memory is checked before it is allocated.
func TestSchurRejects(t *testing.T) {
	k := generated(t, "stokes2d", generate.Params{"n": 30})
	for name, m := range map[string]*csr.Matrix{"positive": laplace(t, 5), "zero": testsupport.Entries(4, func(add func(i, j int, v float64)) { add(0, 1, 1) })} {
		if _, err := New(t.Context(), Schur, m, Options{}, nil); !errors.Is(err, errOneField) {
			t.Errorf("%s: %v", name, err)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(canceled, Schur, k, Options{}, nil); !errors.Is(err, ErrInterrupted) {
		t.Errorf("canceled: %v", err)
	}
	needed := int64(0)
	opt := Options{Limits: Limits{Needs: func(bytes int64) { needed = max(needed, bytes) }}}
	p := mustNew(t, Schur, k, opt, nil)
	if needed < p.Cost().Bytes {
		t.Errorf("needs %d bytes for %d", needed, p.Cost().Bytes)
	}
	opt.MaxBytes = needed
	mustNew(t, Schur, k, opt, nil)
	for _, share := range []int64{99, 60, 30, 10, 1} {
		if opt.MaxBytes = needed * share / 100; true {
			if _, err := New(t.Context(), Schur, k, opt, nil); !errors.Is(err, ErrMemory) {
				t.Errorf("%d %% of the memory: %v", share, err)
			}
		}
	}
	if _, err := New(t.Context(), Schur, k, Options{Limits: Limits{MaxWork: 0.1}}, nil); !errors.Is(err, ErrWork) {
		t.Errorf("little work: %v", err)
	}
}

// The blocks keep C without a diagonal, and one near-null vector becomes one for each unknown of a node.
func TestFields(t *testing.T) {
	k := saddle(30, 10, 1, 0.5, [2]float64{1, 1}, 1)
	s := setupOf(k, Options{Multigrid: MultigridOptions{NearNull: [][]float64{random(40, 1)}}})
	f, err := s.fields()
	if err != nil {
		t.Fatal(err)
	}
	local, exact := dense(f.withDiagonal()), dense(f.lower)
	for i := range 10 {
		for j := range 10 {
			want := -exact.At(i, 30+j)
			if i == j {
				want += f.e[i]
			}
			if local.At(i, j) != want {
				t.Errorf("(%d, %d): %g, want %g", i, j, local.At(i, j), want)
			}
		}
	}
	whole, err := s.wholeComplement(f, 0)
	if err != nil || !csr.Examine(whole, nil).Symmetric {
		t.Errorf("C + B D^-1 G is not exactly symmetric (%v)", err)
	}
	space := s.nearNullOf(f.order[:30], 3)
	if len(space) != 3 {
		t.Fatalf("%d vectors", len(space))
	}
	for j, i := range f.order[:30] {
		for part := range 3 {
			want := 0.0
			if j%3 == part {
				want = s.Multigrid.NearNull[0][i]
			}
			if space[part][j] != want {
				t.Errorf("vector %d has %g, want %g", part, space[part][j], want)
			}
		}
	}
}

// A large A whose blocks of two rows nothing connects has no coarser level.
func TestSchurBlocks(t *testing.T) {
	for _, skew := range []float64{1, -1} {
		const n, m = 3200, 100
		k := testsupport.Entries(n+m, func(add func(i, j int, v float64)) {
			for i := 0; i < n; i += 2 {
				add(i, i, 2)
				add(i+1, i+1, 2)
				add(i, i+1, 0.5)
				add(i+1, i, 0.5*skew)
			}
			for i := range n {
				add(n+i%m, i, 1+float64(i%7))
				add(i, n+i%m, 1+float64(i%7))
			}
		})
		gmres, err := krylov.New("gmres", linop.NewHost(n+m, nil), krylov.MethodOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if took := solved(t, gmres, k, mustNew(t, Schur, k, Options{}, nil), nil); took > 20 {
			t.Errorf("skew %g: %d iterations", skew, took)
		}
	}
}
