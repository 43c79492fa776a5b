package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// overRanks runs a test on the matrix with several numbers of ranks and domains.
func overRanks(t *testing.T, m *csr.Matrix, test func(t *testing.T, a *Matrix)) {
	t.Helper()
	for _, domains := range []int{1, 2, 3, 8} {
		for _, ranks := range []int{1, 2, 3, 5} {
			if domains > m.Rows {
				continue
			}
			t.Run(fmt.Sprintf("%d domains, %d ranks", domains, ranks), func(t *testing.T) {
				Run(ranks, func(c Comm) {
					a, err := Spread(c, m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					test(t, a)
				})
			})
		}
	}
}

// odd returns matrices whose properties facts and scalings distinguish.
func odd(t *testing.T) map[string]*csr.Matrix {
	t.Helper()
	const n = 150
	all := map[string]*csr.Matrix{}
	for name, change := range map[string]func(m *csr.Matrix){
		"random":      func(*csr.Matrix) {},
		"negative":    func(m *csr.Matrix) { m.Negate(nil) },
		"NaN and Inf": func(m *csr.Matrix) { m.Val[len(m.Val)/2], m.Val[len(m.Val)-3] = math.NaN(), math.Inf(-1) },
		"empty rows": func(m *csr.Matrix) {
			for _, i := range []int{40, 90} {
				_, vals := m.Row(i)
				clear(vals)
			}
		},
		"empty columns": func(m *csr.Matrix) {
			for k, j := range m.Col {
				if j == 30 || j == 149 {
					m.Val[k] = 0
				}
			}
		},
		"no nonzero": func(m *csr.Matrix) { clear(m.Val) },
		"spread": func(m *csr.Matrix) {
			rng := rand.New(rand.NewPCG(5, 5))
			for k := range m.Val {
				m.Val[k] = math.Ldexp(m.Val[k], rng.IntN(2000)-1000)
			}
		},
	} {
		all[name] = scattered(t, n, 4, 7)
		change(all[name])
	}
	s := scattered(t, n, 3, 9)
	symmetric := sum(t, s, s.Transpose(nil))
	all["symmetric"] = symmetric
	d := csr.NoScaling(symmetric)
	for i := range d.Row {
		d.Row[i] = i*37%400 - 200
	}
	d.Col = d.Row
	all["symmetric, scaled badly"] = d.Apply(symmetric, nil)
	all["rows scaled badly"] = csr.Scaling{Row: d.Row, Col: make([]int, n)}.Apply(symmetric, nil)
	for name, by := range map[string]float64{"symmetric but for roundings": 1e-14, "nearly symmetric": 1e-9} {
		m := *symmetric
		m.Val = append([]float64(nil), m.Val...)
		for k := range m.Val {
			m.Val[k] *= 1 + by*math.Sin(float64(k))
		}
		all[name] = &m
	}
	identity, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := identity.Add(i, i, -0.75); err != nil {
			t.Fatal(err)
		}
	}
	all["uniform"] = identity.Build()
	return all
}

