package adaptive

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// goldenMatrices are small ones of many kinds.
func goldenMatrices(t testing.TB) (names []string, list []*csr.Matrix) {
	add := func(name string, m *csr.Matrix) { names, list = append(names, name), append(list, m) }
	add("elasticity3d", generated(t, "elasticity3d", generate.Params{"n": 4, "decades": 9}))
	add("poisson3d", generated(t, "poisson3d", generate.Params{"n": 9, "decades": 4}))
	add("stencil27", generated(t, "stencil27", generate.Params{"n": 6}))
	add("powerlaw", generated(t, "powerlaw", generate.Params{"n": 500}))
	add("convdiff2d", generated(t, "convdiff2d", generate.Params{"n": 21}))
	b, err := csr.NewBuilder(60, 140000) // empty rows and a dense one, columns out of reach
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		n := i % 7
		if i == 33 {
			n = 3000
		}
		for range n {
			if err := b.Add(i, rng.IntN(140000), math.Ldexp(rng.Float64()-0.5, -rng.IntN(40))); err != nil {
				t.Fatal(err)
			}
		}
	}
	add("irregular", b.Build())
	return names, list
}

// goldenSpecs are those of AFX in all layouts, of the papers' sets, and of uniform formats.
func goldenSpecs(t testing.TB) (list []Spec) {
	for _, c := range Criteria {
		for _, l := range []Layout{CSR, Bucketed, Slots, Blocks, Diagonals, SELL, Tiles, Symmetric, COO, ELL, Hybrid, SELL8, BCRS4x1} {
			for _, eps := range []float64{0x1p-24, 0x1p-37, 0x1p-53} {
				if s := (Spec{Set: set(t, "AFX"), Epsilon: eps, Criterion: c, Layout: l}); s.Validate() == nil {
					list = append(list, s)
				}
			}
		}
		for _, s := range packed.Sets()[:len(packed.Sets())-1] {
			list = append(list,
				Spec{Set: Set(s), Epsilon: 0x1p-30, Criterion: c},
				Spec{Set: Set(s), Epsilon: 0x1.8p-46, Criterion: c, PaperExact: true, StorageArithmetic: true},
				Spec{Set: Set(s), Epsilon: 0x1p-12, Criterion: c, NoDrop: true})
		}
	}
	for _, l := range []Layout{Bucketed, Slots, Blocks} {
		list = append(list, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-20, Criterion: CW, Layout: l, GuardBits: 1, NoDrop: true})
	}
	for _, name := range composed {
		list = append(list,
			Spec{Set: set(t, name), Epsilon: 0x1p-30},
			Spec{Set: set(t, name), Epsilon: 0x1p-24, Criterion: CW, PaperExact: true})
	}
	for _, f := range formats.All() {
		list = append(list, Spec{Set: set(t, f.Name), Epsilon: 0x1p-24})
	}
	return list
}

// storedHash is a hash of everything that a stored matrix consists of.
func storedHash(a Matrix) uint64 {
	h := fnv.New64a()
	put := func(list ...any) {
		for _, v := range list {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	put(a.(*matrix).tol.Exp, a.(*matrix).tol.Theta)
	for _, b := range a.Buckets() {
		put([]byte(b.Codec.Name), b.ByTheta, b.RowPtr, b.Col, b.Values)
	}
	if s := a.(*matrix).slots(); s != nil {
		for _, panels := range s.panels {
			for _, p := range panels {
				put(int64(p.Block), p.Groups, p.Widths, p.Index, p.Offsets, p.Values, int64(p.Odd), p.Order, int64(p.lo), int64(p.hi))
			}
		}
		if s, ok := a.(*matrix).stored.(*symmetricMatrix); ok {
			for _, p := range s.parts {
				put(int64(p.first), int64(p.last), int64(p.from), int64(p.own), int64(p.to))
			}
		}
	}
	return h.Sum64()
}

// productsHash is a hash of what all products give.
func productsHash(a Matrix) uint64 {
	h := fnv.New64a()
	put := func(list ...float64) {
		for _, v := range list {
			if math.IsNaN(v) {
				v = math.NaN()
			}
			_ = binary.Write(h, binary.LittleEndian, v)
		}
	}
	rows, cols := a.Dims()
	x, b, w, y := random(11, cols), random(12, rows), random(13, rows), make([]float64, rows)
	a.Apply(y, x)
	put(y...)
	put(a.ApplyDot(y, x, w).Float())
	dw, dd := a.ApplyDots(y, x, w)
	put(dw.Float(), dd.Float())
	a.Residual(y, b, x)
	put(y...)
	a.ApplyPlus(y, b, x)
	put(y...)
	if rows == cols {
		a.Relax(y, x, b, w, 0.75)
		put(y...)
	}
	return h.Sum64()
}

func goldenSample(b *builder) choice {
	s := b.sample()
	return s.fastest(b)
}

// Stored matrices and products have the bits that they had. The last bits of products in buckets
// depend on the kernels, see kernels.Set.AddRows; they are recorded for each set.
func TestGolden(t *testing.T) {
	testsupport.CompareRecord(t, filepath.Join("testdata", "golden-buckets.txt"), *update, func(t *testing.T) map[string]string {
		text, products := goldenBits(t)
		current(t, filepath.Join("testdata", "golden.txt"), []byte(text))
		return products
	})
}

// goldenBits returns the lines of golden.txt, and the hashes of products in buckets.
func goldenBits(t *testing.T) (text string, buckets map[string]string) {
	var all strings.Builder
	buckets = map[string]string{}
	pool := newPool(t, 2)
	names, list := goldenMatrices(t)
	for k, m := range list {
		for _, s := range goldenSpecs(t) {
			name := names[k] + " " + s.name()
			fmt.Fprintf(&all, "%s: ", name)
			a, err := Build(m, s, pool)
			if err != nil {
				fmt.Fprintln(&all, err)
				continue
			}
			fmt.Fprintf(&all, "%s %d %08x", a.Layout(), a.Bytes(), uint32(storedHash(a)))
			if products := fmt.Sprintf("%08x", uint32(productsHash(a))); a.Layout() != Bucketed {
				fmt.Fprintf(&all, " %s\n", products)
			} else {
				fmt.Fprintln(&all)
				buckets[name] = products
			}
		}
		b, err := newBuilder(m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Model: recordedModel(t)}, pool)
		if err != nil {
			t.Fatal(err)
		}
		b.mirrored = b.maybeSymmetric()
		fmt.Fprintf(&all, "%s auto: %s\n", names[k], goldenSample(b))
	}
	return all.String(), buckets
}
