package generate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// cancels has the kinds with couplings that cancel, maybe to zero: within the
// blocks of a uniform solid, of the pressure and the displacement of a node, in a constraint.
var cancels = map[string]bool{
	"elasticity3d": true, "kkt": true, "consolidation3d": true, "consolidation3dsym": true, "stokes3d": true,
}

// random has the kinds whose number of nonzeros is estimated as an expected value.
var random = map[string]bool{"circuit": true, "kkt": true, "powerflow": true, "powerlaw": true}

// holes has the kinds with zeros on the diagonal.
var holes = map[string]bool{
	"circuit": true, "distillation": true, "kkt": true, "leastsquares": true, "mixeddarcy2d": true, "stokes2d": true,
}

type testCase struct {
	kind string
	p    Params
	hash string // start of the SHA-256 of the matrix
}

// cases are small matrices of every kind.
var cases = []testCase{
	{"anisotropic2d", Params{"n": 12}, "892b1dcc10880715"},
	{"anisotropic2d", Params{"n": 9, "angle": 90, "ratio": 0.1}, "c8d5287520379c2a"},
	{"circuit", Params{"n": 40}, "549bc7d08765af49"},
	{"circuit", Params{"n": 30, "rails": 0, "links": 2, "transistors": 1, "decades": 20, "seed": 2}, "ea0672174796a732"},
	{"circuit", Params{"n": 2}, "c811a4b574ee2f28"},
	{"consolidation3d", Params{"n": 3}, "a5d63772be08b352"},
	{"consolidation3dsym", Params{"n": 3, "dt": 0}, "724e46f37f18bf73"},
	{"consolidation3dsym", Params{"n": 3, "tets": 0, "decades": 2}, "35a53430c464bff6"},
	{"convdiff2d", Params{"n": 12}, "450ffb33bafef4bb"},
	{"convdiff2d", Params{"n": 12, "peclet": 5, "upwind": 0, "vx": -0.3}, "be3dc806ec8712fd"},
	{"convdiff3d", Params{"n": 6, "peclet": 100, "vz": -1}, "bb4512b97cef12a5"},
	{"darcy3d", Params{"n": 5}, "b26e1dd9b54eb3f3"},
	{"darcy3d", Params{"n": 5, "tets": 1, "jump": 3, "thickness": 2}, "9f8f805be15fe373"},
	{"device3d", Params{"n": 5}, "ff72697582dfc129"},
	{"device3d", Params{"n": 4, "tets": 0, "decades": 30}, "32cdd4658f8cab8c"},
	{"device3d", Params{"n": 5, "bounded": 1}, "593662d9e0d7a89c"},
	{"dg2d", Params{"nx": 3, "ny": 4}, "5df5c990d4866394"},
	{"dg2d", Params{"nx": 2, "ny": 1, "degree": 0, "fields": 1}, "bb842d89c130be8e"},
	{"distillation", Params{"columns": 2, "stages": 5, "components": 3}, "f945885132a3d73d"},
	{"distillation", Params{"columns": 1, "stages": 3, "components": 2, "recycle": 0, "decades": 12}, "1daf5ec9b11522d1"},
	{"elasticity3d", Params{"n": 4}, "c738053c4ebf3e33"},
	{"elasticity3d", Params{"n": 4, "decades": 0}, "161261bbdaecd9b6"},
	{"elasticity3d", Params{"n": 1, "grain": 3}, "21ee5c0aa100820e"},
	{"kkt", Params{"n": 40}, "ef7a8a259cc6c83e"},
	{"kkt", Params{"n": 40, "constraints": 0.9, "mean": 5, "window": 4, "dense": 2, "regularisation": 1e-8, "decades": 16}, "17fdb84a09dac2f3"},
	{"kkt", Params{"n": 2, "nonconvex": 1}, "fd81323ab91dd01b"},
	{"leastsquares", Params{"n": 5}, "4de7b8282b37a574"},
	{"leastsquares", Params{"n": 6, "fixed": 7, "decades": 12}, "fdfea4acaa20992d"},
	{"leastsquares", Params{"n": 1}, "094149157f7c77e2"},
	{"meshless2d", Params{"n": 14}, "4f616e76c0e190c7"},
	{"meshless2d", Params{"n": 8, "radius": 1.5, "ratio": 0.3, "angle": 30, "decades": 2}, "30892d0b4fe1ed8d"},
	{"mixeddarcy2d", Params{"n": 5}, "9d66060e840392b1"},
	{"mixeddarcy2d", Params{"n": 1}, "ee49d316fdd56b34"},
	{"poisson2d", Params{"n": 12}, "811d073974e439e0"},
	{"poisson2d", Params{"n": 15, "decades": 6, "grain": 4, "seed": 3}, "40d895edc0f51109"},
	{"poisson3d", Params{"n": 6, "decades": 4}, "b73d57f017b2dfc0"},
	{"poisson3d", Params{"n": 1}, "ec4329e34e2ffd7c"},
	{"powerflow", Params{"n": 40}, "8b8ab99253837bf3"},
	{"powerflow", Params{"n": 30, "meshes": 2, "rx": 1, "generators": 0.5, "loading": 30, "decades": 10}, "b94bb55204f4884c"},
	{"powerflow", Params{"n": 2, "generators": 1}, "84695e47c2302d2b"},
	{"powerlaw", Params{"n": 50, "mean": 5, "longest": 7}, "c61501a787b7b03b"},
	{"powerlaw", Params{"n": 300}, "e41129a32b495538"},
	{"powerlaw", Params{"n": 300, "mean": 40, "dominance": 0, "decades": 20}, "911e2da216984c9c"},
	{"powerlaw", Params{"n": 1}, "9fdc24b3ccf68d3e"},
	{"solid3d", Params{"n": 5, "bounded": 1, "decades": 4, "jump": 3, "layers": 5, "soft": 9}, "b4d7eb224d7379c2"},
	{"solid3d", Params{"n": 4}, "453e3446b4adf9f0"},
	{"solid3d", Params{"n": 4, "tets": 1, "pores": 0.5, "stretch": 0.1, "jump": 2}, "a50aae69c83b0301"},
	{"stencil27", Params{"n": 6}, "7ef972554a2c3830"},
	{"stencil27", Params{"n": 6, "window": 50}, "2a587a038acab38d"},
	{"stencil27", Params{"n": 1}, "3f3c47811c6552c0"},
	{"stokes2d", Params{"n": 5}, "b08a8fad2f7a6a2d"},
	{"stokes2d", Params{"n": 4, "enclosed": 1, "decades": 6}, "32bf7f6994e19e07"},
	{"stokes2d", Params{"n": 2}, "8be24f25fbb9af35"},
	{"stokes3d", Params{"n": 3}, "33c0dbe50e034d80"},
	{"transport3d", Params{"n": 5}, "7226a8acf9fd88e4"},
	{"transport3d", Params{"n": 4, "tets": 0, "peclet": 100, "decades": 3, "storage": 1}, "73a7b33ca0dbccd3"},
	{"trefethen", Params{"n": 100}, "3416b5beb3326968"},
	{"trefethen", Params{"n": 1}, "1b1b1c44beb42e6b"},
	{"wathen", Params{"nx": 5, "ny": 4}, "73a1855daca60938"},
	{"wathen", Params{"nx": 1, "ny": 1}, "caa6b0a011c59b83"},
}

