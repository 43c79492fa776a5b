package gpu

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// slotOracle is a matrix in slots, read back from a device.
type slotOracle struct {
	block, slots, long int // size of blocks, and the numbers of blocks of the two kernels
	ptr, stream        []uint32
	exps               []int32
	row, first         []uint32
	y                  []float64 // products of the rows with x
	by                 []finisher
}

// finisher is who finishes a row.
type finisher struct{ block, thread, row int }

func readBack(a Matrix) *slotOracle {
	t := a.(*deviceMatrix).stored.(*slotStorage)
	o := &slotOracle{block: t.block, ptr: make([]uint32, t.slices), exps: make([]int32, 1)}
	if t.own == 1 {
		o.exps = make([]int32, a.(*deviceMatrix).rows)
	}
	o.row = make([]uint32, t.long.rows)
	if t.long.rows > 0 {
		o.first = make([]uint32, t.long.rows+1)
	}
	o.stream = make([]uint32, t.stream.bytes/4)
	download(a.(*deviceMatrix).d, o.ptr, t.ptr)
	download(a.(*deviceMatrix).d, o.stream, t.stream)
	download(a.(*deviceMatrix).d, o.exps, t.exps)
	download(a.(*deviceMatrix).d, o.row, t.long.row)
	download(a.(*deviceMatrix).d, o.first, t.long.start)
	o.slots, o.long = int(t.sliceBlocks()), int(t.long.blocks())
	return o
}

// integer is that of a lane in words of `width` bits for each, bit by bit.
func integer(words []uint32, lane, width int) float64 {
	m := -int64(1) << (width - 1)
	for k := range width {
		bit := lane*width + k
		m += int64(words[bit/32]>>(bit%32)&1) << k
	}
	return float64(m)
}

// multiply computes y = A x for a matrix of so many rows, and who finishes which row.
func (o *slotOracle) multiply(x []float64, rows int) {
	b := o.block
	o.y, o.by = make([]float64, rows), nil
	var side []float64
	for c, at := range o.ptr {
		s := o.stream[at:]
		first, how := int(s[0]), s[1]
		shift, count, runs := int(how&7), int(how>>3&63), int(how>>11)
		next := 2 + 2*runs
		order := s[next:]
		if how&isOrdered != 0 {
			next += (count + 1) / 2
		}
		sums := make([][6]float64, warp)
		for r := range runs {
			base, what := int(int32(s[2+2*r])), s[3+2*r]
			width, kind, n := int(what&63), what>>6&3, int(what>>8)
			cols := s[next:]
			if next += 16 * n; kind == onDiagonal {
				next += n - 16*n
			}
			for k := range n {
				for lane := range count << shift {
					at := base + b*int(cols[(warp*k+lane)/2%len(cols)]>>(lane%2*16)&0xffff)
					if kind == onDiagonal {
						at = first + lane + int(int32(cols[k]))
					}
					for e := range b * b {
						words := s[next+(k*b*b+e)*width:]
						var v float64
						if kind == asFloat {
							v = float64(math.Float32frombits(words[lane]))
						} else {
							v = integer(words, lane, width)
						}
						sums[lane][e%b] = math.FMA(v, x[at+e/b], sums[lane][e%b])
					}
				}
			}
			next += n * b * b * width
		}
		for m := 1 << shift / 2; m > 0; m /= 2 {
			for l := range warp {
				if l%(1<<shift) < m {
					for e := range b {
						sums[l][e] += sums[l+m][e]
					}
				}
			}
		}
		for k := range count {
			if how&isSegment != 0 {
				side = append(side, sums[0][:b]...)
				continue
			}
			row := first + k
			if how&isOrdered != 0 {
				row = first + int(order[k/2]>>(k%2*16)&0xffff)
			}
			for e := range b {
				o.y[b*row+e] = sums[k<<shift][e]
				o.by = append(o.by, finisher{c / 8 % o.slots, c%8*warp + k<<shift, b*row + e})
			}
		}
	}
	for k := range len(o.row) * b {
		lanes := make([]float64, warp)
		for s := o.first[k/b]; s < o.first[k/b+1]; s++ {
			lanes[(s-o.first[k/b])%warp] += side[int(s)*b+k%b]
		}
		row := int(o.row[k/b])*b + k%b
		o.y[row] = tree(lanes, plus64)
		o.by = append(o.by, finisher{o.slots + k/8%o.long, k % 8 * warp, row})
	}
	for i := range o.y {
		o.y[i] = math.Ldexp(o.y[i], int(o.exps[min(i, len(o.exps)-1)])+1)
	}
}

// dot is u·w as the kernels add it up.
func (o *slotOracle) dot(u, w []float64) float64 {
	p := make(partials, o.slots+o.long)
	for _, f := range o.by {
		p.add(f.block, f.thread, u[f.row], w[f.row])
	}
	return p.total()
}

var update = flag.Bool("update", false, "rewrite testdata/slots.txt and testdata/ratchet.txt")