// sum returns a + b.
func sum(t *testing.T, a, b *csr.Matrix) *csr.Matrix {
	t.Helper()
	out, err := csr.NewBuilder(a.Rows, a.Cols)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*csr.Matrix{a, b} {
		for i := range m.Rows {
			cols, vals := m.Row(i)
			for k, j := range cols {
				if err := out.Add(i, int(j), vals[k]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return out.Build()
}

// Facts over ranks (Concurrent) equal the facts of the whole matrix.
func TestConcurrentRanksFindTheFactsOfTheWhole(t *testing.T) {
	for name, m := range odd(t) {
		want := fmt.Sprintf("%+v", csr.Examine(m, nil)) // in which NaN equals itself
		t.Run(name, func(t *testing.T) {
			overRanks(t, m, func(t *testing.T, a *Matrix) {
				if got := fmt.Sprintf("%+v", Examine(a, nil)); got != want {
					t.Errorf("rank %d: %v, want %v", a.Comm.Rank(), got, want)
				}
			})
		})
	}
}

// In a large matrix that is plainly unsymmetric a sample suffices; a single unsymmetric element is found as well.
func TestOneElementMakesALargeMatrixUnsymmetric(t *testing.T) {
	s := scattered(t, 40_000, 3, 2)
	m := sum(t, s, s.Transpose(nil))
	if f := csr.Examine(m, nil); !f.Symmetric {
		t.Fatal("not symmetric")
	}
	cols, vals := m.Row(39_000)
	if cols[0] == 39_000 {
		t.Fatal("there is nothing but the diagonal")
	}
	vals[0] *= 1 + 1e-9
	want := csr.Examine(m, nil).Asymmetry
	for _, n := range []int{1, 3} {
		Run(n, func(c Comm) {
			a, err := Spread(c, m, 4)
			if err != nil {
				t.Error(err)
				return
			}
			f := Examine(a, nil)
			if f.Symmetric || f.Asymmetry != want {
				t.Errorf("%d ranks: asymmetry %g, want %g", n, f.Asymmetry, want)
			}
		})
	}
	Run(3, func(c Comm) {
		a, err := Spread(c, s, 4)
		if err != nil {
			t.Error(err)
			return
		}
		if f := Examine(a, nil); f.Symmetric || !(f.Asymmetry > kernels.PlainAsymmetry) {
			t.Errorf("asymmetry %g of an unsymmetric matrix", f.Asymmetry)
		}
	})
}

// Scalings over ranks (Concurrent) have the same exponents as scalings of the whole matrix, also for ghosts.
func TestConcurrentRanksFindTheScalingsOfTheWhole(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for name, m := range odd(t) {
		if csr.Examine(m, nil).NonFinite > 0 {
			continue
		}
		sym, _ := csr.SymmetricScaling(m, false, nil)
		known, _ := csr.SymmetricScaling(m, true, nil)
		both, row, sums := csr.BothScaling(m, nil), csr.RowScaling(m, nil), m.RowSums(nil)
		t.Run(name, func(t *testing.T) {
			overRanks(t, m, func(t *testing.T, a *Matrix) {
				compare := func(kind string, got, want csr.Scaling) {
					for _, at := range positions(a.Layout) {
						if i := a.Global(at); got.Row[at] != want.Row[i] || got.Col[at] != want.Col[i] {
							t.Errorf("%s: row %d has %d, %d, want %d, %d", kind, i, got.Row[at], got.Col[at], want.Row[i], want.Col[i])
							return
						}
					}
					e, ok := Uniform(a, got)
					if f, wanted := uniform(want); ok != wanted || e != f {
						t.Errorf("%s: uniform %d %v, want %d %v", kind, e, ok, f, wanted)
					}
					if is := Identity(a, got); is != want.Identity() {
						t.Errorf("%s: identity %v", kind, is)
					}
					if over := Overflows(a, got, nil); over != want.Overflows(m, nil) {
						t.Errorf("%s: overflows %v", kind, over)
					}
				}
				compare("row", RowScaling(a, pool), row)
				compare("both", BothScaling(a, nil), both)
				got, err := SymmetricScaling(a, false, nil)
				of, otherwise := SymmetricScaling(a, true, nil)
				if err != nil || otherwise != nil {
					t.Error(err, otherwise)
					return
				}
				compare("symmetric", got, sym)
				compare("of symmetric", of, known)
				compare("none", csr.NoScaling(a.Local), csr.NoScaling(m))
				v := RowSums(a, nil)
				for _, at := range positions(a.Layout) {
					if v[at] != sums[a.Global(at)] {
						t.Errorf("sum of row %d is %g, want %g", a.Global(at), v[at], sums[a.Global(at)])
						return
					}
				}
				least, most := a.Extremes(v)
				for _, s := range sums {
					if s < least || s > most {
						t.Errorf("%g is not from %g to %g", s, least, most)
					}
				}
			})
		})
	}
}

// positions returns the positions of own elements and ghosts.
func positions(l *Layout) (all []int) {
	for _, p := range l.Parts {
		for at := p.At; at < p.Next(); at++ {
			all = append(all, at)
		}
	}
	return all
}

// Patterns and transposed elements equal those of the whole matrix.
func TestConcurrentRanksSeeRowsOfOthers(t *testing.T) {
	m := scattered(t, 200, 4, 3)
	rows := []int64{0, 1, 57, 130, 199}
	overRanks(t, m, func(t *testing.T, a *Matrix) {
		for k, got := range a.Pattern(rows) {
			want, _ := m.Row(int(rows[k]))
			if len(got) != len(want) {
				t.Errorf("row %d has %d elements", rows[k], len(got))
				return
			}
			for e := range got {
				if got[e] != int64(want[e]) {
					t.Errorf("row %d has %v, want %v", rows[k], got, want)
					return
				}
			}
		}
		own := a.sample(1)
		partner := a.Transposed(own)
		for _, at := range own {
			i := int(a.Global(at))
			cols, _ := m.Row(i)
			for k, j := range cols {
				if want := m.At(int(j), i); partner[k] != want {
					t.Errorf("element %d, %d is %g, want %g", j, i, partner[k], want)
					return
				}
			}
			partner = partner[len(cols):]
		}
	})
}

// uniform is Uniform of a whole matrix.
func uniform(s csr.Scaling) (exponent int, ok bool) {
	for _, e := range [][]int{s.Row, s.Col} {
		for _, v := range e {
			if v != e[0] {
				return 0, false
			}
		}
		if len(e) == 0 {
			return 0, false
		}
		exponent += e[0]
	}
	return exponent, true
}