func (c testCase) name() string { return fmt.Sprint(c.kind, c.p) }

func mustGenerate(t *testing.T, kind string, p Params) *csr.Matrix {
	t.Helper()
	m, err := Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checked returns a kind with values for all of its parameters.
func checked(t *testing.T, kind string, p Params) (Kind, values) {
	t.Helper()
	k, _ := Find(kind)
	v, err := k.values(p)
	if err != nil {
		t.Fatal(err)
	}
	return k, v
}

func TestEveryKindHasACase(t *testing.T) {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
		if !slices.ContainsFunc(cases, func(c testCase) bool { return c.kind == k.Name }) || len(names) > len(sizes) || sizes[len(names)-1].kind != k.Name {
			t.Errorf("no case or no sizes for %s", k.Name)
		}
		if k.Help == "" || k.Use == "" || len(k.Params) == 0 {
			t.Errorf("%s is not described", k.Name)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("kinds are not in order: %v", names)
	}
}

// Every case is a valid matrix with all of its diagonal unless it has holes, of the
// estimated size, with the same bits on every platform, and symmetric where that is promised.
func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name(), func(t *testing.T) {
			m := mustGenerate(t, c.kind, c.p)
			if err := m.Validate(); err != nil {
				t.Fatal(err)
			}
			k, _ := Find(c.kind)
			rows, nnz, err := k.Estimate(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if int64(m.Rows) != rows || m.Cols != m.Rows {
				t.Errorf("%d x %d, estimated %d rows", m.Rows, m.Cols, rows)
			}
			if !random[c.kind] && int64(m.NNZ()) != nnz {
				t.Errorf("%d nonzeros, estimated %d", m.NNZ(), nnz)
			}
			for i := range m.Rows {
				col, val := m.Row(i)
				if !slices.Contains(col, int32(i)) && !holes[c.kind] {
					t.Errorf("row %d has no diagonal", i)
				}
				for k, v := range val {
					if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 && !cancels[c.kind] {
						t.Errorf("entry (%d, %d) is %g", i, col[k], v)
					}
				}
			}
			if got := digest(m); got != c.hash {
				t.Errorf("digest %q, want %q", got, c.hash)
			}
			if k.Symmetric {
				checkSymmetric(t, m, !strings.HasSuffix(k.Help, "symmetric indefinite"))
			}
		})
	}
}