// Streams of slots have the bits that they had, whatever the device.
func TestSlotsGolden(t *testing.T) {
	d := emulated(t)
	var text strings.Builder
	matrices := slotMatrices(t)
	for _, name := range []string{"poisson2d", "poisson3d", "elasticity3d", "powerlaw", "stencil27", "range", "dense row", "far", "blocks 2", "long block rows"} {
		for _, l := range []adaptive.Layout{adaptive.LayoutAuto, adaptive.Slots, adaptive.Diagonals} {
			for _, c := range adaptive.Criteria {
				for _, eps := range []float64{0x1p-24, 0x1p-53} {
					s := afx(t, c, eps)
					s.Layout = l
					a := slotted(t, d, matrices[name], s, 2)
					fmt.Fprintf(&text, "%s, %s, %q: %s, %08x\n", name, s, l, a.LayoutText(), uint32(slotsHash(a)))
				}
			}
		}
	}
	path := filepath.Join("testdata", "slots.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(text.String(), "\n"), strings.Split(string(old), "\n")
	for k := range min(len(got), len(want)) {
		if got[k] != want[k] {
			t.Errorf("%s, was %s", got[k], want[k])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, were %d", len(got), len(want))
	}
}

// slotsHash is a hash of what is uploaded, and of the statistics.
func slotsHash(a Matrix) uint64 {
	o := readBack(a)
	end := make([]uint32, len(o.ptr)+1)
	download(a.(*deviceMatrix).d, end, a.(*deviceMatrix).stored.(*slotStorage).ptr)
	h := fnv.New64a()
	for _, v := range []any{end, o.stream[:end[len(o.ptr)]], o.exps, o.row, o.first} {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	fmt.Fprintf(h, "%+v", a.Stats().Formats)
	return h.Sum64()
}

// matrixOf makes a matrix of rows that a function fills.
func matrixOf(t testing.TB, rows, cols int, row func(rng *rand.Rand, i int, add func(j int, v float64))) *csr.Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(rows)))
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		row(rng, i, func(j int, v float64) {
			if err := b.Add(i, j, v); err != nil {
				t.Fatal(err)
			}
		})
	}
	return b.Build()
}

// slotMatrices are generated ones of many shapes.
func slotMatrices(t testing.TB) map[string]*csr.Matrix {
	all := map[string]*csr.Matrix{
		"poisson2d":    generated(t, "poisson2d", generate.Params{"n": 23, "decades": 6}),
		"poisson3d":    generated(t, "poisson3d", generate.Params{"n": 11}),
		"elasticity3d": generated(t, "elasticity3d", generate.Params{"n": 5}),
		"powerlaw":     generated(t, "powerlaw", generate.Params{"n": 3000}),
		"stencil27":    generated(t, "stencil27", generate.Params{"n": 9}),
		"1x1":          matrixOf(t, 1, 1, func(_ *rand.Rand, _ int, add func(int, float64)) { add(0, -3) }),
		"empty rows": matrixOf(t, 70, 9, func(rng *rand.Rand, i int, add func(int, float64)) {
			if i%7 == 3 {
				add(i%9, rng.NormFloat64())
			}
		}),
		"range": matrixOf(t, 300, 300, func(rng *rand.Rand, i int, add func(int, float64)) {
			for _, j := range rng.Perm(300)[:1+i%40] {
				add(j, math.Ldexp(rng.NormFloat64(), rng.IntN(400)-200-3*i))
			}
			if i%3 > 0 {
				add(i, math.Ldexp(1, -800))
			}
		}),
		"subnormal": matrixOf(t, 40, 40, func(rng *rand.Rand, i int, add func(int, float64)) {
			add(i, math.Ldexp(rng.NormFloat64(), -1060))
			add((i+9)%40, math.Ldexp(rng.NormFloat64(), -1050))
		}),
		"dense row": matrixOf(t, 50, 20000, func(rng *rand.Rand, i int, add func(int, float64)) {
			for j := i; j < 20000; j++ {
				add(j, rng.NormFloat64())
				if i != 20 {
					j += 1000 * (1 + i%3)
				}
			}
		}),
		"far": matrixOf(t, 100, 140000, func(rng *rand.Rand, i int, add func(int, float64)) {
			for range 9 {
				add(rng.IntN(140000), rng.ExpFloat64())
			}
		}),
	}
	for b := 2; b <= 6; b++ {
		all[fmt.Sprint("blocks ", b)] = blockMatrix(t, b, 37, 37)
	}
	all["long block rows"] = blockMatrix(t, 2, 100, 5000)
	return all
}

// blockMatrix has blocks of b x b, m rows of n of them, the first full.
func blockMatrix(t testing.TB, b, m, n int) *csr.Matrix {
	return matrixOf(t, b*m, b*n, func(rng *rand.Rand, i int, add func(int, float64)) {
		step := n/9 + 1
		if i/b == 0 {
			step = 1
		}
		for k := i / b % step; k < n; k += step {
			for j := range b {
				add(k*b+j, math.Ldexp(rng.NormFloat64(), -rng.IntN(20)))
			}
		}
	})
}