// checkSymmetric tests for the same bits across the diagonal, and for definiteness.
func checkSymmetric(t *testing.T, m *csr.Matrix, definite bool) {
	t.Helper()
	if f := csr.Examine(m, nil); f.Asymmetry != 0 {
		t.Fatalf("asymmetry %g", f.Asymmetry)
	}
	var chol mat.Cholesky
	if definite && !chol.Factorize(unitDiagonal(m)) {
		t.Error("not positive definite")
	}
}

// unitDiagonal returns a symmetric matrix scaled to a diagonal of ones.
func unitDiagonal(m *csr.Matrix) *mat.SymDense {
	a, d := mat.NewSymDense(m.Rows, nil), m.Diagonal(nil)
	m.DoNonZero(func(i, j int, v float64) { a.SetSym(i, j, v/math.Sqrt(d[i]*d[j])) })
	return a
}

func dense(m *csr.Matrix) *mat.Dense { return mat.DenseCopyOf(m) }

// sizes has each kind in a size of several parts and with 5 to 20 million nonzeros.
var sizes = []struct {
	kind         string
	parts, large Params
}{
	{"anisotropic2d", Params{"n": 60}, Params{"n": 1500}},
	{"circuit", Params{"n": 3000}, Params{"n": 1e6}},
	{"consolidation3d", Params{"n": 9}, Params{"n": 44}},
	{"consolidation3dsym", Params{"n": 9}, Params{"n": 44}},
	{"convdiff2d", Params{"n": 60}, Params{"n": 2000}},
	{"convdiff3d", Params{"n": 16}, Params{"n": 140}},
	{"darcy3d", Params{"n": 13}, Params{"n": 91}},
	{"device3d", Params{"n": 10}, Params{"n": 64}},
	{"dg2d", Params{"nx": 10, "ny": 10}, Params{"nx": 83, "ny": 83}},
	{"distillation", Params{"columns": 7}, Params{"columns": 200, "stages": 400}},
	{"elasticity3d", Params{"n": 11}, Params{"n": 46}},
	{"kkt", Params{"n": 3000}, Params{"n": 1e6}},
	{"leastsquares", Params{"n": 40}, Params{"n": 1000}},
	{"meshless2d", Params{"n": 50}, Params{"n": 540}},
	{"mixeddarcy2d", Params{"n": 40}, Params{"n": 1000}},
	{"poisson2d", Params{"n": 60, "decades": 5}, Params{"n": 2000, "decades": 4}},
	{"poisson3d", Params{"n": 16, "decades": 5}, Params{"n": 140, "decades": 4}},
	{"powerflow", Params{"n": 3000}, Params{"n": 1e6}},
	{"powerlaw", Params{"n": 5000}, Params{"n": 1.2e6}},
	{"solid3d", Params{"n": 10}, Params{"n": 44}},
	{"stencil27", Params{"n": 16, "window": 777}, Params{"n": 90, "window": 4096}},
	{"stokes2d", Params{"n": 40}, Params{"n": 1000}},
	{"stokes3d", Params{"n": 9}, Params{"n": 52}},
	{"transport3d", Params{"n": 13}, Params{"n": 111}},
	{"trefethen", Params{"n": 5000}, Params{"n": 5e5}},
	{"wathen", Params{}, Params{"nx": 650, "ny": 650}},
}

func TestThreads(t *testing.T) {
	for _, c := range sizes {
		k, _ := Find(c.kind)
		var want string
		for _, threads := range []int{1, 2, 8} {
			if testing.Short() && threads == 2 {
				continue
			}
			m, err := k.generate(c.parts, threads)
			if err != nil {
				t.Fatal(err)
			}
			if m.Rows <= 2*rowsPerPart {
				t.Errorf("%s: only %d rows", c.kind, m.Rows)
			}
			got := digest(m)
			if threads == 1 {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d threads make another matrix than one", c.kind, threads)
			}
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, c := range sizes {
		b.Run(c.kind, func(b *testing.B) {
			nnz := 0
			for b.Loop() {
				m, err := Generate(c.kind, c.large)
				if err != nil {
					b.Fatal(err)
				}
				nnz = m.NNZ()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nnz), "ns/nz")
			b.ReportMetric(float64(nnz), "nonzeros")
		})
	}
}

func TestSeeds(t *testing.T) {
	for _, k := range Kinds() {
		p := Params{}
		for _, q := range k.Params {
			if q.Name == "decades" {
				p["decades"] = 3
			}
		}
		if !slices.ContainsFunc(k.Params, func(q Param) bool { return q.Name == "seed" }) {
			continue
		}
		p["seed"] = 1
		one := digest(mustGenerate(t, k.Name, p))
		p["seed"] = 2
		if digest(mustGenerate(t, k.Name, p)) == one {
			t.Errorf("%s: the seed changes nothing", k.Name)
		}
	}
}

func digest(m *csr.Matrix) string {
	h := sha256.New()
	for _, part := range []any{m.RowPtr, m.Col, m.Val} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			panic(err) // a hash never fails to write
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
